/* Copying what a comparison needs out of the report of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/compare/noise.h"
#include "analysis/compare/steps.h"
#include "analysis/stats.h"
#include "base/no_data.h"
#include "table/slices.h"

#define FRAME_TIME  "frame.time" /* the neutral name */
#define RUN_TIME    "run_time"
#define MISSES	    "deadline_misses"
#define CURVE_LEAST 20 /* lines of a curve of which some may be warm-up */

/* Pieces of work: their number does not depend on when and how fast it is done. */
static bool is_work(const struct units *units, const char *unit)
{
	static const char *const work[] = {
	    "vertices", "primitives", "patches", "invocations", "pixels", "samples", "fragments",
	    "texels",	"draws",      "quads",	 "tiles",	"rays",	  "items"};
	const struct unit *u = units_find(units, unit);
	for (size_t i = 0; u && i < sizeof(work) / sizeof(work[0]); i++)
		if (strcmp(u->dimension, work[i]) == 0)
			return true;
	return false;
}

static struct compare_metric *find_metric(struct compare_set *set, const char *name,
					  uint32_t device)
{
	for (size_t i = 0; i < set->metric_count; i++)
		if (set->metrics[i].device == device && strcmp(set->metrics[i].name, name) == 0)
			return &set->metrics[i];
	return NULL;
}

static struct compare_metric *new_metric(struct compare_set *set, const struct report_device *d,
					 const struct report_row *row, uint32_t device)
{
	char buf[2 * UNITS_TEXT_MAX];
	double factor;
	struct compare_metric *m = compare_set_metric(set, row->name, set->runs + 1);
	if (!m)
		return NULL;
	m->device = device;
	m->title = compare_set_text(set, row->title);
	m->unit = compare_set_text(set, units_base(&set->units, row->unit, buf, &factor));
	m->neutral = compare_set_text(set, row->neutral);
	if (row->heading < d->heading_count)
		m->heading = compare_set_text(set, d->headings[row->heading].title);
	m->direction = row->direction;
	m->amount = d->kind == SX_SAMPLE_TIME && stats_adds_up(row->unit);
	m->counts =
	    row->type == SX_U64 && stats_adds_up(row->unit) && is_work(&set->units, row->unit);
	return m->title && m->unit ? m : NULL;
}

/* The lines of a curve that lie behind the warm-up: `count` from the result on. */
static size_t resolved(const struct report_device *d, uint64_t warm_up_ns, size_t *count)
{
	size_t lines = d->curve ? sx_table_row_count(d->curve) : 0, first = 0;
	const uint64_t *begin = lines ? sx_table_begin_ns(d->curve) : NULL;
	while (lines >= CURVE_LEAST && first < lines / 2 && begin[first] != SX_TIME_UNKNOWN &&
	       begin[first] - begin[0] < warm_up_ns)
		first++;
	*count = lines - first;
	return first;
}

/* Samples that a line of the course combines; the last may combine fewer. */
static double samples_of(const struct report_device *d, size_t line)
{
	uint64_t before = (uint64_t)line * d->each;
	uint64_t left = d->samples > before ? d->samples - before : 0;
	return left && left < d->each ? (double)left : (double)d->each;
}

/* The mean of lines from `first` on, each for as long as it took; NaN where a time is missing. */
static double mean_over_time(const struct report_device *d, uint32_t column, size_t first)
{
	const uint64_t *begin = sx_table_begin_ns(d->curve), *end = sx_table_end_ns(d->curve);
	double sum = 0, seconds = 0;
	for (size_t i = first; i < sx_table_row_count(d->curve); i++) {
		double value = sx_table_get(d->curve, column, i);
		if (isnan(value))
			continue;
		if (begin[i] == SX_TIME_UNKNOWN || end[i] == SX_TIME_UNKNOWN || end[i] < begin[i])
			return (double)NAN;
		sum += value * (double)(end[i] - begin[i]);
		seconds += (double)(end[i] - begin[i]);
	}
	return seconds > 0 ? sum / seconds : (double)NAN;
}

/*
 * The mean of a rate or share without the warm-up. That of lines is not that of the run, except of
 * what is counted over time: weighed by it, all lines then have the mean of the report, and what is
 * behind the warm-up has its own. NaN where that is not so.
 */
