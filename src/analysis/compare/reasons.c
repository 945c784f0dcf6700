/* Why two sides, or two of their metrics, cannot be compared. */
#include <string.h>

#include "analysis/compare/steps.h"

#define PICTURE	  "framebuffer_pixels" /* of catalogs that know the size of a picture */
#define LOST_MOST 0.05		       /* share of samples that may be lost on either side */

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : !a && !b;
}

/* Whether the devices behind two metrics are one kind of device under one kind of driver. */
static const char *differs(const struct compare_device *a, const struct compare_device *b)
{
	if (strcmp(a->catalog, b->catalog) != 0 || strcmp(a->name, b->name) != 0)
		return "the devices differ";
	if (!same_text(a->driver, b->driver))
		return "the drivers differ";
	return NULL;
}

static double lost_share(const struct compare_device *d)
{
	uint64_t all = d->samples + d->lost;
	return all ? (double)d->lost / (double)all : 0;
}

const char *reasons_pair(const struct comparison *c, const struct compare_row *row)
{
	const struct compare_metric *a = row->a, *b = row->b;
	if (!a || !b)
		return a ? "B does not have it" : "A does not have it";
	if (!a->runs || !b->runs)
		return a->why ? a->why : b->why ? b->why : "no data";
	if (strcmp(a->unit, b->unit) != 0)
		return "the units differ";
	const struct compare_device *da = &c->a->devices[a->device],
				    *db = &c->b->devices[b->device];
	if (da->simulated != db->simulated)
		return "one side is simulated";
	if (lost_share(da) > LOST_MOST || lost_share(db) > LOST_MOST)
		return "over 5 % of the samples are lost";
	/* What has a neutral name means the same everywhere. */
	return a->neutral ? NULL : differs(da, db);
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

void reasons_whole(struct comparison *c)
{
	size_t pairs = 0;
	bool other = other_pictures(c);
	if (other)
		refuse_all(c, "the pictures differ in size");
	for (size_t i = 0; i < c->row_count; i++)
		pairs += c->rows[i].verdict != COMPARE_INCOMPARABLE;
	c->comparable = pairs > 0;
	if (other) {
		c->comparable = false;
		c->why_not = "the pictures differ in size";
	} else if (!pairs) {
		c->why_not = "the two have nothing that can be compared";
	}
	for (size_t d = 0; d < c->a->device_count && d < c->b->device_count && !c->why_not; d++)
		c->why_not = differs(&c->a->devices[d], &c->b->devices[d]);
	if (!c->why_not && c->a->runs == 1 && c->b->runs == 1)
		c->why_not = "one run each: how much runs differ by themselves is not known";
}
