/* Totals: rows combined by each counter's own rule over time, one table after another. */
#ifndef TABLE_TOTAL_H
#define TABLE_TOTAL_H

#include <sextant/table.h>

#include "table/fill.h"

struct parts;
struct parts_rows;
struct total;

/* A total over tables with the columns of `like`, which may be destroyed before it. */
enum sx_status total_create(const struct sx_table *like, struct total **out, struct sx_error *err);
/* A total over the same tables as another; both then share the descriptions of columns. */
enum sx_status total_create_same(const struct total *as, struct total **out, struct sx_error *err);
/*
 * The largest number of separate strata; all further ones are added up together (PARTS_MAX unless
 * set). Before the first row.
 */
void total_set_parts(struct total *total, uint32_t most);
/* The strata of its rows, which other totals may share. */
struct parts *total_parts(struct total *total);
/*
 * Before the first row: its strata are these, which outlive it. Rows come with total_add_known()
 * and total_add_both() alone, since their strata are found once for all that share them.
 */
void total_share(struct total *total, struct parts *parts);
/*
 * For a part of a run: where nothing of a program or context was measured in this part, what it did
 * in the whole run represents it. `run` must outlive the total; NULL: none.
 */
void total_use(struct total *total, const struct total *run);
/* Adds all rows of a table with the same columns in the same order. */
void total_add(struct total *total, const struct sx_table *table);
/* The same where the strata of all blocks of its rows, PARTS_BLOCK each, were found. */
void total_add_known(struct total *total, const struct sx_table *table, struct parts_rows *blocks);
/* Adds `count` rows from `first` on. */
void total_add_rows(struct total *total, const struct sx_table *table, size_t first, size_t count);
/*
 * Adds rows of a table, and to `other`, which shares the strata and may be NULL, the same rows of
 * another.
 */
void total_add_both(struct total *total, const struct sx_table *table, struct row_span rows,
		    struct total *other, const struct sx_table *of);
/* Forgets what was added. */
void total_reset(struct total *total);
/* What the sums of a total are of. */
enum total_of {
	TOTAL_RUN,     /* no data when as many rows had a gap or were disturbed as were counted */
	TOTAL_COUNTED, /* rows with data, however few: what a ratio divides, and by what */
	/*
	 * Rows that lack an amount have it at the rate of the others: rates and ratios are worked
	 * out of these, for time goes on in rows that lack an amount.
	 */
	TOTAL_WHOLE
};
/* What was added so far as a table of one row, owned by the caller. */
enum sx_status total_table(const struct total *total, enum total_of of, struct sx_table **out,
			   struct sx_error *err);
/*
 * The same as a row at the end of a table with those columns; `frames` is of the frames alone,
 * where the added rows combined these and time slices, or NULL.
 */
enum sx_status total_append(const struct total *total, enum total_of of, const struct total *frames,
			    struct sx_table *to, struct sx_error *err);
/*
 * TOTAL_WHOLE of every `each` rows of a table, the last ones fewer if need be: a row each at the
 * end of `to`. The total, which is empty before and after, is not of frames (total_is_of_frames()).
 */
enum sx_status total_append_each(struct total *total, const struct sx_table *from,
				 struct row_span rows, size_t each, struct sx_table *to,
				 struct sx_error *err);
/* Whether rows may be frames, of which sums apart may be needed. */
bool total_is_of_frames(const struct total *total);
/* All rows of a table as one. */
enum sx_status total_of_table(const struct sx_table *in, enum total_of of, struct sx_table **out,
			      struct sx_error *err);
/* Whether some rows lack what others have, so that the two differ. */
bool total_lacks(const struct total *total);
void total_destroy(struct total *total);

#endif
