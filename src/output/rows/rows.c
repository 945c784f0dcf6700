/* Rows of metrics in every format. */
#include "output/rows/rows.h"

#include <math.h>

#include "catalog/column.h"
#include "output/write/csv.h"
#include "table/label.h"

/* One column before the metrics. */
struct extra {
	const char *name;
	enum {
		EXTRA_DEVICE,
		EXTRA_MODEL,
		EXTRA_SAMPLE,
		EXTRA_BEGIN,
		EXTRA_END,
		EXTRA_LABEL,
		EXTRA_TEXT,
		EXTRA_QUALITY
	} kind;
	const struct rows_shape *shape;
	enum sx_label label;
};

#define EXTRA_MAX (6 + SX_LABEL_COUNT)

bool rows_need_kind(const struct rows_shape *shape)
{
	return shape->kind != kind_by_labels(shape->labels);
}

static size_t extras(const struct rows_shape *shape, struct extra out[EXTRA_MAX])
{
	size_t n = 0;
	if (shape->by_device)
		out[n++] = (struct extra){.name = "device", .kind = EXTRA_DEVICE, .shape = shape};
	if (shape->say_simulated)
		out[n++] = (struct extra){.name = "simulated", .kind = EXTRA_MODEL, .shape = shape};
	if (shape->times) {
		out[n++] = (struct extra){.name = "begin_ns", .kind = EXTRA_BEGIN};
		out[n++] = (struct extra){.name = "end_ns", .kind = EXTRA_END};
	}
	for (int i = 0; i < SX_LABEL_COUNT; i++) {
		bool text = SX_LABELS_OF_TEXT >> i & 1;
		bool wanted = shape->labels >> i & 1;
		if (i == SX_LABEL_CONTEXT)
			wanted |= shape->contexts;
		if (wanted)
			out[n++] = (struct extra){.name = shape->label_names[i]
							      ? shape->label_names[i]
							      : label_name((enum sx_label)i),
						  .kind = text ? EXTRA_TEXT : EXTRA_LABEL,
						  .label = (enum sx_label)i};
	}
	if (shape->quality)
		out[n++] = (struct extra){.name = "quality", .kind = EXTRA_QUALITY};
	if (shape->say_kind)
		out[n++] = (struct extra){.name = KIND_WORD, .kind = EXTRA_SAMPLE, .shape = shape};
	return n;
}

static uint64_t extra_number(const struct extra *extra, const struct sx_table *t, size_t row)
{
	if (extra->kind == EXTRA_DEVICE)
		return extra->shape->device;
	if (extra->kind == EXTRA_BEGIN)
		return sx_table_begin_ns(t)[row];
	if (extra->kind == EXTRA_END)
		return sx_table_end_ns(t)[row];
	return sx_table_label(t, extra->label, row);
}

/* Text of an extra column, or NULL; *number is set for the others (UINT64_MAX: none). */
static const char *extra_value(const struct extra *extra, const struct sx_table *t, size_t row,
			       char buf[64], uint64_t *number)
{
	*number = UINT64_MAX;
	if (extra->kind == EXTRA_MODEL)
		return extra->shape->simulated ? "true" : "false";
	if (extra->kind == EXTRA_SAMPLE)
		return sx_sample_kind_name(extra->shape->kind);
	if (extra->kind == EXTRA_QUALITY)
		return rows_reservations_text(rows_quality(t, row), buf);
	uint64_t value = extra_number(extra, t, row);
	if (extra->kind == EXTRA_TEXT)
		return sx_table_string(t, value);
	*number = value;
	return NULL;
}

static void extra_json(struct json *json, const struct extra *extra, const struct sx_table *t,
		       size_t row)
{
	char buf[64];
	uint64_t number;
	const char *text = extra_value(extra, t, row, buf, &number);
	if (extra->kind == EXTRA_MODEL)
		json_bool(json, extra->shape->simulated);
	else if (text)
		json_string(json, text);
	else if (number != UINT64_MAX)
		json_u64(json, number);
	else
		json_null(json);
}

