/* What a metric is for the whole run: an amount that adds up, or the formula over all counters. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/number.h"
#include "base/text_buf.h"
#include "table/total.h"

bool stats_adds_up(const char *unit)
{
	static const char *const intensive[] = {"percent", "ratio", "boolean", "Hz",
						"MHz",	   "mW",    "degC",    "pixels/frame"};
	for (size_t i = 0; i < sizeof(intensive) / sizeof(intensive[0]); i++)
		if (strcmp(unit, intensive[i]) == 0)
			return false;
	return !strchr(unit, '/');
}

/*
 * Whether the rows of a metric add up to its whole. A unit without a fraction bar does not tell:
 * cycles for each pixel are "cycles" too. A formula over summed counters gives the rows' sum only
 * where it is itself a sum. `play`: by which counts that were scaled up may be rounded.
 */
static bool whole_adds_up(const struct sx_metric_column *column, double whole, double sum,
			  double play)
{
	if (!stats_adds_up(column->unit))
		return false;
	if (column->over_time == SX_REDUCE_RATIO && !isnan(whole))
		return fabs(whole - sum) <= 1e-6 * fabs(sum) + play;
	return column->over_time == SX_REDUCE_SUM || column->over_time == SX_REDUCE_RATIO;
}

void stats_set_whole(struct sx_stats *s, const struct sx_metric_column *column,
		     const struct sx_table *totals, uint32_t index, const struct stats_sum *sum)
{
	double whole = sx_table_get(totals, index, 0), rows = (double)(s->count + s->skipped);
	double all = sum->whole;
	bool divides = sum->divides && column->over_time == SX_REDUCE_RATIO;
	if (divides || !whole_adds_up(column, whole, all, s->skipped ? 2.0 * sum->parts : 0)) {
		/* A level counts by its time. The mean of a yes or no is its share of rows. */
		bool level = column->over_time == SX_REDUCE_MEAN;
		bool by_rows = !(level || column->over_time == SX_REDUCE_RATIO) ||
			       isnan(sum->rate) || strcmp(column->unit, "boolean") == 0;
		s->mean = by_rows ? sum->mean : sum->rate;
		return;
	}
	bool together = sum->overlaps && !isnan(whole);
	bool added = column->over_time == SX_REDUCE_SUM && column->counter == SX_NONE;
	s->total = added && !together ? all : whole;
	struct sx_vector v = sx_table_vector(totals, index);
	/* What does not fit into 64 bits has wrapped there. */
	bool exact = v.type == SX_U64 && v.data && !isnan(whole) && !(all - whole > 0x1p63);
	if (isnan(s->total) || (v.type == SX_U64 && !exact))
		s->total = all;
	if (exact)
		s->total_u64 = ((const uint64_t *)v.data)[0];
	else
		(void)number_round(s->total, &s->total_u64);
	s->mean = (together ? all : s->total) / rows;
	/* The time that contexts took together is no sum of theirs. */
	s->total_error = together ? (double)NAN : sum->error;
}

void stats_drop_total(struct sx_stats *s, const char *why)
{
	s->total = s->total_error = (double)NAN;
	s->total_u64 = 0;
	s->why = why;
}

enum sx_status stats_whole(const struct sx_table *in, struct sx_table **out, struct sx_error *err)
{
	return total_of_table(in, TOTAL_WHOLE, out, err);
}

/* By what hides what: the first that fits is a row's reason. */
static const struct {
	uint8_t bits;
	const char *begin, *all, *end;
} reasons[STATS_REASONS] = {
    {SX_QUALITY_SKIPPED, "not measured in ", "any sample",
     " (others had their turn: a longer run has data)"},
    {SX_QUALITY_DISTURBED, "the program used the same query itself in ", "every sample", ""},
    {SX_QUALITY_GAP, "no result in ", "any sample",
     " (the device was off, no query counts there, the same commands ran again meanwhile, or the "
     "program ended)"},
    {SX_QUALITY_NOT_COLLECTED, "not collected in ", "any sample", ""},
    {SX_QUALITY_UNDEFINED, "undefined in ", "every sample",
     " (a division by zero, or a difference below zero)"},
    {0, "no data in ", "any sample", ""},
};

void stats_missing_add(struct stats_missing *missing, uint8_t quality, uint64_t rows)
{
	size_t i = 0;
	while ((quality & reasons[i].bits) != reasons[i].bits)
		i++;
	missing->rows[i] += rows;
}

uint64_t stats_missing_lost(const struct stats_missing *missing)
{
	const uint8_t lost = SX_QUALITY_DISTURBED | SX_QUALITY_GAP;
	uint64_t rows = 0;
	for (size_t i = 0; i < STATS_REASONS; i++)
		rows += reasons[i].bits & lost ? missing->rows[i] : 0;
	return rows;
}

void stats_reason(const struct stats_missing *missing, uint64_t rows, struct stats_causes causes,
		  char buf[STATS_REASON_MAX])
{
	buf[0] = '\0';
	for (size_t i = 0; i < STATS_REASONS; i++) {
		uint64_t count = missing->rows[i];
		char of[48];
		if (!count)
			continue;
		snprintf(of, sizeof(of), *buf ? "%" PRIu64 : "%" PRIu64 " of %" PRIu64 " samples",
			 count, rows);
		text_append_item(buf, STATS_REASON_MAX, "; ", "%s%s", reasons[i].begin,
				 count >= rows ? reasons[i].all : of);
		const char *cause = reasons[i].bits == SX_QUALITY_GAP ? causes.gap
				    : reasons[i].bits == SX_QUALITY_NOT_COLLECTED
					? causes.not_collected
					: NULL;
		text_append(buf, STATS_REASON_MAX, cause ? " (%s)" : "%s",
			    cause ? cause : reasons[i].end);
	}
	if (!*buf)
		snprintf(buf, STATS_REASON_MAX,
			 rows ? "no sample has data" : "there are no samples");
}
