/* Overviews: a run of any length in a bounded number of rows. */
#ifndef ANALYSIS_OVERVIEW_H
#define ANALYSIS_OVERVIEW_H

#include <sextant/analysis.h>

/*
 * Rows of raw counters in few: a run of any length as at most 4,096 rows, each the total of as many
 * adjacent ones, which a curve or advice can be drawn from. An amount that some of these lack is
 * scaled up for them, so that rates are those of the time in which it was known.
 */
struct overview;
struct total;

/* Begins an overview. *out is owned by the caller. Errors: SX_ERR_NO_MEMORY. */
enum sx_status overview_create(const struct sx_table *like, struct overview **out,
			       struct sx_error *err);
/*
 * Another one of the same rows, which more can be added to; it leans on nothing. *out is owned by
 * the caller. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status overview_copy(const struct overview *from, struct overview **out,
			     struct sx_error *err);
/* See total_use(). */
void overview_use(struct overview *overview, const struct total *run);
/* Releases an overview; NULL is fine. */
void overview_destroy(struct overview *overview);
/* Adds all rows of a table. Errors: SX_ERR_NO_MEMORY. */
enum sx_status overview_add(struct overview *overview, const struct sx_table *raw,
			    struct sx_error *err);
/* Adds `count` rows of a table from `first` on. Errors: SX_ERR_NO_MEMORY. */
enum sx_status overview_add_rows(struct overview *overview, const struct sx_table *raw,
				 size_t first, size_t count, struct sx_error *err);
/*
 * The rows so far; *each (may be NULL) receives how many rows one of them combines. Owned by the
 * overview, valid until more is added. NULL when memory is out.
 */
const struct sx_table *overview_table(struct overview *overview, uint64_t *each);

#endif
