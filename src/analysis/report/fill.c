/* Filling a report: every row goes to a summary, an overview, the rules and the frames, once. */
#include "analysis/report/fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/budget.h"
#include "analysis/cost.h"
#include "analysis/overview.h"
#include "analysis/summary.h"
#include "base/device_texts.h"
#include "table/slices.h"

struct report_fill {
	struct arena arena;
	struct filling **devices;
	size_t count, cap;
	struct report run; /* what the caller said of it */
	struct budget_goal goal;
	bool has_goal;
	size_t course_bytes;
	struct rows_join *join; /* or NULL: rows are added at once */
	report_rows_fn watch;	/* or NULL */
	void *watch_user;
	struct report report;
	struct arena result; /* what report_finish() made last */
	struct verdict *verdict;
};

enum sx_status report_begin(struct report_fill **out, struct sx_error *err)
{
	*out = calloc(1, sizeof(**out));
	return *out ? SX_OK : error_nomem(err, "a report");
}

static void filling_destroy(struct filling *f)
{
	sx_advice_destroy(f->advice);
	overview_destroy(f->overview);
	overview_destroy(f->own);
	pyramid_destroy(f->pyramid);
	costs_destroy(f->costs);
	sx_summary_destroy(f->summary);
	sx_table_destroy(f->curve);
	sketch_finish(&f->frames);
	processes_seen_finish(&f->processes);
	programs_finish(&f->programs);
	sx_catalog_unref(f->source.catalog);
	free(f);
}

void report_destroy(struct report_fill *fill)
{
	if (!fill)
		return;
	for (size_t i = 0; i < fill->count; i++)
		filling_destroy(fill->devices[i]);
	free(fill->devices);
	rows_join_destroy(fill->join);
	verdict_destroy(fill->verdict);
	arena_finish(&fill->result);
	arena_finish(&fill->arena);
	free(fill);
}

/* A copy of a text that may be NULL; *ok becomes false when memory is out. */
static const char *keep(struct arena *arena, const char *text, bool *ok)
{
	const char *copy = text ? arena_strndup(arena, text, strlen(text)) : NULL;
	*ok = *ok && (copy || !text);
	return copy;
}

static bool keep_constants(struct filling *f)
{
	bool ok = true;
	struct sx_device_facts *facts = &f->source.facts;
	struct sx_constant_value *copy =
	    arena_alloc(f->arena, facts->constant_count * sizeof(*copy) + 1);
	for (uint32_t i = 0; copy && i < facts->constant_count; i++) {
		copy[i] = facts->constants[i];
		copy[i].name = keep(f->arena, copy[i].name, &ok);
	}
	facts->constants = copy;
	if (copy && ok)
		facts->constant_count =
		    report_constants(f->source.catalog, copy, facts->constant_count);
	return copy && ok;
}

/* Copies the texts that are known, for as long as the report; others stay as they are. */
static bool keep_texts(struct filling *f, const struct sx_device_facts *from)
{
	bool ok = true;
	struct sx_device_facts *to = &f->source.facts;
#define KEEP(text) to->text = from->text ? keep(f->arena, from->text, &ok) : to->text;
	DEVICE_TEXTS(KEEP)
#undef KEEP
	return ok;
}

static bool keep_source(struct filling *f, const struct report_source *source)
{
	const struct sx_device_facts *facts = &f->source.facts;
	f->source = *source;
	f->source.catalog = sx_catalog_ref(source->catalog);
	f->source.like = NULL;
	bool ok = keep_texts(f, &source->facts) && keep_constants(f);
	f->options = (struct sx_metrics_options){.set = facts->set,
						 .variant = facts->variant,
						 .constants = facts->constants,
						 .constant_count = facts->constant_count};
	return ok;
}

/* The columns are known: everything that rows go to can be made. */
static enum sx_status begin_rows(struct filling *f, const struct sx_table *like,
				 struct sx_error *err)
{
	enum sx_status status = SX_OK;
	f->begun = true;
	f->source.like = NULL;
	if (f->source.metrics)
		status = sx_summary_create(f->source.metrics, like, &f->summary, err);
	if (!status && f->source.metrics && f->course_bytes)
		status = pyramid_create(f->source.metrics, like, f->course_bytes, &f->pyramid, err);
	if (!status)
		status = overview_create(like, &f->overview, err);
	if (!status && f->summary)
		overview_use(f->overview, f->summary->total);
	if (!status)
		status = costs_create(f->source.catalog, like, &f->costs, err);
	if (!status)
		status = sx_advice_create(f->source.catalog, &f->options, like, &f->advice, err);
	return status;
}