static double resolved_rate(const struct report_device *d, uint32_t column, size_t first)
{
	double whole = d->rows[column].stats.mean, all = mean_over_time(d, column, 0);
	return fabs(all - whole) <= 1e-6 * fabs(whole) ? mean_over_time(d, column, first)
						       : (double)NAN;
}

/*
 * The mean of a run and its noise, from the course of the metric. A line combines several samples:
 * of what adds up it is their sum, of a level one of them. The result is how much of the beginning
 * the mean is without.
 */
static uint64_t read_course(const struct report_device *d, uint32_t column, uint64_t warm_up_ns,
			    double factor, struct compare_metric *m)
{
	bool adds = stats_adds_up(m->unit) && !isnan(d->rows[column].stats.total);
	size_t count, n = 0, first = resolved(d, warm_up_ns, &count);
	double *values = malloc((count + 1) * sizeof(*values));
	double blocks = 0, sum = 0, samples = 0;
	for (size_t i = 0; values && i < count; i++) {
		double value = sx_table_get(d->curve, column, first + i) * factor;
		double weight = samples_of(d, first + i);
		if (isnan(value))
			continue;
		values[n++] = value;
		sum += adds ? value : value * weight;
		samples += weight;
	}
	m->within[m->runs] = values ? noise_of_series(values, n, &blocks) : 0;
	m->blocks[m->runs] = blocks;
	if (adds && d->each > 1)
		m->within[m->runs] /= (double)d->each * (double)d->each;
	free(values);
	if (!first || !n)
		return 0;
	double rate = adds ? (double)NAN : resolved_rate(d, column, first);
	/* Of any other ratio the mean is that of the whole run, as the report has it. */
	if (!isnan(rate))
		m->means[m->runs] = rate * factor;
	else if (stats_adds_up(m->unit))
		m->means[m->runs] = sum / samples;
	else
		return 0;
	const uint64_t *begin = sx_table_begin_ns(d->curve);
	return begin[first] - begin[0];
}

/* Adds one number a run, under a name of its own; from one run its noise is unknown. */
static bool add_number(struct compare_set *set, const struct compare_metric *like, double value,
		       uint64_t samples)
{
	struct compare_metric *m = find_metric(set, like->name, like->device);
	bool known = m != NULL;
	if (known ? !set_make_room(set, m, set->runs + 1)
		  : !(m = compare_set_metric(set, like->name, set->runs + 1)))
		return false;
	if (!known) {
		m->title = like->title;
		m->unit = like->unit;
		m->neutral = like->neutral;
		m->heading = like->heading;
		m->direction = like->direction;
		m->device = like->device;
	}
	m->means[m->runs] = value;
	m->totals[m->runs] = (double)NAN;
	m->seconds[m->runs] = 0;
	m->samples[m->runs] = samples;
	m->within[m->runs] = m->blocks[m->runs] = 0;
	m->constant = false;
	m->stats.min = fmin(m->stats.min, value);
	m->stats.max = fmax(m->stats.max, value);
	m->stats.p50 += value;
	m->stats.p95 += value;
	m->stats.p99 += value;
	m->runs++;
	return true;
}

/* How long frames take at worst is another question than how long they take. */
static bool add_percentiles(struct compare_set *set, size_t index, const struct sx_stats *s,
			    double factor)
{
	const double values[] = {s->p50, s->p95, s->p99};
	static const char *const names[] = {".p50", ".p95", ".p99"};
	for (int i = 0; i < 3; i++) {
		char name[128], neutral[64];
		struct compare_metric like = set->metrics[index]; /* the list may move */
		snprintf(name, sizeof(name), "%s%s", like.name, names[i]);
		snprintf(neutral, sizeof(neutral), FRAME_TIME "%s", names[i]);
		like.name = name;
		like.neutral = compare_set_text(set, neutral);
		if (!add_number(set, &like, values[i] * factor, s->count))
			return false;
	}
	return true;
}

