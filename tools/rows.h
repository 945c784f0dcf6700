/* A table of metrics written row by row, as eval and decode do. */
#ifndef TOOLS_ROWS_H
#define TOOLS_ROWS_H

#include "tools/cli.h"

struct rows_shape {
	const char *schema;  /* "eval", "decode" */
	const char *catalog; /* name */
	bool times;	     /* begin_ns, end_ns columns */
	bool contexts;	     /* a context column */
	uint32_t labels;     /* more label columns: a mask of 1 << enum sx_label */
	bool quality;	     /* a column with the reservations about a row's values */
	/* In text, which has lines about a row before its values: */
	bool reasons;	    /* what ended the row */
	bool whole;	    /* one row for all: neither its context nor its begin means much */
	const char *length; /* what its time is; NULL: "duration" */
	/* Further keys of the JSON document; or NULL. */
	void (*more)(struct json *json, void *user);
	void *more_user;
};

/*
 * Writes `table` in the chosen format (text, json, ndjson, csv). Text shows one metric a line and
 * the first few rows beside it.
 */
enum sx_status rows_write(const struct cli *cli, const struct rows_shape *shape,
			  const struct sx_table *table, struct sx_error *err);

/* The same in parts, for input that is too long to hold: rows_add() any number of times. */
struct rows_writer {
	const struct cli *cli;
	const struct rows_shape *shape;
	struct json json;
	size_t rows;
	bool begun;
};

struct rows_writer rows_begin(const struct cli *cli, const struct rows_shape *shape);
/* Appends the rows of a table; all tables have the same columns. */
enum sx_status rows_add(struct rows_writer *writer, const struct sx_table *table,
			struct sx_error *err);
/* Ends what rows_add() began, with the last table for its columns. */
void rows_end(struct rows_writer *writer, const struct sx_table *table);

/* Text: the first rows side by side, and what that leaves out (rows_text.c). */
bool rows_text_write(const struct cli *cli, const struct rows_shape *shape,
		     const struct sx_table *table);
void rows_text_end(const struct rows_writer *writer, const struct sx_table *table);

#endif
