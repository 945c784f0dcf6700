/* Live views: devices, their facts and states, and their rows as they come. */
#include "analysis/live/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/device_texts.h"
#include "base/text_buf.h"

enum sx_status live_create(const struct live_options *options, struct live **out,
			   struct sx_error *err)
{
	struct live *live = calloc(1, sizeof(*live));
	*out = live;
	if (!live)
		return error_nomem(err, "a live view");
	live->options = options ? *options : (struct live_options){0};
	live->options.keep_ns = live->options.keep_ns ? live->options.keep_ns : LIVE_KEEP_NS;
	live->options.bytes = live->options.bytes ? live->options.bytes : LIVE_KEEP_BYTES;
	return SX_OK;
}

static void source_destroy(struct live *live, struct live_source *d)
{
	for (size_t i = 0; i < d->interval_count; i++)
		live_interval_finish(live, &d->intervals[i]);
	free(d->intervals);
	live_rows_finish(d);
	sx_evaluation_destroy(d->selected);
	sx_evaluation_destroy(d->headed);
	sx_metrics_destroy(d->heading.metrics);
	sx_advice_destroy(d->advice);
	sx_catalog_unref(d->source.catalog);
	free(d->values);
	arena_finish(&d->arena);
	free(d);
}

void live_destroy(struct live *live)
{
	if (!live)
		return;
	for (size_t i = 0; i < live->device_count; i++)
		source_destroy(live, live->devices[i]);
	if (live->latest != live->shown)
		verdict_destroy(live->latest);
	verdict_destroy(live->shown);
	free(live->devices);
	free(live->known);
	free(live->processes);
	free(live->advice);
	strings_finish(&live->texts);
	free(live);
}

/* A copy of a text that may be NULL; *ok becomes false when memory is out. */
static const char *keep(struct arena *arena, const char *text, bool *ok)
{
	const char *copy = text ? arena_strndup(arena, text, strlen(text)) : NULL;
	*ok = *ok && (copy || !text);
	return copy;
}

/* Copies the texts that are known and new; others stay as they are. */
static bool keep_texts(struct live_source *d, const struct sx_device_facts *from)
{
	bool ok = true;
	struct sx_device_facts *to = &d->source.facts;
#define KEEP(text)                                                                                 \
	to->text = from->text && !text_same(from->text, to->text)                                  \
		       ? keep(&d->arena, from->text, &ok)                                          \
		       : to->text;
	DEVICE_TEXTS(KEEP)
#undef KEEP
	return ok;
}

static bool keep_constants(struct live_source *d)
{
	bool ok = true;
	struct sx_device_facts *facts = &d->source.facts;
	struct sx_constant_value *copy =
	    arena_alloc(&d->arena, facts->constant_count * sizeof(*copy) + 1);
	for (uint32_t i = 0; copy && i < facts->constant_count; i++) {
		copy[i] = facts->constants[i];
		copy[i].name = keep(&d->arena, copy[i].name, &ok);
	}
	facts->constants = copy;
	if (copy && ok)
		facts->constant_count =
		    report_constants(d->source.catalog, copy, facts->constant_count);
	return copy && ok;
}

static bool keep_source(struct live_source *d, const struct report_source *source)
{
	struct sx_device_facts *facts = &d->source.facts;
	d->source = *source;
	d->source.catalog = sx_catalog_ref(source->catalog);
	d->source.like = NULL;
#define FORGET(text) facts->text = NULL;
	DEVICE_TEXTS(FORGET)
#undef FORGET
	bool ok = keep_texts(d, &source->facts) && keep_constants(d);
	d->options = (struct sx_metrics_options){.set = facts->set,
						 .variant = facts->variant,
						 .constants = facts->constants,
						 .constant_count = facts->constant_count};
	return ok;
}

enum sx_status live_add_device(struct live *live, const struct report_source *source,
			       uint32_t *index, struct sx_error *err)
{
	struct live_source *d = calloc(1, sizeof(*d));
	if (!d || !mem_grow(&live->devices, &live->device_cap, live->device_count + 1,
			    sizeof(struct live_source *))) {
		free(d);
		return error_nomem(err, "a live view");
	}
	if (index)
		*index = (uint32_t)live->device_count;
	live->devices[live->device_count++] = d;
	live->version++;
	d->note_list.items = d->notes;
	if (!keep_source(d, source))
		return error_nomem(err, "a live view");
	return source->like ? live_rows_begin(d, source->like, err) : SX_OK;
}

enum sx_status live_select(struct live *live, uint32_t device, const struct sx_metrics *metrics,
			   struct sx_error *err)
{
	struct live_source *d = live->devices[device];
	d->source.metrics = metrics;
	free(d->values);
	d->values = NULL;
	live->version++;
	return live_rows_evaluate_again(live, d, err);
}

/* Rows of time, or of whole runs, that name a program are of that program alone. */
static bool is_of_program(const struct sx_table *raw, size_t row)
{
	enum sx_sample_kind kind = sx_table_kind(raw);
	return (kind == SX_SAMPLE_TIME || kind == SX_SAMPLE_PROCESS) &&
	       sx_table_label(raw, SX_LABEL_PROCESS, row) != SX_LABEL_ABSENT;
}

static enum sx_status add_span(struct live *live, struct live_source *d, const struct sx_table *raw,
			       struct row_span rows, struct sx_error *err)
{
	if (!is_of_program(raw, rows.first)) {
		d->samples += rows.count;
		return live_rows_keep(live, d, raw, rows, err);
	}
	const struct sx_table *some = NULL;
	enum sx_status status = live_rows_alone(d, raw, rows, &some, err);
	return status ? status : live_programs_keep(live, d, some, err);
}

