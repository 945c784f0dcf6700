/* Pyramids: intervals with minimum, maximum and mean, merged in pairs when they are too many. */
#include "analysis/pyramid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define STRETCHES_MIN 16
#define SAMPLES_MAX   20000 /* samples kept one by one, however few metrics there are */
#define STRETCHES_MAX 8192
#define STRINGS_MAX   4096
#define STRETCH_BYTES 36 /* times, samples and lengths of an interval */
#define SAMPLE_BYTES  9	 /* a value and its quality */
#define SUMMARY_BYTES 21 /* smallest, largest, mean and quality */

struct pyramid {
	struct sx_evaluation *evaluation;
	uint64_t each;
	size_t count, cap, most_samples, most;
	uint64_t *begin_ns, *end_ns;
	uint32_t *rows;
	uint32_t *labels[SX_LABEL_COUNT];
	struct pyramid_column *columns;
	uint32_t column_count;
	struct sx_table *strings; /* has nothing but a dictionary */
};

static size_t within(size_t value, size_t least, size_t most)
{
	return value < least ? least : value > most ? most : value;
}

/* One allocation for the times and samples of intervals, and one a column. */
static bool reserve(struct pyramid *p)
{
	/* One more: a sample before it is merged into an interval. */
	p->cap = 1 + (p->most_samples > p->most ? p->most_samples : p->most);
	p->begin_ns = calloc(p->cap, 2 * sizeof(*p->begin_ns) + sizeof(*p->rows));
	p->columns = calloc((size_t)p->column_count + 1, sizeof(*p->columns));
	if (!p->begin_ns || !p->columns)
		return false;
	p->end_ns = p->begin_ns + p->cap;
	p->rows = (uint32_t *)(p->end_ns + p->cap);
	for (uint32_t i = 0; i <= p->column_count; i++) {
		struct pyramid_column *c = &p->columns[i];
		c->min = calloc(p->cap, 3 * sizeof(*c->min) + sizeof(*c->weight) + 1);
		if (!c->min)
			return false;
		c->max = c->min + p->cap;
		c->sum = c->max + p->cap;
		c->weight = (uint32_t *)(c->sum + p->cap);
		c->quality = (uint8_t *)(c->weight + p->cap);
	}
	return true;
}

enum sx_status pyramid_create(const struct sx_metrics *metrics, const struct sx_table *like,
			      size_t bytes, struct pyramid **out, struct sx_error *err)
{
	struct pyramid *p = calloc(1, sizeof(*p));
	if (!p)
		return error_nomem(err, "the course of a run");
	sx_metrics_columns(metrics, &p->column_count);
	p->each = 1;
	p->most_samples = within(bytes / (STRETCH_BYTES + SAMPLE_BYTES * (size_t)p->column_count),
				 STRETCHES_MIN, SAMPLES_MAX);
	p->most = within(bytes / (STRETCH_BYTES + SUMMARY_BYTES * (size_t)p->column_count),
			 STRETCHES_MIN, STRETCHES_MAX);
	enum sx_status status = reserve(p) ? SX_OK : error_nomem(err, "the course of a run");
	if (!status)
		status = sx_evaluation_create(metrics, like, &p->evaluation, err);
	if (!status)
		status = sx_table_create(NULL, 0, SX_SAMPLE_TIME, &p->strings, err);
	if (status) {
		pyramid_destroy(p);
		return status;
	}
	*out = p;
	return SX_OK;
}

void pyramid_destroy(struct pyramid *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; p->columns && i <= p->column_count; i++)
		free(p->columns[i].min);
	for (int i = 0; i < SX_LABEL_COUNT; i++)
		free(p->labels[i]);
	free(p->columns);
	free(p->begin_ns);
	sx_table_destroy(p->strings);
	sx_evaluation_destroy(p->evaluation);
	free(p);
}

/* Merges interval `from` into `to`, which either is empty or comes right before it. */
static void merge_cell(struct pyramid_column *c, size_t to, size_t from, bool first)
{
	bool has = !first && c->weight[to], comes = c->weight[from];
	if (first || (!has && comes)) {
		c->min[to] = c->min[from];
		c->max[to] = c->max[from];
		c->sum[to] = c->sum[from];
		c->weight[to] = c->weight[from];
		c->quality[to] = c->quality[from];
	} else if (has == comes) {
		c->min[to] = fmin(c->min[to], c->min[from]);
		c->max[to] = fmax(c->max[to], c->max[from]);
		c->sum[to] += c->sum[from];
		c->weight[to] += c->weight[from];
		c->quality[to] |= c->quality[from];
	}
}

