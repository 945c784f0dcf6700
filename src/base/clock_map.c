/* Lines between pairs of clock readings. */
#include "base/clock_fit.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define DRIFT_MOST    0.001 /* two clocks of today differ by less, whatever slews them */
#define JUMP_LEAST_NS 50000.0

/* How far the second clock went more than the first from one pair to the next. */
static double gained(const struct clock_pair *a, const struct clock_pair *b)
{
	return (double)(int64_t)(b->to_ns - a->to_ns) - (double)(b->from_ns - a->from_ns);
}

static bool clock_map_is_jump(const struct clock_pair *a, const struct clock_pair *b)
{
	double allowed = (double)(b->from_ns - a->from_ns) * DRIFT_MOST +
			 3.0 * (double)(a->error_ns + b->error_ns) + JUMP_LEAST_NS;
	return fabs(gained(a, b)) > allowed;
}

/* Keeps in mind how far lines at both ends reach; `at` is the newest pair. */
static void note_stretch(struct clock_map *map, size_t at)
{
	bool jump = at && clock_map_is_jump(&map->pairs[at - 1], &map->pairs[at]);
	if (jump)
		map->back = at;
	else if (!map->back)
		map->front = at;
}

static void halve(struct clock_map *map)
{
	size_t kept = 0;
	for (size_t i = 0; i < map->count; i += 2)
		map->pairs[kept++] = map->pairs[i];
	map->count = kept;
	map->every *= 2;
	map->front = map->back = 0;
	for (size_t i = 0; i < kept; i++)
		note_stretch(map, i);
}

bool clock_map_add(struct clock_map *map, const struct clock_pair *pair)
{
	if (!map->every)
		map->every = 1;
	if (map->count && pair->from_ns <= map->pairs[map->count - 1].from_ns)
		return true;
	if (map->count && ++map->skipped < map->every)
		return true;
	map->skipped = 0;
	if (map->count == CLOCK_MAP_PAIRS)
		halve(map);
	if (!mem_grow(&map->pairs, &map->cap, map->count + 1, sizeof(*map->pairs)))
		return false;
	map->pairs[map->count] = *pair;
	note_stretch(map, map->count++);
	return true;
}

/* The last pair that is not behind a time of one of the clocks, or the first one. */
static size_t pair_before(const struct clock_map *map, uint64_t time_ns, bool second)
{
	size_t at = 0;
	for (size_t low = 0, high = map->count; low < high;) {
		size_t middle = low + (high - low) / 2;
		const struct clock_pair *p = &map->pairs[middle];
		if ((second ? p->to_ns : p->from_ns) <= time_ns) {
			at = middle;
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return at;
}

static double slope_between(const struct clock_map *map, size_t first, size_t last)
{
	const struct clock_pair *a = &map->pairs[first], *b = &map->pairs[last];
	return first == last ? 0 : gained(a, b) / (double)(b->from_ns - a->from_ns);
}

/* What the second clock gains a ns of the first behind a pair; 0 where a jump lies there. */
static double slope_at(const struct clock_map *map, size_t at, bool before)
{
	if (before)
		return slope_between(map, 0, map->front);
	if (at + 1 == map->count)
		return slope_between(map, map->back, at);
	bool jump = clock_map_is_jump(&map->pairs[at], &map->pairs[at + 1]);
	return jump ? 0 : slope_between(map, at, at + 1);
}

uint64_t clock_map_to(const struct clock_map *map, uint64_t from_ns)
{
	if (!map->count)
		return from_ns;
	size_t at = pair_before(map, from_ns, false);
	int64_t since = (int64_t)(from_ns - map->pairs[at].from_ns);
	double more = (double)since * slope_at(map, at, since < 0);
	return map->pairs[at].to_ns + (uint64_t)since + (uint64_t)(int64_t)llround(more);
}

uint64_t clock_map_from(const struct clock_map *map, uint64_t to_ns)
{
	if (!map->count)
		return to_ns;
	size_t at = pair_before(map, to_ns, true);
	int64_t since = (int64_t)(to_ns - map->pairs[at].to_ns);
	double slope = slope_at(map, at, since < 0);
	double less = (double)since * slope / (1 + slope);
	uint64_t from = map->pairs[at].from_ns + (uint64_t)since - (uint64_t)(int64_t)llround(less);
	/*
	 * Time that passed on the second clock alone, while the first was stopped, has no length on
	 * the first.
	 */
	if (at + 1 < map->count && since > 0 && from > map->pairs[at + 1].from_ns)
		from = map->pairs[at + 1].from_ns;
	return from;
}

struct clock_match clock_map_match(const struct clock_map *map)
{
	struct clock_match m = {.drift = NAN};
	double more = 0, time = 0;
	for (size_t i = 0; i < map->count; i++) {
		const struct clock_pair *p = &map->pairs[i];
		m.error_ns = p->error_ns > m.error_ns ? p->error_ns : m.error_ns;
		if (!i)
			continue;
		double gain = gained(&map->pairs[i - 1], p);
		if (clock_map_is_jump(&map->pairs[i - 1], p)) {
			m.jumps++;
			m.jump_ns += (int64_t)gain;
			continue;
		}
		more += gain;
		time += (double)(p->from_ns - map->pairs[i - 1].from_ns);
	}
	if (time > 0)
		m.drift = more / time;
	return m;
}

void clock_map_finish(struct clock_map *map)
{
	free(map->pairs);
	*map = (struct clock_map){.count = 0};
}