/* Behind the values of a row, as CSV has them. */
static void constants_row_json(struct rows_writer *w, bool first)
{
	char digits[32];
	for (uint32_t i = 0; i < w->shape->constant_count; i++) {
		double value = w->shape->constants[i].value;
		if (!isnan(value))
			json_format_f64(digits, value);
		values_text(w->values, first && !i ? "" : ", ");
		values_text(w->values, isnan(value) ? "null" : digits);
	}
}

/* Labels and times are written one by one, values by the row. */
static void row_json(struct rows_writer *w, const struct extra *extra, size_t n,
		     const struct sx_table *t, size_t row)
{
	values_flush(w->values);
	json_array_begin_flat(&w->json);
	for (size_t i = 0; i < n; i++)
		extra_json(&w->json, &extra[i], t, row);
	values_json(w->values, row, n == 0);
	if (w->shape->by_device)
		constants_row_json(w, n == 0 && !sx_table_column_count(t));
	values_flush(w->values);
	json_array_end(&w->json);
}

/* The unit of each column's numbers; null for what has none. */
static void units_json(struct rows_writer *w, const struct extra *extra, size_t n,
		       const struct sx_table *t)
{
	struct json *json = &w->json;
	const struct units *units = &w->view->human.units;
	json_kv_array_flat(json, "units");
	for (size_t i = 0; i < n; i++)
		json_string(
		    json, extra[i].kind == EXTRA_BEGIN || extra[i].kind == EXTRA_END ? "ns" : NULL);
	for (uint32_t c = 0; c < sx_table_column_count(t); c++) {
		char buf[2 * UNITS_TEXT_MAX];
		double factor;
		const char *unit = sx_table_column(t, c)->unit;
		json_string(json, unit && *unit ? units_base(units, unit, buf, &factor) : NULL);
	}
	for (uint32_t i = 0; w->shape->by_device && i < w->shape->constant_count; i++)
		json_null(json);
	json_array_end(json);
}

static void names_json(struct rows_writer *w, const struct sx_table *t)
{
	struct json *json = &w->json;
	struct extra extra[EXTRA_MAX];
	size_t n = extras(w->shape, extra);
	json_kv_array_flat(json, "metrics");
	for (size_t i = 0; i < n; i++)
		json_string(json, extra[i].name);
	for (uint32_t c = 0; c < sx_table_column_count(t); c++)
		json_string(json, sx_table_column(t, c)->name);
	for (uint32_t i = 0; w->shape->by_device && i < w->shape->constant_count; i++)
		json_string(json, w->shape->constants[i].name);
	json_array_end(json);
	units_json(w, extra, n, t);
}

static void why_json(struct rows_writer *w, const struct sx_table *t)
{
	struct json *json = &w->json;
	json_kv_object(json, "why");
	rows_whys_json(t, w->shape->whys, json);
	json_object_end(json);
}

/* Which device it is, and what it is called, or null. */
static void device_json(const struct rows_writer *w, struct json *json)
{
	json_kv_u64(json, "id", w->shape->device);
	json_kv_string(json, "name", w->shape->name);
}

/* A document, or one table of a document. */
static void open_json(struct rows_writer *w)
{
	if (!w->shape->within) {
		w->json = view_json_begin(w->view, w->shape->schema);
		return;
	}
	w->json = *w->shape->within;
	json_object_begin(&w->json);
	device_json(w, &w->json);
	json_kv_bool(&w->json, "simulated", w->shape->simulated);
	json_kv_string(&w->json, KIND_WORD, sx_sample_kind_name(w->shape->kind));
}

static void close_json(struct rows_writer *w)
{
	if (!w->shape->within) {
		view_json_end(&w->json);
		return;
	}
	json_object_end(&w->json);
	*w->shape->within = w->json;
}

static void begin_json(struct rows_writer *w, const struct sx_table *t)
{
	open_json(w);
	json_kv_string(&w->json, "for", w->shape->catalog);
	names_json(w, t);
	json_kv_array(&w->json, "rows");
}

/*
 * What the device is; one of several has no value for the constants of others. Rows of several in
 * one table have them as columns.
 */
static void constants_json(struct json *json, const struct rows_shape *shape)
{
	json_kv_object_flat(json, "constants");
	for (uint32_t i = 0; !shape->by_device && i < shape->constant_count; i++)
		if (!isnan(shape->constants[i].value))
			json_kv_f64(json, shape->constants[i].name, shape->constants[i].value);
	json_object_end(json);
}

