/*
 * MESA_GPU_TRACES=print_csv and print_json: events of the GPU with times, in pairs that begin and
 * end a range. Seen: Mesa 22 to 25 (src/util/perf/u_trace.c); the CSV ends each header with a comma
 * and repeats it for each context.
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import/json.h"
#include "import/trace/trace.h"

#define NESTING_MAX 64

/* A range that has begun. */
struct range {
	struct import_cell name;
	uint64_t begin_ns;
};

struct utrace_reader {
	struct import_job *job;
	struct import_rows *rows;
	struct import_ranges ranges;
	struct range open[NESTING_MAX];
	size_t depth, unpaired, reversed;
	uint64_t frame;
	size_t place; /* line of the CSV, or number of the event */
	struct import_odd garbage;
	/* The current event, of JSON. */
	struct import_cell event, time;
};

static bool utrace_recognise(const struct import_head *head)
{
	struct import_cell text = {head->text, head->size};
	return import_begins(text, "frame,batch,time_ns,event,") ||
	       (memmem(head->text, head->size, "\"batches\"", 9) &&
		memmem(head->text, head->size, "\"time_ns\"", 9));
}

/*
 * The part of an event's name that its counterpart shares; *begins: it is the begin, not the end.
 */
static bool stem_of(struct import_cell event, struct import_cell *stem, bool *begins)
{
	static const struct {
		const char *word;
		bool begins;
	} marks[] = {{"begin", true}, {"start", true}, {"end", false}};
	for (size_t i = 0; i < 3; i++) {
		size_t size = strlen(marks[i].word);
		*begins = marks[i].begins;
		/* "start_render_pass", "intel_begin_blit" */
		for (size_t at = 0; at + size < event.size; at++) {
			if ((at && event.text[at - 1] != '_') ||
			    memcmp(event.text + at, marks[i].word, size) != 0 ||
			    event.text[at + size] != '_')
				continue;
			*stem = (struct import_cell){event.text + at + size + 1,
						     event.size - at - size - 1};
			return true;
		}
		/* "render_pass_start" */
		if (event.size > size + 1 && event.text[event.size - size - 1] == '_' &&
		    memcmp(event.text + event.size - size, marks[i].word, size) == 0) {
			*stem = (struct import_cell){event.text, event.size - size - 1};
			return true;
		}
	}
	return false;
}

static void end_range(struct utrace_reader *r, struct import_cell name, uint64_t end_ns)
{
	size_t at = r->depth;
	while (at && !import_same(r->open[at - 1].name, name))
		at--;
	if (!at) {
		r->unpaired++;
		return;
	}
	struct range range = r->open[at - 1];
	memmove(&r->open[at - 1], &r->open[at], (r->depth - at) * sizeof(range));
	r->depth--;
	if (end_ns < range.begin_ns) {
		r->reversed++;
		return;
	}
	size_t row = import_ranges_add(&r->ranges, r->rows, range.begin_ns, end_ns);
	import_label(r->rows, row, SX_LABEL_GROUP, name.text, name.size);
	import_number_label(r->rows, row, SX_LABEL_FRAME, r->frame);
}

static void utrace_take_event(struct utrace_reader *r, struct import_cell event,
			      struct import_cell time)
{
	struct import_cell stem;
	bool begins;
	uint64_t ns;
	if (!time.size || !number_u64(time.text, time.size, &ns)) {
		import_odd_add(&r->garbage, r->place, (struct import_cell){"time_ns", 7}, time);
		return;
	}
	if (!stem_of(event, &stem, &begins)) {
		import_remark(r->job, "single events, which begin and end nothing, were left out");
		return;
	}
	if (!begins)
		end_range(r, stem, ns);
	else if (r->depth < NESTING_MAX)
		r->open[r->depth++] = (struct range){stem, ns};
	else
		r->unpaired++;
}

static bool read_csv(struct utrace_reader *r)
{
	struct import_lines lines = import_lines(r->job);
	struct import_cell line, cells[4];
	while (import_line(&lines, &line)) {
		if (!line.size || import_begins(line, "frame,batch,"))
			continue;
		if (lines.unfinished)
			return false;
		r->place = lines.number;
		if (import_split(line, ',', cells, 4) < 4 || !cells[0].size ||
		    !number_u64(cells[0].text, cells[0].size, &r->frame))
			r->unpaired++;
		else
			utrace_take_event(r, cells[3], cells[2]);
	}
	return true;
}

static void utrace_see(void *user, enum read_json_event event, const struct read_json_place *at,
		       struct import_cell value)
{
	struct utrace_reader *r = user;
	uint64_t number;
	if (read_json_at(at, 1, "frame", NULL, NULL) && event == READ_JSON_BARE) {
		if (number_u64(value.text, value.size, &number))
			r->frame = number;
	} else if (event == READ_JSON_BEGIN && read_json_at(at, 2, "batches", "events", NULL)) {
		r->event = r->time = (struct import_cell){"", 0};
		r->place++;
	} else if (event == READ_JSON_END && read_json_at(at, 2, "batches", "events", NULL)) {
		utrace_take_event(r, r->event, r->time);
	} else if (event == READ_JSON_TEXT && read_json_at(at, 3, "batches", "events", "event")) {
		r->event = value;
	} else if (event == READ_JSON_TEXT && read_json_at(at, 3, "batches", "events", "time_ns")) {
		while (value.size > 1 && *value.text == '0') {
			value.text++;
			value.size--;
		}
		r->time = value;
	}
}

static enum sx_status read_json(struct utrace_reader *r, struct sx_error *err)
{
	size_t line;
	enum read_json_result result = read_json_walk(r->job, utrace_see, r, &line);
	if (result == READ_JSON_BAD)
		return import_bad(r->job, line, err, "print_json writes JSON", "this is no JSON");
	return result == READ_JSON_CUT ? import_cut(r->job, line, err) : SX_OK;
}

static enum sx_status utrace_read(struct import_job *job, struct sx_error *err)
{
	struct utrace_reader *r = calloc(1, sizeof(*r));
	if (!r)
		return error_nomem(err, "importing");
	r->job = job;
	r->rows = import_rows_create(job, &(struct import_rows_options){.catalog = "monitor",
									.driver = "Mesa",
									.clock = "gpu",
									.kind = SX_SAMPLE_GROUP});
	bool csv = import_begins((struct import_cell){job->text, job->size}, "frame,");
	enum sx_status status = SX_OK;
	if (!csv)
		status = read_json(r, err);
	else if (!read_csv(r))
		status = import_cut(job, 0, err);
	import_odd_note(job, &r->garbage, csv ? "line" : "event");
	if (r->unpaired + r->depth)
		import_remark(job, "%zu events have no counterpart and were left out",
			      r->unpaired + r->depth);
	if (r->reversed)
		import_remark(job, "%zu ranges end before they begin and were left out",
			      r->reversed);
	import_remark(job, "parameters of events were left out");
	struct import_rows *busy = import_ranges_finish(&r->ranges, job, r->rows);
	if (r->ranges.no_memory)
		status = error_nomem(err, "importing");
	import_rows_describe(busy, &(struct import_rows_options){.driver = "Mesa", .clock = "gpu"});
	enum sx_status ended = import_rows_finish(r->rows, status, err);
	if (busy)
		ended = import_worse(ended, import_rows_finish(busy, status, err));
	free(r);
	status = ended;
	return status;
}

const struct import_format import_mesa_utrace = {
    .kind = "mesa-utrace",
    .about = "a trace of MESA_GPU_TRACES",
    .recognise = utrace_recognise,
    .read = utrace_read,
};
