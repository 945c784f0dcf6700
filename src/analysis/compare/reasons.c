/* Why two sides, or two of their metrics, cannot be compared. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/compare/noise.h"
#include "analysis/compare/steps.h"
#include "base/no_data.h"
#include "base/text_buf.h"

#define PICTURE	     "framebuffer_pixels" /* of catalogs that know the size of a picture */
#define CLOCK_GPU    "gpu.frequency"
#define CLOCK_CPU    "cpu.frequency"
#define CLOCK_APART  0.05
#define CLOCK_CHANCE 0.02
#define LOST_MOST    0.05 /* share of samples that may be lost on either side */

/* Whether the devices behind two metrics are one kind of device under one kind of driver. */
static const char *differs(const struct compare_device *a, const struct compare_device *b)
{
	if (strcmp(a->name, b->name) != 0)
		return "the devices differ";
	if (strcmp(a->catalog, b->catalog) != 0)
		return "the catalogs differ";
	if (!text_same(a->driver, b->driver))
		return "the drivers differ";
	return NULL;
}

/* The clock of the device, or of the GPU where the device has none of its own. */
static const struct compare_row *find_clock(const struct comparison *c, uint32_t device)
{
	const struct compare_row *gpu = NULL;
	for (size_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];
		const char *neutral = row->a && row->b ? row->a->neutral : NULL;
		if (!neutral || !row->a->runs || !row->b->runs)
			continue;
		bool of_gpu = strcmp(neutral, CLOCK_GPU) == 0;
		if ((of_gpu || strcmp(neutral, CLOCK_CPU) == 0) && row->a->device == device)
			return row;
		if (of_gpu && !gpu)
			gpu = row;
	}
	return gpu;
}

/* Over 5 % apart, and not only because each run has another. */
static bool clock_differs(const struct compare_row *clock)
{
	const struct compare_metric *a = clock->a, *b = clock->b;
	double x = a->stats.mean, y = b->stats.mean, apart = fabs(x - y);
	double freedom = (double)a->runs + (double)b->runs - 2;
	if (!(apart > CLOCK_APART * fmax(fabs(x), fabs(y))))
		return false;
	if (freedom < 1)
		return true;
	double squares = noise_variance(a->means, a->runs, x) * ((double)a->runs - 1) +
			 noise_variance(b->means, b->runs, y) * ((double)b->runs - 1);
	double share = 1.0 / (double)a->runs + 1.0 / (double)b->runs;
	return !(squares > 0) ||
	       noise_chance(apart / sqrt(squares / freedom * share), freedom) < CLOCK_CHANCE;
}

/* What the clock has a part in: times, shares of time, rates. Pieces of work and cycles stay. */
static bool has_clock(const struct compare_metric *m)
{
	size_t length = strlen(m->unit);
	bool rate = length > 2 && strcmp(m->unit + length - 2, "/s") == 0;
	return rate || strcmp(m->unit, "s") == 0 || strncmp(m->unit, "s/", 2) == 0 ||
	       strcmp(m->unit, "percent") == 0;
}

static const char *judge_clock(struct comparison *c, const struct compare_row *row)
{
	const struct compare_row *clock = has_clock(row->a) ? find_clock(c, row->a->device) : NULL;
	char text[96];
	if (!clock || clock == row || !clock_differs(clock))
		return NULL;
	int n = snprintf(text, sizeof(text), "the clocks differ: %.4g and %.4g MHz",
			 clock->a->stats.mean * 1e-6, clock->b->stats.mean * 1e-6);
	const char *why = n > 0 ? arena_strndup(&c->arena, text, (size_t)n) : NULL;
	return why ? why : "the clocks differ";
}

static double lost_share(const struct compare_device *d)
{
	uint64_t all = d->samples + d->lost;
	return all ? (double)d->lost / (double)all : 0;
}

const char *reasons_pair(struct comparison *c, const struct compare_row *row)
{
	const struct compare_metric *a = row->a, *b = row->b;
	if (!a || !b)
		return a ? "B does not have it" : "A does not have it";
	if (!a->runs || !b->runs)
		return a->why ? a->why : b->why ? b->why : no_data_text(NO_DATA_NO_VALUE);
	if (strcmp(a->unit, b->unit) != 0)
		return "the units differ";
	const struct compare_device *da = &c->a->devices[a->device],
				    *db = &c->b->devices[b->device];
	if (da->simulated != db->simulated)
		return "one side is simulated";
	if (lost_share(da) > LOST_MOST || lost_share(db) > LOST_MOST)
		return "over 5 % of the samples are lost";
	/* What has a neutral name means the same everywhere. */
	const char *why = a->neutral ? NULL : differs(da, db);
	return why ? why : judge_clock(c, row);
}

/* Pictures of another size are other work: numbers that depend on it are no result of a change. */
static bool other_pictures(const struct comparison *c)
{
	for (size_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];
		if (row->a && row->b && row->a->runs && row->b->runs &&
		    strcmp(row->name, PICTURE) == 0)
			return row->a->stats.p50 != row->b->stats.p50;
	}
	return false;
}

static void refuse_all(struct comparison *c, const char *why)
{
	for (size_t i = 0; i < c->row_count; i++) {
		if (c->rows[i].verdict == COMPARE_INCOMPARABLE ||
		    strcmp(c->rows[i].name, PICTURE) == 0)
			continue;
		c->rows[i].verdict = COMPARE_INCOMPARABLE;
		c->rows[i].why = why;
	}
}

/*
 * Whether all that both sides measured cannot be judged for one reason: it says more than
 * "nothing".
 */
static const char *shared_reason(const struct comparison *c)
{
	const char *why = NULL;
	for (size_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];
		if (!row->a || !row->b || !row->a->runs || !row->b->runs || !row->why)
			continue;
		if (why && strcmp(why, row->why) != 0)
			return NULL;
		why = row->why;
	}
	return why;
}

void reasons_whole(struct comparison *c)
{
	size_t pairs = 0;
	bool other = other_pictures(c);
	if (other)
		refuse_all(c, "the pictures differ in size");
	for (size_t i = 0; i < c->row_count; i++)
		pairs +=
		    compare_row_is_known(&c->rows[i]) && c->rows[i].verdict != COMPARE_INCOMPARABLE;
	c->comparable = pairs > 0;
	if (other) {
		c->comparable = false;
		c->why_not = "the pictures differ in size";
	} else if (!pairs) {
		const char *why = shared_reason(c);
		c->why_not = why ? why : "the two have nothing that can be compared";
	}
	for (size_t d = 0; d < c->a->device_count && d < c->b->device_count && !c->why_not; d++)
		c->why_not = differs(&c->a->devices[d], &c->b->devices[d]);
	if (!c->why_not && c->a->runs == 1 && c->b->runs == 1)
		c->why_not = "one run each: how much runs differ by themselves is not known";
}
