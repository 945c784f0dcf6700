/*
 * Begin, end and CPU time of samples. Reading the process's CPU clock is a system call that visits
 * every thread, so for unmeasured samples it is read once per millisecond and interpolated.
 */
#include "guest/clock.h"
#include "preload/sampler.h"

#define READ_EVERY_NS UINT64_C(1000000)

/* CPU time, interpolated between the last reading and this one; 0: not known. */
static uint64_t cpu_at(const struct sampler *sampler, const struct reading *now, uint64_t time_ns)
{
	const struct reading *last = &sampler->reading;
	if (last->cpu_ns == 0 || now->cpu_ns <= last->cpu_ns || time_ns >= now->time_ns)
		return now->cpu_ns;
	if (time_ns <= last->time_ns)
		return last->cpu_ns;
	return last->cpu_ns + (uint64_t)((double)(now->cpu_ns - last->cpu_ns) *
					 ((double)(time_ns - last->time_ns) /
					  (double)(now->time_ns - last->time_ns)));
}

void times_read(struct sampler *sampler, uint64_t now_ns)
{
	struct reading now = {now_ns, guest_cpu_ns()};
	for (; sampler->timed != sampler->last_segment; sampler->timed++) {
		struct segment *segment =
		    &sampler->segments[sampler->timed % sampler->segment_count];
		struct sample_meta *meta = &segment->meta;

		if (segment == sampler->ended)
			break;
		if (meta->cpu_begin_ns == 0)
			meta->cpu_begin_ns = cpu_at(sampler, &now, meta->begin_ns);
		meta->cpu_end_ns = cpu_at(sampler, &now, meta->end_ns);
		if (segment->run)
			runs_time(segment);
		else if (segment->ends)
			sampler_draft(sampler, segment);
	}
	if (sampler->begin_cpu_ns == 0)
		sampler->begin_cpu_ns = cpu_at(sampler, &now, sampler->begin_ns);
	sampler->reading = now;
}

void times_need(struct sampler *sampler)
{
	if (sampler->timed != sampler->last_segment)
		times_read(sampler, guest_now_ns());
}

bool times_ask(struct sampler *sampler, uint64_t now_ns)
{
	bool counts = sampler->measured && sampler_may_cost(sampler);
	if (!counts && now_ns - sampler->reading.time_ns < READ_EVERY_NS)
		return false;
	times_read(sampler, now_ns);
	return true;
}

void times_begin(struct sampler *sampler, uint64_t now_ns)
{
	bool read = now_ns == sampler->reading.time_ns;
	sampler->begin_ns = now_ns;
	sampler->begin_cpu_ns = read ? sampler->reading.cpu_ns : 0;
}

void times_start(struct sampler *sampler)
{
	sampler->reading = (struct reading){guest_now_ns(), guest_cpu_ns()};
	sampler->paced_cpu_ns = sampler->reading.cpu_ns;
	times_begin(sampler, sampler->reading.time_ns);
}

void times_end(struct sampler *sampler, uint64_t now_ns)
{
	if (!sampler->ended)
		return;
	struct sample_meta *meta = &sampler->ended->meta;
	meta->end_ns = now_ns > meta->begin_ns ? now_ns : meta->begin_ns;
	if (!runs_join(sampler, sampler->ended))
		sampler_draft(sampler, sampler->ended);
	sampler->frame_over = true;
	sampler->ended = NULL;
}

void sampler_end_clock(struct sampler *sampler)
{
	if (sampler->ended)
		times_end(sampler, guest_now_ns());
}

/* 0 in a sandbox, where the clock reads 0. */
static uint64_t since_paced(struct sampler *sampler)
{
	uint64_t from = sampler->paced_cpu_ns, to = sampler->reading.cpu_ns;
	sampler->paced_cpu_ns = to;
	return to > from ? to - from : 0;
}

static void choose_next(struct sampler *sampler, bool read)
{
	if (!sampler_may_cost(sampler))
		return;
	sampler->audits += sampler->measured;
	pace_sample(&sampler->pace, read ? since_paced(sampler) : PACE_UNKNOWN);
	sampler->measured = pace_measures(&sampler->pace);
	if (sampler->measured)
		monitor_next_pass(sampler->monitor);
}

void sampler_start_clock(struct sampler *sampler)
{
	uint64_t now_ns = guest_now_ns();
	times_end(sampler, now_ns);
	bool read = times_ask(sampler, now_ns);
	pace_await(&sampler->pace, sampler->written < sampler->awaited);
	if (!read && sampler->frame_over && sampler_may_cost(sampler) &&
	    pace_wants_time(&sampler->pace)) {
		times_read(sampler, now_ns);
		read = true;
	}
	uint32_t rows = sampler->index;
	bool over = sampler->frame_over, measured = sampler->measured && sampler_may_cost(sampler);
	if (over)
		choose_next(sampler, read);
	sampler->frame_over = false;
	times_begin(sampler, now_ns);
	sampler->frame++;
	sampler->index = 0;
	if (over)
		tally_turn(sampler, now_ns, measured, rows);
	sampler->flags = 0;
	sampler->group_count = 0;
	sampler->calls = (struct calls){0};
	sampler->label = 0;
}