static void merge_times(struct pyramid *p, size_t to, size_t from, bool first)
{
	uint64_t begin = p->begin_ns[from], end = p->end_ns[from];
	if (first || begin < p->begin_ns[to])
		p->begin_ns[to] = begin;
	if (first || p->end_ns[to] == SX_TIME_UNKNOWN ||
	    (end != SX_TIME_UNKNOWN && end > p->end_ns[to]))
		p->end_ns[to] = end;
	p->rows[to] = (first ? 0 : p->rows[to]) + p->rows[from];
}

static void merge_label(uint32_t *labels, size_t to, size_t from, bool first)
{
	labels[to] = first || labels[to] == labels[from] ? labels[from] : PYRAMID_MIXED;
}

static void pyramid_halve(struct pyramid *p)
{
	size_t half = (p->count + 1) / 2;
	for (size_t i = 0; i < p->count; i++)
		merge_times(p, i / 2, i, i % 2 == 0);
	for (int l = 0; l < SX_LABEL_COUNT; l++)
		for (size_t i = 0; p->labels[l] && i < p->count; i++)
			merge_label(p->labels[l], i / 2, i, i % 2 == 0);
	for (uint32_t c = 0; c <= p->column_count; c++)
		for (size_t i = 0; i < p->count; i++)
			merge_cell(&p->columns[c], i / 2, i, i % 2 == 0);
	p->count = half;
	p->each *= 2;
}

/* Rows that go to the intervals from `at` on: to one each, or with `same` all to that one. */
struct rows {
	const struct sx_table *table;
	size_t first, count, at;
	bool same, begun; /* begun: the interval has samples already */
	size_t spare;	  /* where a row is before it is merged into an interval */
};

/* Where the i-th row is put; at the spare place it is to be merged into `at`. */
static inline size_t slot_of(const struct rows *rows, size_t i)
{
	return !rows->same ? rows->at + i : i || rows->begun ? rows->spare : rows->at;
}

/* Adds a value of the i-th row. */
static inline void add_value(struct pyramid_column *c, const struct rows *rows, size_t i,
			     double value, uint8_t quality)
{
	size_t at = slot_of(rows, i);
	bool none = quality & SX_QUALITY_NO_DATA_MASK || !isfinite(value);
	c->min[at] = c->max[at] = c->sum[at] = none ? (double)NAN : value;
	c->weight[at] = !none;
	c->quality[at] = none && !quality ? SX_QUALITY_UNDEFINED : quality;
	if (at == rows->spare)
		merge_cell(c, rows->at, at, false);
}

static void pyramid_add_column(struct pyramid_column *c, const struct rows *rows, uint32_t column)
{
	struct sx_vector v = sx_table_vector(rows->table, column);
	const uint64_t *u64 = v.data;
	const double *f64 = v.data;
	for (size_t i = 0; i < rows->count; i++) {
		size_t r = rows->first + i;
		if (!v.data)
			add_value(c, rows, i, NAN, SX_QUALITY_NOT_COLLECTED);
		else
			add_value(c, rows, i, v.type == SX_U64 ? (double)u64[r] : f64[r],
				  v.quality ? v.quality[r] : 0);
	}
}

/* The label of a row as it is kept. */
static uint32_t label_of(struct pyramid *p, const struct sx_table *table, enum sx_label label,
			 size_t row)
{
	uint64_t value = sx_table_label(table, label, row);
	if (value == SX_LABEL_ABSENT)
		return PYRAMID_NO_LABEL;
	if (!(SX_LABELS_OF_TEXT >> label & 1))
		return value < PYRAMID_MIXED ? (uint32_t)value : PYRAMID_MIXED;
	const char *text = sx_table_string(table, value);
	uint32_t own = text ? sx_table_intern(p->strings, text, strlen(text)) : SX_NONE;
	return own < STRINGS_MAX ? own : PYRAMID_MIXED;
}

/* A label that was not seen before: earlier samples have none. */
static bool begin_label(struct pyramid *p, enum sx_label label)
{
	p->labels[label] = malloc(p->cap * sizeof(uint32_t));
	if (p->labels[label])
		memset(p->labels[label], 0xff, p->cap * sizeof(uint32_t));
	return p->labels[label] != NULL;
}

