/* Unions of ranges: see cover.h. Samples of several contexts come in order of their ends at best.
 */
#include "table/cover.h"

#include <sextant/sample.h>

#include <string.h>

static void resolve_first(struct cover *cover)
{
	cover->resolved_ns += cover->ranges[0].end_ns - cover->ranges[0].begin_ns;
	cover->floor_ns = cover->ranges[0].end_ns;
	cover->count--;
	memmove(cover->ranges, cover->ranges + 1, cover->count * sizeof(cover->ranges[0]));
}

static void insert(struct cover *cover, uint32_t at, const struct cover_range *range)
{
	memmove(cover->ranges + at + 1, cover->ranges + at,
		(cover->count - at) * sizeof(cover->ranges[0]));
	cover->ranges[at] = *range;
	cover->count++;
}

void cover_add(struct cover *cover, uint64_t begin_ns, uint64_t end_ns)
{
	struct cover_range range = {begin_ns > cover->floor_ns ? begin_ns : cover->floor_ns,
				    end_ns};
	uint32_t at = cover->count;
	if (range.end_ns <= range.begin_ns)
		return;
	/* The first range that touches the new one, or the place to put it. */
	while (at > 0 && cover->ranges[at - 1].end_ns >= range.begin_ns)
		at--;
	uint32_t next = at;
	for (; next < cover->count && cover->ranges[next].begin_ns <= range.end_ns; next++) {
		const struct cover_range *other = &cover->ranges[next];
		range.begin_ns =
		    other->begin_ns < range.begin_ns ? other->begin_ns : range.begin_ns;
		range.end_ns = other->end_ns > range.end_ns ? other->end_ns : range.end_ns;
	}
	memmove(cover->ranges + at, cover->ranges + next,
		(cover->count - next) * sizeof(cover->ranges[0]));
	cover->count -= next - at;
	if (cover->count < COVER_RANGES) {
		insert(cover, at, &range);
	} else if (at > 0) {
		resolve_first(cover);
		insert(cover, at - 1, &range);
	} else { /* older than all that are kept */
		cover->resolved_ns += range.end_ns - range.begin_ns;
		cover->floor_ns = range.end_ns;
	}
}

/* Rows mostly begin where the one before ended, or within it: then the last range becomes longer.
 */
void cover_add_rows(struct cover *cover, const uint64_t *begin_ns, const uint64_t *end_ns,
		    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct cover_range *last = &cover->ranges[cover->count ? cover->count - 1 : 0];
		if (end_ns[i] == SX_TIME_UNKNOWN) /* an unknown begin lies behind every end */
			continue;
		if (!cover->count || begin_ns[i] < last->begin_ns || begin_ns[i] > last->end_ns)
			cover_add(cover, begin_ns[i], end_ns[i]);
		else if (end_ns[i] > last->end_ns)
			last->end_ns = end_ns[i];
	}
}

uint64_t cover_ns(const struct cover *cover)
{
	uint64_t sum = cover->resolved_ns;
	for (uint32_t i = 0; i < cover->count; i++)
		sum += cover->ranges[i].end_ns - cover->ranges[i].begin_ns;
	return sum;
}
