/*
 * Similar unmeasured samples share a record. It is a draft in the ring until their CPU times are
 * known. Successive frames share one; of groups and draws, those of one frame.
 */
#include "guest/process.h"
#include "preload/sampler.h"
#include "wire/run.h"

/* Whether a segment ends an unmeasured sample: with times, labels and draws only. */
static bool is_plain(const struct sampler *sampler, const struct segment *segment)
{
	const struct sample_meta *meta = &segment->meta;
	bool counts = meta->measured && sampler->measuring;
	return !counts && segment->whole && meta->kind != WIRE_TIME && segment->set < 0 &&
	       segment->set != SEGMENT_BLIND && !sampler->monitor &&
	       guest_channel() != guest_counters() && meta->end_ns - meta->begin_ns <= UINT32_MAX &&
	       wire_calls_fit(&(struct wire_record){.flags = meta->flags,
						    .draws = meta->calls.all,
						    .dispatches = meta->calls.dispatches});
}

/* Whether two samples may share a record. */
static bool are_alike(const struct sample_meta *a, const struct sample_meta *b)
{
	return a->kind == b->kind && a->measured == b->measured && a->flags == b->flags &&
	       a->width == b->width && a->height == b->height;
}

static bool fits_frames(const struct segment *run, const struct sample_meta *meta)
{
	return run->run->kind == WIRE_RUN && run->run->index < WIRE_RUN_MOST &&
	       run->meta.end_ns == meta->begin_ns && run->meta.label == meta->label &&
	       run->meta.group_count == meta->group_count;
}

static bool fits_parts(const struct segment *run, const struct sample_meta *meta)
{
	return run->run->kind == WIRE_PARTS && run->run->index < WIRE_PARTS_MOST &&
	       run->meta.frame == meta->frame && run->meta.index + run->run->index == meta->index &&
	       meta->end_ns - run->meta.begin_ns <= UINT32_MAX;
}

static void run_append(struct wire_record *run, const struct sample_meta *meta)
{
	const struct wire_record sample = {.label = meta->label,
					   .draws = meta->calls.all,
					   .dispatches = meta->calls.dispatches,
					   .begin_ns = meta->begin_ns,
					   .end_ns = meta->end_ns};
	if (run->kind == WIRE_RUN)
		wire_run_add(run, &sample);
	else
		wire_parts_add(run, &sample);
}

/* Adds the last segment to the record before it. */
static bool join_last(struct sampler *sampler, const struct segment *segment)
{
	const struct sample_meta *meta = &segment->meta;
	uint64_t last = sampler->last_segment - 1;
	if (last == sampler->first_segment ||
	    segment != &sampler->segments[last % sampler->segment_count])
		return false;
	struct segment *run = &sampler->segments[(last - 1) % sampler->segment_count];
	if (!run->run || !are_alike(&run->meta, meta) ||
	    (!fits_frames(run, meta) && !fits_parts(run, meta)))
		return false;
	run_append(run->run, meta);
	run->meta.end_ns = meta->end_ns;
	sampler->last_segment = last;
	sampler->samples--;
	if (sampler->timed > last - 1) /* its end is later now */
		sampler->timed = last - 1;
	return true;
}

struct wire_record runs_record(const struct sampler *sampler, const struct sample_meta *meta)
{
	struct wire_record record = sampler_record(meta);
	if (meta->kind == WIRE_FRAME) {
		record.kind = WIRE_RUN;
	} else {
		record.kind = WIRE_PARTS;
		record.of = meta->kind;
		record.group_count = meta->index;
	}
	record.draws = record.dispatches = record.index = 0;
	for (unsigned i = 0; i < WIRE_COUNTERS; i++)
		record.states[i] = (uint8_t)sampler_state_without(sampler, i, meta->measured);
	return record;
}

/*
 * The ring is full: counts the last segment as lost, so that later ones may share a record.
 * Otherwise each would need a record of its own.
 */
static bool lose_last(struct sampler *sampler, const struct segment *segment)
{
	uint64_t last = sampler->last_segment - 1;
	if (segment->meta.kind == WIRE_FRAME ||
	    segment != &sampler->segments[last % sampler->segment_count] ||
	    !channel_is_full(&sampler->stream, segment->number - sampler->written))
		return false;
	channel_count_lost(&sampler->stream, 1);
	sampler->last_segment = last;
	sampler->samples--;
	if (sampler->timed > last)
		sampler->timed = last;
	return true;
}

bool runs_join(struct sampler *sampler, struct segment *segment)
{
	if (!guest_channel() || !is_plain(sampler, segment))
		return false;
	if (join_last(sampler, segment) || lose_last(sampler, segment))
		return true;
	struct wire_record record = runs_record(sampler, &segment->meta);
	segment->run = channel_draft(guest_channel(), &sampler->stream, sampler->identity, &record,
				     segment->number - sampler->written);
	if (segment->run)
		run_append(segment->run, &segment->meta);
	return segment->run;
}

void runs_time(const struct segment *segment)
{
	segment->run->cpu_begin_ns = segment->meta.cpu_begin_ns;
	segment->run->cpu_end_ns = segment->meta.cpu_end_ns;
	if (segment->meta.cpu_begin_ns != 0 && segment->meta.cpu_end_ns != 0)
		segment->run->flags |= WIRE_CPU_KNOWN;
}

void runs_write(struct sampler *sampler, const struct segment *segment)
{
	wire_run_end(segment->run);
	channel_publish(&sampler->stream, segment->run);
}

/* A record of added draws covers as many samples. */
static uint32_t samples_in(const struct wire_record *run)
{
	uint32_t samples = run->index;
	for (uint32_t i = 0; run->kind == WIRE_PARTS && i < run->index; i++)
		samples += wire_parts_more(run, i);
	return samples;
}

uint32_t runs_samples(const struct segment *segment)
{
	return segment->run ? samples_in(segment->run) : segment->ends;
}

void runs_send(struct sampler *sampler, const struct sample_meta *meta,
	       const struct wire_record *record)
{
	struct wire_record *place = NULL;
	if (guest_channel())
		place = channel_draft(guest_channel(), &sampler->stream, sampler->identity, record,
				      sampler->samples - sampler->written);
	struct segment *segment = place ? sampler_end_segment(sampler) : NULL;
	sampler->pieces = 0;
	if (!segment) {
		channel_count_lost(&sampler->stream, samples_in(record));
		return;
	}
	segment->set = SEGMENT_PLAIN;
	segment->ends = segment->whole = true;
	segment->number = sampler->samples++;
	segment->meta = *meta;
	segment->run = place;
	runs_time(segment);
	sampler->timed = sampler->last_segment;
}
