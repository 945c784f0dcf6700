/* Timestamps of the OA unit: 32 bits of an 80 ns clock that wraps every 343.6 s. */
#include "decode/oa/decoder.h"
#include "base/mem.h"

#include <stdlib.h>

#define RAW_BITS   36 /* of the timestamp register that pairs are read from */
#define RAW_MASK   ((UINT64_C(1) << RAW_BITS) - 1)
#define TIME_MAX   (UINT64_C(1) << 62)
#define POINTS_MAX 65536 /* then every second one goes: time stays bounded by two neighbours */

typedef unsigned __int128 u128;

static uint64_t scale(uint64_t value, uint64_t mul, uint64_t div)
{
	uint64_t low;
	if (!__builtin_mul_overflow(value, mul, &low))
		return low / div;
	return (uint64_t)((u128)value * mul / div);
}

/* The value with these low 32 bits that is nearest to `base`. */
static uint64_t nearest32(uint64_t base, uint32_t low)
{
	int32_t distance = (int32_t)(low - (uint32_t)base);
	if (distance < 0 && base < (uint64_t) - (int64_t)distance)
		return low;
	return base + (uint64_t)(int64_t)distance;
}

static uint32_t distance32(uint64_t a, uint64_t b)
{
	uint32_t step = (uint32_t)(a - b);
	return step <= UINT32_MAX / 2 ? step : UINT32_MAX - step + 1;
}

/* Ticks of reports in so many of pairs. */
static uint64_t pair_ticks(const struct oa_clock *clock, uint64_t raw)
{
	return clock->pairs_half ? 2 * raw : raw;
}

/* Until a second pair shows the rate, the first one is at the rate that puts it nearer a report. */
static void guess_rate(struct oa_clock *clock, uint64_t report_ticks)
{
	uint64_t raw = clock->first_raw;
	clock->beside = report_ticks;
	if (clock->pairs_open)
		clock->pairs_half =
		    distance32(2 * raw, report_ticks) < distance32(raw, report_ticks);
}

/* Ticks of the first pair, near the report beside it where there is one. */
static uint64_t first_pair(const struct oa_clock *clock)
{
	uint64_t ticks = pair_ticks(clock, clock->first_raw);
	return clock->started ? nearest32(clock->beside, (uint32_t)ticks) : ticks;
}

uint64_t oa_clock_report(struct oa_clock *clock, uint32_t timestamp, bool *backwards)
{
	const struct oa_clock_point *newest =
	    clock->count ? &clock->points[clock->count - 1] : NULL;
	uint64_t ticks;
	*backwards = false;
	if (!clock->started) {
		if (clock->count == 1 && clock->pairs_open && !clock->beside) {
			guess_rate(clock, timestamp);
			clock->points[0].ticks = pair_ticks(clock, clock->first_raw);
			clock->beside = nearest32(newest->ticks, timestamp);
		}
		ticks = newest ? nearest32(newest->ticks, timestamp) : timestamp;
	} else {
		ticks = clock->last_ticks + (uint32_t)(timestamp - (uint32_t)clock->last_ticks);
		/* The pairs know of whole wraps that passed without a report. */
		uint64_t near = newest ? nearest32(newest->ticks, timestamp) : 0;
		if (near > ticks)
			ticks = near;
		else if (ticks - clock->last_ticks > UINT32_MAX / 2 && !(newest && near == ticks))
			*backwards = true;
		if (*backwards)
			ticks = nearest32(clock->last_ticks, timestamp);
	}
	clock->started = true;
	clock->last_ticks = ticks;
	return ticks;
}

static void thin(struct oa_clock *clock)
{
	size_t kept = 0;
	for (size_t i = 0; i < clock->count; i += 2)
		clock->points[kept++] = clock->points[i];
	clock->count = kept;
}

/* Ticks up to a further pair: whole wraps of 36 bits come from the CPU time that passed. */
static uint64_t unwrap_pair(const struct oa_clock *clock, uint64_t passed_ns, uint64_t gpu_ticks)
{
	uint64_t step = (gpu_ticks - clock->last_raw) & RAW_MASK;
	uint64_t expected = scale(passed_ns, clock->hz, pair_ticks(clock, 1) * 1000000000);
	if (expected > step)
		step += (expected - step + RAW_MASK / 2) >> RAW_BITS << RAW_BITS;
	return pair_ticks(clock, step);
}

/* How far the ticks to a further pair are from what the CPU time says. */
static uint64_t pair_error(const struct oa_clock *clock, uint64_t passed_ns, uint64_t got)
{
	uint64_t expected = scale(passed_ns, clock->hz, 1000000000);
	return got > expected ? got - expected : expected - got;
}

/*
 * The second pair shows how fast pairs count; the first one may have been misread as the other
 * kind.
 */
