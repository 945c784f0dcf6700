/* Timestamps of the OA unit: 32 bits of an 80 ns clock that wraps every 343.6 s. */
#include "decode/oa/clock.h"
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

uint64_t oa_clock_report(struct oa_clock *clock, uint32_t timestamp, bool *backwards)
{
	const struct oa_clock_point *newest =
	    clock->count ? &clock->points[clock->count - 1] : NULL;
	uint64_t ticks;
	*backwards = false;
	if (!clock->started) {
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

/* Ticks of a further pair: whole wraps of 36 bits come from the CPU time that passed. */
static uint64_t unwrap_pair(const struct oa_clock *clock, uint64_t cpu_ns, uint64_t gpu_ticks)
{
	const struct oa_clock_point *last = &clock->points[clock->count - 1];
	uint64_t step = (gpu_ticks - clock->last_raw) & RAW_MASK;
	uint64_t expected = scale(cpu_ns - last->cpu_ns, clock->hz, 1000000000);
	if (expected > step)
		step += (expected - step + RAW_MASK / 2) >> RAW_BITS << RAW_BITS;
	return last->ticks + step;
}

const char *oa_clock_correlate(struct oa_clock *clock, uint64_t cpu_ns, uint64_t gpu_ticks)
{
	uint64_t ticks = gpu_ticks;
	if (cpu_ns > TIME_MAX || gpu_ticks > TIME_MAX)
		return "its numbers are impossible";
	if (clock->count) {
		const struct oa_clock_point *last = &clock->points[clock->count - 1];
		if (cpu_ns <= last->cpu_ns)
			return "its CPU time does not advance";
		ticks = unwrap_pair(clock, cpu_ns, gpu_ticks);
		uint64_t got = ticks - last->ticks;
		uint64_t expected = scale(cpu_ns - last->cpu_ns, clock->hz, 1000000000);
		uint64_t off = got > expected ? got - expected : expected - got;
		if (!got || off > expected / 8 + clock->hz / 1000)
			return "CPU and GPU time disagree";
	} else if (clock->started) {
		ticks = nearest32(clock->last_ticks, (uint32_t)gpu_ticks);
	}
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

/* The pair at or before `ticks` whose successor exists; mostly the one of the last time. */
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
