/* Sums by part: see part_sums.h. */
#include "analysis/part_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool part_sums_look(struct part_sums *p, const struct sx_table *raw)
{
	size_t end = sx_table_row_count(raw);
	struct parts_rows rows;
	if (!mem_grow(&p->of, &p->of_cap, end + 1, 1))
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
	return true;
}

bool part_sums_begin(struct part_sums *p, uint32_t count)
{
	if (p->sums || p->parts.count < 2)
		return false;
	p->sums = calloc((size_t)count * PARTS_MAX + 1, sizeof(*p->sums));
	p->count = p->sums ? count : 0;
	return p->sums != NULL;
}

static inline void add_to_part(struct part_sum *sum, uint8_t quality, double value,
			       uint64_t length_ns)
{
	if (quality & SX_QUALITY_NO_DATA_MASK) {
		bool skipped = sx_quality_is_skipped(quality);
		sum->skipped += skipped;
		sum->skipped_ns += skipped ? length_ns : 0;
		return;
	}
	if (!isfinite(value))
		return;
	sum->sum += value;
	sum->with++;
	sum->with_ns += length_ns;
}

void part_sums_add(struct part_sums *p, const struct sx_table *values, const uint64_t *until)
{
	size_t rows = sx_table_row_count(values);
	for (uint32_t i = 0; p->sums && i < p->count; i++) {
		struct sx_vector v = sx_table_vector(values, i);
		struct part_sum *sums = p->sums + (size_t)i * PARTS_MAX;
		for (size_t r = 0; v.data && r < rows; r++)
			add_to_part(&sums[p->of[r]], v.quality ? v.quality[r] : 0,
				    v.type == SX_U64 ? (double)((const uint64_t *)v.data)[r]
						     : ((const double *)v.data)[r],
				    until ? until[r + 1] - until[r] : 0);
	}
}

struct part_whole part_sums_whole(const struct part_sums *p, uint32_t column, bool by_time)
{
	struct part_whole whole = {0};
	double known = 0, unknown = 0;
	for (uint32_t i = 0; i < p->parts.count; i++) {
		const struct part_sum *s = &p->sums[(size_t)column * PARTS_MAX + i];
		bool timed = by_time && s->with_ns;
		double with = (double)(timed ? s->with_ns : s->with);
		double skipped = (double)(timed ? s->skipped_ns : s->skipped);
		double times = s->with ? 1 + skipped / with : 0;
		whole.sum += s->sum * times;
		whole.rows += (double)s->with * times;
		*(s->with ? &known : &unknown) +=
		    (double)(by_time ? s->with_ns + s->skipped_ns : s->with + s->skipped);
	}
	/* Of whom nothing was measured: as the others, see total_row.c. */
	double all = known > 0 ? 1 + unknown / known : 1;
	return (struct part_whole){whole.sum * all, whole.rows * all};
}

uint64_t part_sums_guessed(const struct part_sums *p)
{
	uint64_t most = 0;
	for (uint32_t i = 0; p->sums && i < p->count; i++) {
		uint64_t known = 0, unknown = 0;
		for (uint32_t k = 0; k < p->parts.count; k++) {
			const struct part_sum *s = &p->sums[(size_t)i * PARTS_MAX + k];
			known += s->with;
			unknown += s->with ? 0 : s->skipped;
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
	*p = (struct part_sums){.count = 0};
}