/* The row of frame times: the metric of that name, else what has the neutral one; or NULL. */
static const struct report_row *frame_time_row(const struct report_device *d)
{
	const struct report_row *found = NULL;
	for (uint32_t i = 0; i < d->row_count; i++) {
		const struct report_row *row = &d->rows[i];
		if (row->metric != SX_NONE && strcmp(row->name, "frame_time") == 0)
			return row;
		if (!found && row->neutral && strcmp(row->neutral, FRAME_TIME) == 0)
			found = row;
	}
	return found;
}

bool compare_is_own(const char *name)
{
	return strcasecmp(name, RUN_TIME) == 0 || strcasecmp(name, MISSES) == 0;
}

static bool add_misses(struct compare_set *set, const struct compare_recording *run)
{
	for (uint32_t d = 0; run->frames && d < run->report->device_count; d++) {
		const struct report_row *row = frame_time_row(&run->report->devices[d]);
		const struct compare_metric *m = row ? find_metric(set, row->name, d) : NULL;
		if (!m || m->runs <= set->runs || m->hidden)
			continue;
		struct compare_metric like = *m;
		like.name = like.neutral = MISSES;
		like.title = "Frames over the deadline";
		like.unit = "ratio";
		like.direction = SX_DIRECTION_LOWER;
		return add_number(set, &like, (double)run->late / (double)run->frames, run->frames);
	}
	return true;
}

/* How long the run took, whatever was sampled meanwhile. */
static bool add_run_time(struct compare_set *set, const struct compare_recording *run)
{
	static const struct compare_metric like = {.name = RUN_TIME,
						   .title = "Run time",
						   .unit = "s",
						   .neutral = RUN_TIME,
						   .direction = SX_DIRECTION_LOWER};
	uint64_t ns = run->report->duration_ns;
	return !run->ended || !ns || add_number(set, &like, (double)ns * 1e-9, 1);
}

/* How long a sample of an amount is, where samples are slices of time; else 0. */
static double seconds_of(const struct report_device *d, const struct sx_stats *s)
{
	bool amount = slices_by_time(d->kind) && !isnan(s->total) && d->samples;
	return amount ? (double)d->covered_ns * 1e-9 / (double)d->samples : 0;
}

/* Whether any sample of a run has no value that others represent. */
static bool lacks_samples(const struct report_device *d, const struct sx_stats *s)
{
	bool lost = s->lost || s->quality & SX_QUALITY_LOST || d->run.lost || d->run.lost_more;
	return lost || (!s->skipped && s->running < 1);
}

static bool add_row(struct compare_set *set, const struct compare_recording *run, uint32_t device,
		    uint32_t index)
{
	const struct report_device *d = &run->report->devices[device];
	const struct report_row *row = &d->rows[index];
	char buf[2 * UNITS_TEXT_MAX];
	double factor;
	struct compare_metric *m = find_metric(set, row->name, device);
	units_base(&set->units, row->unit, buf, &factor);
	if (m ? !set_make_room(set, m, set->runs + 1) : !(m = new_metric(set, d, row, device)))
		return false;
	m->hidden = run->is_asked && !run->is_asked(run->user, device, row);
	m->named = d->named && !m->hidden;
	if (!row->stats.count || row->stats.why) {
		m->why = compare_set_text(set, row->stats.why ? row->stats.why
							      : no_data_text(NO_DATA_NO_VALUE));
		return m->why != NULL;
	}
	const struct sx_stats *s = &row->stats;
	m->means[m->runs] = s->mean * factor;
	m->totals[m->runs] = s->total * factor;
	m->seconds[m->runs] = seconds_of(d, s);
	m->amount = m->amount && !isnan(s->total);
	m->scaled = m->scaled || s->skipped;
	m->partial = m->partial || lacks_samples(d, s);
	m->of_rows = m->of_rows || s->of_rows;
	m->samples[m->runs] = s->count;
	uint64_t without_ns = read_course(d, index, run->warm_up_ns, factor, m);
	if (!m->hidden && without_ns > set->warm_up_ns)
		set->warm_up_ns = without_ns;
	m->constant = m->constant && s->min == s->max;
	m->stats.min = fmin(m->stats.min, s->min * factor);
	m->stats.max = fmax(m->stats.max, s->max * factor);
	/* Sums for now; done() divides. */
	m->stats.p50 += s->p50 * factor;
	m->stats.p95 += s->p95 * factor;
	m->stats.p99 += s->p99 * factor;
	m->runs++;
	return m->hidden || frame_time_row(d) != row ||
	       add_percentiles(set, (size_t)(m - set->metrics), s, factor);
}

