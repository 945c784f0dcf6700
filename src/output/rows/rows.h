/* A table of metrics written row by row, as eval and decode do. */
#ifndef OUTPUT_ROWS_ROWS_H
#define OUTPUT_ROWS_ROWS_H

#include <pthread.h>
#include <sextant/catalog.h>
#include <sextant/metric.h>
#include <sextant/table.h>

#include "output/view.h"
#include "catalog/units.h"
#include "output/write/json.h"

struct rows_shape {
	const char *schema;  /* "eval", "decode" */
	const char *catalog; /* name; NULL: rows of several */
	const char *name;    /* the device's, for JSON of tables and NDJSON; NULL: it has none */
	bool times;	     /* begin_ns, end_ns columns */
	bool contexts;	     /* a context column */
	uint32_t labels;     /* more label columns: a mask of 1 << enum sx_label */
	/* What the columns of labels are called in the file that the rows are of; NULL: as we do.
	 */
	const char *label_names[SX_LABEL_COUNT];
	bool quality; /* a column with the reservations about a row's values */
	/*
	 * Reservations beside the rows: a key of NDJSON's objects, in JSON the ranges of rows that
	 * have any, in text a line. CSV keeps its columns.
	 */
	bool marks;
	/* In text, which has lines about a row before its values: */
	bool reasons;	    /* what ended the row */
	bool whole;	    /* one row for all: neither its context nor its begin means much */
	const char *length; /* what the time of a row is called; NULL: "duration" */
	/* Columns before all others. */
	bool all_units; /* CSV: also units of catalog names, where the reader has no catalog */
	const struct sx_catalog *known; /* CSV: names that it lacks have their units; or NULL */
	bool by_device;			/* the device's number: the table has rows of several */
	bool say_simulated;		/* say whether the device is a model: one is */
	uint32_t device;
	bool simulated;
	bool say_kind; /* say what a row is a sample of: the labels of some device do not show it */
	enum sx_sample_kind kind;
	/*
	 * What the device is: in CSV columns behind all others that hold the same in each row, in
	 * NDJSON members, in JSON an object of their own (columns by_device); NAN: no value.
	 */
	const struct sx_constant_value *constants;
	uint32_t constant_count;
	/* JSON: why each column has no data, NULL where it has; NULL: what the last table says. */
	char *const *whys;
	/*
	 * JSON: the array of devices that the table is an object of, with the device's number and
	 * whether it is a model; NULL: a document.
	 */
	struct json *within;
	/* Further keys of the JSON document; or NULL. */
	void (*more)(struct json *json, void *user);
	void *more_user;
};

/* Whether labels do not show what rows enclose, so that something else has to say it. */
bool rows_need_kind(const struct rows_shape *shape);

/*
 * Writes `table` in the chosen format (text, json, ndjson, csv). Text shows one metric a line and
 * the first few rows beside it.
 */
enum sx_status rows_write(const struct view *view, const struct rows_shape *shape,
			  const struct sx_table *table, struct sx_error *err);

/* Ranges of rows with the same reservations (marks.c); zero-initialise. */
#define ROWS_MARKS_MAX 512
struct rows_mark {
	size_t first, last;
	uint32_t column; /* that has no value in these rows; SX_NONE: reservations about all */
	uint8_t quality;
};
struct rows_marks {
	struct rows_mark marks[ROWS_MARKS_MAX];
	size_t count;
	bool more; /* than fit */
};

/* Some values of a row represent samples that were not measured; a bit beside reservations. */
#define ROWS_SKIPPED SX_QUALITY_NOT_COLLECTED
/* The reservations about any value of a row. */
uint8_t rows_reservations(const struct sx_table *table, size_t row);
/* The same, and ROWS_SKIPPED where other rows represent one. */
uint8_t rows_quality(const struct sx_table *table, size_t row);
/* "lost+stretched", and "skipped" behind them; NULL for none. */
const char *rows_reservations_text(uint8_t quality, char buf[64]);
/* Adds reservations about the rows of a table, of which the first has index `first`. */
void rows_marks_add(struct rows_marks *marks, const struct sx_table *table, size_t first);
/* Adds the cells without a value, of columns that do not say why. */
void rows_marks_add_absent(struct rows_marks *marks, const struct sx_table *table, size_t first);
/* Writes why whole columns have no values, as keys of an object; `whys`: instead of the columns'
 * own, or NULL. */
