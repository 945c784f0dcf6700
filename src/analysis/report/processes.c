/* The processes and contexts that the samples are of, with times and frames of each. */
#include "analysis/report/processes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "table/slices.h"

static struct seen_process *find_process(struct processes_seen *seen, const char *label)
{
	for (size_t i = 0; i < seen->count; i++)
		if (strcmp(seen->items[i].label, label) == 0)
			return &seen->items[i];
	if (seen->count == REPORT_PROCESSES_MAX ||
	    !mem_grow(&seen->items, &seen->cap, seen->count + 1, sizeof(*seen->items)))
		return NULL;
	struct seen_process *process = &seen->items[seen->count];
	*process = (struct seen_process){.label = strdup(label)};
	if (!process->label)
		return NULL;
	seen->count++;
	return process;
}

/* Contexts are numbered over all processes, in order of appearance. */
static void note_context(struct seen_process *process, uint64_t context)
{
	if (context >= REPORT_CONTEXTS_MAX)
		return;
	uint64_t bit = UINT64_C(1) << (context % 64), *word = &process->contexts[context / 64];
	process->context_count += !(*word & bit);
	*word |= bit;
}

/* A row. */
struct seen_sample {
	uint64_t begin_ns, end_ns;
	uint64_t samples;
	bool slice, frame;
};

static void note_span(struct seen_span *span, const struct seen_sample *s)
{
	bool ends = s->end_ns != SX_TIME_UNKNOWN;
	if (span->samples == 0 || s->begin_ns < span->begin_ns)
		span->begin_ns = s->begin_ns;
	if (ends && s->end_ns > span->end_ns)
		span->end_ns = s->end_ns;
	span->samples += s->samples;
	span->slices += s->slice;
	if (!s->frame || !ends || s->end_ns <= s->begin_ns)
		return;
	span->frames++;
	span->frames_ns += s->end_ns - s->begin_ns;
}

/* The span of a context that is listed by itself; NULL beyond the limit. */
static struct seen_span *find_context(struct seen_process *process, uint64_t context)
{
	uint32_t i = 0;
	while (i < process->each_count && process->numbers[i] != context)
		i++;
	if (i == REPORT_CONTEXTS_SHOWN)
		return NULL;
	if (i == process->each_count)
		process->numbers[process->each_count++] = context;
	return &process->each[i];
}

static void note_row(struct seen_process *process, const struct slices *slices,
		     const struct sx_table *raw, size_t row)
{
	enum slices_kind kind = slices_kind_of(slices, raw, row);
	const struct seen_sample sample = {sx_table_begin_ns(raw)[row], sx_table_end_ns(raw)[row],
					   slices_samples(slices, raw, row, 1), kind == KIND_SLICE,
					   kind == KIND_FRAME};
	uint64_t context = sx_table_label(raw, SX_LABEL_CONTEXT, row);
	struct seen_span *each = context != SX_LABEL_ABSENT ? find_context(process, context) : NULL;
	note_context(process, context);
	note_span(&process->span, &sample);
	if (sample.frame && sample.end_ns != SX_TIME_UNKNOWN)
		cover_add(&process->frames, sample.begin_ns, sample.end_ns);
	if (each)
		note_span(each, &sample);
}

void processes_seen_add(struct processes_seen *seen, const struct sx_table *raw)
{
	if (!sx_table_has_label(raw, SX_LABEL_PROCESS))
		return;
	const struct slices slices = slices_of(raw);
	uint64_t last_label = SX_LABEL_ABSENT;
	struct seen_process *last = NULL;
	for (size_t row = 0; row < sx_table_row_count(raw); row++) {
		uint64_t label = sx_table_label(raw, SX_LABEL_PROCESS, row);
		if (label == SX_LABEL_ABSENT)
			continue;
		if (!last || label != last_label)
			last = find_process(seen, sx_table_string(raw, label));
		last_label = label;
		if (last)
			note_row(last, &slices, raw, row);
		else
			seen->beyond++;
	}
}

uint32_t process_pid(const char *label, size_t *length)
{
	const char *pid = strrchr(label, '(');
	size_t name = pid && pid > label ? (size_t)(pid - label) - 1 : 0;
	*length = name ? name : strlen(label);
	return pid ? (uint32_t)strtoul(pid + 1, NULL, 10) : 0;
}

static uint64_t span_ns(const struct seen_span *span)
{
	return span->end_ns > span->begin_ns ? span->end_ns - span->begin_ns : 0;
}

static const struct report_context *contexts_note(const struct seen_process *process,
						  struct arena *arena)
{
	struct report_context *list = arena_alloc(arena, (process->each_count + 1) * sizeof(*list));
	for (uint32_t i = 0; list && i < process->each_count; i++)
		list[i] = (struct report_context){.number = process->numbers[i],
						  .samples = process->each[i].samples,
						  .slices = process->each[i].slices,
						  .frames = process->each[i].frames,
						  .frames_ns = process->each[i].frames_ns,
						  .duration_ns = span_ns(&process->each[i])};
	return list;
}

static bool processes_note(const struct seen_process *process, struct arena *arena,
			   struct report_process *out)
{
	size_t length;
	uint32_t pid = process_pid(process->label, &length);
	*out = (struct report_process){
	    .pid = pid,
	    .name = arena_strndup(arena, process->label, length),
	    .contexts = process->context_count,
	    .each = contexts_note(process, arena),
	    .each_count = process->each_count,
	    .samples = process->span.samples,
	    .slices = process->span.slices,
	    .frames = process->span.frames,
	    .frames_ns = cover_ns(&process->frames),
	    .duration_ns = span_ns(&process->span),
	};
	return out->name && out->each;
}

bool processes_seen_note(const struct processes_seen *seen, struct arena *arena,
			 struct report_device *out)
{
	struct report_process *list = arena_alloc(arena, (seen->count + 1) * sizeof(*list));
	for (size_t i = 0; list && i < seen->count; i++)
		if (!processes_note(&seen->items[i], arena, &list[i]))
			return false;
	out->processes = list;
	out->process_count = list ? (uint32_t)seen->count : 0;
	return list != NULL;
}

void processes_seen_finish(struct processes_seen *seen)
{
	for (size_t i = 0; i < seen->count; i++)
		free(seen->items[i].label);
	free(seen->items);
	*seen = (struct processes_seen){0};
}
