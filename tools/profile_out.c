/* The profile of a run: who was measured, every metric's distribution, and the verdict. */
#include "output/catalog/describe.h"
#include "tools/profile_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/report/findings.h"

const char *profile_sample_kind(enum sx_sample_kind kind)
{
	static const char *const names[] = {"time", "frame",   "group", "context",
					    "dump", "process", "row"};
	return names[kind];
}

/* One device's numbers. */
struct numbers {
	const struct sx_session_device *device;
	struct sx_distribution *distribution;
	const struct sx_metric_column *columns;
	const struct sx_stats *stats;
	uint32_t count;
};

static double running_share(const struct sx_stats *s)
{
	return s->count ? 1.0 : 0.0;
}

static void metric_json(struct json *json, const struct numbers *n, uint32_t device, uint32_t i)
{
	const struct sx_stats *s = &n->stats[i];
	const struct sx_metric_column *c = &n->columns[i];
	json_object_begin_flat(json);
	describe_stats_json(json, c, s, device);
	json_kv_f64(json, "running", running_share(s));
	json_kv_string(json, "why", s->why);
	json_object_end(json);
}

/* --set is that of the device whose catalog has it. */
static enum sx_status advise(const struct cli *cli, const struct sx_session_device *d,
			     struct sx_advice **out, struct sx_error *err)
{
	const char *set = cli->options.set;
	bool own = set && sx_catalog_find_group(d->catalog, set) != SX_NONE;
	struct sx_metrics_options options = {.set = own ? set : NULL,
					     .constants = d->constants,
					     .constant_count = d->constant_count};
	return sx_advice_create(d->catalog, &options, d->raw, out, err);
}

static void head_json(struct json *json, const struct profile *p)
{
	size_t samples = 0;
	enum sx_sample_kind kind = SX_SAMPLE_TIME;
	json_key(json, "devices");
	json_array_begin(json);
	for (uint32_t i = 0; i < p->device_count; i++) {
		const struct sx_session_device *d = &p->devices[i];
		json_object_begin_flat(json);
		json_kv_string(json, "catalog", sx_catalog_info(d->catalog)->name);
		json_kv_string(json, "name", d->name);
		json_kv_string(json, "source", d->source);
		json_kv_string(json, "driver", d->driver);
		json_kv_bool(json, "simulated", d->simulated);
		json_kv_u64(json, "samples", sx_table_row_count(d->raw));
		json_kv_u64(json, "lost", d->lost);
		json_kv_string(json, "note", d->note);
		json_object_end(json);
	}
	json_array_end(json);
	if (p->device_count) {
		samples = sx_table_row_count(p->devices[0].raw);
		kind = sx_table_kind(p->devices[0].raw);
	}
	json_key(json, "samples");
	json_object_begin_flat(json);
	json_kv_string(json, "kind", profile_sample_kind(kind));
	json_kv_u64(json, "count", samples);
	json_object_end(json);
	json_kv_u64(json, "duration_ns", sx_session_duration_ns(p->session));
	json_key(json, "exit");
	if (p->argv)
		json_i64(json, p->exit_code);
	else
		json_null(json);
}

static void write_json(const struct cli *cli, const struct profile *p, const struct numbers *all,
		       struct sx_advice *const *advice)
{
	struct json json = view_json_begin(&cli->view, "stat");
	head_json(&json, p);
	json_key(&json, "metrics");
	json_array_begin(&json);
	for (uint32_t d = 0; d < p->device_count; d++)
		for (uint32_t i = 0; i < all[d].count; i++)
			metric_json(&json, &all[d], d, i);
	json_array_end(&json);
	json_key(&json, "findings");
	json_array_begin(&json);
	for (uint32_t d = 0; d < p->device_count; d++)
		if (advice[d])
			findings_json(&json, advice[d], d);
	json_array_end(&json);
	view_json_end(&json);
}

static void write_csv(const struct cli *cli, const struct profile *p, const struct numbers *all)
{
	static const char *const head[] = {"name", "device", "unit", "total", "mean",	 "min",
					   "p50",  "p95",    "p99",  "max",   "running", "why"};
	struct csv csv = {.out = cli->view.out.out};
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		csv_text(&csv, head[i]);
	csv_end_line(&csv);
	for (uint32_t d = 0; d < p->device_count; d++) {
		for (uint32_t i = 0; i < all[d].count; i++) {
			const struct sx_stats *s = &all[d].stats[i];
			const struct sx_metric_column *c = &all[d].columns[i];
			csv_text(&csv, c->name);
			csv_u64(&csv, d);
			csv_text(&csv, c->unit);
			if (c->type == SX_U64 && !isnan(s->total))
				csv_u64(&csv, s->total_u64);
			else
				csv_f64(&csv, s->total);
			const double values[] = {s->mean, s->min, s->p50,	   s->p95,
						 s->p99,  s->max, running_share(s)};
			for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
				csv_f64(&csv, values[v]);
			csv_text(&csv, s->why);
			csv_end_line(&csv);
		}
	}
}