enum sx_status report_add_device(struct report_fill *fill, const struct report_source *source,
				 uint32_t *index, struct sx_error *err)
{
	struct filling *f = calloc(1, sizeof(*f));
	if (!f ||
	    !mem_grow(&fill->devices, &fill->cap, fill->count + 1, sizeof(struct filling *))) {
		free(f);
		return error_nomem(err, "a report");
	}
	*f = (struct filling){.arena = &fill->arena,
			      .joined_to = SX_NONE,
			      .begin_ns = SX_TIME_UNKNOWN,
			      .course_bytes = fill->course_bytes};
	if (index)
		*index = (uint32_t)fill->count;
	fill->devices[fill->count++] = f;
	if (!keep_source(f, source))
		return error_nomem(err, "a report");
	/* Joined samples may be of another kind than the device's own. */
	return source->like && !fill->join ? begin_rows(f, source->like, err) : SX_OK;
}

#define ROWS_AT_ONCE 1024

/* Rows of these kinds: the time and length of each frame. */
static bool note_frames(struct filling *f, const struct sx_table *raw, struct row_span rows,
			const uint8_t *kinds)
{
	const uint64_t *begin = sx_table_begin_ns(raw) + rows.first;
	const uint64_t *end = sx_table_end_ns(raw) + rows.first;
	double lengths[ROWS_AT_ONCE];
	size_t used = 0;
	for (size_t i = 0; i < rows.count; i++) {
		uint64_t length = slices_length_of(begin[i], end[i]);
		if (!length || kinds[i] != KIND_FRAME)
			continue;
		cover_add_rows(&f->frames_cover, begin + i, end + i, 1);
		lengths[used++] = (double)length;
	}
	return sketch_add_many(&f->frames, lengths, used);
}

static bool note_few(struct filling *f, const struct slices *slices, const struct sx_table *raw,
		     struct row_span rows)
{
	uint8_t kinds[ROWS_AT_ONCE];
	const uint64_t *begin = sx_table_begin_ns(raw) + rows.first;
	const uint64_t *end = sx_table_end_ns(raw) + rows.first;
	slices_note_kinds(slices, raw, rows, kinds);
	for (size_t i = 0; i < rows.count; i++) {
		f->begin_ns = begin[i] < f->begin_ns ? begin[i] : f->begin_ns;
		if (slices_length_of(begin[i], end[i]) && end[i] > f->end_ns)
			f->end_ns = end[i];
		f->slices += kinds[i] == KIND_SLICE;
	}
	cover_add_rows(&f->cover, begin, end, rows.count);
	return sx_table_kind(raw) != SX_SAMPLE_FRAME || note_frames(f, raw, rows, kinds);
}

static bool note_times(struct filling *f, const struct sx_table *raw)
{
	const struct slices slices = slices_of(raw);
	size_t rows = sx_table_row_count(raw);
	bool ok = true;
	for (size_t at = 0, take; ok && at < rows; at += take) {
		take = rows - at < ROWS_AT_ONCE ? rows - at : ROWS_AT_ONCE;
		ok = note_few(f, &slices, raw, (struct row_span){at, take});
	}
	return ok;
}

static enum sx_status fill_add_rows(void *user, uint32_t device, const struct sx_table *raw,
				    struct sx_error *err)
{
	struct report_fill *fill = user;
	struct filling *f = fill->devices[device];
	enum sx_status status =
	    fill->watch ? fill->watch(fill->watch_user, device, raw, err) : SX_OK;
	if (!status && !f->begun)
		status = begin_rows(f, raw, err);
	if (!status && f->summary)
		status = sx_summary_add(f->summary, raw, err);
	if (!status && !f->own)
		status = programs_add(&f->programs, f->source.catalog, raw, f->overview, err);
	if (!status)
		status = overview_add(f->overview, raw, err);
	if (!status && f->pyramid)
		status = pyramid_add(f->pyramid, raw, err);
	if (!status)
		status = sx_advice_add(f->advice, raw, err);
	processes_seen_add(&f->processes, raw);
	if (!status && !note_times(f, raw))
		status = error_nomem(err, "a report");
	if (!status) {
		costs_add(f->costs, raw);
		f->samples += slices_samples_in(raw, 0, sx_table_row_count(raw));
	}
	return status;
}

/* The verdict is of these, whatever is shown of the device. */
static enum sx_status fill_add_own_rows(struct filling *f, const struct sx_table *raw,
					struct sx_error *err)
{
	enum sx_status status = f->own ? SX_OK : overview_create(raw, &f->own, err);
	if (!status)
		status = programs_add(&f->programs, f->source.catalog, raw, f->own, err);
	if (f->hidden) /* else fill_add_rows() looks at them */
		processes_seen_add(&f->processes, raw);
	return status ? status : overview_add(f->own, raw, err);
}

