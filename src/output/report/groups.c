/* Groups of rows as text, JSON and CSV. */
#include "output/report/groups.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/report/table.h"
#include "output/report/text.h"

static void key_text(const struct groups_out *o, size_t i, char *buf, size_t size)
{
	const struct report_group *group = &o->g->list[i];
	if (group->key == UINT64_MAX)
		snprintf(buf, size, "(none)");
	else if (group->key == REPORT_KEY_OTHERS)
		snprintf(buf, size, "(others)");
	else if (group->text)
		snprintf(buf, size, "%s", group->text);
	else if (o->g->by == REPORT_BY_TIME) {
		char time[HUMAN_MAX];
		human_duration(time, group->key * o->g->bucket_ns);
		snprintf(buf, size, "%s", time);
	} else {
		snprintf(buf, size, "%" PRIu64, group->key);
	}
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

/* Frames have their own time among the metrics, stretches of time theirs in the key. */
static bool tells_time(const struct report_groups *g)
{
	return g->by == REPORT_BY_GROUP || g->by == REPORT_BY_PROCESS || g->by == REPORT_BY_CONTEXT;
}

/* The metrics that fit, the one of --sort first. */
static uint32_t choose_columns(const struct groups_out *o, const struct sx_table *values,
			       uint32_t *list, uint32_t *more)
{
	uint32_t taken = tells_time(o->g) ? 31 : 22, count = 0;
	uint32_t room = (uint32_t)(o->view->out.width - (int)taken) / CELL_WIDTH;
	uint32_t first = SX_NONE;
	room = room < 1 ? 1 : room > CELLS_MAX - 4 ? CELLS_MAX - 4 : room;
	if (o->g->sort_column != SX_NONE)
		list[count++] = first = o->g->sort_column;
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

/* The columns of the text: first `heads` of our own, then `count` of the table's. */
struct cells {
	const uint32_t *list;
	uint32_t count, heads;
};

static bool add_group(const struct groups_out *o, struct text_table *table,
		      const struct sx_table *values, size_t row, const struct cells *shown)
{
	char key[64], at[HUMAN_MAX] = "", time[HUMAN_MAX] = "-";
	char text[CELLS_MAX][HUMAN_MAX * 2];
	const char *cells[CELLS_MAX] = {key, at, time};
	uint64_t begin = sx_table_begin_ns(o->g->raw)[row];
	key_text(o, row, key, sizeof(key));
	if (begin != SX_TIME_UNKNOWN && begin >= o->g->begin_ns)
		human_duration(at, begin - o->g->begin_ns);
	if (o->g->list[row].time_ns)
		human_duration(time, o->g->list[row].time_ns);
	for (uint32_t c = 0; c < shown->count; c++) {
		const char *unit = sx_table_column(values, shown->list[c])->unit;
		char number[HUMAN_MAX];
		table_number(o->view, number, sx_table_get(values, shown->list[c], row), unit);
		snprintf(text[c], sizeof(text[c]), "%s%s", number,
			 strcmp(table_unit(o->view, unit), "/s") == 0 ? "/s" : "");
		cells[c + shown->heads] = text[c];
	}
	return text_table_row(table, cells, TEXT_PLAIN);
}

static bool write_text(const struct groups_out *o, const struct sx_table *values)
{
	uint32_t list[CELLS_MAX], more, count = choose_columns(o, values, list, &more);
	uint32_t heads = tells_time(o->g) ? 3 : 2;
	struct text_column columns[CELLS_MAX] = {
	    {report_key_name(o->g->by), TEXT_LEFT, 0, 0, false, false},
	    {"at", TEXT_RIGHT, 0, 0, false, false},
	    {"time", TEXT_RIGHT, 0, 0, false, false}};
	for (uint32_t c = 0; c < count; c++)
		columns[c + heads] = (struct text_column){
		    sx_table_column(values, list[c])->name, TEXT_RIGHT, 1, 11, false, true};
	struct text_table *table = text_table_create(columns, count + heads);
	bool ok = table != NULL;
	for (size_t r = 0; ok && r < sx_table_row_count(values); r++)
		ok = add_group(o, table, values, r, &(struct cells){list, count, heads});
	if (ok)
		text_table_write(table, &o->view->out);
	text_table_destroy(table);
	if (o->is_behind)
		return ok;
	if (o->g->seen > sx_table_row_count(values))
		view_note(o->view, "%zu of %" PRIu64 " %ss shown; --top N shows others",
			  sx_table_row_count(values), o->g->seen, report_key_name(o->g->by));
	if (more)
		view_note(o->view, "%u more metrics did not fit; -m chooses, --csv writes all",
			  more);
	return ok;
}

/* "412: fragments 3.1 times the median, ..." below a table of the worst ones. */
static void differences_text(const struct groups_out *o)
{
	char line[512], key[256], times[HUMAN_MAX];
	bool headed = false;
	for (size_t r = 0; r < o->g->count; r++) {
		struct report_difference found[REPORT_DIFFERENCES];
		size_t count = report_by_differences(o->g, r, found);
		if (!count)
			continue;
		if (!headed)
			text_styled(&o->view->out, TEXT_BOLD, "\nwhat was different in them\n");
		headed = true;
		key_text(o, r, key, sizeof(key));
		size_t used = (size_t)snprintf(line, sizeof(line), "%s:", key);
		for (size_t i = 0; i < count && used < sizeof(line); i++) {
			table_number(o->view, times, found[i].times, "count");
			used += (size_t)snprintf(
			    line + used, sizeof(line) - used, "%s %s %s times the median",
			    i ? "," : "", sx_table_column(o->g->values, found[i].column)->name,
			    times);
		}
		text_wrap(&o->view->out, 2, line);
	}
}

static void differences_json(struct json *json, const struct groups_out *o, size_t group)
{
	struct report_difference found[REPORT_DIFFERENCES];
	size_t count = report_by_differences(o->g, group, found);
	json_kv_array_flat(json, "different");
	for (size_t i = 0; i < count; i++) {
		json_object_begin_flat(json);
		json_kv_string(json, "metric",
			       sx_table_column(o->g->values, found[i].column)->name);
		json_kv_f64(json, "times_median", found[i].times);
		json_object_end(json);
	}
	json_array_end(json);
}

/* A value in its base unit; `exact` holds it where it needs no factor. */
struct group_value {
	bool whole;
	uint64_t exact;
	double value; /* NAN: no data */
};

static struct group_value value_of(const struct groups_out *o, const struct sx_table *t,
				   uint32_t column, size_t row)
{
	char buf[2 * UNITS_TEXT_MAX];
	double factor = 1;
	const char *unit = sx_table_column(t, column)->unit;
	struct sx_vector v = sx_table_vector(t, column);
	struct group_value out = {.value = sx_table_get(t, column, row)};
	units_base(&o->view->human.units, unit ? unit : "", buf, &factor);
	out.whole = v.type == SX_U64 && !isnan(out.value) && factor == 1;
	if (out.whole)
		out.exact = ((const uint64_t *)v.data)[row];
	out.value = units_apply(units_step(factor), out.value);
	return out;
}

static void value_json(struct json *json, struct group_value v)
{
	if (v.whole)
		json_u64(json, v.exact);
	else
		json_f64(json, v.value);
}

/* `known`: else there is no number. */
static void optional_json(struct json *json, const char *key, uint64_t value, bool known)
{
	json_key(json, key);
	if (known)
		json_u64(json, value);
	else
		json_null(json);
}

static void group_json(struct json *json, const struct groups_out *o, const struct sx_table *values,
		       size_t row)
{
	char key[256];
	uint64_t begin = sx_table_begin_ns(o->g->raw)[row], time = o->g->list[row].time_ns;
	key_text(o, row, key, sizeof(key));
	json_object_begin_flat(json);
	json_kv_string(json, "key", key);
	json_kv_u64(json, "rows", o->g->list[row].rows);
	optional_json(json, "begin_ns", begin, begin != SX_TIME_UNKNOWN);
	optional_json(json, "time_ns", time, time != 0);
	json_kv_object_flat(json, "values");
	for (uint32_t c = 0; c < sx_table_column_count(values); c++) {
		json_key(json, sx_table_column(values, c)->name);
		value_json(json, value_of(o, values, c, row));
	}
	json_object_end(json);
	if (o->g->sort_column != SX_NONE)
		differences_json(json, o, row);
	json_object_end(json);
}

/* What the numbers of each value are in. */
static void units_json(struct json *json, const struct groups_out *o, const struct sx_table *values)
{
	char buf[2 * UNITS_TEXT_MAX];
	double factor;
	json_kv_object_flat(json, "units");
	for (uint32_t c = 0; c < sx_table_column_count(values); c++)
		json_kv_string(json, sx_table_column(values, c)->name,
			       units_base(&o->view->human.units, sx_table_column(values, c)->unit,
					  buf, &factor));
	json_object_end(json);
}

static void write_json(const struct groups_out *o, const struct sx_table *values)
{
	struct json json;
	if (o->within) {
		json = *o->within;
		json_object_begin(&json);
		json_kv_u64(&json, "device", o->number);
		json_kv_bool(&json, "simulated", o->device->simulated);
	} else {
		json = view_json_begin(o->view, "report-by");
	}
	if (o->report->file)
		json_kv_string(&json, "file", o->report->file);
	json_kv_string(&json, "for", sx_catalog_info(o->device->catalog)->name);
	json_kv_string(&json, "by", report_key_name(o->g->by));
	json_kv_u64(&json, "count", o->g->seen);
	units_json(&json, o, values);
	json_kv_array(&json, "groups");
	for (size_t r = 0; r < sx_table_row_count(values); r++)
		group_json(&json, o, values, r);
	json_array_end(&json);
	if (!o->within) {
		view_json_end(&json);
		return;
	}
	json_object_end(&json);
	*o->within = json;
}

static void csv_value(struct csv *csv, struct group_value v)
{
	if (v.whole)
		csv_u64(csv, v.exact);
	else
		csv_f64(csv, v.value);
}

static void optional_csv(struct csv *csv, uint64_t value, bool known)
{
	if (known)
		csv_u64(csv, value);
	else
		csv_text(csv, NULL);
}

static void head_csv(struct csv *csv, const struct groups_out *o, const struct sx_table *values)
{
	if (o->names)
		csv_text(csv, "device");
	if (o->view->simulated)
		csv_text(csv, "simulated");
	csv_text(csv, report_key_name(o->g->by));
	csv_text(csv, "rows");
	csv_text(csv, "begin_ns");
	csv_text(csv, "time_ns");
	for (uint32_t i = 0; i < o->name_count; i++)
		csv_column(csv, &o->view->human.units, o->names[i].name, o->names[i].unit);
	for (uint32_t c = 0; !o->names && c < sx_table_column_count(values); c++)
		csv_column(csv, &o->view->human.units, sx_table_column(values, c)->name,
			   sx_table_column(values, c)->unit);
	csv_end_line(csv);
}

static void write_csv(const struct groups_out *o, const struct sx_table *values)
{
	struct csv csv = {.out = o->view->out.out};
	if (!o->no_head)
		head_csv(&csv, o, values);
	for (size_t r = 0; r < sx_table_row_count(values); r++) {
		char key[256];
		uint64_t begin = sx_table_begin_ns(o->g->raw)[r];
		key_text(o, r, key, sizeof(key));
		if (o->names)
			csv_u64(&csv, o->number);
		if (o->view->simulated)
			csv_text(&csv, o->device->simulated ? "true" : "false");
		csv_text(&csv, key);
		csv_u64(&csv, o->g->list[r].rows);
		optional_csv(&csv, begin, begin != SX_TIME_UNKNOWN);
		optional_csv(&csv, o->g->list[r].time_ns, o->g->list[r].time_ns != 0);
		for (uint32_t i = 0; i < o->name_count; i++) {
			uint32_t at = sx_table_find(values, o->names[i].name);
			if (at == SX_NONE)
				csv_text(&csv, NULL);
			else
				csv_value(&csv, value_of(o, values, at, r));
		}
		for (uint32_t c = 0; !o->names && c < sx_table_column_count(values); c++)
			csv_value(&csv, value_of(o, values, c, r));
		csv_end_line(&csv);
	}
}

/* How evenly instances were loaded, where the decoder tells it. */
static void note_imbalance(const struct groups_out *o)
{
	static const char suffix[] = "_imbalance";
	const struct sx_table *whole = o->g->whole;
	for (uint32_t i = 0; whole && i < sx_table_column_count(whole); i++) {
		const char *name = sx_table_column(whole, i)->name;
		size_t length = strlen(name), cut = sizeof(suffix) - 1;
		double value = sx_table_get(whole, i, 0);
		if (length > cut && strcmp(name + length - cut, suffix) == 0 && !isnan(value))
			view_note(o->view, "%s %.3f: largest over mean, sample by sample", name,
				  value);
	}
}

static enum sx_status write_one(const struct groups_out *o, struct sx_error *err)
{
	bool ok = true;
	note_imbalance(o);
	if (o->g->others)
		view_note(o->view,
			  "the first %u %ss stand for themselves, what came of others later is "
			  "together in (others); --from and --to choose a part",
			  o->g->most, report_key_name(o->g->by));
	if (o->view->format == FORMAT_JSON) {
		write_json(o, o->g->values);
	} else if (o->view->format == FORMAT_CSV) {
		write_csv(o, o->g->values);
	} else {
		if (!o->is_behind)
			report_text_head(o->view, o->report, o->device);
		fputc('\n', o->view->out.out);
		if (o->is_behind && o->report->device_count > 1) {
			text_styled(&o->view->out, TEXT_BOLD, report_text_title(o->device));
			fputc('\n', o->view->out.out);
		}
		ok = write_text(o, o->g->values);
		if (o->g->sort_column != SX_NONE && !o->is_behind)
			differences_text(o);
	}
	return ok ? SX_OK : error_nomem(err, "writing the report");
}

/* Each name once, in the order of the devices. */
static struct groups_name *join_names(const struct groups_out *all, uint32_t count,
				      uint32_t *name_count)
{
	uint32_t most = 0, used = 0;
	for (uint32_t i = 0; i < count; i++)
		most += sx_table_column_count(all[i].g->values);
	struct groups_name *names = calloc(most + 1, sizeof(*names));
	for (uint32_t i = 0; names && i < count; i++)
		for (uint32_t c = 0; c < sx_table_column_count(all[i].g->values); c++) {
			const struct sx_column *column = sx_table_column(all[i].g->values, c);
			uint32_t at = 0;
			while (at < used && strcmp(names[at].name, column->name) != 0)
				at++;
			names[at] = (struct groups_name){column->name, column->unit};
			used += at == used;
		}
	*name_count = used;
	return names;
}

static enum sx_status write_csv_of_all(struct groups_out *all, uint32_t count, struct sx_error *err)
{
	uint32_t name_count;
	enum sx_status status = SX_OK;
	struct groups_name *names = join_names(all, count, &name_count);
	if (!names)
		return error_nomem(err, "writing groups");
	for (uint32_t i = 0; !status && i < count; i++) {
		all[i].names = names;
		all[i].name_count = name_count;
		all[i].no_head = i > 0;
		status = write_one(&all[i], err);
	}
	free(names);
	return status;
}

static enum sx_status write_json_of_all(struct groups_out *all, uint32_t count,
					struct sx_error *err)
{
	enum sx_status status = SX_OK;
	struct json json = view_json_begin(all[0].view, "report-by");
	json_kv_array(&json, "devices");
	for (uint32_t i = 0; !status && i < count; i++) {
		all[i].within = &json;
		status = write_one(&all[i], err);
	}
	json_array_end(&json);
	view_json_end(&json);
	return status;
}

enum sx_status groups_write(struct groups_out *all, uint32_t count, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	enum format format = count ? all[0].view->format : FORMAT_TEXT;
	if (count > 1 && format == FORMAT_CSV)
		return write_csv_of_all(all, count, err);
	if (count > 1 && format == FORMAT_JSON)
		return write_json_of_all(all, count, err);
	for (uint32_t i = 0; !status && i < count; i++) {
		if (i)
			fputc('\n', all[i].view->out.out);
		status = write_one(&all[i], err);
	}
	return status;
}
