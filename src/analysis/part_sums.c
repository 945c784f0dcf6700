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
	p->sketches = calloc((size_t)count * PART_SKETCHES + 1, sizeof(*p->sketches));
	if (!p->sums || !p->sketches) {
		free(p->sums);
		free(p->sketches);
		p->sums = NULL;
		p->sketches = NULL;
	}
	p->count = p->sums ? count : 0;
	return p->sums != NULL;
}

static struct sketch *sketch_of(const struct part_sums *p, uint32_t column, uint32_t part)
{
	uint32_t at = part < PART_SKETCHES ? part : PART_SKETCHES - 1;
	return &p->sketches[(size_t)column * PART_SKETCHES + at];
}

/* Whether there is a value. */
static inline bool add_to_part(struct part_sum *sum, uint8_t quality, double value,
			       const struct extent *extent)
{
	if (quality & SX_QUALITY_NO_DATA_MASK) {
		if (sx_quality_is_skipped(quality))
			extent_add(&sum->skipped, extent);
		return false;
	}
	if (!isfinite(value))
		return false;
	sum->sum += value;
	extent_add(&sum->with, extent);
	return true;
}

static bool part_sums_add_column(struct part_sums *p, const struct sx_table *values,
				 uint32_t column)
{
	bool fine = true;
	struct sx_vector v = sx_table_vector(values, column);
	struct part_sum *sums = p->sums + (size_t)column * PARTS_MAX;
	for (size_t r = 0; fine && v.data && r < sx_table_row_count(values); r++) {
		double value = v.type == SX_U64 ? (double)((const uint64_t *)v.data)[r]
						: ((const double *)v.data)[r];
		if (add_to_part(&sums[p->of[r]], v.quality ? v.quality[r] : 0, value,
				&p->extents[r]))
			fine = sketch_add(sketch_of(p, column, p->of[r]), value);
	}
	return fine;
}

bool part_sums_add(struct part_sums *p, const struct sx_table *values)
{
	bool fine = true;
	for (uint32_t i = 0; p->sums && fine && i < p->count; i++)
		fine = part_sums_add_column(p, values, i);
	return fine;
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

/* For how much the rows with data of a part, or of one that stands in for it, stand. */
struct stands {
	const struct part_sum *of; /* NULL: nothing is known of the part */
	double times, rows;	   /* their sum, and their number */
};

static struct stands part_stands(const struct part_sums *p, const struct part_sum *sums,
				 uint32_t part, enum basis basis)
{
	bool apart = parts_are_slices(&p->parts, part);
	const struct part_sum *s = &sums[part];
	bool idle = extent_is_idle(&s->with, &s->skipped, basis);
	const struct part_sum *other = s->with.rows && !idle ? s : stand_in(p, sums, part, &apart);
	struct stands out = {.of = other};
	if (!other)
		return out;
	enum extent_by by = extent_choose(&other->with, &s->skipped, apart, basis);
	double own = other == s ? 1 : 0;
	out.times = own + part_more(&s->skipped, &other->with, by);
	/* A mean of frames is one of all of them. */
	out.rows = apart ? out.times : own + part_more(&s->skipped, &other->with, EXTENT_ROWS);
	if (idle) {
		out.times += other->sum > 0 ? s->sum / other->sum : 0;
		out.rows += part_more(&s->with, &other->with, EXTENT_ROWS);
	}
	return out;
}

struct part_whole part_sums_whole(const struct part_sums *p, uint32_t column, enum basis basis)
{
	const struct part_sum *sums = &p->sums[(size_t)column * PARTS_MAX];
	struct part_whole whole = {0};
	struct extent known = {0}, unknown = {0};
	bool slices = false;
	for (uint32_t i = 0; i < p->parts.count; i++) {
		const struct stands stands = part_stands(p, sums, i, basis);
		slices |= parts_are_slices(&p->parts, i);
		extent_add(stands.of ? &known : &unknown, &sums[i].with);
		extent_add(stands.of ? &known : &unknown, &sums[i].skipped);
		if (!stands.of)
			continue;
		whole.sum += stands.of->sum * stands.times;
		whole.rows += (double)stands.of->with.rows * stands.rows;
	}
	/* Of whom nothing was measured: as the others, see total_row.c. */
	enum extent_by by = slices && known.ns && unknown.ns ? EXTENT_NS : EXTENT_ROWS;
	double rows = part_more(&unknown, &known, by), all = rows;
	enum extent_by work = extent_choose(&known, &unknown, false, basis);
	if (work != EXTENT_ROWS && extent_get(&unknown, work))
		all = part_more(&unknown, &known, work);
	return (struct part_whole){whole.sum * (1 + all), whole.rows * (1 + (slices ? all : rows))};
}

bool part_sums_are_idle(const struct part_sums *p, uint32_t column, enum basis basis)
{
	const struct part_sum *sums = &p->sums[(size_t)column * PARTS_MAX];
	struct extent with = {0}, skipped = {0};
	double sum = 0;
	for (uint32_t i = 0; i < p->parts.count; i++) {
		extent_add(&with, &sums[i].with);
		extent_add(&skipped, &sums[i].skipped);
		sum += sums[i].sum;
	}
	return !(sum > 0) && extent_is_idle(&with, &skipped, basis);
}

bool part_sums_percentiles(const struct part_sums *p, uint32_t column, enum basis basis,
			   const double percent[PART_RANKS], double out[PART_RANKS])
{
	const struct part_sum *sums = &p->sums[(size_t)column * PARTS_MAX];
	struct sketch_weighed list[PART_SKETCHES] = {{0}};
	for (uint32_t i = 0; i < PART_SKETCHES; i++)
		list[i].sketch = sketch_of(p, column, i);
	for (uint32_t i = 0; i < p->parts.count; i++) {
		const struct stands stands = part_stands(p, sums, i, basis);
		if (!stands.of)
			continue;
		size_t at = (size_t)(stands.of - sums);
		struct sketch_weighed *to = &list[at < PART_SKETCHES ? at : PART_SKETCHES - 1];
		double share = (double)stands.of->with.rows / (double)to->sketch->count;
		to->weight += stands.rows * share;
	}
	return sketch_percentiles_weighed(list, PART_SKETCHES, percent, out, PART_RANKS);
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
	for (size_t i = 0; p->sketches && i < (size_t)p->count * PART_SKETCHES; i++)
		sketch_finish(&p->sketches[i]);
	free(p->sketches);
	free(p->sums);
	free(p->of);
	free(p->extents);
	*p = (struct part_sums){.count = 0};
}
