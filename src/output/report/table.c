/* The table of a report's metrics: columns of numbers in one order, and the course over time. */
#include "output/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text_buf.h"

#define WIDE	      104 /* columns from which there is room for all numbers */
#define COURSE	      8
#define COURSE_WIDE   20
#define NUMBERS	      7
#define CELLS	      (NUMBERS + 4)
#define REASONS_SHOWN 3
#define TABLE_RANKS   4

/* Means of `width` parts of a column, between its smallest and largest; NaN has no data. */
struct course {
	double means[64], low, high;
	size_t width;
};

static struct course course_of(const struct sx_table *curve, uint32_t column, size_t width)
{
	size_t rows = sx_table_row_count(curve);
	struct course c = {.low = INFINITY, .high = -INFINITY};
	c.width = rows < width ? rows : width;
	for (size_t i = 0; i < c.width; i++) {
		double sum = 0;
		size_t count = 0;
		for (size_t r = i * rows / c.width; r < (i + 1) * rows / c.width; r++) {
			double value = sx_table_get(curve, column, r);
			if (!isfinite(value))
				continue;
			sum += value;
			count++;
		}
		c.means[i] = count ? sum / (double)count : NAN;
		c.low = fmin(c.low, c.means[i]);
		c.high = fmax(c.high, c.means[i]);
	}
	return c;
}

/* Bars of eight heights; a blank has no data. */
static void sparkline(const struct view *view, const struct course *c, char *out)
{
	static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const plain[] = {"_", ".", "-", "~", "=", "+", "*", "#"};
	bool flat = c->high - c->low <= 1e-9 * fmax(fabs(c->low), fabs(c->high));
	*out = '\0';
	for (size_t i = 0; i < c->width; i++) {
		double share = !flat ? (c->means[i] - c->low) / (c->high - c->low) : 0;
		int height = isnan(c->means[i]) ? 0 : (int)(share * 7.999);
		const char *bar = isnan(c->means[i]) ? " "
				  : view->out.ascii  ? plain[height]
						     : bars[height];
		memcpy(out, bar, strlen(bar) + 1);
		out += strlen(bar);
	}
}

/* Which columns this terminal has room for. */
struct shape {
	bool shown[NUMBERS]; /* total min mean p50 p95 p99 max */
	bool peak;	     /* the mean's share of what there can be at most */
	size_t course;	     /* columns; 0: not shown */
};

/* What is in percent says by itself how near it is. */
static bool has_share(const struct report_row *row)
{
	return !isnan(row->load) && strcmp(row->unit, "percent") != 0;
}

static bool all_zero(const struct sx_stats *s)
{
	return s->count && !s->lost && !s->why && s->min == 0 && s->max == 0;
}

static bool hidden(const struct view *view, const struct report_row *row)
{
	return !view->verbose && (row->duplicate || !row->stats.count || all_zero(&row->stats));
}

/* What says most comes first: what advice is about, what is compared across devices, metrics. */
static unsigned row_rank(const struct report_device *d, const struct report_row *row)
{
	for (size_t i = 0; i < d->finding_count && i < FINDINGS_BRIEF; i++) {
		const struct sx_finding *f = &d->findings[i];
		if (f->fired && f->rule->metric && strcmp(f->rule->metric, row->name) == 0)
			return 0;
	}
	if (row->metric == SX_NONE)
		return TABLE_RANKS - 1;
	return row->neutral ? 1 : 2;
}

/* Marks the rows that a table of at most so many has; their number. */
static uint32_t choose_rows(const struct view *view, const struct report_device *d, uint32_t most,
			    bool *shown)
{
	uint32_t count = 0;
	for (unsigned rank = 0; rank < TABLE_RANKS; rank++)
		for (uint32_t i = 0; i < d->row_count && count < most; i++) {
			if (hidden(view, &d->rows[i]) || row_rank(d, &d->rows[i]) != rank)
				continue;
			shown[i] = true;
			count++;
		}
	return count;
}

static struct shape shape_of(const struct view *view, const struct report_device *d,
			     const bool *shown)
{
	bool wide = view->out.width >= WIDE, totals = false, several = false, peaks = false;
	for (uint32_t i = 0; i < d->row_count; i++) {
		const struct sx_stats *s = &d->rows[i].stats;
		totals |= !isnan(s->total) || (s->count && s->why);
		several |= s->count > 1;
		peaks |= has_share(&d->rows[i]) && shown[i];
	}
	/* One sample has one number. */
	struct shape s = {.shown = {totals && several, wide && several, true, wide && several,
				    several, wide && several, several},
			  .peak = wide && peaks};
	if (view->out.terminal && several)
		s.course = wide ? COURSE_WIDE : COURSE;
	return s;
}