/* The state and the newest sample. */
static void note_newest(struct live_source *d, const struct sx_table *raw, size_t first, size_t end)
{
	const uint64_t *begin = sx_table_begin_ns(raw);
	for (size_t i = first; i < end; i++) {
		uint64_t now = live_rows_end_of(raw, i);
		if (now < d->newest_ns)
			continue;
		d->newest_ns = now;
		d->each_ns = begin[i] < now ? now - begin[i] : 0;
	}
	if (d->state == LIVE_GONE) {
		d->state = LIVE_BACK;
		d->since_ns = d->newest_ns;
	} else if (d->state != LIVE_BACK) {
		d->state = LIVE_MEASURING;
	}
	d->why = (struct sx_error){0};
}

enum sx_status live_add_some_rows(struct live *live, uint32_t device, const struct sx_table *raw,
				  size_t first, size_t rows, struct sx_error *err)
{
	struct live_source *d = live->devices[device];
	size_t all = first + rows, begin = first, count;
	enum sx_status status = SX_OK;
	if (!rows)
		return SX_OK;
	if (!d->scratch)
		status = live_rows_begin(d, raw, err);
	for (; !status && first < all; first += count) {
		bool of_program = is_of_program(raw, first);
		count = 1;
		while (first + count < all && is_of_program(raw, first + count) == of_program)
			count++;
		status = add_span(live, d, raw, (struct row_span){first, count}, err);
	}
	note_newest(d, raw, begin, all);
	live_rows_drop_old(live);
	live_texts_drop(live);
	live->version++;
	return status;
}

enum sx_status live_add_rows(struct live *live, uint32_t device, const struct sx_table *raw,
			     struct sx_error *err)
{
	return live_add_some_rows(live, device, raw, 0, sx_table_row_count(raw), err);
}

static void set_state(struct live_source *d, enum live_state state, const struct sx_error *why)
{
	if (d->state != state)
		d->since_ns = d->newest_ns;
	d->state = state;
	d->why = *why;
}

static bool keep_notes(struct live_source *d, const struct sx_strings *notes)
{
	bool ok = true;
	size_t most = sizeof(d->notes) / sizeof(d->notes[0]);
	for (uint32_t i = 0; ok && i < notes->count && d->note_list.count < most; i++) {
		uint32_t known = 0;
		while (known < d->note_list.count && strcmp(d->notes[known], notes->items[i]) != 0)
			known++;
		if (known < d->note_list.count)
			continue;
		d->notes[known] = keep(&d->arena, notes->items[i], &ok);
		d->note_list.count += ok;
	}
	return ok;
}

enum sx_status live_set_facts(struct live *live, uint32_t device, const struct sx_device_facts *now,
			      const struct sx_run_facts *run, struct sx_error *err)
{
	struct live_source *d = live->devices[device];
	bool ok = !now || keep_texts(d, now);
	if (now)
		d->source.facts.simulated |= now->simulated;
	if (run)
		ok = keep_notes(d, &run->notes) && ok;
	const struct sx_error *why = !run ? NULL : run->failure ? run->failure : run->silence;
	if (why && !d->samples)
		set_state(d, LIVE_SILENT, why);
	else if (run && run->failure && d->state != LIVE_GONE)
		set_state(d, LIVE_GONE, run->failure);
	live->version++;
	return ok ? SX_OK : error_nomem(err, "a live view");
}

uint64_t live_version(const struct live *live)
{
	return live->version;
}

uint64_t live_newest_ns(const struct live *live)
{
	uint64_t newest = 0;
	for (size_t i = 0; i < live->device_count; i++)
		if (live->devices[i]->newest_ns > newest)
			newest = live->devices[i]->newest_ns;
	return newest;
}

uint64_t live_oldest_ns(const struct live *live)
{
	uint64_t oldest = 0;
	for (size_t i = 0; i < live->device_count; i++) {
		const struct live_source *d = live->devices[i];
		uint64_t end = d->block_count ? live_rows_end_of(d->blocks[0].raw, 0) : 0;
		if (end && (!oldest || end < oldest))
			oldest = end;
	}
	return oldest;
}

uint32_t live_device_count(const struct live *live)
{
	return (uint32_t)live->device_count;
}

static const char *name_of_column(const struct live_source *d, uint32_t column)
{
	uint32_t count;
	return d->heading.metrics && column != SX_NONE
		   ? sx_metrics_columns(d->heading.metrics, &count)[column].name
		   : NULL;
}

struct live_device live_device(const struct live *live, uint32_t device)
{
	const struct live_source *d = live->devices[device];
	struct live_device out = {.catalog = d->source.catalog,
				  .facts = &d->source.facts,
				  .metrics = d->source.metrics,
				  .kind = d->kind,
				  .state = d->state,
				  .since_ns = d->since_ns,
				  .why = d->why.message[0] ? &d->why : NULL,
				  .samples = d->samples,
				  .newest_ns = d->newest_ns,
				  .each_ns = d->each_ns,
				  .notes = &d->note_list};
	out.frames = d->kind != SX_SAMPLE_TIME && d->kind != SX_SAMPLE_PROCESS;
	if (d->source.metrics)
		out.columns = sx_metrics_columns(d->source.metrics, &out.column_count);
	out.program_busy = name_of_column(d, d->heading.program_busy);
	out.program_memory = name_of_column(d, d->heading.program_memory);
	return out;
}
