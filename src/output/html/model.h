/* A report as the data of its page. */
#ifndef OUTPUT_HTML_MODEL_H
#define OUTPUT_HTML_MODEL_H

#include "output/views.h"

/*
 * Writes one JSON document: what `report -f json` says, and what only a page has: titles, windows
 * of findings, formulas with their numbers, gaps, and how the charts' numbers are laid out. Values
 * are in base units; those of charts, in the catalog's, are `factor` away from them. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status model_write(const struct view *view, const struct report *report,
			   struct sx_error *err);

#endif