static bool table_add_row(const struct view *view, struct text_table *table,
			  const struct report_device *d, uint32_t i, const struct shape *shape)
{
	const struct report_row *row = &d->rows[i];
	const struct sx_stats *s = &row->stats;
	const double values[NUMBERS] = {s->total, s->min, s->mean, s->p50, s->p95, s->p99, s->max};
	char text[NUMBERS][HUMAN_MAX], share[HUMAN_MAX], name[256], course[64 * 3 + 1];
	const char *cells[CELLS];
	size_t n = 0;
	snprintf(name, sizeof(name), "  %s", row->name);
	cells[n++] = name;
	for (size_t v = 0; v < NUMBERS; v++) {
		if (!shape->shown[v])
			continue;
		human_cell(&view->human, text[v], values[v], row->unit);
		cells[n++] = v == 0 && isnan(values[v]) && !s->why ? "" : text[v];
	}
	cells[n++] = human_cell_unit(&view->human, row->unit);
	if (shape->peak) {
		human_value(&view->human, share, row->load * 100, "percent");
		cells[n++] = has_share(row) ? share : "";
	}
	if (shape->course) {
		struct course c = course_of(d->curve, i, shape->course);
		sparkline(view, &c, course);
		cells[n++] = course;
	}
	return text_table_row(table, cells, s->quality ? TEXT_YELLOW : TEXT_PLAIN);
}

static struct text_table *create_table(const struct view *view, const struct shape *shape)
{
	static const char *const titles[] = {"total", "min", "mean", "p50", "p95", "p99", "max"};
	/* With -v names are whole, whatever the width. */
	size_t least = view->verbose ? 0 : 16;
	struct text_column columns[CELLS] = {{"", TEXT_LEFT, 2, least, false, true}};
	size_t n = 1;
	for (size_t v = 0; v < NUMBERS; v++)
		if (shape->shown[v])
			columns[n++] =
			    (struct text_column){.title = titles[v], .align = TEXT_RIGHT};
	columns[n++] = (struct text_column){"unit", TEXT_LEFT, 3, 6, false, false};
	if (shape->peak)
		columns[n++] = (struct text_column){.title = "of peak", .align = TEXT_RIGHT};
	if (shape->course)
		columns[n++] = (struct text_column){.title = "course"};
	return text_table_create(columns, n);
}

static bool write_rows(const struct view *view, const struct report_device *d, const bool *shown,
		       bool headings)
{
	struct shape shape = shape_of(view, d, shown);
	struct text_table *table = create_table(view, &shape);
	bool ok = table != NULL;
	uint32_t last = UINT32_MAX;
	for (uint32_t i = 0; ok && i < d->row_count; i++) {
		if (!shown[i])
			continue;
		if (headings && d->rows[i].heading != last)
			ok = text_table_heading(table, d->headings[d->rows[i].heading].title);
		last = d->rows[i].heading;
		ok = ok && table_add_row(view, table, d, i, &shape);
	}
	if (ok)
		text_table_write(table, &view->out);
	text_table_destroy(table);
	return ok;
}

/* How many rows have the reason of one, and whether one before it does. */
static uint32_t count_with_reason(const struct report_device *d, uint32_t at, bool *earlier)
{
	uint32_t count = 0;
	const struct sx_stats *one = &d->rows[at].stats;
	*earlier = false;
	for (uint32_t i = 0; i < d->row_count; i++) {
		const struct sx_stats *s = &d->rows[i].stats;
		if (!s->why || !s->count != !one->count || strcmp(s->why, one->why) != 0)
			continue;
		*earlier |= i < at;
		count++;
	}
	return count;
}

/* Reasons of rows that have no total, or no data, each once; of no data the first few. */
static void missing_footnotes(const struct view *view, const struct report_device *d,
			      bool of_totals, uint32_t most)
{
	const char *what = of_totals ? "total" : "data";
	char line[512];
	uint32_t shown = 0, left = 0;
	for (uint32_t i = 0; i < d->row_count; i++) {
		const struct sx_stats *s = &d->rows[i].stats;
		bool earlier;
		if (!s->why || of_totals != (s->count > 0))
			continue;
		uint32_t count = count_with_reason(d, i, &earlier);
		if (earlier)
			continue;
		if (shown == most) {
			left += count;
			continue;
		}
		shown++;
		if (count == 1)
			snprintf(line, sizeof(line), "%s: no %s: %s", d->rows[i].name, what,
				 s->why);
		else
			snprintf(line, sizeof(line), "%u metrics have no %s: %s", count, what,
				 s->why);
		text_wrap(&view->out, 2, line);
	}
	if (left) {
		snprintf(line, sizeof(line), "%u more have no %s for other reasons (-v says each)",
			 left, what);
		text_wrap(&view->out, 2, line);
	}
}

