/* Sorts rows by stratum and quality: see total_state.h. */
#include "table/total_state.h"

#include <string.h>

static void measure_each(struct sorted *sorted, const struct slices *slices, const struct run *run)
{
	if (!sorted->measured)
		slices_extents(slices, run->table,
			       (struct row_span){run->rows.first, run->rows.count}, sorted->each);
	sorted->measured = true;
}

static void sort_row(struct sorted_part *part, uint8_t quality, const struct extent *extent)
{
	struct total_span *span = &part->span;
	if (!(quality & SX_QUALITY_NO_DATA_MASK)) {
		extent_add(&span->with, extent);
		span->quality |= quality;
		part->count++;
		return;
	}
	extent_add(sx_quality_is_skipped(quality) ? &span->skipped : &span->lost, extent);
	if (quality & (SX_QUALITY_GAP | SX_QUALITY_DISTURBED))
		extent_add(&span->uncounted, extent);
	span->absence |= sx_quality_reduced(quality);
}

/* Sorts rows by stratum; within one they keep their order. */
static void sort_rows(struct sorted *sorted, const struct run *run)
{
	const struct parts_rows *rows = &run->rows;
	size_t next[PARTS_MAX] = {0}, at = 0;
	for (unsigned k = 0; k < PARTS_MAX; k++)
		if (run->parts >> k & 1)
			sorted->part[k] = (struct sorted_part){.count = 0};
	for (size_t i = 0; i < rows->count; i++)
		sort_row(&sorted->part[rows->of[rows->one ? 0 : i]], sorted->quality[i],
			 &sorted->each[i]);
	for (unsigned k = 0; k < PARTS_MAX; k++)
		if (run->parts >> k & 1) {
			sorted->part[k].first = next[k] = at;
			at += sorted->part[k].count;
		}
	for (size_t i = 0; i < rows->count; i++)
		if (!(sorted->quality[i] & SX_QUALITY_NO_DATA_MASK))
			sorted->order[next[rows->of[rows->one ? 0 : i]]++] = (uint16_t)i;
}

void sorted_column(struct sorted *sorted, const struct slices *slices, const struct run *run,
		   const struct sx_vector *from)
{
	uint8_t known[PARTS_BLOCK];
	const uint8_t *quality = from->quality ? from->quality + run->rows.first : known;
	size_t count = run->rows.count;
	if (!from->data || !from->quality) {
		memset(known, from->data ? 0 : SX_QUALITY_NOT_COLLECTED, count);
		quality = known;
	}
	if (sorted->done && memcmp(sorted->quality, quality, count) == 0)
		return;
	memcpy(sorted->quality, quality, count);
	measure_each(sorted, slices, run);
	sort_rows(sorted, run);
	sorted->done = true;
}