enum sx_status report_add_rows(struct report_fill *fill, uint32_t device,
			       const struct sx_table *raw, struct sx_error *err)
{
	struct filling *f = fill->devices[device];
	enum sx_status status = SX_OK;
	if (!fill->join && !f->hidden)
		return fill_add_rows(fill, device, raw, err);
	status = fill_add_own_rows(f, raw, err);
	if (!status && fill->join)
		status = f->hidden ? rows_join_add_unseen(fill->join, raw, err)
				   : rows_join_add(fill->join, device, raw, err);
	return status;
}

void report_watch_rows(struct report_fill *fill, report_rows_fn rows, void *user)
{
	fill->watch = rows;
	fill->watch_user = user;
}

enum sx_status report_join_begin(struct report_fill *fill, struct sx_error *err)
{
	return rows_join_begin(&fill->join, err);
}

enum sx_status report_join_rows(struct report_fill *fill, struct sx_error *err)
{
	uint32_t lead = SX_NONE;
	if (!fill->join)
		return SX_OK;
	enum sx_status status = rows_join_finish(fill->join, fill_add_rows, fill, &lead, err);
	for (uint32_t i = 0; !status && i < fill->count; i++)
		if (rows_join_follows(fill->join, i, lead)) {
			fill->devices[i]->joined = true;
			fill->devices[i]->joined_to = lead;
		}
	return status;
}

void report_hide(struct report_fill *fill, uint32_t device)
{
	fill->devices[device]->hidden = true;
}

static bool keep_gaps(struct filling *f)
{
	bool ok = true;
	struct sx_gap *copy = arena_alloc(f->arena, f->run.gap_count * sizeof(*copy) + 1);
	for (uint32_t i = 0; copy && i < f->run.gap_count; i++) {
		copy[i] = f->run.gaps[i];
		copy[i].text = keep(f->arena, copy[i].text, &ok);
	}
	f->run.gaps = copy;
	return copy && ok;
}

static bool keep_notes(struct filling *f)
{
	bool ok = true;
	struct sx_strings *notes = &f->run.notes;
	const char **copy = arena_alloc(f->arena, (notes->count + 1) * sizeof(*copy));
	for (uint32_t i = 0; copy && i < notes->count; i++)
		copy[i] = keep(f->arena, notes->items[i], &ok);
	notes->items = copy;
	return copy && ok;
}

static const struct sx_error *keep_error(struct sx_error *to, const struct sx_error *from)
{
	if (from)
		*to = *from;
	return from ? to : NULL;
}

enum sx_status report_set_facts(struct report_fill *fill, uint32_t device,
				const struct sx_device_facts *now, const struct sx_run_facts *run,
				struct sx_error *err)
{
	struct filling *f = fill->devices[device];
	/* Who it is shows at the end; what it was opened as stays. */
	struct sx_device_facts shown = *now;
	shown.source = shown.set = shown.variant = shown.clock = NULL;
	bool ok = keep_texts(f, &shown);
	f->source.facts.simulated = now->simulated;
	f->run = *run;
	f->run.silence = keep_error(&f->silence, run->silence);
	f->run.failure = keep_error(&f->failure, run->failure);
	if (keep_notes(f) && keep_gaps(f) && ok)
		return SX_OK;
	f->run = (struct sx_run_facts){0};
	return error_nomem(err, "a report");
}

void report_keep_course(struct report_fill *fill, size_t bytes)
{
	fill->course_bytes = bytes;
}

void report_set_goal(struct report_fill *fill, const struct budget_goal *goal)
{
	fill->goal = *goal;
	fill->has_goal = true;
}

enum sx_status report_set_run(struct report_fill *fill, const struct report *run,
			      struct sx_error *err)
{
	bool ok = true;
	fill->run = *run;
	fill->run.file = keep(&fill->arena, run->file, &ok);
	return ok ? SX_OK : error_nomem(err, "a report");
}

/* What the summary and the overview know, as rows and their course. */
static enum sx_status note_rows(struct filling *f, struct report_device *out, struct sx_error *err)
{
	uint32_t count = 0;
	const struct sx_stats *stats = NULL;
	enum sx_status status = sx_summary_stats(f->summary, &stats, &count, err);
	sx_table_destroy(f->curve);
	f->curve = NULL;
	if (!status)
		status = sx_metrics_eval(f->source.metrics, out->overview, &f->curve, err);
	out->curve = f->curve;
	out->total = f->samples ? f->summary->summed : NULL;
	out->guessed = part_sums_guessed(&f->summary->apart);
	out->scaled_together = f->summary->apart.parts.shared;
	if (!status && !report_place_rows(f, stats, out))
		status = error_nomem(err, "a report");
	return status;
}

