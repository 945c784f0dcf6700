/*
 * With --per draw, unmeasured draws are added by label over several frames (their number and CPU
 * time) if a row for each would exceed the overhead limit. A row then covers several draws. The
 * cost of a draw is two readings of the CPU's cycle counter.
 */
#include "guest/clock.h"
#include "guest/process.h"
#include "guest/ticks.h"
#include "preload/sampler.h"
#include "wire/run.h"

#define SEND_NS	     UINT64_C(100000000)  /* sums are written after so long, */
#define SEND_EACH_NS UINT64_C(100000)	  /* or so long for each label, if there are many, */
#define SEND_LAST_NS UINT64_C(3000000000) /* but at most so long */
#define REST_NS	     UINT64_C(1000000000) /* time without rows, after too many */
#define ROW_NS	     170u		  /* CPU time of a row, at least */
#define ROWS_PART(x) ((x) / 2)		  /* share of the limit for rows; the rest is for queries */

void tally_begin(struct sampler *sampler, uint32_t overhead_permille)
{
	budget_start(&sampler->tally.rows, ROWS_PART(overhead_permille * 1000), guest_now_ns());
}

static void tally_restart(struct sampler *sampler, uint64_t now_ns)
{
	struct tally *tally = &sampler->tally;

	times_read(sampler, now_ns);
	tally->begin_ns = now_ns;
	tally->begin_cpu_ns = sampler->reading.cpu_ns;
	tally->begin_ticks = guest_ticks();
	tally->frame = sampler->frame;
}

void tally_resume(struct sampler *sampler)
{
	if (sampler->tally.on)
		tally_restart(sampler, guest_now_ns());
}

/* State of writing the sums of some frames as records. */
struct stretch {
	uint64_t ns, cpu_ns;
	double tick_ns, step_ns; /* length of a tick; distance of draws that are spread evenly */
};

static struct stretch stretch_of(const struct sampler *sampler, uint64_t now_ns)
{
	const struct tally *tally = &sampler->tally;
	double ticks = (double)(guest_ticks() - tally->begin_ticks), drawn = 0;
	uint64_t cpu_ns = sampler->reading.cpu_ns;

	for (uint32_t i = 0; i < tally->used; i++)
		drawn += (double)sampler->draw_names[i].ticks;
	struct stretch out = {.ns = now_ns - tally->begin_ns};
	bool cpu = tally->begin_cpu_ns != 0 && cpu_ns >= tally->begin_cpu_ns;
	out.cpu_ns = cpu ? cpu_ns - tally->begin_cpu_ns : 0;
	out.step_ns = drawn > 0 ? (double)out.ns / drawn : 0;
	out.tick_ns = ticks > drawn ? (double)out.ns / ticks : out.step_ns;
	return out;
}

static uint64_t tally_cpu_ns(const struct tally *tally, const struct stretch *stretch,
			     uint64_t at_ns)
{
	double share =
	    stretch->ns != 0 ? (double)(at_ns - tally->begin_ns) / (double)stretch->ns : 0;

	return tally->begin_cpu_ns + (uint64_t)((double)stretch->cpu_ns * share);
}

/* Writes one record, from entry *at on, of draws or of dispatches. */
static void send_record(struct sampler *sampler, const struct stretch *stretch, bool computes,
			uint32_t *at, double *before)
{
	const struct tally *tally = &sampler->tally;
	struct sample_meta meta = {.kind = WIRE_DRAW,
				   .flags = WIRE_SEVERAL | (computes ? WIRE_COMPUTED : 0),
				   .frame = tally->frame,
				   .begin_ns =
				       tally->begin_ns + (uint64_t)(*before * stretch->step_ns)};
	struct wire_record record = runs_record(sampler, &meta);

	for (; *at < tally->used && record.index < WIRE_PARTS_MOST; ++*at) {
		const struct draw_name *name = &sampler->draw_names[*at];
		double ticks = (double)name->ticks;
		struct wire_record part = {.label = name->label, .draws = name->count};

		if (name->count == 0 || name->computes != computes) {
			*before += ticks;
			continue;
		}
		part.begin_ns = tally->begin_ns + (uint64_t)(*before * stretch->step_ns);
		part.end_ns = part.begin_ns + (uint64_t)(ticks * stretch->tick_ns);
		if (part.end_ns - meta.begin_ns > UINT32_MAX)
			part.begin_ns = part.end_ns = meta.begin_ns;
		wire_parts_add(&record, &part);
		meta.end_ns = part.end_ns;
		*before += ticks;
	}
	meta.cpu_begin_ns =
	    tally->begin_cpu_ns != 0 ? tally_cpu_ns(tally, stretch, meta.begin_ns) : 0;
	meta.cpu_end_ns = tally->begin_cpu_ns != 0 ? tally_cpu_ns(tally, stretch, meta.end_ns) : 0;
	if (record.index != 0)
		runs_send(sampler, &meta, &record);
}

static void send_all(struct sampler *sampler, const struct stretch *stretch, bool computes)
{
	uint32_t at = 0;
	double before = 0;

	while (at < sampler->tally.used)
		send_record(sampler, stretch, computes, &at, &before);
}

void tally_write(struct sampler *sampler)
{
	struct tally *tally = &sampler->tally;
	uint64_t now_ns = guest_now_ns();
	bool computes = false;

	if (tally->used == 0)
		return;
	times_read(sampler, now_ns);
	struct stretch stretch = stretch_of(sampler, now_ns);
	for (uint32_t i = 0; i < tally->used; i++)
		computes |= sampler->draw_names[i].count != 0 && sampler->draw_names[i].computes;
	send_all(sampler, &stretch, false);
	if (computes)
		send_all(sampler, &stretch, true);
	for (uint32_t i = 0; i < tally->used; i++) {
		sampler->draw_names[i].count = 0;
		sampler->draw_names[i].ticks = 0;
	}
	tally->used = 0;
	tally_restart(sampler, now_ns);
}

/* Whether the frame that begins may have rows; `rows`: those of the last frame. */
static bool may_have_rows(struct tally *tally, uint32_t rows, uint64_t now_ns)
{
	if (rows != 0)
		budget_spend(&tally->rows, (uint64_t)rows * ROW_NS, 1);
	if (now_ns < tally->rest_until_ns)
		return false;
	if (budget_ask(&tally->rows, now_ns) == 0)
		return true;
	tally->rest_until_ns = now_ns + REST_NS;
	return false;
}

/* Many labels are many rows, so they are written less often. */
static bool tally_is_due(const struct tally *tally, uint64_t now_ns)
{
	uint64_t wait_ns = tally->used * SEND_EACH_NS;

	if (wait_ns < SEND_NS)
		wait_ns = SEND_NS;
	if (wait_ns > SEND_LAST_NS)
		wait_ns = SEND_LAST_NS;
	return now_ns - tally->begin_ns >= wait_ns;
}

void tally_turn(struct sampler *sampler, uint64_t now_ns, bool measured, uint32_t rows)
{
	struct tally *tally = &sampler->tally;
	bool measures = sampler->measured && sampler_may_cost(sampler), was = tally->on;

	if (!sampler->draw_names)
		return;
	tally->on = !measures && !may_have_rows(tally, was || measured ? 0 : rows, now_ns);
	if (was && (!tally->on || tally_is_due(tally, now_ns)))
		tally_write(sampler);
	if (!was && tally->on)
		tally_restart(sampler, now_ns);
}