static void end_json(struct rows_writer *w, const struct sx_table *t)
{
	json_array_end(&w->json);
	why_json(w, t);
	constants_json(&w->json, w->shape);
	if (w->shape->marks)
		rows_marks_json(&w->marks, t, &w->json);
	if (w->shape->more)
		w->shape->more(&w->json, w->shape->more_user);
	close_json(w);
}

/* Behind the values of a row, as CSV has them. */
static void constants_ndjson(struct rows_writer *w, bool any)
{
	const struct rows_shape *shape = w->shape;
	char digits[32];
	for (uint32_t i = 0; i < shape->constant_count; i++) {
		if (isnan(shape->constants[i].value))
			continue;
		json_format_f64(digits, shape->constants[i].value);
		values_text(w->values, any ? ",\"" : "\"");
		values_text(w->values, shape->constants[i].name);
		values_text(w->values, "\":");
		values_text(w->values, digits);
		any = true;
	}
}

/* The first row carries what holds for all of its device: schema, catalog, and units. */
static void head_ndjson(struct rows_writer *w, struct json *json, const struct sx_table *t)
{
	char schema[64], buf[2 * UNITS_TEXT_MAX];
	double factor;
	snprintf(schema, sizeof(schema), "sextant.%s/1", w->shape->schema);
	json_kv_string(json, "schema", schema);
	json_kv_string(json, "for", w->shape->catalog);
	if (w->shape->name) { /* below one key, for columns may have these names */
		json_kv_object_flat(json, "of");
		device_json(w, json);
		json_object_end(json);
	}
	json_kv_object_flat(json, "units");
	for (uint32_t c = 0; c < sx_table_column_count(t); c++) {
		const struct sx_column *column = sx_table_column(t, c);
		if (column->unit && *column->unit)
			json_kv_string(
			    json, column->name,
			    units_base(&w->view->human.units, column->unit, buf, &factor));
	}
	json_object_end(json);
	w->headed = true;
}

/* One object a row, so that every line can be read alone. */
static void row_ndjson(struct rows_writer *w, const struct extra *extra, size_t n,
		       const struct sx_table *t, size_t row)
{
	struct json json = {.out = w->view->out.out, .compact = true};
	char text[64];
	bool any = !w->headed;
	if (n || any || w->shape->marks)
		values_flush(w->values);
	if (n || any)
		json_object_begin(&json);
	else
		values_text(w->values, "{");
	if (any)
		head_ndjson(w, &json, t);
	for (size_t i = 0; i < n; i++) {
		char buf[64];
		uint64_t number;
		if (!extra_value(&extra[i], t, row, buf, &number) && number == UINT64_MAX)
			continue;
		json_key(&json, extra[i].name);
		extra_json(&json, &extra[i], t, row);
		any = true;
	}
	values_json(w->values, row, !any);
	constants_ndjson(w, any || sx_table_column_count(t));
	const char *marks =
	    w->shape->marks ? rows_reservations_text(rows_reservations(t, row), text) : NULL;
	if (marks) {
		values_text(w->values, any || sx_table_column_count(t) || w->shape->constant_count
					   ? ",\"quality\":\""
					   : "\"quality\":\"");
		values_text(w->values, marks);
		values_text(w->values, "\"");
	}
	values_text(w->values, "}\n");
}

/* A column that no catalog knows has its unit from its head alone. */
static enum csv_units units_of_column(const struct rows_shape *shape,
				      const struct sx_column *column)
{
	if (!shape->known || column->why)
		return shape->all_units ? CSV_UNITS_SYMBOLS : CSV_UNITS_OTHER;
	struct column_meaning is = column_meaning(shape->known, column->name, SX_NONE);
	bool known = column_is_known(&is) || column_is_imbalance(shape->known, column->name) ||
		     sx_catalog_find_metric(shape->known, column->name, SX_NONE, NULL) != SX_NONE;
	return known ? CSV_UNITS_OTHER : CSV_UNITS_EACH;
}

