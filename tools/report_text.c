/* The report as text: what it comes to first, then the numbers with their course over time. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "output/report/findings.h"
#include "tools/profile_out.h"
#include "tools/report.h"

#define WIDE	    110 /* columns from which there is room for more numbers */
#define COURSE	    11
#define COURSE_WIDE 32

void report_number(const struct cli *cli, char buf[HUMAN_MAX], double value, const char *unit)
{
	human_value(&cli->view.human, buf, value, unit);
	char *to = buf;
	for (const char *from = buf; *from; from++)
		if (*from != ' ')
			*to++ = *from;
	*to = '\0';
}

const char *report_unit(const struct cli *cli, const char *unit)
{
	const char *slash = strchr(unit, '/');
	const char *text = human_unit(&cli->view.human, unit);
	if (!slash || !*text)
		return text;
	return strcmp(slash, "/s") == 0 ? "/s" : "";
}

void report_head(const struct cli *cli, const struct report_device *d)
{
	const struct sx_capture_device *info = d->view->info;
	const char *kind = profile_sample_kind(info->kind);
	char duration[HUMAN_MAX];
	FILE *out = cli->view.out.out;
	text_styled(&cli->view.out, TEXT_BOLD, *info->name ? info->name : info->catalog);
	if (info->simulated)
		text_styled(&cli->view.out, TEXT_YELLOW, "  SIMULATED, not a real device");
	fputc('\n', out);
	if (*info->driver)
		fprintf(out, "%s\n", info->driver);
	fprintf(out, "%" PRIu64 " %s%s", d->rows, strcmp(kind, "time") == 0 ? "sample" : kind,
		d->rows == 1 ? "" : "s");
	if (d->end_ns > d->begin_ns) {
		human_duration(duration, d->end_ns - d->begin_ns);
		fprintf(out, " in %s", duration);
	}
	fputc('\n', out);
}

/*
 * The course of a metric as bars of eight heights, each the mean of its part of the rows, between
 * the smallest and the largest of these; a blank has no data.
 */
static void sparkline(const struct sx_table *curve, uint32_t column, size_t width, char *out)
{
	static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	size_t rows = sx_table_row_count(curve);
	double means[64], low = INFINITY, high = -INFINITY;
	width = width > 64 ? 64 : width;
	width = rows < width ? rows : width;
	for (size_t i = 0; i < width; i++) {
		double sum = 0;
		size_t count = 0;
		for (size_t r = i * rows / width; r < (i + 1) * rows / width; r++) {
			double value = sx_table_get(curve, column, r);
			if (!isfinite(value))
				continue;
			sum += value;
			count++;
		}
		means[i] = count ? sum / (double)count : NAN;
		low = fmin(low, means[i]);
		high = fmax(high, means[i]);
	}
	*out = '\0';
	for (size_t i = 0; i < width; i++) {
		bool flat = high - low <= 1e-9 * fmax(fabs(low), fabs(high));
		double share = !flat ? (means[i] - low) / (high - low) : 0;
		const char *bar = isnan(means[i]) ? " " : bars[(int)(share * 7.999)];
		memcpy(out, bar, strlen(bar) + 1);
		out += strlen(bar);
	}
}

static const char *heading(const struct report_device *d, uint32_t i)
{
	uint32_t count;
	const struct sx_metric_column *c = &d->columns[i];
	if (c->metric == SX_NONE)
		return "Counters";
	const struct sx_metric_info *m = &sx_catalog_metrics(d->view->catalog, &count)[c->metric];
	if (m->section_count)
		return sx_catalog_sections(d->view->catalog, &count)[m->sections[0]].title;
	return m->category ? m->category : "Metrics";
}

static bool all_zero(const struct sx_stats *s)
{
	return s->count && s->min == 0 && s->max == 0;
}

static bool add_row(const struct cli *cli, struct text_table *table, const struct report_device *d,
		    uint32_t i, bool wide)
{
	const struct sx_stats *s = &d->stats[i];
	const struct sx_metric_column *c = &d->columns[i];
	const double narrow_values[] = {s->min, s->mean, s->p95, s->max};
	const double wide_values[] = {s->total, s->min, s->mean, s->p50, s->p95, s->p99, s->max};
	const double *values = wide ? wide_values : narrow_values;
	size_t count = wide ? 7 : 4;
	char text[7][HUMAN_MAX], name[256], spark[64 * 3 + 1];
	const char *cells[10];
	snprintf(name, sizeof(name), "  %s", c->name);
	cells[0] = name;
	for (size_t v = 0; v < count; v++) {
		report_number(cli, text[v], values[v], c->unit);
		cells[v + 1] = wide && v == 0 && isnan(values[v]) ? "" : text[v];
	}
	sparkline(d->curve, i, wide ? COURSE_WIDE : COURSE, spark);
	cells[count + 1] = report_unit(cli, c->unit);
	cells[count + 2] = spark;
	return text_table_row(table, cells, s->quality ? TEXT_YELLOW : TEXT_PLAIN);
}

