/*
 * Tables: samples as typed columns with time, labels and a quality for each value. A table is
 * owned by one thread while it is written; readers may share it once it is complete.
 */
#ifndef SEXTANT_TABLE_H
#define SEXTANT_TABLE_H

#include <sextant/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_table;

/*
 * Creates a table with `count` columns and no rows. *out is owned by the caller.
 * Errors: SX_ERR_USAGE (two columns share a name), SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_table_create(const struct sx_column *columns, uint32_t count,
				      enum sx_sample_kind kind, struct sx_table **out,
				      struct sx_error *err);
/* Releases a table; NULL is fine. */
SX_API void sx_table_destroy(struct sx_table *table);

/* Number of columns. */
SX_API uint32_t sx_table_column_count(const struct sx_table *table);
/* Number of rows. */
SX_API size_t sx_table_row_count(const struct sx_table *table);
/* What its rows enclose. */
SX_API enum sx_sample_kind sx_table_kind(const struct sx_table *table);
/* Descriptor of a column; lives as long as the table. NULL when out of range. */
SX_API const struct sx_column *sx_table_column(const struct sx_table *table, uint32_t column);
/* Index of a column by exact name, or SX_NONE. */
SX_API uint32_t sx_table_find(const struct sx_table *table, const char *name);

/*
 * Adds `count` rows; every value is not collected until it is set. *first (may be NULL) receives
 * the index of the first new row. Invalidates pointers to columns. Errors: SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_table_add_rows(struct sx_table *table, size_t count, size_t *first,
					struct sx_error *err);
/*
 * Drops all rows and keeps the memory. A dictionary of more than 1,024 strings or 256 KiB is
 * emptied, so that labels that never come back do not accumulate.
 */
SX_API void sx_table_clear(struct sx_table *table);

/* Begin and end of a row in ns; SX_TIME_UNKNOWN where the source has no times. */
SX_API void sx_table_set_time(struct sx_table *table, size_t row, uint64_t begin_ns,
			      uint64_t end_ns);
/* When each row begins; valid until rows are added. */
SX_API const uint64_t *sx_table_begin_ns(const struct sx_table *table);
/* When each row ends; valid until rows are added. */
SX_API const uint64_t *sx_table_end_ns(const struct sx_table *table);

/* Sets one value; the column must have the type. A value is valid when quality is 0. */
SX_API void sx_table_set_u64(struct sx_table *table, uint32_t column, size_t row, uint64_t value,
			     uint8_t quality);
/* See sx_table_set_u64(). NaN is stored as undefined. */
SX_API void sx_table_set_f64(struct sx_table *table, uint32_t column, size_t row, double value,
			     uint8_t quality);

/* The column's own memory, not a copy; pointers live until rows are added. */
SX_API struct sx_vector sx_table_vector(const struct sx_table *table, uint32_t column);
/* A value as f64: NaN where there is no data. */
SX_API double sx_table_get(const struct sx_table *table, uint32_t column, size_t row);

/*
 * Labels. Setting one allocates its column; rows without it read SX_LABEL_ABSENT. Errors:
 * SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_table_set_label(struct sx_table *table, enum sx_label label, size_t row,
					 uint64_t value);
/* Value of a label, or SX_LABEL_ABSENT. */
SX_API uint64_t sx_table_label(const struct sx_table *table, enum sx_label label, size_t row);
/* True when any row ever carried the label. */
SX_API bool sx_table_has_label(const struct sx_table *table, enum sx_label label);
/* Index of a string in the table's dictionary, added when new; SX_NONE when memory is out. */
SX_API uint32_t sx_table_intern(struct sx_table *table, const char *text, size_t size);
/* A string of the dictionary, or NULL. Lives as long as the table. */
SX_API const char *sx_table_string(const struct sx_table *table, uint64_t index);

/*
 * Adds rows to the end of a table. The columns of `rows` must be the table's, in the same order and
 * of the same types; strings of labels are interned. Invalidates pointers to columns. Errors:
 * SX_ERR_USAGE (columns differ), SX_ERR_NO_MEMORY (some rows may have been added without values).
 */
SX_API enum sx_status sx_table_append(struct sx_table *table, const struct sx_rows *rows,
				      struct sx_error *err);
/*
 * Rows [first, first + count) of a table as a span. `vectors` has room for all columns; *out points
 * into it and into the table, and is valid until rows are added.
 */
SX_API void sx_table_rows(const struct sx_table *table, size_t first, size_t count,
			  struct sx_vector *vectors, struct sx_rows *out);

/* Which rows are wanted, by the labels of processes and contexts. Zero: all. */
struct sx_row_choice {
	const char *process; /* its name, its number, or both as the label has them; NULL: any */
	bool only_context;
	uint64_t context;
	bool unlabelled; /* rows without a process or context are wanted as well */
};
/*
 * Appends the rows that are wanted to another table, which has the same columns; *others grows by
 * the number of the rest. Errors: SX_ERR_NO_MEMORY (some rows may have been added).
 */
SX_API enum sx_status sx_table_choose(const struct sx_row_choice *choice,
				      const struct sx_table *from, struct sx_table *to,
				      uint64_t *others, struct sx_error *err);

/*
 * Combines all rows of `in` into a table of one row, each counter by its own rule over time, so
 * that sx_metrics_eval() of it gives the metrics of the whole run. Sums of u64 are exact; one that
 * does not fit carries SX_QUALITY_WRAPPED. Means are SX_F64, also of whole numbers, and weighted by
 * the lengths of the rows where all are known.
 * Rows with data represent the rows of the same process and context that were not measured: the
 * first 63 processes and contexts each by itself, further ones together. Where no row of one was
 * measured, the others represent it. The normalisation basis of frames is "DrawCalls", "Draws" and
 * "Dispatches" where they have these. Where not, it is time for durations and for time slices,
 * among them rows of frames with "Frames" 0, and the number of rows for all others. The first four
 * frames of a context, by their labels, represent others only where no others were measured.
 * Rows without data are left out, and the total then carries SX_QUALITY_LOST. Without any row with
 * data the total is no data; so is a sum when as many rows had a gap or were disturbed as were
 * counted. A ratio has no total. The row begins with the first row and is as long as the time that
 * the rows cover, gaps left out and overlaps counted once. *out is owned by the caller. Errors:
 * SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_table_total(const struct sx_table *in, struct sx_table **out,
				     struct sx_error *err);

/*
 * Resamples the columns of `from` to the times of `rows`, which become the rows of *out, in their
 * order: for example what the CPU did during each frame. Each column follows its rule over time:
 * sums are split in proportion to the time that rows share, also u64 ones, as f64; means and ratios
 * are means weighted by that time; MAX and LAST are the highest and the last. A value from rows
 * that reach beyond the span carries SX_QUALITY_STRETCHED. One from a part of the span carries
 * SX_QUALITY_MULTIPLEXED, and its sums are scaled up; from less than half of it, there is no data;
 * nor for rows without times. *out is owned by the caller. Errors: SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_table_join(const struct sx_table *rows, const struct sx_table *from,
				    struct sx_table **out, struct sx_error *err);

#ifdef __cplusplus
}
#endif

#endif