/* "16.7 ms" as "16.7ms": six numbers a line must fit 80 columns. */
static void dense(const struct cli *cli, char buf[HUMAN_MAX], double value, const char *unit)
{
	human_value(&cli->view.human, buf, value, unit);
	char *to = buf;
	for (const char *from = buf; *from; from++)
		if (*from != ' ')
			*to++ = *from;
	*to = '\0';
}

/* A quotient's name says what it is of ("vertices_per_primitive"); only rates keep their "/s". */
static const char *short_unit(const struct cli *cli, const char *unit)
{
	const char *slash = strchr(unit, '/');
	const char *text = human_unit(&cli->view.human, unit);
	if (!slash || !*text)
		return text;
	return strcmp(slash, "/s") == 0 ? "/s" : "";
}

static bool add_row(const struct cli *cli, struct text_table *table, const struct numbers *n,
		    uint32_t i)
{
	const struct sx_stats *s = &n->stats[i];
	const struct sx_metric_column *c = &n->columns[i];
	const double values[6] = {s->total, s->mean, s->p50, s->p95, s->p99, s->max};
	char text[6][HUMAN_MAX], name[256];
	const char *cells[8];
	snprintf(name, sizeof(name), "  %s", c->name);
	cells[0] = name;
	for (int v = 0; v < 6; v++) {
		dense(cli, text[v], values[v], c->unit);
		cells[v + 1] = v == 0 && isnan(values[v]) ? "" : text[v];
	}
	cells[7] = short_unit(cli, c->unit);
	return text_table_row(table, cells, s->quality ? TEXT_YELLOW : TEXT_PLAIN);
}

/* The heading of a metric: its section, or "Counters". */
static const char *heading(const struct numbers *n, uint32_t i)
{
	uint32_t count;
	const struct sx_metric_column *c = &n->columns[i];
	if (c->metric == SX_NONE)
		return "Counters";
	const struct sx_metric_info *m = &sx_catalog_metrics(n->device->catalog, &count)[c->metric];
	if (m->section_count) {
		const struct sx_section_info *all = sx_catalog_sections(n->device->catalog, &count);
		const struct sx_section_info *section = &all[m->sections[0]];
		/* Some templates have a section for each metric: then the one above is a heading.
		 */
		bool own = section->parent != SX_NONE && !strcmp(section->title, m->title);
		return own ? all[section->parent].title : section->title;
	}
	return m->category ? m->category : "Metrics";
}

static bool all_zero(const struct sx_stats *s)
{
	return s->count && s->min == 0 && s->max == 0;
}

static bool write_table(const struct cli *cli, const struct numbers *n)
{
	static const struct text_column columns[] = {
	    {"", TEXT_LEFT, 2, 16, true},      {"total", TEXT_RIGHT, 0, 0, false},
	    {"mean", TEXT_RIGHT, 0, 0, false}, {"p50", TEXT_RIGHT, 0, 0, false},
	    {"p95", TEXT_RIGHT, 0, 0, false},  {"p99", TEXT_RIGHT, 0, 0, false},
	    {"max", TEXT_RIGHT, 0, 0, false},  {"unit", TEXT_LEFT, 3, 8, false}};
	struct text_table *table = text_table_create(columns, 8);
	const char *last = "";
	bool ok = table != NULL;
	for (uint32_t i = 0; ok && i < n->count; i++) {
		bool hidden = !n->stats[i].count || all_zero(&n->stats[i]);
		if (hidden && !cli->options.verbose)
			continue;
		const char *next = heading(n, i);
		if (strcmp(next, last) != 0)
			ok = text_table_heading(table, next);
		last = next;
		ok = ok && add_row(cli, table, n, i);
	}
	if (ok)
		text_table_write(table, &cli->view.out);
	text_table_destroy(table);
	return ok;
}

/* Names the metrics that were left out of the table, and why the first of each reason has no data.
 */
