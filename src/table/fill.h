/* Functions of tables for the library, beyond the public ones. */
#ifndef TABLE_FILL_H
#define TABLE_FILL_H

#include <sextant/table.h>

/* Sets why a whole column has no data (copied). Errors: SX_ERR_NO_MEMORY. */
enum sx_status table_set_why(struct sx_table *table, uint32_t column, const char *why);
#define TABLE_REASON_MASK (SX_QUALITY_NOT_COLLECTED | SX_QUALITY_GAP)
/*
 * Adds (a copy of) why rows of a quality of TABLE_REASON_MASK have no value in a column, also where
 * others have; each reason is kept once. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status table_add_reason(struct sx_table *table, uint32_t column, uint8_t quality,
				const char *why);
/* These reasons as one text, or NULL. */
const char *table_reason(const struct sx_table *table, uint32_t column, uint8_t quality);
/* Gives a table the reasons of another with the same columns. Errors: SX_ERR_NO_MEMORY. */
enum sx_status table_copy_reasons(struct sx_table *to, const struct sx_table *from);
/*
 * The same, and why whole columns have no data now: such a reason goes when there is data. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status table_copy_whys(struct sx_table *to, const struct sx_table *from);
/* Writable values of a column (uint64_t or double by type), and its quality bytes. */
void *table_data(struct sx_table *table, uint32_t column);
/* See table_data(). Never NULL for a valid column with rows. */
uint8_t *table_quality(struct sx_table *table, uint32_t column);

struct backing;
/*
 * Of a table without rows: from here on its arrays are file-backed, by what outlives it. Code that
 * goes over many of its rows says so (backing_row()).
 */
void table_backing(struct sx_table *table, struct backing *file);
/* Says that so many rows were read, in order: those of arrays in a file may leave memory. */
void table_pass(const struct sx_table *table, size_t rows);

/* Of a column: a value and a quality for each of a table's rows, as the table has them. */
struct table_arrays {
	void *data; /* uint64_t or double by the column's type; 0 or NaN where there is no data */
	uint8_t *quality;
	size_t data_cap, quality_cap;
};

/*
 * Gives a column without values such arrays, which are of malloc() or of the table's file backing;
 * what the table did not take is left in *arrays. Errors: SX_ERR_USAGE (no such column, or it has
 * values), SX_ERR_NO_MEMORY.
 */
enum sx_status table_adopt(struct sx_table *table, uint32_t column, struct table_arrays *arrays);

struct row_span {
	size_t first, count;
};

/*
 * Gives rows of a column one quality at once, for a writer that fills table_data()
 * itself; rows that are filled with 0 stay as quick to evaluate as if set one by one. Errors:
 * SX_ERR_USAGE (rows or column out of range), SX_ERR_NO_MEMORY.
 */
enum sx_status table_fill_quality(struct sx_table *table, uint32_t column, struct row_span rows,
				  uint8_t quality, struct sx_error *err);

/*
 * Of totals: whether a ratio that was given is the mean of the rows' ratios, since nothing there is
 * makes that of the whole.
 */
void table_set_of_rows(struct sx_table *table, uint32_t column, bool is);
bool table_is_of_rows(const struct sx_table *table, uint32_t column);
/* Whether the rows of a table are totals of several: ratios over them are to be worked out anew. */
bool table_is_combined(const struct sx_table *table);

/*
 * Rows that combine frames and time slices: sums of the frames alone are kept beside them, and
 * metrics of frames are derived from these.
 */
/* A table with as many rows and the same columns, each row the frames alone; often `table`. */
const struct sx_table *frames_of_table(const struct sx_table *table);
/*
 * From here on the rows of a table have frames of their own; the rows that it has already are
 * frames, or say by themselves what they are. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status frames_begin(struct sx_table *table, struct sx_error *err);
/*
 * Adds rows of a table with the same columns, and what it has of their frames alone; totals stay
 * totals. `vectors` has room for all columns. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status frames_append(struct sx_table *to, const struct sx_table *from, struct row_span rows,
			     struct sx_vector *vectors, struct sx_error *err);

/*
 * Removes the columns with another value than SX_NONE in `instead`, which has one for each column;
 * the others keep their order. For tables without frames of their own. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status table_leave_out(struct sx_table *table, const uint32_t *instead,
			       struct sx_error *err);
/* A table without rows that has the columns of another. Errors: SX_ERR_NO_MEMORY. */
enum sx_status table_like(const struct sx_table *like, struct sx_table **out, struct sx_error *err);
/* The same for rows that are totals of several: the mean of whole numbers is none. */
enum sx_status table_like_totals(const struct sx_table *like, struct sx_table **out,
				 struct sx_error *err);

#define TABLE_BLOCK_COLUMNS_MAX 96

/* Where a caller writes new rows column by column; arrays have one element a row and belong to the
 * table. */
struct table_block {
	size_t first; /* index of the first row */
	uint64_t *begin_ns, *end_ns;
	uint64_t *context, *reason;		    /* labels */
	uint64_t *columns[TABLE_BLOCK_COLUMNS_MAX]; /* of each column */
};

/*
 * Adds one row or more to a table of TABLE_BLOCK_COLUMNS_MAX columns at most, all of them u64.
 * Their values, times and labels are undefined until the caller writes them all; every value is
 * valid. The arrays last until the table changes. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status table_add_block(struct sx_table *table, size_t rows, struct table_block *out,
			       struct sx_error *err);

/* The times of all rows, to write; they last until the table changes. */
void table_times(struct sx_table *table, uint64_t **begin_ns, uint64_t **end_ns);
/* From here on its rows enclose what their values have shown. */
void table_become(struct sx_table *table, enum sx_sample_kind kind);

/*
 * Gives `to` as many rows as `from` has, with its times and labels. Values of columns that have
 * memory are undefined until the caller writes them all, with their qualities; the others are not
 * collected. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status table_take_heads(struct sx_table *to, const struct sx_table *from,
				struct sx_error *err);

/* Whether a row is wanted. Thread-safe. */
bool row_is_chosen(const struct sx_row_choice *choice, const struct sx_table *table, size_t row);

#endif