static bool add_advice(struct compare_set *set, struct compare_device *device, const char *title)
{
	size_t i = 0;
	while (i < device->advice_count && strcmp(device->advice[i], title) != 0)
		i++;
	if (i == device->advice_count) {
		if (!mem_grow(&device->advice, &device->advice_capacity, i + 1,
			      sizeof(*device->advice)) ||
		    !mem_grow(&device->fired, &device->fired_capacity, i + 1,
			      sizeof(*device->fired)))
			return false;
		device->advice[i] = compare_set_text(set, title);
		device->fired[i] = 0;
		if (!device->advice[i])
			return false;
		device->advice_count++;
	}
	device->fired[i]++;
	return true;
}

static bool add_device(struct compare_set *set, const struct report_device *d, uint32_t number)
{
	struct compare_device *device =
	    number < set->device_count ? &set->devices[number] : compare_set_device(set);
	if (!device)
		return false;
	if (!set->runs) {
		device->number = d->facts.number;
		device->catalog = compare_set_text(set, sx_catalog_info(d->catalog)->name);
		device->name =
		    compare_set_text(set, d->facts.name ? d->facts.name : device->catalog);
		device->driver = d->facts.driver && *d->facts.driver
				     ? compare_set_text(set, d->facts.driver)
				     : NULL;
		if (!device->catalog || !device->name)
			return false;
	}
	device->simulated = device->simulated || d->facts.simulated;
	device->samples += d->samples;
	device->lost += d->run.lost;
	for (size_t i = 0; i < d->finding_count; i++)
		if (d->findings[i].fired && !add_advice(set, device, d->findings[i].rule->title))
			return false;
	return true;
}

/* Whether a run measured what the runs before it did. */
static bool is_like(const struct compare_set *set, const struct report *r, struct sx_error *err)
{
	bool like = r->device_count == set->device_count;
	for (uint32_t i = 0; like && i < r->device_count; i++)
		like = strcmp(sx_catalog_info(r->devices[i].catalog)->name,
			      set->devices[i].catalog) == 0;
	if (like)
		return true;
	error_set(err, SX_ERR_USAGE, "%s is no repeated run of %s", r->file ? r->file : "a run",
		  set->files[0]);
	error_because(err, "it has other devices");
	error_try(err, "name runs of the same program on the same devices");
	return false;
}

/* Two of the same say less of noise than one. */
static enum sx_status is_twice(const char *file, struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "%s is named twice on one side", file);
	error_because(err, "one run repeated does not show how runs spread");
	error_try(err, "name each run once");
	return SX_ERR_USAGE;
}

static bool add_file(struct compare_set *set, const char *file)
{
	return mem_grow(&set->files, &set->file_capacity, set->file_count + 1,
			sizeof(*set->files)) &&
	       (set->files[set->file_count] = compare_set_text(set, file));
}

enum sx_status compare_set_add(struct compare_set *set, const struct compare_recording *run,
			       struct sx_error *err)
{
	const struct report *report = run->report;
	if (set->runs && !is_like(set, report, err))
		return SX_ERR_USAGE;
	for (size_t i = 0; i < set->file_count; i++)
		if (strcmp(set->files[i], run->file) == 0)
			return is_twice(run->file, err);
	bool ok = add_file(set, run->file);
	for (uint32_t d = 0; ok && d < report->device_count; d++) {
		const struct report_device *device = &report->devices[d];
		ok = add_device(set, device, d);
		for (uint32_t i = 0; ok && i < device->row_count; i++)
			ok = add_row(set, run, d, i);
	}
	if (!ok || !add_misses(set, run) || !add_run_time(set, run))
		return error_nomem(err, "a comparison");
	set->ended = run->ended && (!set->runs || set->ended);
	set->file_count++;
	set->runs++;
	return SX_OK;
}