static void head_csv(struct csv *csv, const struct rows_writer *w, const struct sx_table *t)
{
	const struct rows_shape *shape = w->shape;
	struct extra extra[EXTRA_MAX];
	size_t n = extras(shape, extra);
	for (size_t i = 0; i < n; i++)
		csv_text(csv, extra[i].name);
	for (uint32_t c = 0; c < sx_table_column_count(t); c++)
		csv_column(csv, &w->view->human.units, sx_table_column(t, c)->name,
			   sx_table_column(t, c)->unit,
			   units_of_column(shape, sx_table_column(t, c)));
	for (uint32_t i = 0; i < shape->constant_count; i++)
		csv_text(csv, shape->constants[i].name);
	csv_end_line(csv);
}

/* Behind the values, which a writer of their own gathers. */
static void constants_csv(struct rows_writer *w, struct csv *csv)
{
	if (!w->shape->constant_count)
		return;
	values_flush(w->values);
	csv->used = true;
	for (uint32_t i = 0; i < w->shape->constant_count; i++)
		csv_f64(csv, w->shape->constants[i].value);
}

static void row_csv(struct rows_writer *w, const struct extra *extra, size_t n,
		    const struct sx_table *t, size_t row)
{
	struct csv csv = {.out = w->view->out.out};
	if (n)
		values_flush(w->values);
	for (size_t i = 0; i < n; i++) {
		char buf[64];
		uint64_t number;
		const char *text = extra_value(&extra[i], t, row, buf, &number);
		if (!text && number != UINT64_MAX)
			csv_u64(&csv, number);
		else
			csv_text(&csv, text);
	}
	values_csv(w->values, row, n == 0);
	constants_csv(w, &csv);
	values_text(w->values, "\n");
}

/* What the first table begins. */
static bool rows_open(struct rows_writer *w, const struct sx_table *table)
{
	struct csv csv = {.out = w->view->out.out};
	w->begun = true;
	if (w->view->format == FORMAT_TEXT)
		return true;
	w->values = values_create(w->view->out.out, &w->view->human.units, table,
				  w->view->format == FORMAT_NDJSON);
	if (w->view->format == FORMAT_JSON)
		begin_json(w, table);
	else if (w->view->format == FORMAT_CSV)
		head_csv(&csv, w, table);
	return w->values != NULL;
}

struct rows_writer rows_begin(const struct view *view, const struct rows_shape *shape)
{
	return (struct rows_writer){.view = view, .shape = shape};
}

enum sx_status rows_add(struct rows_writer *w, const struct sx_table *table, struct sx_error *err)
{
	bool first = !w->begun;
	size_t rows = sx_table_row_count(table);
	if (first && !rows_open(w, table))
		return error_nomem(err, "writing rows");
	w->rows += rows;
	if (w->view->format == FORMAT_TEXT)
		return !first || rows_text_write(w, table) ? SX_OK
							   : error_nomem(err, "writing rows");
	struct extra extra[EXTRA_MAX];
	size_t n = extras(w->shape, extra);
	values_of(w->values, table);
	for (size_t r = 0; r < rows; r++) {
		if (w->view->format == FORMAT_JSON)
			row_json(w, extra, n, table, r);
		else if (w->view->format == FORMAT_NDJSON)
			row_ndjson(w, extra, n, table, r);
		else
			row_csv(w, extra, n, table, r);
	}
	values_flush(w->values);
	if (w->view->format == FORMAT_JSON && w->shape->marks) {
		rows_marks_add(&w->marks, table, w->rows - rows);
		rows_marks_add_absent(&w->marks, table, w->rows - rows);
	}
	return SX_OK;
}

void rows_end(struct rows_writer *w, const struct sx_table *table)
{
	if (w->view->format == FORMAT_JSON)
		end_json(w, table);
	else if (w->view->format == FORMAT_TEXT)
		rows_text_end(w, table);
}

void rows_finish(struct rows_writer *w)
{
	values_destroy(w->values);
	w->values = NULL;
}

enum sx_status rows_write(const struct view *view, const struct rows_shape *shape,
			  const struct sx_table *table, struct sx_error *err)
{
	struct rows_writer writer = rows_begin(view, shape);
	enum sx_status status = rows_add(&writer, table, err);
	if (!status)
		rows_end(&writer, table);
	rows_finish(&writer);
	return status;
}
