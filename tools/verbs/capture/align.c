/* Aligns captures of two machines by their wall clocks, of which each capture has readings. */
#include "tools/verbs/capture/capture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text_buf.h"

#define MOVED_NS INT64_C(1000000) /* between two pairs; less is drift */
#define SAME_WITHIN_NS                                                                             \
	UINT64_C(100000000) /* of one machine's wall clock that is being set right                 \
			     */

static const struct clock_map *map_of(const struct align *align, const char *name)
{
	const struct capture_clock *clock =
	    capture_clocks_find(&align->clocks, SX_CAPTURE_NO_DEVICE, name);
	return clock ? &clock->map : NULL;
}

/* How much a clock gained on the monotonic one from pair i - 1 to i. */
static int64_t gained(const struct clock_map *map, size_t i)
{
	const struct clock_pair *a = &map->pairs[i - 1], *b = &map->pairs[i];
	return (int64_t)((b->to_ns - a->to_ns) - (b->from_ns - a->from_ns));
}

static bool is_far(int64_t ns)
{
	return ns > MOVED_NS || ns < -MOVED_NS;
}

/*
 * Where the wall clock jumped and CLOCK_BOOTTIME went on as before, it was set: what it showed
 * earlier is taken to have been wrong by as much. Where both jumped, the machine slept.
 */
static bool make_wall(struct align *align)
{
	const struct clock_map *real = map_of(align, "realtime"), *boot = map_of(align, "boottime");
	size_t count = real ? real->count : 0;
	bool has_boot = boot && boot->count == count, ok = true;
	for (size_t i = 1; i < count; i++) {
		int64_t slept = has_boot ? gained(boot, i) : gained(real, i);
		int64_t set = gained(real, i) - slept;
		align->sleeps += is_far(slept);
		align->slept_ns += is_far(slept) ? slept : 0;
		align->sets += is_far(set);
		align->set_ns += is_far(set) ? set : 0;
	}
	int64_t wrong_ns = align->set_ns;
	for (size_t i = 0; ok && i < count; i++) {
		struct clock_pair pair = real->pairs[i];
		int64_t set = i && has_boot ? gained(real, i) - gained(boot, i) : 0;
		wrong_ns -= is_far(set) ? set : 0;
		pair.to_ns += (uint64_t)wrong_ns;
		ok = clock_map_add(&align->wall, &pair);
	}
	return ok;
}

enum sx_status align_read(struct align *align, const char *path, struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	enum sx_status status = sx_capture_open(path, &reader, err);
	align->name = path;
	if (status)
		return status;
	sx_capture_set_filter(reader, &(struct sx_capture_filter){.heads_only = true});
	while ((status = sx_capture_next(reader, &record, err)) == SX_OK)
		if (!capture_clocks_add(&align->clocks, &record)) {
			status = error_nomem(err, "reading a capture");
			break;
		}
	sx_capture_close(reader);
	if (status != SX_END && status != SX_AGAIN)
		return status;
	return make_wall(align) ? SX_OK : error_nomem(err, "reading a capture");
}

/* Two clocks of one boot differ from the wall clock by the same. */
static bool look_the_same(const struct clock_map *a, const struct clock_map *b)
{
	uint64_t x = a->pairs[0].to_ns - a->pairs[0].from_ns;
	uint64_t y = b->pairs[0].to_ns - b->pairs[0].from_ns;
	return (x > y ? x - y : y - x) < SAME_WITHIN_NS;
}

void align_choose(struct align *align, const struct align *first, int same_boot,
		  const int64_t *offset_ns)
{
	align->to = &first->wall;
	align->way = ALIGN_UNKNOWN;
	if (offset_ns) {
		align->way = ALIGN_GIVEN;
		align->offset_ns = *offset_ns;
	} else if (same_boot == 1 || align == first) {
		align->way = ALIGN_SAME;
	} else if (align->wall.count && align->to->count) {
		bool same = same_boot < 0 && look_the_same(&align->wall, align->to);
		align->way = same ? ALIGN_SAME : ALIGN_WALL;
	}
}

uint64_t align_time(const struct align *align, uint64_t time_ns)
{
	if (time_ns == SX_TIME_UNKNOWN)
		return time_ns;
	if (align->way == ALIGN_GIVEN)
		return time_ns + (uint64_t)align->offset_ns;
	if (align->way == ALIGN_WALL)
		return clock_map_from(align->to, clock_map_to(&align->wall, time_ns));
	return time_ns;
}

static void signed_duration(char *buf, size_t size, int64_t ns)
{
	char text[HUMAN_MAX];
	human_duration(text, (uint64_t)(ns < 0 ? -ns : ns));
	snprintf(buf, size, "%c%s", ns < 0 ? '-' : '+', text);
}

/* "; b.sxc's wall clock was set by +2 s; its machine slept for 5 s" */
static void note_moves(const struct align *align, char *buf, size_t size)
{
	char by[HUMAN_MAX + 1];
	signed_duration(by, sizeof(by), align->set_ns);
	if (align->sets)
		text_append(buf, size,
			    "; the wall clock of %s was set, by %s: what it showed "
			    "before is corrected",
			    align->name, by);
	signed_duration(by, sizeof(by), align->slept_ns);
	if (align->sleeps)
		text_append(buf, size, "; the machine of %s slept, %s", align->name, by);
}

static void note_wall(const struct align *align, const struct align *first, const char *moved,
		      char *buf, size_t size)
{
	struct clock_match a = clock_map_match(&align->wall), b = clock_map_match(align->to);
	char error[HUMAN_MAX];
	human_duration(error, a.error_ns + b.error_ns);
	snprintf(buf, size,
		 "%s: moved by %s, by its wall clock and that of %s: %zu and %zu "
		 "pairs, exact to %s as far as both wall clocks agree",
		 align->name, moved, first->name, align->wall.count, align->to->count, error);
	double drift = (1 + b.drift) / (1 + a.drift) - 1;
	if (!isnan(drift))
		text_append(buf, size, "; its clock drifts by %.3g ppm", drift * 1e6);
	note_moves(first, buf, size);
	note_moves(align, buf, size);
}

void align_note(const struct align *align, const struct align *first, uint64_t begin_ns, char *buf,
		size_t size)
{
	char moved[HUMAN_MAX + 1] = "nothing";
	if (begin_ns != SX_TIME_UNKNOWN)
		signed_duration(moved, sizeof(moved),
				(int64_t)(align_time(align, begin_ns) - begin_ns));
	switch (align->way) {
	case ALIGN_SAME:
		snprintf(buf, size, "%s: its clock is that of %s", align->name, first->name);
		return;
	case ALIGN_GIVEN:
		snprintf(buf, size,
			 "%s: moved by %s, as was asked for; drift between the machines "
			 "is not corrected",
			 align->name, moved);
		return;
	case ALIGN_WALL:
		note_wall(align, first, moved, buf, size);
		return;
	case ALIGN_UNKNOWN:
		snprintf(buf, size, "%s: its rows have no times", align->name);
	}
}

void align_finish(struct align *align)
{
	capture_clocks_finish(&align->clocks);
	clock_map_finish(&align->wall);
	*align = (struct align){.name = NULL};
}
