/* Groups of rows as text; of several devices in each format. */
#include "output/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text_buf.h"

/* Where short intervals come late, three digits give neighbours the same text. */
static void stretch_text(uint64_t key, uint64_t bucket_ns, char *buf, size_t size)
{
	char here[HUMAN_MAX], before[HUMAN_MAX], after[HUMAN_MAX];
	int digits = 0;
	human_duration(here, key * bucket_ns);
	human_duration(before, (key ? key - 1 : 1) * bucket_ns);
	human_duration(after, (key + 1) * bucket_ns);
	for (uint64_t step = 1000000000; step > bucket_ns || bucket_ns % step; step /= 10)
		digits++;
	if (strcmp(here, before) == 0 || strcmp(here, after) == 0)
		snprintf(here, sizeof(here), "%.*f s", digits, (double)(key * bucket_ns) * 1e-9);
	snprintf(buf, size, "%s", here);
}

const char *groups_by(const struct groups_out *o)
{
	return o->by ? o->by : report_key_name(o->g->by);
}

const char *groups_key(const struct groups_out *o, size_t i, char buf[GROUPS_KEY_MAX])
{
	const struct report_group *group = &o->g->list[i];
	if (group->key == UINT64_MAX)
		return o->g->whole_frames ? "(whole frames)" : "(none)";
	if (group->key == REPORT_KEY_OTHERS)
		return "(others)";
	if (group->text)
		return group->text;
	if (o->g->by == REPORT_BY_TIME)
		stretch_text(group->key, o->g->bucket_ns, buf, GROUPS_KEY_MAX);
	else
		snprintf(buf, GROUPS_KEY_MAX, "%" PRIu64, group->key);
	return buf;
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

/* Frames have their time among the metrics, intervals in the key. */
static bool shows_time(const struct report_groups *g)
{
	return report_key_is_text(g->by) || g->by == REPORT_BY_CONTEXT;
}

/* The metrics that fit, the one of --sort first. */
static uint32_t choose_columns(const struct groups_out *o, const struct sx_table *values,
			       uint32_t *list, uint32_t *more)
{
	uint32_t taken = shows_time(o->g) ? 31 : 22, count = 0;
	taken += o->shows_process ? 18 : 0;
	taken += o->shows_context ? 9 : 0;
	uint32_t width = (uint32_t)o->view->out.width;
	uint32_t room = width > taken ? (width - taken) / CELL_WIDTH : 0;
	uint32_t first = SX_NONE;
	room = room < 1 ? 1 : room > CELLS_MAX - 6 ? CELLS_MAX - 6 : room;
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

#define HEADS_MAX 5

/* The cells before a group's metrics. */
struct heads {
	char key[GROUPS_KEY_MAX], at[HUMAN_MAX], time[HUMAN_MAX], context[24];
};

static void fill_heads(const struct groups_out *o, size_t row, struct heads *h,
		       const char *cells[HEADS_MAX])
{
	const struct report_group *group = &o->g->list[row];
	uint64_t begin = sx_table_begin_ns(o->g->raw)[row];
	uint32_t n = 0;
	*h = (struct heads){.time = "-"};
	cells[n++] = groups_key(o, row, h->key); /* as long as it is: the table shortens it */
	if (begin != SX_TIME_UNKNOWN && begin >= o->g->begin_ns)
		human_duration(h->at, begin - o->g->begin_ns);
	if (group->time_ns)
		human_duration(h->time, group->time_ns);
	if (group->context != SX_LABEL_ABSENT)
		snprintf(h->context, sizeof(h->context), "%" PRIu64, group->context);
	if (o->shows_process)
		cells[n++] = group->process ? group->process : "";
	if (o->shows_context)
		cells[n++] = h->context;
	cells[n++] = h->at;
	if (shows_time(o->g))
		cells[n++] = h->time;
}

static uint32_t name_heads(const struct groups_out *o, struct text_column *columns)
{
	uint32_t n = 0;
	columns[n++] = (struct text_column){groups_by(o), TEXT_LEFT, 0, 16, false, true};
	if (o->shows_process)
		columns[n++] = (struct text_column){"process", TEXT_LEFT, 0, 12, false, true};
	if (o->shows_context)
		columns[n++] = (struct text_column){"context", TEXT_RIGHT, 0, 0, false, false};
	columns[n++] = (struct text_column){"at", TEXT_RIGHT, 0, 0, false, false};
	if (shows_time(o->g))
		columns[n++] = (struct text_column){"time", TEXT_RIGHT, 0, 0, false, false};
	return n;
}

static bool add_group(const struct groups_out *o, struct text_table *table,
		      const struct sx_table *values, size_t row, const struct cells *shown)
{
	struct heads heads;
	char text[CELLS_MAX][HUMAN_MAX * 2];
	const char *cells[CELLS_MAX];
	fill_heads(o, row, &heads, cells);
	for (uint32_t c = 0; c < shown->count; c++) {
		const char *unit = sx_table_column(values, shown->list[c])->unit;
		char number[HUMAN_MAX];
		human_cell(&o->view->human, number, sx_table_get(values, shown->list[c], row),
			   unit);
		snprintf(text[c], sizeof(text[c]), "%s%s", number,
			 strcmp(human_cell_unit(&o->view->human, unit), "/s") == 0 ? "/s" : "");
		cells[c + shown->heads] = text[c];
	}
	return text_table_row(table, cells, TEXT_PLAIN);
}

/* What one is called. Among frames there are samples that no frame ended. */
static const char *group_word(const struct groups_out *o)
{
	bool mixed = o->g->by == REPORT_BY_FRAME && o->device->slices;
	return mixed ? "sample" : groups_by(o);
}

static bool write_text(const struct groups_out *o, const struct sx_table *values)
{
	uint32_t list[CELLS_MAX], more, count = choose_columns(o, values, list, &more);
	struct text_column columns[CELLS_MAX];
	uint32_t heads = name_heads(o, columns);
	for (uint32_t c = 0; c < count; c++)
		columns[c + heads] = (struct text_column){
		    sx_table_column(values, list[c])->name, TEXT_RIGHT, 1, 11, false, true};
	struct text_table *table = text_table_create(columns, count + heads);
	bool ok = table != NULL;
	for (size_t r = 0; ok && r < sx_table_row_count(values); r++)
		ok = add_group(o, table, values, r, &(struct cells){list, count, heads});
	if (ok && count)
		text_table_write(table, &o->view->out);
	text_table_destroy(table);
	if (!count || o->device->named) /* why a column that was asked for is not there */
		table_footnotes(o->view, o->device);
	if (o->is_behind)
		return ok;
	bool several = o->report->device_count > 1;
	const char *of = several ? report_text_title(o->device) : "", *colon = several ? ": " : "";
	if (o->g->seen > sx_table_row_count(values))
		note_sink_write(&o->view->notes, "%s%s%zu of %s shown; --top N shows others", of,
				colon, sx_table_row_count(values),
				COUNTED(o->g->seen, group_word(o)));
	if (more)
		note_sink_write(&o->view->notes, "%s%s%s did not fit; -m chooses, --csv writes all",
				of, colon, COUNTED(more, "more metric"));
	return ok;
}

/* "412: fragments 3.1 times the median, ..." below a table of the worst ones. */
static void differences_text(const struct groups_out *o)
{
	char line[1024], key[GROUPS_KEY_MAX], times[HUMAN_MAX];
	bool headed = false;
	for (size_t r = 0; r < o->g->count; r++) {
		struct report_difference found[REPORT_DIFFERENCES];
		size_t count = report_by_differences(o->g, r, found);
		if (!count)
			continue;
		if (!headed)
			text_heading(&o->view->out, "what was different in them");
		headed = true;
		const char *name = groups_key(o, r, key);
		snprintf(line, sizeof(line), "%.*s:", (int)text_fit(name, 256), name);
		for (size_t i = 0; i < count; i++) {
			human_cell(&o->view->human, times, found[i].times, "count");
			text_append(line, sizeof(line), "%s %s %s times the median", i ? "," : "",
				    sx_table_column(o->g->values, found[i].column)->name, times);
		}
		text_wrap(&o->view->out, 2, line);
	}
}

/* How evenly instances were loaded, where the decoder reports it. */
static void note_imbalance(const struct groups_out *o)
{
	static const char suffix[] = "_imbalance";
	const struct sx_table *whole = o->g->whole;
	for (uint32_t i = 0; whole && i < sx_table_column_count(whole); i++) {
		const char *name = sx_table_column(whole, i)->name;
		size_t length = strlen(name), cut = sizeof(suffix) - 1;
		double value = sx_table_get(whole, i, 0);
		if (length > cut && strcmp(name + length - cut, suffix) == 0 && !isnan(value))
			note_sink_write(&o->view->notes,
					"%s %.3f: largest over mean, sample by sample", name,
					value);
	}
}

/* Notes what is combined in one group, and how to separate it. */
static void note_others(const struct groups_out *o)
{
	const struct note_sink *notes = &o->view->notes;
	bool timed = o->device->begin_ns != SX_TIME_UNKNOWN;
	if (o->g->by == REPORT_BY_TIME)
		note_sink_write(notes,
				"samples that came over %u stretches of %s late are together in "
				"(others); a longer --interval gives them room",
				o->g->most, groups_by(o));
	else
		note_sink_write(notes,
				"the first %u %ss have rows of their own, later ones are together "
				"in (others); %s",
				o->g->most, groups_by(o),
				timed
				    ? "sextant capture cut FILE --from TIME --to TIME -o PART.sxc "
				      "makes a part, which has fewer"
				    : "a file of some of its lines has fewer");
}

static enum sx_status write_one(const struct groups_out *o, struct sx_error *err)
{
	bool ok = true;
	note_imbalance(o);
	if (o->g->whole_frames)
		note_sink_write(&o->view->notes,
				"no frame of %s was recorded with a group: they are shown whole; "
				"sextant record --per group -- PROGRAM samples each group",
				sx_catalog_info(o->device->catalog)->name);
	if (o->g->others)
		note_others(o);
	if (o->view->format == FORMAT_JSON) {
		groups_json(o);
	} else if (o->view->format == FORMAT_CSV) {
		groups_csv(o);
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

/* One device or several: an array has an object for each. */
static enum sx_status write_json(struct groups_out *all, uint32_t count, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	struct json json = view_json_begin(all[0].view, "report-by");
	json_kv_array(&json, "devices");
	for (uint32_t i = 0; !status && i < count; i++) {
		all[i].within = &json;
		status = write_one(&all[i], err);
	}
	json_array_end(&json);
	if (all[0].report->gate_count)
		gates_json(&json, all[0].report->gates, all[0].report->gate_count);
	view_json_end(&json);
	return status;
}

/*
 * Frames of several processes or contexts name theirs. Below one header all devices have the same
 * columns.
 */
static void choose_labels(struct groups_out *all, uint32_t count, bool together)
{
	bool process = false, context = false;
	for (uint32_t i = 0; i < count; i++) {
		const struct report_groups *g = all[i].g;
		all[i].shows_process = g->processes > 1;
		all[i].shows_context = g->contexts > 1 && g->contexts > g->processes;
		process |= all[i].shows_process;
		context |= all[i].shows_context;
	}
	for (uint32_t i = 0; together && i < count; i++) {
		all[i].shows_process = process;
		all[i].shows_context = context;
	}
}

enum sx_status groups_write(struct groups_out *all, uint32_t count, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	enum format format = count ? all[0].view->format : FORMAT_TEXT;
	choose_labels(all, count, format == FORMAT_CSV);
	if (format == FORMAT_CSV)
		return write_csv_of_all(all, count, err);
	if (format == FORMAT_JSON)
		return write_json(all, count, err);
	for (uint32_t i = 0; !status && i < count; i++) {
		if (i)
			fputc('\n', all[i].view->out.out);
		status = write_one(&all[i], err);
	}
	if (!status && count && !all[0].is_behind)
		gates_text(all[0].view, all[0].report->gates, all[0].report->gate_count);
	return status;
}
