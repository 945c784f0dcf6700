/* Groups of rows as text, JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/report_groups.h"

static void key_text(const struct grouping *g, size_t i, char *buf, size_t size)
{
	uint64_t key = g->list[i].key;
	const char *text = g->by == BY_GROUP ? sx_table_string(g->d->raw, key) : NULL;
	char time[HUMAN_MAX];
	if (key == UINT64_MAX)
		snprintf(buf, size, "(none)");
	else if (text)
		snprintf(buf, size, "%s", text);
	else if (g->by == BY_TIME) {
		human_duration(time, key * g->bucket_ns);
		snprintf(buf, size, "%s", time);
	} else {
		snprintf(buf, size, "%" PRIu64, key);
	}
}

const char *report_by_name(enum by by)
{
	static const char *const names[] = {"frame", "group", "time", "instance"};
	return names[by];
}

/* Columns worth their place: with data that is not 0 throughout. */
static bool says_something(const struct sx_table *values, uint32_t column)
{
	for (size_t r = 0; r < sx_table_row_count(values); r++) {
		double value = sx_table_get(values, column, r);
		if (!isnan(value) && value != 0)
			return true;
	}
	return false;
}

#define CELLS_MAX  40
#define CELL_WIDTH 13 /* a number, its unit and a gap */

/* The metrics that fit, the one of --sort first. */
static uint32_t choose_columns(const struct grouping *g, const struct sx_table *values,
			       uint32_t *list, uint32_t *more)
{
	uint32_t room = (uint32_t)(g->cli->view.out.width - 22) / CELL_WIDTH, count = 0;
	uint32_t first = SX_NONE;
	room = room < 1 ? 1 : room > CELLS_MAX - 3 ? CELLS_MAX - 3 : room;
	if (g->sort) {
		uint32_t n;
		first = sx_table_find(values, sx_metrics_columns(g->sort, &n)[0].name);
		if (first != SX_NONE)
			list[count++] = first;
	}
	*more = 0;
	for (uint32_t i = 0; i < sx_table_column_count(values); i++) {
		if (i == first || !says_something(values, i))
			continue;
		if (count < room)
			list[count++] = i;
		else
			++*more;
	}
	return count;
}

static bool write_text(const struct grouping *g, const struct sx_table *values)
{
	uint32_t list[CELLS_MAX], more, count = choose_columns(g, values, list, &more);
	struct text_column columns[CELLS_MAX] = {{report_by_name(g->by), TEXT_LEFT, 0, 0, false},
						 {"at", TEXT_RIGHT, 0, 0, false}};
	for (uint32_t c = 0; c < count; c++)
		columns[c + 2] = (struct text_column){sx_table_column(values, list[c])->name,
						      TEXT_RIGHT, 1, 11, false};
	struct text_table *table = text_table_create(columns, count + 2);
	bool ok = table != NULL;
	for (size_t r = 0; ok && r < sx_table_row_count(values); r++) {
		char key[64], at[HUMAN_MAX] = "", text[CELLS_MAX][HUMAN_MAX * 2];
		const char *cells[CELLS_MAX] = {key, at};
		uint64_t begin = sx_table_begin_ns(g->groups)[r];
		key_text(g, r, key, sizeof(key));
		if (begin != SX_TIME_UNKNOWN && begin >= g->d->begin_ns)
			human_duration(at, begin - g->d->begin_ns);
		for (uint32_t c = 0; c < count; c++) {
			const char *unit = sx_table_column(values, list[c])->unit;
			char number[HUMAN_MAX];
			report_number(g->cli, number, sx_table_get(values, list[c], r), unit);
			snprintf(text[c], sizeof(text[c]), "%s%s", number,
				 strcmp(report_unit(g->cli, unit), "/s") == 0 ? "/s" : "");
			cells[c + 2] = text[c];
		}
		ok = text_table_row(table, cells, TEXT_PLAIN);
	}
	if (ok)
		text_table_write(table, &g->cli->view.out);
	text_table_destroy(table);
	if (g->seen > sx_table_row_count(values))
		cli_note(g->cli, "%zu of %" PRIu64 " %ss shown; --top N shows others",
			 sx_table_row_count(values), g->seen, report_by_name(g->by));
	if (more)
		cli_note(g->cli, "%u more metrics did not fit; -m chooses, --csv writes all", more);
	return ok;
}