static void measure_rate(struct oa_clock *clock, uint64_t passed_ns, uint64_t gpu_ticks)
{
	uint64_t error[2];
	for (int half = 0; half < 2; half++) {
		clock->pairs_half = half;
		error[half] =
		    pair_error(clock, passed_ns, unwrap_pair(clock, passed_ns, gpu_ticks));
	}
	clock->pairs_half = error[1] < error[0];
	clock->points[0].ticks = first_pair(clock);
}

/* Why a further pair is not taken, or NULL; *ticks is where it lies. */
static const char *further_pair(struct oa_clock *clock, uint64_t cpu_ns, uint64_t gpu_ticks,
				uint64_t *ticks)
{
	const struct oa_clock_point *last = &clock->points[clock->count - 1];
	if (cpu_ns <= last->cpu_ns)
		return "its CPU time does not advance";
	uint64_t passed_ns = cpu_ns - last->cpu_ns;
	if (clock->pairs_open)
		measure_rate(clock, passed_ns, gpu_ticks);
	uint64_t got = unwrap_pair(clock, passed_ns, gpu_ticks);
	uint64_t most = scale(passed_ns, clock->hz, 1000000000) / 8 + clock->hz / 1000;
	if (!got || pair_error(clock, passed_ns, got) > most)
		return "CPU and GPU time disagree";
	clock->pairs_open = false;
	*ticks = last->ticks + got;
	return NULL;
}

static uint64_t take_first(struct oa_clock *clock, uint64_t gpu_ticks)
{
	clock->first_raw = gpu_ticks;
	if (clock->started)
		guess_rate(clock, clock->last_ticks);
	return first_pair(clock);
}

const char *oa_clock_correlate(struct oa_clock *clock, uint64_t cpu_ns, uint64_t gpu_ticks)
{
	uint64_t ticks;
	if (cpu_ns > TIME_MAX || gpu_ticks > TIME_MAX)
		return "its numbers are impossible";
	const char *why = NULL;
	if (clock->count)
		why = further_pair(clock, cpu_ns, gpu_ticks, &ticks);
	else
		ticks = take_first(clock, gpu_ticks);
	if (why)
		return why;
	if (clock->count == POINTS_MAX)
		thin(clock);
	if (!mem_grow(&clock->points, &clock->cap, clock->count + 1, sizeof(*clock->points)))
		return "memory is out";
	clock->points[clock->count++] = (struct oa_clock_point){cpu_ns, ticks};
	clock->last_raw = gpu_ticks & RAW_MASK;
	return NULL;
}

static bool is_between(const struct oa_clock *clock, size_t pair, uint64_t ticks)
{
	return pair + 1 < clock->count && clock->points[pair].ticks <= ticks &&
	       ticks < clock->points[pair + 1].ticks;
}

/* The last pair at or before `ticks` that has a successor; mostly the one found before. */
static size_t bracket(struct oa_clock *clock, uint64_t ticks)
{
	size_t low = 0, high = clock->count - 2;
	if (is_between(clock, clock->near, ticks))
		return clock->near;
	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;
		if (clock->points[middle].ticks <= ticks)
			low = middle;
		else
			high = middle - 1;
	}
	clock->near = low;
	return low;
}

uint64_t oa_clock_ns(struct oa_clock *clock, uint64_t ticks)
{
	uint64_t from_ns = 0, from = 0, ns = 1000000000, step = clock->hz;
	if (clock->count == 1) {
		from_ns = clock->points[0].cpu_ns;
		from = clock->points[0].ticks;
	} else if (clock->count > 1) {
		const struct oa_clock_point *p = &clock->points[bracket(clock, ticks)];
		from_ns = p[0].cpu_ns;
		from = p[0].ticks;
		ns = p[1].cpu_ns - p[0].cpu_ns;
		step = p[1].ticks - p[0].ticks;
	}
	if (ticks >= from)
		return from_ns + scale(ticks - from, ns, step);
	uint64_t before = scale(from - ticks, ns, step);
	return before < from_ns ? from_ns - before : 0;
}

bool oa_clock_scale(const struct oa_clock *clock, uint64_t *begin, uint64_t *end, size_t count)
{
	uint64_t highest = 0;
	if (clock->count || !clock->hz || 1000000000 % clock->hz)
		return false;
	const uint64_t ns = 1000000000 / clock->hz;
	for (size_t i = 0; i < count; i++)
		highest |= begin[i] | end[i];
	if (highest > TIME_MAX / ns)
		return false;
	for (size_t i = 0; i < count; i++) {
		begin[i] *= ns;
		end[i] *= ns;
	}
	return true;
}

void oa_clock_finish(struct oa_clock *clock)
{
	free(clock->points);
	*clock = (struct oa_clock){0};
}
