/* The rows of a report in the order and under the headings of the catalog's template. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/report/fill.h"
#include "analysis/stats.h"
#include "base/no_data.h"

struct place {
	const char *title, *id;
};

/* Some templates have a section for each metric: then the one above is the heading. */
static struct place place_of(const struct sx_catalog *catalog, const struct sx_metric_column *c)
{
	uint32_t count;
	if (c->metric == SX_NONE)
		return (struct place){c->counter == SX_NONE ? "Metrics" : "Counters", NULL};
	const struct sx_metric_info *m = &sx_catalog_metrics(catalog, &count)[c->metric];
	if (!m->section_count)
		return (struct place){m->category ? m->category : "Metrics", NULL};
	const struct sx_section_info *all = sx_catalog_sections(catalog, &count);
	const struct sx_section_info *section = &all[m->sections[0]];
	if (section->parent != SX_NONE && strcmp(section->title, m->title) == 0)
		section = &all[section->parent];
	return (struct place){section->title, section->id};
}

static void describe_row(const struct filling *f, const struct sx_metric_column *c,
			 struct report_row *row)
{
	uint32_t count;
	*row = (struct report_row){.name = c->name,
				   .title = c->title,
				   .unit = c->unit,
				   .metric = c->metric,
				   .counter = c->counter,
				   .type = c->type,
				   .over_time = c->over_time,
				   .peak = NAN,
				   .load = NAN};
	if (c->metric != SX_NONE) {
		const struct sx_metric_info *m =
		    &sx_catalog_metrics(f->source.catalog, &count)[c->metric];
		row->neutral = m->neutral;
		row->direction = m->direction;
	} else if (c->counter != SX_NONE) {
		const struct sx_counter_info *info =
		    &sx_catalog_counters(f->source.catalog, &count)[c->counter];
		row->neutral = info->neutral;
		row->direction = info->direction;
	}
}

static bool has_row(const struct report_row *rows, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].stats.count > 0;
	return false;
}

/* One line for one quantity, where everything is shown. */
static void mark_duplicates(const struct filling *f, struct report_row *rows, uint32_t count)
{
	uint32_t n;
	const struct sx_counter_info *counters = sx_catalog_counters(f->source.catalog, &n);
	for (uint32_t i = 0; i < count; i++) {
		const char *same =
		    rows[i].counter == SX_NONE ? NULL : counters[rows[i].counter].same;
		rows[i].duplicate = same && has_row(rows, count, same);
	}
}

/*
 * The share of the device's samples that arrived: no other samples represent those that were lost
 * on the way. Lost time slices are a gap in it.
 */
static double share_there(const struct filling *f, const struct report_device *out)
{
	double all = (double)f->samples + (double)f->run.lost;
	return out->kind == SX_SAMPLE_TIME || f->samples == 0 ? 1 : (double)f->samples / all;
}

/* Where at least as many samples were lost as came, amounts of those that came are not those of the
 * run. */
static const char *why_no_total(struct filling *f, const struct report_device *out)
{
	char counts[64], text[128] = "";
	if (out->kind == SX_SAMPLE_TIME || !f->samples || f->run.lost < f->samples)
		return NULL;
	snprintf(counts, sizeof(counts), "%" PRIu64 " of %" PRIu64, f->run.lost,
		 f->run.lost + f->samples);
	no_data_append(text, sizeof(text), NO_DATA_LOST, counts);
	const char *why = arena_strndup(f->arena, text, strlen(text));
	return why ? why : no_data_text(NO_DATA_LOST);
}

static bool place_rows(struct filling *f, const struct sx_stats *stats, struct report_device *out)
{
	uint32_t count;
	const struct sx_metric_column *columns = sx_metrics_columns(f->source.metrics, &count);
	struct report_row *rows = arena_alloc(f->arena, count * sizeof(*rows) + 1);
	struct report_heading *headings = arena_alloc(f->arena, count * sizeof(*headings) + 1);
	uint32_t used = 0;
	double there = share_there(f, out);
	bool lossy = there < 1 || (f->run.lost_more && out->kind != SX_SAMPLE_TIME);
	const char *why = why_no_total(f, out);
	if (!rows || !headings)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct place place = place_of(f->source.catalog, &columns[i]);
		if (!used || strcmp(headings[used - 1].title, place.title) != 0)
			headings[used++] = (struct report_heading){place.title, place.id, i, 0};
		describe_row(f, &columns[i], &rows[i]);
		rows[i].heading = used - 1;
		headings[used - 1].count++;
		rows[i].stats = stats[i];
		rows[i].running = stats[i].running * there;
		if (lossy && stats[i].count)
			rows[i].stats.quality |= SX_QUALITY_LOST;
		if (why && !isnan(stats[i].total))
			stats_drop_total(&rows[i].stats, why);
	}
	if (!f->source.chosen)
		mark_duplicates(f, rows, count);
	out->rows = rows;
	out->row_count = count;
	out->headings = headings;
	out->heading_count = used;
	return true;
}

bool report_place_rows(struct filling *f, const struct sx_stats *stats, struct report_device *out)
{
	if (!place_rows(f, stats, out))
		return false;
	struct report_row *rows = (struct report_row *)out->rows;
	return report_find_peaks(f, out->total, rows, out->row_count, NULL) != SX_ERR_NO_MEMORY;
}

bool report_place_absent(struct filling *f, struct report_device *out)
{
	uint32_t count;
	sx_metrics_columns(f->source.metrics, &count);
	struct sx_stats *stats = arena_alloc(f->arena, count * sizeof(*stats) + 1);
	char why[SX_ERROR_TEXT_MAX + 64] = "";
	no_data_append(why, sizeof(why), NO_DATA_NO_SAMPLES,
		       f->run.silence ? f->run.silence->because : NULL);
	const char *kept = arena_strndup(f->arena, why, strlen(why));
	for (uint32_t i = 0; stats && i < count; i++)
		stats[i] = (struct sx_stats){.why = kept ? kept : no_data_text(NO_DATA_NO_SAMPLES),
					     .total = NAN,
					     .total_error = NAN,
					     .mean = NAN,
					     .min = NAN,
					     .max = NAN,
					     .p50 = NAN,
					     .p95 = NAN,
					     .p99 = NAN};
	return stats && place_rows(f, stats, out);
}

bool report_lacks_named(const struct report *report)
{
	for (uint32_t d = 0; d < report->device_count; d++)
		for (uint32_t i = 0; i < report->devices[d].row_count; i++) {
			const struct report_row *row = &report->devices[d].rows[i];
			bool nobody_has = row->metric == SX_NONE && row->counter == SX_NONE;
			bool silent = !report->devices[d].samples;
			if (report->devices[d].named && !row->stats.count && (nobody_has || silent))
				return true;
		}
	return false;
}
