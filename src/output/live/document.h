/* The live model as a document of one line, for programs. */
#ifndef OUTPUT_LIVE_DOCUMENT_H
#define OUTPUT_LIVE_DOCUMENT_H

#include "analysis/live/live.h"
#include "output/view.h"

/*
 * Writes a moment as a line of JSON: every device with its metrics, which are those of exported
 * rows, and processes, and the verdict. `counters`: with raw counters that are selected. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status live_document_write(const struct view *view, struct live *live,
				   const struct live_moment *at, bool counters,
				   struct sx_error *err);

#endif