static void value_json(struct json *json, const struct sx_table *t, uint32_t column, size_t row)
{
	struct sx_vector v = sx_table_vector(t, column);
	double value = sx_table_get(t, column, row);
	if (v.type == SX_U64 && !isnan(value))
		json_u64(json, ((const uint64_t *)v.data)[row]);
	else
		json_f64(json, value);
}

static void write_json(const struct grouping *g, const struct sx_table *values)
{
	struct json json = view_json_begin(&g->cli->view, "report");
	json_kv_string(&json, "file", g->d->view->path);
	json_kv_string(&json, "for", g->d->view->info->catalog);
	json_kv_string(&json, "by", report_by_name(g->by));
	json_kv_u64(&json, "count", g->seen);
	json_key(&json, "groups");
	json_array_begin(&json);
	for (size_t r = 0; r < sx_table_row_count(values); r++) {
		char key[256];
		key_text(g, r, key, sizeof(key));
		json_object_begin_flat(&json);
		json_kv_string(&json, "key", key);
		json_kv_u64(&json, "rows", g->list[r].rows);
		json_key(&json, "begin_ns");
		if (sx_table_begin_ns(g->groups)[r] == SX_TIME_UNKNOWN)
			json_null(&json);
		else
			json_u64(&json, sx_table_begin_ns(g->groups)[r]);
		json_key(&json, "values");
		json_object_begin_flat(&json);
		for (uint32_t c = 0; c < sx_table_column_count(values); c++) {
			json_key(&json, sx_table_column(values, c)->name);
			value_json(&json, values, c, r);
		}
		json_object_end(&json);
		json_object_end(&json);
	}
	json_array_end(&json);
	view_json_end(&json);
}

static void write_csv(const struct grouping *g, const struct sx_table *values)
{
	struct csv csv = {.out = g->cli->view.out.out};
	csv_text(&csv, report_by_name(g->by));
	csv_text(&csv, "rows");
	csv_text(&csv, "begin_ns");
	for (uint32_t c = 0; c < sx_table_column_count(values); c++)
		csv_text(&csv, sx_table_column(values, c)->name);
	csv_end_line(&csv);
	for (size_t r = 0; r < sx_table_row_count(values); r++) {
		char key[256];
		uint64_t begin = sx_table_begin_ns(g->groups)[r];
		key_text(g, r, key, sizeof(key));
		csv_text(&csv, key);
		csv_u64(&csv, g->list[r].rows);
		if (begin == SX_TIME_UNKNOWN)
			csv_text(&csv, NULL);
		else
			csv_u64(&csv, begin);
		for (uint32_t c = 0; c < sx_table_column_count(values); c++) {
			struct sx_vector v = sx_table_vector(values, c);
			double value = sx_table_get(values, c, r);
			if (v.type == SX_U64 && !isnan(value))
				csv_u64(&csv, ((const uint64_t *)v.data)[r]);
			else
				csv_f64(&csv, value);
		}
		csv_end_line(&csv);
	}
}

enum sx_status report_groups_write(struct grouping *g, struct sx_error *err)
{
	struct sx_table *values = NULL;
	enum sx_status status = sx_metrics_eval(g->d->metrics, g->groups, &values, err);
	if (status)
		return status;
	if (g->cli->view.format == FORMAT_JSON) {
		write_json(g, values);
	} else if (g->cli->view.format == FORMAT_CSV) {
		write_csv(g, values);
	} else {
		report_head(g->cli, g->d);
		fputc('\n', g->cli->view.out.out);
		status = write_text(g, values) ? SX_OK : error_nomem(err, "writing the report");
	}
	sx_table_destroy(values);
	return status;
}