static enum sx_status note_budget(const struct report_fill *fill, const struct filling *f,
				  struct report_device *out, struct sx_error *err)
{
	struct sx_metrics_options options = f->options;
	struct sx_error ignored = {0};
	options.set = NULL;
	const struct budget_source of = {f->source.catalog, &options, out->overview};
	enum sx_status status = budget_of(&of, &fill->goal, &out->budget, &ignored);
	out->goal = fill->goal;
	out->has_budget = status == SX_OK;
	if (status && status != SX_ERR_NOT_FOUND && err)
		*err = ignored;
	return status == SX_ERR_NOT_FOUND ? SX_OK : status;
}

static enum sx_status note_findings(struct filling *f, struct report_device *out,
				    struct sx_error *err)
{
	enum sx_status status = f->advised ? SX_OK : sx_advice_finish(f->advice, err);
	f->advised = true;
	if (status || !f->samples)
		return status;
	out->advice = f->advice;
	out->findings = sx_advice_findings(f->advice, &out->finding_count);
	return SX_OK;
}

/* Every device has its share of the room for courses. */
static void note_course(const struct report_fill *fill, struct filling *f,
			struct report_device *out)
{
	if (!f->pyramid)
		return;
	pyramid_fit(f->pyramid, f->course_bytes / fill->count);
	f->course = pyramid_get(f->pyramid);
	out->pyramid = &f->course;
}

/* The number that a device has in the report, where those that are left out have none. */
static uint32_t number_of(const struct report_fill *fill, uint32_t device)
{
	uint32_t number = 0;
	for (uint32_t i = 0; device != SX_NONE && i < device; i++)
		number += !fill->devices[i]->run.unused;
	return device == SX_NONE ? SX_NONE : number;
}

/* What holds of a device, whether it has samples or not. */
static void note_facts(struct report_fill *fill, struct filling *f, struct report_device *out)
{
	*out = (struct report_device){.catalog = f->source.catalog,
				      .facts = f->source.facts,
				      .run = f->run,
				      .samples = f->samples,
				      .slices = f->slices,
				      .named = f->source.chosen,
				      .covered_ns = cover_ns(&f->cover),
				      .begin_ns = f->begin_ns,
				      .end_ns = f->end_ns ? f->end_ns : SX_TIME_UNKNOWN,
				      .joined = f->joined,
				      .joined_to = number_of(fill, f->joined_to),
				      .cost = {.share = NAN, .slowdown = NAN},
				      .frames = report_judge_frames(f)};
	if (f->end_ns && f->end_ns > f->begin_ns)
		out->duration_ns = f->end_ns - f->begin_ns;
	report_count_frames(f, &out->histogram);
	note_course(fill, f, out);
}

static enum sx_status note_device(struct report_fill *fill, struct filling *f,
				  struct report_device *out, struct sx_error *err)
{
	note_facts(fill, f, out);
	if (!processes_seen_note(&f->processes, &fill->result, out))
		return error_nomem(err, "a report");
	bool named = f->source.chosen && f->source.metrics && !f->run.unused;
	if (!f->begun && named && !report_place_absent(f, out))
		return error_nomem(err, "a report");
	if (!f->begun)
		return SX_OK;
	out->overview = overview_table(f->overview, &out->each);
	if (!out->overview)
		return error_nomem(err, "a report");
	out->kind = sx_table_kind(out->overview);
	if (out->kind == SX_SAMPLE_FRAME && out->frames.count == 0)
		out->kind = SX_SAMPLE_TIME;
	out->cost = costs_get(f->costs);
	enum sx_status status = f->summary ? note_rows(f, out, err) : SX_OK;
	if (!status)
		status = note_findings(f, out, err);
	if (!status && fill->has_goal)
		status = note_budget(fill, f, out, err);
	return status;
}

enum sx_status report_finish(struct report_fill *fill, const struct report **out,
			     struct sx_error *err)
{
	enum sx_status status = SX_OK;
	arena_finish(&fill->result);
	fill->result = (struct arena){0};
	struct report_device *devices =
	    arena_alloc(&fill->result, fill->count * sizeof(*devices) + 1);
	if (!devices)
		return error_nomem(err, "a report");
	fill->report = fill->run;
	fill->report.devices = devices;
	fill->report.device_count = 0;
	for (size_t i = 0; !status && i < fill->count; i++) {
		struct report_device *device = &devices[fill->report.device_count];
		if (fill->devices[i]->run.unused || fill->devices[i]->hidden)
			continue;
		fill->report.device_count++;
		fill->devices[i]->arena = &fill->result;
		status = note_device(fill, fill->devices[i], device, err);
		fill->devices[i]->arena = &fill->arena;
		if (!fill->run.duration_ns && device->duration_ns > fill->report.duration_ns)
			fill->report.duration_ns = device->duration_ns;
	}
	verdict_destroy(fill->verdict);
	fill->verdict = NULL;
	if (!status)
		status = report_judge(fill->devices, fill->count, &fill->verdict, err);
	fill->report.verdict = fill->verdict;
	*out = &fill->report;
	return status;
}
