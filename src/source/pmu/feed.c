/* What feeds a counter: the text that says so, and what one count is worth. */
#include "source/pmu/pmu.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalog/units.h"

/* The kernel's words for units, and ours. */
static const struct {
	const char *word, *unit;
	double factor;
} words[] = {
    {"Joules", "uJ", 1e6},    {"J", "uJ", 1e6},		{"Bytes", "bytes", 1},
    {"bytes", "bytes", 1},    {"B", "bytes", 1},	{"KiB", "bytes", 0x1p10},
    {"MiB", "bytes", 0x1p20}, {"GiB", "bytes", 0x1p30}, {"64Bytes", "bytes", 64},
    {"KB", "bytes", 1e3},     {"MB", "bytes", 1e6},	{"GB", "bytes", 1e9},
    {"ns", "ns", 1},	      {"us", "ns", 1e3},	{"ms", "ns", 1e6},
    {"s", "ns", 1e9},	      {"cycles", "cycles", 1},	{"M", "cycles", 1e6},
};

static enum sx_status malformed(const char *text, const char *because, struct sx_error *err)
{
	error_set(err, SX_ERR_BAD_INPUT, "\"%.200s\" names no event", text);
	error_because(err, "%s", because);
	error_try(err, "PMU/EVENT/, as uncore_imc_*/cas_count_read/ or msr/tsc/; sextant doctor "
		       "-d pmu names the PMUs");
	return SX_ERR_BAD_INPUT;
}

/* "64 bytes * " before the event. Returns what stands behind it, or NULL. */
static const char *parse_worth(const char *text, struct pmu_feed *out)
{
	char *end;
	out->each = strtod(text, &end);
	if (end == text || !isfinite(out->each) || out->each <= 0)
		return NULL;
	end += strspn(end, " ");
	size_t length = strcspn(end, " *");
	if (!length || length >= sizeof(out->unit))
		return NULL;
	memcpy(out->unit, end, length);
	end += length;
	end += strspn(end, " ");
	return *end == '*' ? end + 1 + strspn(end + 1, " ") : NULL;
}

static enum sx_status parse_event(const char *text, const char *event, struct pmu_feed *out,
				  struct sx_error *err)
{
	const char *slash = strchr(event, '/');
	size_t length = strlen(event), pmu = slash ? (size_t)(slash - event) : 0;
	if (!slash) {
		if (!length || length >= sizeof(out->terms))
			return malformed(text, "the name is empty or too long", err);
		memcpy(out->terms, event, length + 1);
		return SX_OK;
	}
	const char *end = strchr(slash + 1, '/');
	if (!pmu || pmu >= sizeof(out->pmu))
		return malformed(text, "the PMU's name is empty or too long", err);
	if (!end || end[1] || end == slash + 1 || (size_t)(end - slash) > sizeof(out->terms))
		return malformed(text, "an event stands between two slashes", err);
	memcpy(out->pmu, event, pmu);
	memcpy(out->terms, slash + 1, (size_t)(end - slash - 1));
	return SX_OK;
}

enum sx_status pmu_feed_parse(const char *text, struct pmu_feed *out, struct sx_error *err)
{
	struct units units;
	const char *event = text;
	*out = (struct pmu_feed){.each = 0};
	if (isdigit((unsigned char)text[0])) {
		event = parse_worth(text, out);
		if (!event)
			return malformed(text, "a number is followed by a unit, * and the event",
					 err);
		units_init(&units);
		if (!units_find(&units, out->unit))
			return malformed(text, "the unit is not one of catalogs/units.tsv", err);
	}
	return parse_event(text, event, out, err);
}

bool pmu_feed_next(const char **sum, char out[PMU_FEED_MAX])
{
	static const char plus[] = " + ";
	if (!*sum)
		return false;
	const char *end = strstr(*sum, plus);
	size_t length = end ? (size_t)(end - *sum) : strlen(*sum);
	snprintf(out, PMU_FEED_MAX, "%.*s", (int)(length < PMU_FEED_MAX ? length : PMU_FEED_MAX),
		 *sum);
	*sum = end ? end + sizeof(plus) - 1 : NULL;
	return true;
}

enum sx_status pmu_feed_check(const char *sum, struct sx_error *err)
{
	struct pmu_feed feed;
	char term[PMU_FEED_MAX];
	enum sx_status status = SX_OK;
	while (!status && pmu_feed_next(&sum, term))
		status = pmu_feed_parse(term, &feed, err);
	return status;
}

/* What one count is, as a number of one of our units; the unit is "" where nobody knows. */
static double worth(const struct pmu_feed *feed, const struct pmu_code *code, const char **unit)
{
	*unit = "";
	if (feed->each > 0) {
		*unit = feed->unit;
		return feed->each;
	}
	for (size_t i = 0; code->unit[0] && i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, code->unit) == 0) {
			*unit = words[i].unit;
			return code->scale * words[i].factor;
		}
	return code->scale;
}

enum sx_status pmu_feed_factor(const struct pmu_feed *feed, const struct pmu_code *code,
			       const struct sx_counter_info *counter, double *out,
			       struct sx_error *err)
{
	struct units units;
	const char *of;
	double each = worth(feed, code, &of);
	units_init(&units);
	const struct unit *from = *of ? units_find(&units, of) : NULL;
	const struct unit *to = units_find(&units, counter->bytes ? "bytes" : counter->unit);
	*out = each;
	if (!from || !to) /* a plain count of events counts what the counter does */
		return SX_OK;
	*out = each * from->factor / to->factor / (counter->bytes ? counter->bytes : 1);
	if (strcmp(from->dimension, to->dimension) == 0)
		return SX_OK;
	error_set(err, SX_ERR_BAD_INPUT, "%s/%s/ cannot be counted in %s", feed->pmu, feed->terms,
		  counter->unit);
	error_because(err, "its counts are %s", of);
	error_try(err, "an event that measures the same, or another counter");
	return SX_ERR_BAD_INPUT;
}

const char *pmu_feed_unit(const struct pmu_feed *feed, const struct pmu_code *code)
{
	const char *unit;
	double each = worth(feed, code, &unit);
	return *unit ? unit : each >= 1 ? "events" : "count";
}
