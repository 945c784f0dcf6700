/* Sums by part: see part_sums.h. */
#include "analysis/part_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Rows that are all of one stand for each other as the caller knows, by number or by time. */
static bool are_one(const struct part_sums *p)
{
	return p->parts.count < 2 && !slices_know_calls(&p->parts.slices) &&
	       (p->parts.slices.all || !parts_are_slices(&p->parts, 0));
}

bool part_sums_look(struct part_sums *p, const struct sx_table *raw)
{
	size_t end = sx_table_row_count(raw);
	struct parts_rows rows;
	if (!mem_grow(&p->of, &p->of_cap, end + 1, 1) ||
	    !mem_grow(&p->extents, &p->extents_cap, end + 1, sizeof(*p->extents)))
		return false;
	rows.first = 0;
	for (; rows.first < end; rows.first += rows.count) {
		rows.count = end - rows.first;
		parts_tell(&p->parts, raw, &rows);
		if (rows.one)
			memset(p->of + rows.first, rows.of[0], rows.count);
		else
			memcpy(p->of + rows.first, rows.of, rows.count);
	}
	for (size_t i = 0; i < end && !are_one(p); i++)
		p->extents[i] = slices_extent(&p->parts.slices, raw, i);
	return true;
}

bool part_sums_begin(struct part_sums *p, uint32_t count)
{
	if (p->sums || are_one(p))
		return false;
	p->sums = calloc((size_t)count * PARTS_MAX + 1, sizeof(*p->sums));
	p->count = p->sums ? count : 0;
	return p->sums != NULL;
}

static inline void add_to_part(struct part_sum *sum, uint8_t quality, double value,
			       const struct extent *extent)
{
	if (quality & SX_QUALITY_NO_DATA_MASK) {
		if (sx_quality_is_skipped(quality))
			extent_add(&sum->skipped, extent);
		return;
	}
	if (!isfinite(value))
		return;
	sum->sum += value;
	extent_add(&sum->with, extent);
}

void part_sums_add(struct part_sums *p, const struct sx_table *values)
{
	size_t rows = sx_table_row_count(values);
	for (uint32_t i = 0; p->sums && i < p->count; i++) {
		struct sx_vector v = sx_table_vector(values, i);
		struct part_sum *sums = p->sums + (size_t)i * PARTS_MAX;
		for (size_t r = 0; v.data && r < rows; r++)
			add_to_part(&sums[p->of[r]], v.quality ? v.quality[r] : 0,
				    v.type == SX_U64 ? (double)((const uint64_t *)v.data)[r]
						     : ((const double *)v.data)[r],
				    &p->extents[r]);
	}
}

/* Somebody of whom nothing was measured: as the same context's other rows were, see total_row.c. */
static const struct part_sum *stand_in(const struct part_sums *p, const struct part_sum *column,
				       uint32_t part, bool *slices)
{
	*slices = parts_are_slices(&p->parts, part);
	for (unsigned at = 0; at < 2; at++) {
		uint32_t i = parts_sibling(&p->parts, part, at);
		if (i >= p->parts.count || !column[i].with.rows)
			continue;
		*slices |= parts_are_slices(&p->parts, i);
		return &column[i];
	}
	return NULL;
}

/* How many times as much. */
static double part_more(const struct extent *more, const struct extent *with, enum extent_by by)
{
	double base = (double)extent_get(with, by);
	return base > 0 ? (double)extent_get(more, by) / base : 0;
}

struct part_whole part_sums_whole(const struct part_sums *p, uint32_t column, bool time)
{
	const struct part_sum *sums = &p->sums[(size_t)column * PARTS_MAX];
	struct part_whole whole = {0};
	struct extent known = {0}, unknown = {0};
	bool slices = false;
	for (uint32_t i = 0; i < p->parts.count; i++) {
		bool apart = parts_are_slices(&p->parts, i);
		slices |= apart;
		const struct part_sum *s = &sums[i];
		const struct part_sum *other = s->with.rows ? s : stand_in(p, sums, i, &apart);
		extent_add(other ? &known : &unknown, &s->with);
		extent_add(other ? &known : &unknown, &s->skipped);
		if (!other)
			continue;
		enum extent_by by = extent_choose(&other->with, &s->skipped, apart, time);
		double own = other == s ? 1 : 0,
		       times = own + part_more(&s->skipped, &other->with, by);
		whole.sum += other->sum * times;
		if (!apart) /* a mean of frames is one of all of them */
			times = own + part_more(&s->skipped, &other->with, EXTENT_ROWS);
		whole.rows += (double)other->with.rows * times;
	}
	/* Of whom nothing was measured: as the others, see total_row.c. */
	enum extent_by by = slices && known.ns && unknown.ns ? EXTENT_NS : EXTENT_ROWS;
	double rows = part_more(&unknown, &known, by), all = rows;
	if (!time && known.calls && unknown.calls)
		all = part_more(&unknown, &known, EXTENT_CALLS);
	return (struct part_whole){whole.sum * (1 + all), whole.rows * (1 + (slices ? all : rows))};
}

uint64_t part_sums_guessed(const struct part_sums *p)
{
	uint64_t most = 0;
	for (uint32_t i = 0; p->sums && i < p->count; i++) {
		const struct part_sum *sums = &p->sums[(size_t)i * PARTS_MAX];
		uint64_t known = 0, unknown = 0;
		for (uint32_t k = 0; k < p->parts.count; k++) {
			bool slices, counted = sums[k].with.rows || stand_in(p, sums, k, &slices);
			known += sums[k].with.rows;
			unknown += counted ? 0 : sums[k].skipped.rows;
		}
		most = known && unknown > most ? unknown : most;
	}
	return most;
}

void part_sums_finish(struct part_sums *p)
{
	parts_finish(&p->parts);
	free(p->sums);
	free(p->of);
	free(p->extents);
	*p = (struct part_sums){.count = 0};
}
