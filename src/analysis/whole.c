/* What a metric is for the whole run: an amount that adds up, or the formula over all counters. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/no_data.h"
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
 * Whether the rows of a metric add up to its whole. A unit without a fraction bar does not decide:
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
static const enum no_data reasons[STATS_REASONS] = {
    NO_DATA_SKIPPED,	   NO_DATA_PROGRAMS_OWN, NO_DATA_GAP,
    NO_DATA_NOT_COLLECTED, NO_DATA_UNDEFINED,	 NO_DATA_NO_VALUE,
};

void stats_missing_add(struct stats_missing *missing, uint8_t quality, uint64_t rows)
{
	size_t i = 0;
	enum no_data reason = no_data_of_quality(quality);
	while (reasons[i] != reason)
		i++;
	missing->rows[i] += rows;
}

uint64_t stats_missing_lost(const struct stats_missing *missing)
{
	uint64_t rows = 0;
	for (size_t i = 0; i < STATS_REASONS; i++)
		if (reasons[i] == NO_DATA_PROGRAMS_OWN || reasons[i] == NO_DATA_GAP)
			rows += missing->rows[i];
	return rows;
}

void stats_reason(const struct stats_missing *missing, uint64_t rows, struct stats_causes causes,
		  char buf[STATS_REASON_MAX])
{
	buf[0] = '\0';
	for (size_t i = 0; i < STATS_REASONS; i++) {
		uint64_t count = missing->rows[i];
		const char *cause = reasons[i] == NO_DATA_GAP		  ? causes.gap
				    : reasons[i] == NO_DATA_NOT_COLLECTED ? causes.not_collected
									  : NULL;
		if (!count)
			continue;
		if (*buf)
			text_append(buf, STATS_REASON_MAX, "; in %" PRIu64 ": ", count);
		else if (count < rows)
			text_append(buf, STATS_REASON_MAX,
				    "in %" PRIu64 " of %" PRIu64 " samples: ", count, rows);
		text_append(buf, STATS_REASON_MAX, "%s", cause ? cause : no_data_text(reasons[i]));
	}
	if (!*buf)
		no_data_append(buf, STATS_REASON_MAX, rows ? NO_DATA_NO_VALUE : NO_DATA_NO_SAMPLES,
			       NULL);
}