static struct text_table *create_table(bool wide)
{
	static const struct text_column narrow[] = {
	    {"", TEXT_LEFT, 2, 16, true},      {"min", TEXT_RIGHT, 0, 0, false},
	    {"mean", TEXT_RIGHT, 0, 0, false}, {"p95", TEXT_RIGHT, 0, 0, false},
	    {"max", TEXT_RIGHT, 0, 0, false},  {"unit", TEXT_LEFT, 3, 8, false},
	    {"course", TEXT_LEFT, 0, 0, false}};
	static const struct text_column all[] = {
	    {"", TEXT_LEFT, 2, 16, true},     {"total", TEXT_RIGHT, 0, 0, false},
	    {"min", TEXT_RIGHT, 0, 0, false}, {"mean", TEXT_RIGHT, 0, 0, false},
	    {"p50", TEXT_RIGHT, 0, 0, false}, {"p95", TEXT_RIGHT, 0, 0, false},
	    {"p99", TEXT_RIGHT, 0, 0, false}, {"max", TEXT_RIGHT, 0, 0, false},
	    {"unit", TEXT_LEFT, 3, 8, false}, {"course", TEXT_LEFT, 0, 0, false}};
	return wide ? text_table_create(all, 10) : text_table_create(narrow, 7);
}

static bool write_table(const struct cli *cli, const struct report_device *d)
{
	bool wide = cli->view.out.width >= WIDE, ok;
	struct text_table *table = create_table(wide);
	const char *last = "";
	ok = table != NULL;
	for (uint32_t i = 0; ok && i < d->count; i++) {
		bool hidden = !d->stats[i].count || all_zero(&d->stats[i]);
		if (hidden && !cli->options.verbose)
			continue;
		const char *next = heading(d, i);
		if (strcmp(next, last) != 0)
			ok = text_table_heading(table, next);
		last = next;
		ok = ok && add_row(cli, table, d, i, wide);
	}
	if (ok)
		text_table_write(table, &cli->view.out);
	text_table_destroy(table);
	return ok;
}

/* What the table leaves out, and which of its values have reservations. */
static void write_footnotes(const struct cli *cli, const struct report_device *d)
{
	uint32_t zero = 0, none = 0, reserved = 0;
	const char *why = NULL;
	char line[512];
	for (uint32_t i = 0; i < d->count; i++) {
		const struct sx_stats *s = &d->stats[i];
		zero += all_zero(s);
		none += s->count == 0;
		reserved += s->count && s->quality;
		why = !why && s->count == 0 ? s->why : why;
		if (cli->options.verbose && s->count == 0)
			fprintf(cli->view.out.out, "- %s: %s\n", d->columns[i].name, s->why);
	}
	if (cli->options.verbose)
		return;
	if (zero || none || reserved)
		fputc('\n', cli->view.out.out);
	if (zero) {
		snprintf(line, sizeof(line), "%u more were 0 in every sample (-v shows them)",
			 zero);
		text_wrap(&cli->view.out, 2, line);
	}
	if (none) {
		snprintf(line, sizeof(line), "%u have no data (-v says why of each): %s", none,
			 why ? why : "");
		text_wrap(&cli->view.out, 2, line);
	}
	if (reserved) {
		snprintf(line, sizeof(line),
			 "%u hold for a part or an estimate of some samples (lost, wrapped, "
			 "multiplexed or stretched)",
			 reserved);
		text_wrap(&cli->view.out, 2, line);
	}
}

bool report_text(const struct cli *cli, const struct report_device *d)
{
	char line[128];
	report_head(cli, d);
	if (!d->rows)
		return true;
	if (d->advice)
		findings_text(&cli->view, d->view->catalog, d->advice);
	if (d->each > 1) {
		snprintf(line, sizeof(line),
			 "(a sample of the above is %" PRIu64 " adjacent ones of the recording)",
			 d->each);
		text_wrap(&cli->view.out, 2, line);
	}
	report_budget_text(cli, d);
	fputc('\n', cli->view.out.out);
	bool ok = write_table(cli, d);
	write_footnotes(cli, d);
	return ok;
}