static void add_labels(struct pyramid *p, const struct rows *rows, enum sx_label label)
{
	uint64_t last = SX_LABEL_ABSENT;
	uint32_t kept = PYRAMID_NO_LABEL, *labels = p->labels[label];
	for (size_t i = 0; i < rows->count; i++) {
		size_t at = slot_of(rows, i);
		uint64_t value = sx_table_label(rows->table, label, rows->first + i);
		if (value != last || value == SX_LABEL_ABSENT)
			kept = label_of(p, rows->table, label, rows->first + i);
		last = value;
		labels[at] = kept;
		if (at == rows->spare)
			merge_label(labels, rows->at, at, false);
	}
}

static void add_times(struct pyramid *p, const struct rows *rows)
{
	const uint64_t *begin = sx_table_begin_ns(rows->table), *end = sx_table_end_ns(rows->table);
	for (size_t i = 0; i < rows->count; i++) {
		size_t r = rows->first + i, at = slot_of(rows, i);
		bool known = begin[r] != SX_TIME_UNKNOWN && end[r] != SX_TIME_UNKNOWN;
		p->begin_ns[at] = begin[r];
		p->end_ns[at] = end[r];
		p->rows[at] = 1;
		if (at == rows->spare)
			merge_times(p, rows->at, at, false);
		add_value(&p->columns[p->column_count], rows, i,
			  known && end[r] >= begin[r] ? (double)(end[r] - begin[r]) : NAN,
			  known ? 0 : SX_QUALITY_NOT_COLLECTED);
	}
}

/* Makes room, and says how many of the next `left` rows go where. */
static struct rows place(struct pyramid *p, const struct sx_table *table, size_t first, size_t left)
{
	struct rows rows = {.table = table, .first = first, .spare = p->cap - 1};
	bool open = p->each > 1 && p->count && p->rows[p->count - 1] < p->each;
	while (!open && p->count >= (p->each == 1 ? p->most_samples : p->most)) {
		do
			pyramid_halve(p);
		while (p->count >= p->most);
		open = p->rows[p->count - 1] < p->each;
	}
	size_t room = p->each == 1 ? p->most_samples - p->count
		      : open	   ? (size_t)(p->each - p->rows[p->count - 1])
				   : (size_t)p->each;
	rows.count = left < room ? left : room;
	rows.same = p->each > 1;
	rows.begun = open;
	rows.at = open ? p->count - 1 : p->count;
	return rows;
}

static enum sx_status add_rows(struct pyramid *p, const struct rows *rows, struct sx_error *err)
{
	add_times(p, rows);
	for (uint32_t c = 0; c < p->column_count; c++)
		pyramid_add_column(&p->columns[c], rows, c);
	for (int l = 0; l < SX_LABEL_COUNT; l++) {
		enum sx_label label = (enum sx_label)l;
		bool has = sx_table_has_label(rows->table, label);
		if (has && !p->labels[l] && !begin_label(p, label))
			return error_nomem(err, "the course of a run");
		if (p->labels[l])
			add_labels(p, rows, label);
	}
	p->count = rows->at + (rows->same ? 1 : rows->count);
	return SX_OK;
}

enum sx_status pyramid_add(struct pyramid *p, const struct sx_table *raw, struct sx_error *err)
{
	struct sx_table *values = NULL;
	enum sx_status status = sx_evaluation_run(p->evaluation, raw, &values, err);
	size_t count = status ? 0 : sx_table_row_count(values);
	for (size_t at = 0; !status && at < count;) {
		struct rows rows = place(p, values, at, count - at);
		status = add_rows(p, &rows, err);
		at += rows.count;
	}
	return status;
}

size_t pyramid_bytes(const struct pyramid_view *view)
{
	size_t a_column = view->each == 1 ? SAMPLE_BYTES : SUMMARY_BYTES;
	return view->count * (STRETCH_BYTES + a_column * view->column_count);
}

void pyramid_fit(struct pyramid *p, size_t bytes)
{
	struct pyramid_view view = pyramid_get(p);
	while (pyramid_bytes(&view) > bytes && p->count > STRETCHES_MIN) {
		pyramid_halve(p);
		view = pyramid_get(p);
	}
}

struct pyramid_view pyramid_get(const struct pyramid *p)
{
	struct pyramid_view view = {.each = p->each,
				    .count = p->count,
				    .begin_ns = p->begin_ns,
				    .end_ns = p->end_ns,
				    .rows = p->rows,
				    .columns = p->columns,
				    .column_count = p->column_count,
				    .strings = p->strings};
	for (int l = 0; l < SX_LABEL_COUNT; l++)
		view.labels[l] = p->labels[l];
	return view;
}