void rows_whys_json(const struct sx_table *table, char *const *whys, struct json *json);
/* Writes the marks as the key "quality", with the names of the table's columns. */
void rows_marks_json(const struct rows_marks *marks, const struct sx_table *table,
		     struct json *json);

/* The same in parts, for input that is too long to hold: rows_add() any number of times. */
struct rows_writer {
	const struct view *view;
	const struct rows_shape *shape;
	struct json json;
	size_t rows;
	size_t missing;	    /* columns without a value in the rows that text shows */
	bool begun, headed; /* headed: of NDJSON, the first row is written */
	struct rows_marks marks;
	struct values *values; /* made with the first rows */
};

struct rows_writer rows_begin(const struct view *view, const struct rows_shape *shape);
/* Appends the rows of a table; all tables have the same columns. */
enum sx_status rows_add(struct rows_writer *writer, const struct sx_table *table,
			struct sx_error *err);
/* Ends what rows_add() began, with the last table for its columns. */
void rows_end(struct rows_writer *writer, const struct sx_table *table);

/* Releases what a writer holds, also when it was not ended. */
void rows_finish(struct rows_writer *writer);

/* Text: the first rows side by side, and what that leaves out (text.c). */
bool rows_text_write(struct rows_writer *writer, const struct sx_table *table);
void rows_text_end(const struct rows_writer *writer, const struct sx_table *table);

struct values;

/*
 * Values of tables with the columns of `like`, written to `out` in base units. NULL when memory is
 * out. `named`: with keys, as the members of an object are written.
 */
struct values *values_create(FILE *out, const struct units *units, const struct sx_table *like,
			     bool named);
/* Writes what is gathered and releases it; NULL is fine. */
void values_destroy(struct values *values);
/* Points at the table with the next rows. */
void values_of(struct values *values, const struct sx_table *table);
/* Writes the buffer, before another writer uses the same stream. */
void values_flush(struct values *values);

/*
 * All values of a row, each behind a comma unless it is the first: CSV; an empty cell is no data.
 */
void values_csv(struct values *values, size_t row, bool first);
/* The same as elements (", ") or members (",") of JSON; null is no data. */
void values_json(struct values *values, size_t row, bool first);
/* Some text between. */
void values_text(struct values *values, const char *text);

struct rows_pipe {
	struct rows_writer *writer;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const struct sx_table *table; /* to be written; NULL: nothing to do */
	bool running, stop;
	size_t given;
	enum sx_status status; /* of what was written so far */
	struct sx_error why;
};

/* Begins; a thread starts with the second table, where there is more than one processor. */
void rows_pipe_begin(struct rows_pipe *pipe, struct rows_writer *writer);
/*
 * Has a table written as rows_add() does. It may be in use until the next call returns, so that a
 * caller who fills tables needs two. Errors: those of this table or the one before.
 */
enum sx_status rows_pipe_give(struct rows_pipe *pipe, const struct sx_table *table,
			      struct sx_error *err);
/* Waits for the last table and ends the thread. */
enum sx_status rows_pipe_end(struct rows_pipe *pipe, struct sx_error *err);

/* What the user gives. */
struct overruling {
	const struct sx_constant_value *constants;
	size_t count;
};

/* Zero-initialise. */
struct overruled {
	struct sx_table *table; /* NULL: no column is overruled */
	uint32_t *kept;		/* columns of the raw table */
	struct sx_vector *vectors, *some;
};

/*
 * `like` has the columns of the rows to come. What *out holds then is for overruled_finish(), also
 * when this fails. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status overruled_begin(struct overruled *out, const struct sx_catalog *catalog,
			       const struct overruling *by, const struct sx_table *like,
			       struct sx_error *err);
/* The rows of `raw` without these columns, in *out, which holds until the next call. */
enum sx_status overruled_rows(struct overruled *o, const struct sx_table *raw,
			      const struct sx_table **out, struct sx_error *err);
void overruled_finish(struct overruled *o);

#endif
