/* Counts rows by their quality: see summary.h. */
#include "analysis/summary.h"

#include <string.h>

/* Rows [from, end) of one quality. */
static void tally_run(struct tally *t, const struct tally_rows *rows, uint8_t quality, size_t from,
		      size_t end)
{
	uint64_t samples = 0, length = rows->until[end] - rows->until[from];
	if (!(quality & SX_QUALITY_NO_DATA_MASK)) {
		t->with_ns += length;
		t->quality |= quality;
		return;
	}
	for (size_t i = from; i < end; i++)
		samples += rows->each[i];
	stats_missing_add(&t->missing, quality, samples);
	if (sx_quality_is_skipped(quality)) {
		t->skipped += samples;
		t->skipped_ns += length;
	} else if (quality & (SX_QUALITY_GAP | SX_QUALITY_DISTURBED)) {
		t->quality |= SX_QUALITY_LOST;
	}
}

struct tally tally_of(const struct tally_rows *rows, const uint8_t *quality)
{
	struct tally t = {.quality = 0};
	size_t end = rows->first + rows->count;
	for (size_t from = rows->first, i = from; from < end; from = i) {
		uint8_t is = quality ? quality[from] : 0;
		i = quality ? from + 1 : end;
		while (i < end && quality[i] == is)
			i++;
		tally_run(&t, rows, is, from, i);
	}
	return t;
}

const struct tally *tally_next(struct tally_last *last, const struct tally_rows *rows,
			       const uint8_t *quality)
{
	static const uint8_t none[1];
	const uint8_t *before = last->quality;
	if (quality ? before && before != none &&
			  memcmp(before + rows->first, quality + rows->first, rows->count) == 0
		    : before == none)
		return &last->tally;
	last->tally = tally_of(rows, quality);
	last->quality = quality ? quality : none;
	return &last->tally;
}
