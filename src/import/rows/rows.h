/*
 * Rows while they are read; for this folder only. The interface for others is in import/internal.h.
 */
#ifndef IMPORT_ROWS_ROWS_H
#define IMPORT_ROWS_ROWS_H

#include "base/strings.h"
#include "catalog/units.h"
#include "import/internal.h"

enum rows_tag { TAG_NONE, TAG_U64, TAG_F64 };

union rows_value {
	uint64_t u;
	double f;
};

struct rows_column {
	struct import_field field; /* strings of the result's arena */
	union rows_value *values;
	uint8_t *tags;
	size_t value_cap, tag_cap;
	struct units_step written; /* how a value was made of one in the field's unit */
	bool fraction, any;
	bool cannot_be; /* some value that was there */
	bool in_turns;	/* no value: not measured, and other rows represent it */
};

/* One a row, up to the last that has one. */
struct rows_labels {
	uint64_t *values;
	size_t cap;
};

struct import_rows {
	struct import_job *job;
	struct import_rows *next; /* of those that are not finished */
	struct import_device device;
	enum sx_sample_kind kind;
	struct strings names, texts;
	struct rows_column *columns;
	size_t column_cap;
	uint32_t column_count;
	struct rows_labels labels[SX_LABEL_COUNT];
	uint8_t *quality;
	struct import_span *spans; /* one a row */
	size_t *places;		   /* in the file, of rows with a known place; 0: unknown */
	size_t quality_cap, span_cap, place_cap, row_count, cells;
	bool failed, too_many;
	bool any_order;	   /* times are a clock's readings, and keep the file's order */
	bool whole_shares; /* no percentage is outside 0 to 100 */
};

/* Whether the format's values are checked for plausibility. */
static inline bool rows_are_judged(const struct import_rows *rows)
{
	const struct import_format *format = rows->job->format;
	return format->table || format->by_device;
}
/* Frees the values of a column, which has none then. */
void rows_forget_values(struct import_rows *rows, struct rows_column *c);
/* The rows as a table, also in part on failure; their values are freed on the way. */
enum sx_status rows_make_table(struct import_rows *rows, struct sx_table **out,
			       struct sx_error *err);

#endif
