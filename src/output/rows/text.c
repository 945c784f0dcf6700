/* Rows of metrics as text: one line a metric, one column a row. */
#include "output/rows/rows.h"

#include <inttypes.h>
#include <math.h>

#include "base/number.h"

#define ROWS_SHOWN 4 /* value columns that fit beside a metric's name in 80 columns */

/* A text table while it is filled. */
struct transposed {
	const struct view *view;
	const struct sx_table *t;
	struct text_table *table;
	size_t shown;
	bool ok;
};

static void add_line(struct transposed *v, const char *name, char cells[ROWS_SHOWN][HUMAN_MAX],
		     const char *unit, enum text_style style)
{
	const char *line[ROWS_SHOWN + 2] = {name};
	for (size_t i = 0; i < v->shown; i++)
		line[i + 1] = cells[i];
	line[v->shown + 1] = unit;
	v->ok = v->ok && text_table_row(v->table, line, style);
}

static void add_label(struct transposed *v, enum sx_label label, const char *name,
		      const char *absent)
{
	char cells[ROWS_SHOWN][HUMAN_MAX];
	for (size_t i = 0; i < v->shown; i++) {
		uint64_t value = sx_table_label(v->t, label, i);
		bool words = label == SX_LABEL_REASON;
		const char *text = words ? sx_table_string(v->t, value) : NULL;
		if (value == SX_LABEL_ABSENT || (words && !text))
			text = absent;
		if (text)
			snprintf(cells[i], HUMAN_MAX, "%s", text);
		else
			snprintf(cells[i], HUMAN_MAX, "%" PRIu64, value);
	}
	add_line(v, name, cells, "", TEXT_PLAIN);
}

/* Times since the first row, for clocks have no zero that means anything. */
static void add_times(struct transposed *v, const struct rows_shape *shape)
{
	const uint64_t *begin = sx_table_begin_ns(v->t), *end = sx_table_end_ns(v->t);
	char begins[ROWS_SHOWN][HUMAN_MAX], lengths[ROWS_SHOWN][HUMAN_MAX];
	uint64_t first = SX_TIME_UNKNOWN;
	for (size_t i = 0; i < v->shown; i++)
		first = begin[i] < first ? begin[i] : first;
	for (size_t i = 0; i < v->shown; i++) {
		bool begins_known = begin[i] != SX_TIME_UNKNOWN;
		snprintf(begins[i], HUMAN_MAX, "-");
		snprintf(lengths[i], HUMAN_MAX, "-");
		if (begins_known)
			human_duration(begins[i], begin[i] - first);
		if (begins_known && end[i] != SX_TIME_UNKNOWN && end[i] >= begin[i])
			human_duration(lengths[i], end[i] - begin[i]);
	}
	if (!shape->whole)
		add_line(v, "begin", begins, "", TEXT_PLAIN);
	add_line(v, shape->length ? shape->length : "duration", lengths, "", TEXT_PLAIN);
}

/* The row's context and instance, and its time. */
static void add_heads(struct transposed *v, const struct rows_shape *shape)
{
	if (shape->contexts && !shape->whole)
		add_label(v, SX_LABEL_CONTEXT, "context", "idle");
	if (shape->labels & 1u << SX_LABEL_INSTANCE)
		add_label(v, SX_LABEL_INSTANCE, "instance", "-");
	if (shape->times)
		add_times(v, shape);
	if (shape->reasons)
		add_label(v, SX_LABEL_REASON, "ended by", "-");
}

/* What may be wrong with the rows, when anything is. */
static void add_quality(struct transposed *v)
{
	char cells[ROWS_SHOWN][HUMAN_MAX], text[64];
	bool any = false;
	for (size_t i = 0; i < v->shown; i++) {
		const char *marks = rows_reservations_text(rows_reservations(v->t, i), text);
		snprintf(cells[i], HUMAN_MAX, "%.31s", marks ? marks : "");
		any |= marks != NULL;
	}
	if (any)
		add_line(v, "quality", cells, "", TEXT_YELLOW);
}

static void add_values(struct transposed *v)
{
	for (uint32_t c = 0; c < sx_table_column_count(v->t); c++) {
		const struct sx_column *column = sx_table_column(v->t, c);
		char cells[ROWS_SHOWN][HUMAN_MAX];
		bool none = true;
		for (size_t i = 0; i < v->shown; i++) {
			double value = sx_table_get(v->t, c, i);
			human_cell(&v->view->human, cells[i], value, column->unit);
			none = none && isnan(value);
		}
		add_line(v, column->name, cells, human_cell_unit(&v->view->human, column->unit),
			 none ? TEXT_DIM : TEXT_PLAIN);
	}
}

static size_t count_missing(const struct sx_table *t)
{
	size_t missing = 0;
	for (uint32_t c = 0; c < sx_table_column_count(t); c++) {
		bool none = true;
		for (size_t i = 0; none && i < ROWS_SHOWN && i < sx_table_row_count(t); i++)
			none = isnan(sx_table_get(t, c, i));
		missing += none;
	}
	return missing;
}

bool rows_text_write(struct rows_writer *w, const struct sx_table *t)
{
	const struct view *view = w->view;
	const struct rows_shape *shape = w->shape;
	size_t rows = sx_table_row_count(t);
	size_t shown = rows < ROWS_SHOWN ? rows : ROWS_SHOWN;
	struct text_column columns[ROWS_SHOWN + 2] = {{"metric", TEXT_LEFT, 1, 12, false, true}};
	char titles[ROWS_SHOWN][24];
	for (size_t i = 0; i < shown; i++) {
		if (shape->whole)
			snprintf(titles[i], sizeof(titles[i]), "all");
		else
			snprintf(titles[i], sizeof(titles[i]), "row %zu", i + 1);
		columns[i + 1] = (struct text_column){titles[i], TEXT_RIGHT, 0, 0, false, false};
	}
	columns[shown + 1] = (struct text_column){"unit", TEXT_LEFT, 0, 0, false, false};
	struct transposed v = {.view = view, .t = t, .shown = shown};
	v.table = text_table_create(columns, shown + 2);
	v.ok = v.table != NULL;
	w->missing = count_missing(t);
	if (v.ok) {
		add_heads(&v, shape);
		if (shape->marks)
			add_quality(&v);
		add_values(&v);
	}
	if (v.ok && view->simulated)
		fputs("SIMULATED, not a real device\n", view->out.out);
	if (v.ok)
		text_table_write(v.table, &view->out);
	text_table_destroy(v.table);
	return v.ok;
}

void rows_text_end(const struct rows_writer *w, const struct sx_table *t)
{
	const struct view *view = w->view;
	if (w->rows > ROWS_SHOWN)
		note_sink_write(&view->notes, "%d of %zu rows shown; --csv or --json writes all",
				ROWS_SHOWN, w->rows);
	if (w->missing)
		note_sink_write(&view->notes, "- no data for %s; -v says why",
				COUNTED(w->missing, "metric"));
	for (uint32_t c = 0; view->verbose && c < sx_table_column_count(t); c++)
		if (sx_table_column(t, c)->why)
			note_sink_write(&view->notes, "%s: %s", sx_table_column(t, c)->name,
					sx_table_column(t, c)->why);
}