static void write_footnotes(const struct cli *cli, const struct numbers *n)
{
	uint32_t zero = 0, none = 0;
	const char *reason = NULL;
	char line[512];
	for (uint32_t i = 0; i < n->count; i++) {
		zero += all_zero(&n->stats[i]);
		none += n->stats[i].count == 0;
		if (!reason && n->stats[i].count == 0)
			reason = n->stats[i].why;
	}
	FILE *out = cli->view.out.out;
	if (cli->options.verbose) {
		for (uint32_t i = 0; i < n->count; i++)
			if (n->stats[i].count == 0)
				fprintf(out, "- %s: %s\n", n->columns[i].name, n->stats[i].why);
		return;
	}
	if (zero || none)
		fputc('\n', out);
	if (zero) {
		snprintf(line, sizeof(line), "%u more were 0 in every sample (-v shows them)",
			 zero);
		text_wrap(&cli->view.out, 2, line);
	}
	if (none) {
		snprintf(line, sizeof(line), "%u have no data (-v says why of each): %s", none,
			 reason ? reason : "");
		text_wrap(&cli->view.out, 2, line);
	}
}

static void write_head(const struct cli *cli, const struct profile *p,
		       const struct sx_session_device *d)
{
	char duration[HUMAN_MAX];
	FILE *out = cli->view.out.out;
	size_t samples = sx_table_row_count(d->raw);
	const char *kind = profile_sample_kind(sx_table_kind(d->raw));
	text_styled(&cli->view.out, TEXT_BOLD,
		    d->name ? d->name : sx_catalog_info(d->catalog)->title);
	if (d->simulated)
		text_styled(&cli->view.out, TEXT_YELLOW, "  SIMULATED, not a real device");
	fputc('\n', out);
	if (d->driver)
		fprintf(out, "%s\n", d->driver);
	human_duration(duration, sx_session_duration_ns(p->session));
	fprintf(out, "%zu %s%s in %s", samples, strcmp(kind, "time") == 0 ? "sample" : kind,
		samples == 1 ? "" : "s", duration);
	if (d->lost)
		fprintf(out, ", %llu lost", (unsigned long long)d->lost);
	if (p->argv)
		fprintf(out, ", exit status %d", p->exit_code);
	fputs("\n\n", out);
}

static bool write_text(const struct cli *cli, const struct profile *p, const struct numbers *all,
		       struct sx_advice *const *advice)
{
	bool ok = true;
	for (uint32_t d = 0; ok && d < p->device_count; d++) {
		if (d)
			fputc('\n', cli->view.out.out);
		write_head(cli, p, &p->devices[d]);
		if (sx_table_row_count(p->devices[d].raw) == 0)
			continue;
		ok = write_table(cli, &all[d]);
		write_footnotes(cli, &all[d]);
		if (advice[d])
			findings_text(&cli->view, p->devices[d].catalog, advice[d]);
	}
	return ok;
}

static enum sx_status gather(const struct cli *cli, const struct profile *p, struct numbers *all,
			     struct sx_advice **advice, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint32_t d = 0; !status && d < p->device_count; d++) {
		const struct sx_session_device *device = &p->devices[d];
		all[d].device = device;
		if (device->metrics) {
			status = sx_distribution_create(device->metrics, device->raw,
							&all[d].distribution, err);
			if (status)
				break;
			all[d].columns = sx_metrics_columns(device->metrics, &all[d].count);
			all[d].stats = sx_distribution_stats(all[d].distribution, NULL);
		}
		if (sx_table_row_count(device->raw))
			status = advise(cli, device, &advice[d], err);
	}
	return status;
}

enum sx_status profile_write(const struct cli *cli, const struct profile *p, struct sx_error *err)
{
	struct numbers *all = calloc(p->device_count + 1, sizeof(*all));
	struct sx_advice **advice = calloc(p->device_count + 1, sizeof(struct sx_advice *));
	enum sx_status status = all && advice ? gather(cli, p, all, advice, err)
					      : error_nomem(err, "writing the profile");
	if (!status && cli->view.format == FORMAT_JSON)
		write_json(cli, p, all, advice);
	else if (!status && cli->view.format == FORMAT_CSV)
		write_csv(cli, p, all);
	else if (!status && !write_text(cli, p, all, advice))
		status = error_nomem(err, "writing the profile");
	for (uint32_t d = 0; all && advice && d < p->device_count; d++) {
		sx_distribution_destroy(all[d].distribution);
		sx_advice_destroy(advice[d]);
	}
	free(all);
	free(advice);
	return status;
}
