/* Overviews of a part of a table's rows. */
#ifndef ANALYSIS_OVERVIEW_H
#define ANALYSIS_OVERVIEW_H

#include <sextant/analysis.h>

/* Adds `count` rows of a table from `first` on. Errors: SX_ERR_NO_MEMORY. */
enum sx_status overview_add_rows(struct sx_overview *overview, const struct sx_table *raw,
				 size_t first, size_t count, struct sx_error *err);

#endif