/* Whether a sum is too low: some samples have no data, and it was not scaled up to them. */
static bool lacks_samples(const struct report_row *row)
{
	unsigned quality = row->stats.quality & (SX_QUALITY_LOST | SX_QUALITY_MULTIPLEXED);
	return row->stats.count && row->running < 1 && !isnan(row->stats.total) &&
	       row->over_time == SX_REDUCE_SUM && quality != SX_QUALITY_MULTIPLEXED;
}

/* The sum that is the furthest too low names them. */
static void partial_footnote(const struct view *view, const struct report_device *d)
{
	char line[512];
	const struct report_row *worst = NULL;
	uint32_t count = 0;
	for (uint32_t i = 0; i < d->row_count; i++) {
		const struct report_row *row = &d->rows[i];
		if (!lacks_samples(row))
			continue;
		count++;
		worst = worst && worst->running <= row->running ? worst : row;
	}
	if (!count)
		return;
	if (count == 1)
		snprintf(line, sizeof(line),
			 "%s: the total is too low, %.3g %% of the samples were counted",
			 worst->name, worst->running * 100);
	else
		snprintf(line, sizeof(line),
			 "%u totals are too low: not all samples were counted (%s: %.3g %%)", count,
			 worst->name, worst->running * 100);
	text_wrap(&view->out, 2, line);
}

/* What a brief table has no room for, in one line. */
static void rest_footnote(const struct view *view, const struct report_device *d, const bool *shown)
{
	uint32_t more = 0, zero = 0, none = 0, reserved = 0;
	char rest[128] = "", line[256] = "";
	for (uint32_t i = 0; i < d->row_count; i++) {
		const struct sx_stats *s = &d->rows[i].stats;
		bool was_zero = all_zero(s);
		more += s->count && !was_zero && !shown[i];
		zero += was_zero;
		none += !s->count;
		reserved += s->count && s->quality;
	}
	if (more)
		text_append_item(rest, sizeof(rest), ", ", "%s", COUNTED(more, "metric"));
	if (zero)
		text_append_item(rest, sizeof(rest), ", ", "%u always 0", zero);
	if (none)
		text_append_item(rest, sizeof(rest), ", ", "%u without data", none);
	if (*rest)
		snprintf(line, sizeof(line), "not shown: %s (-v)", rest);
	if (reserved)
		text_append_item(line, sizeof(line), "; ", "%u of all %u are partial or estimated",
				 reserved, d->row_count);
	if (*line)
		text_wrap(&view->out, 2, line);
}

/* Both may be of a file. */
static void write_reason(const struct view *view, const char *name, const char *why)
{
	fputs("- ", view->out.out);
	text_write(view->out.out, name);
	fputs(": ", view->out.out);
	text_write(view->out.out, why ? why : "");
	fputc('\n', view->out.out);
}

void table_footnotes(const struct view *view, const struct report_device *d)
{
	uint32_t zero = 0, reserved = 0;
	char line[512];
	for (uint32_t i = 0; i < d->row_count; i++) {
		const struct sx_stats *s = &d->rows[i].stats;
		zero += all_zero(s);
		reserved += s->count && s->quality;
		if (view->verbose && !s->count)
			write_reason(view, d->rows[i].name, s->why);
	}
	if (!view->verbose && zero) {
		snprintf(line, sizeof(line), "%u more %s 0 in every sample (-v shows %s)", zero,
			 zero == 1 ? "was" : "were", zero == 1 ? "it" : "them");
		text_wrap(&view->out, 2, line);
	}
	missing_footnotes(view, d, true, REASONS_SHOWN);
	if (!view->verbose)
		missing_footnotes(view, d, false, REASONS_SHOWN);
	partial_footnote(view, d);
	if (reserved) {
		snprintf(line, sizeof(line),
			 "%u %s for a part or an estimate of some samples (lost, wrapped, "
			 "multiplexed or stretched)",
			 reserved, reserved == 1 ? "holds" : "hold");
		text_wrap(&view->out, 2, line);
	}
}

bool table_write(const struct view *view, const struct report_device *d, uint32_t most)
{
	bool *shown = calloc(d->row_count + 1, sizeof(*shown));
	if (!shown)
		return false;
	uint32_t count = choose_rows(view, d, most, shown);
	bool ok = !count || write_rows(view, d, shown, !view->brief);
	if (!view->brief || !count) {
		table_footnotes(view, d);
	} else {
		missing_footnotes(view, d, true, 1);
		partial_footnote(view, d);
		rest_footnote(view, d, shown);
	}
	free(shown);
	return ok;
}
