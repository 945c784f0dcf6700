/*
 * Frames of which nothing was counted go into one record, as far as they are alike: in the ring, as
 * a draft that is the record once their CPU times are known.
 */
#include "guest/process.h"
#include "preload/sampler.h"
#include "wire/run.h"

/* Frames of which all that is known are their times and draws. */
static bool is_plain(const struct sampler *sampler, const struct segment *segment)
{
	const struct sample_meta *meta = &segment->meta;
	bool counts = meta->measured && sampler->measuring;
	return !counts && segment->whole && meta->kind == WIRE_FRAME && segment->set < 0 &&
	       segment->set != SEGMENT_BLIND && !sampler->monitor &&
	       guest_channel() != guest_counters() && meta->end_ns - meta->begin_ns <= UINT32_MAX;
}

/* All that frames of one record have in common. */
static bool are_alike(const struct sample_meta *a, const struct sample_meta *b)
{
	return a->measured == b->measured && a->flags == b->flags && a->label == b->label &&
	       a->width == b->width && a->height == b->height && a->group_count == b->group_count;
}

static void run_append(struct segment *to, const struct sample_meta *meta)
{
	wire_run_add(to->run, (uint32_t)(meta->end_ns - meta->begin_ns), meta->draw_count);
}

/* The record before it takes the last segment. */
static bool join_last(struct sampler *sampler, const struct segment *segment)
{
	uint64_t last = sampler->last_segment - 1;
	if (last == sampler->first_segment ||
	    segment != &sampler->segments[last % sampler->segment_count])
		return false;
	struct segment *run = &sampler->segments[(last - 1) % sampler->segment_count];
	if (!run->run || run->run->index >= WIRE_RUN_MOST ||
	    run->meta.end_ns != segment->meta.begin_ns || !are_alike(&run->meta, &segment->meta))
		return false;
	run_append(run, &segment->meta);
	run->meta.end_ns = segment->meta.end_ns;
	sampler->last_segment = last;
	sampler->samples--;
	if (sampler->timed == last) /* its end was known, and is a later one now */
		sampler->timed--;
	return true;
}

bool runs_join(struct sampler *sampler, struct segment *segment)
{
	if (!guest_channel() || !is_plain(sampler, segment))
		return false;
	if (join_last(sampler, segment))
		return true;
	struct wire_record record = sampler_record(&segment->meta);
	record.kind = WIRE_RUN;
	record.draws = record.index = 0;
	for (unsigned i = 0; i < WIRE_COUNTERS; i++)
		record.states[i] =
		    (uint8_t)sampler_state_without(sampler, i, segment->meta.measured);
	segment->run = channel_draft(guest_channel(), &sampler->stream, sampler->identity, &record,
				     segment->number - sampler->written);
	if (segment->run)
		run_append(segment, &segment->meta);
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

uint32_t runs_samples(const struct segment *segment)
{
	return segment->run ? segment->run->index : segment->ends;
}
