/* sextant report: a capture of any length as verdict, advice and numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/catalog/describe.h"
#include "output/report/findings.h"
#include "tools/profile_out.h"
#include "tools/report.h"

static void device_finish(struct report_device *d)
{
	sx_advice_destroy(d->advice);
	sx_table_destroy(d->curve);
	sx_overview_destroy(d->overview);
	sx_summary_destroy(d->summary);
	sx_metrics_destroy(d->metrics);
	sx_table_destroy(d->raw);
	capture_view_close(d->view);
	*d = (struct report_device){0};
}

static enum sx_status select_metrics(const struct cli *cli, struct report_device *d,
				     struct sx_error *err)
{
	const struct options *o = &cli->options;
	struct sx_metrics_options options = {.patterns = o->metrics.items,
					     .pattern_count = (uint32_t)o->metrics.count,
					     .set = o->set,
					     .variant = o->api,
					     .constants = d->view->constants,
					     .constant_count = d->view->constant_count,
					     .counters = o->counters,
					     .like = d->raw};
	enum sx_status status = sx_metrics_create(d->view->catalog, &options, &d->metrics, err);
	if (!status)
		d->columns = sx_metrics_columns(d->metrics, &d->count);
	return status;
}

static enum sx_status device_open(const struct cli *cli, const char *path, uint32_t index,
				  struct report_device *d, struct sx_error *err)
{
	*d = (struct report_device){.begin_ns = UINT64_MAX};
	enum sx_status status = capture_view_device(cli, path, index, &d->view, err);
	if (!status)
		status = capture_view_table(d->view, &d->raw, err);
	if (!status)
		status = select_metrics(cli, d, err);
	return status;
}

static void note_times(struct report_device *d)
{
	size_t rows = sx_table_row_count(d->raw);
	const uint64_t *begin = sx_table_begin_ns(d->raw), *end = sx_table_end_ns(d->raw);
	d->rows += rows;
	for (size_t i = 0; i < rows; i++) {
		if (begin[i] < d->begin_ns)
			d->begin_ns = begin[i];
		if (end[i] != SX_TIME_UNKNOWN && end[i] > d->end_ns)
			d->end_ns = end[i];
	}
}

static enum sx_status read_rows(struct report_device *d, struct sx_error *err)
{
	enum sx_status status = sx_summary_create(d->metrics, d->raw, &d->summary, err);
	if (!status)
		status = sx_overview_create(d->raw, &d->overview, err);
	while (!status) {
		status = capture_view_next(d->view, d->raw, err);
		if (!status)
			status = sx_summary_add(d->summary, d->raw, err);
		if (!status)
			status = sx_overview_add(d->overview, d->raw, err);
		if (!status)
			note_times(d);
	}
	return status == SX_END ? SX_OK : status;
}

static enum sx_status conclude(const struct cli *cli, struct report_device *d, struct sx_error *err)
{
	uint32_t count;
	struct sx_metrics_options options = {.set = cli->options.set,
					     .variant = cli->options.api,
					     .constants = d->view->constants,
					     .constant_count = d->view->constant_count};
	enum sx_status status = sx_summary_stats(d->summary, &d->stats, &count, err);
	const struct sx_table *few = status ? NULL : sx_overview_table(d->overview, &d->each);
	if (!status && !few)
		status = error_nomem(err, "a report");
	if (!status)
		status = sx_metrics_eval(d->metrics, few, &d->curve, err);
	if (!status && d->rows)
		status = sx_advice_create(d->view->catalog, &options, few, &d->advice, err);
	return status ? status : report_budget(cli, d, few, err);
}

static void metric_json(struct json *json, const struct report_device *d, uint32_t device,
			uint32_t i)
{
	const struct sx_stats *s = &d->stats[i];
	const struct sx_metric_column *c = &d->columns[i];
	json_object_begin_flat(json);
	describe_stats_json(json, c, s, device);
	json_kv_u64(json, "count", s->count);
	json_kv_string(json, "why", s->why);
	json_object_end(json);
}

static void write_json(const struct cli *cli, const char *path, const struct report_device *all,
		       uint32_t count)
{
	struct json json = view_json_begin(&cli->view, "report");
	json_kv_string(&json, "file", path);
	json_key(&json, "devices");
	json_array_begin(&json);
	for (uint32_t d = 0; d < count; d++) {
		const struct sx_capture_device *info = all[d].view->info;
		json_object_begin_flat(&json);
		json_kv_string(&json, "catalog", info->catalog);
		json_kv_string(&json, "name", info->name);
		json_kv_string(&json, "source", info->source);
		json_kv_bool(&json, "simulated", info->simulated);
		json_kv_string(&json, "kind", profile_sample_kind(info->kind));
		json_kv_u64(&json, "samples", all[d].rows);
		json_kv_u64(&json, "duration_ns",
			    all[d].end_ns > all[d].begin_ns ? all[d].end_ns - all[d].begin_ns : 0);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_key(&json, "metrics");
	json_array_begin(&json);
	for (uint32_t d = 0; d < count; d++)
		for (uint32_t i = 0; i < all[d].count; i++)
			metric_json(&json, &all[d], d, i);
	json_array_end(&json);
	json_key(&json, "findings");
	json_array_begin(&json);
	for (uint32_t d = 0; d < count; d++)
		if (all[d].advice)
			findings_json(&json, all[d].advice, d);
	json_array_end(&json);
	if (cli->options.resolution) {
		json_key(&json, "budgets");
		json_array_begin(&json);
		for (uint32_t d = 0; d < count; d++)
			report_budget_json(&json, &all[d], d);
		json_array_end(&json);
	}
	view_json_end(&json);
}

static void write_csv(const struct cli *cli, const struct report_device *all, uint32_t count)
{
	static const char *const head[] = {"name", "device", "unit", "total", "mean",  "min",
					   "p50",  "p95",    "p99",  "max",   "count", "why"};
	struct csv csv = {.out = cli->view.out.out};
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		csv_text(&csv, head[i]);
	csv_end_line(&csv);
	for (uint32_t d = 0; d < count; d++)
		for (uint32_t i = 0; i < all[d].count; i++) {
			const struct sx_stats *s = &all[d].stats[i];
			const double values[] = {s->mean, s->min, s->p50, s->p95, s->p99, s->max};
			csv_text(&csv, all[d].columns[i].name);
			csv_u64(&csv, d);
			csv_text(&csv, all[d].columns[i].unit);
			if (all[d].columns[i].type == SX_U64 && !isnan(s->total))
				csv_u64(&csv, s->total_u64);
			else
				csv_f64(&csv, s->total);
			for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
				csv_f64(&csv, values[v]);
			csv_u64(&csv, s->count);
			csv_text(&csv, s->why);
			csv_end_line(&csv);
		}
}

static enum sx_status write_all(const struct cli *cli, const char *path,
				const struct report_device *all, uint32_t count,
				struct sx_error *err)
{
	bool ok = true;
	if (cli->view.format == FORMAT_JSON)
		write_json(cli, path, all, count);
	else if (cli->view.format == FORMAT_CSV)
		write_csv(cli, all, count);
	for (uint32_t d = 0; ok && cli->view.format == FORMAT_TEXT && d < count; d++) {
		if (d)
			fputc('\n', cli->view.out.out);
		ok = report_text(cli, &all[d]);
	}
	return ok ? SX_OK : error_nomem(err, "writing the report");
}

/* Numbers of the devices that --for and --device leave; all without these. */
static enum sx_status choose(struct cli *cli, const char *path, uint32_t **list, uint32_t *count,
			     struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	enum sx_status status = sx_capture_open(path, &reader, err);
	if (status)
		return status;
	uint32_t devices = sx_capture_info(reader)->device_count;
	*count = 0;
	*list = calloc(devices + 1, sizeof(**list));
	for (uint32_t i = 0; *list && i < devices; i++) {
		const struct sx_capture_device *info = sx_capture_device(reader, i);
		if (info && capture_view_names(cli, i, info))
			(*list)[(*count)++] = i;
	}
	sx_capture_close(reader);
	if (*count)
		return SX_OK;
	struct capture_view *none; /* says what is there */
	return capture_view_device(cli, path, SX_NONE, &none, err);
}

/* A metric of one device need not be one of the others. */
static bool passes_over(const struct cli *cli, enum sx_status status, uint32_t devices)
{
	return cli->options.metrics.count && devices > 1 && status == SX_ERR_NOT_FOUND;
}

static enum sx_status report(struct cli *cli, const char *path, const uint32_t *list,
			     uint32_t count, bool *whole, struct sx_error *err)
{
	struct report_device *all = calloc(count + 1, sizeof(*all));
	enum sx_status status = all ? SX_OK : error_nomem(err, "a report"), passed = SX_OK;
	uint32_t used = 0;
	for (uint32_t i = 0; !status && i < count; i++) {
		struct report_device *d = &all[used++];
		status = device_open(cli, path, list[i], d, err);
		if (passes_over(cli, status, count)) {
			passed = status;
			status = SX_OK;
			device_finish(&all[--used]);
			continue;
		}
		if (!status && cli->options.by)
			status = report_by(cli, d, err);
		else if (!status)
			status = read_rows(d, err);
		if (!status && !cli->options.by)
			status = conclude(cli, d, err);
	}
	if (!status && !used)
		status = passed;
	if (!status && !cli->options.by)
		status = write_all(cli, path, all, used, err);
	if (!status && used)
		*whole = capture_view_note(cli, all[0].view);
	for (uint32_t i = 0; all && i < used; i++)
		device_finish(&all[i]);
	free(all);
	return status;
}

static int run(struct cli *cli)
{
	struct sx_error err = {0};
	const char *path;
	uint32_t *list = NULL, count = 0;
	bool whole = true;
	enum sx_status status =
	    cli_formats(cli, 1u << FORMAT_TEXT | 1u << FORMAT_JSON | 1u << FORMAT_CSV, &err);
	if (!status)
		status = cli_input(cli, &path, &err);
	if (!status)
		status = choose(cli, path, &list, &count, &err);
	if (!status && cli->options.by && count > 1 && cli->view.format != FORMAT_TEXT)
		count = 1; /* one document, one kind of rows: -d chooses another device */
	if (!status)
		status = report(cli, path, list, count, &whole, &err);
	free(list);
	if (status)
		return cli_fail(cli, &err);
	return whole ? EXIT_OK : EXIT_INCOMPLETE;
}

const struct command cmd_report = {
    .verb = {.name = "report",
	     .synopsis = "FILE [-m LIST] [--by frame|group|time|instance] [--top N --sort METRIC]",
	     .summary = "a capture as verdict, advice and numbers",
	     .about =
		 "Reads a capture of any length and writes what holds the program back, then "
		 "every metric in the catalog's order with its smallest, mean, 95th "
		 "percentile and largest value and its course over time; wide terminals get "
		 "more columns. With --by, one line a frame, debug group, stretch of time "
		 "(--interval long) or instance instead, the first 20 or --top of them, in "
		 "order or by --sort, largest first. With --resolution, and --fps if it is not "
		 "60, also the budget of such a picture: core cycles for each pixel, what was "
		 "spent of them, and the power of external memory.",
	     .options = "for device metric set api interval input output const counters by sort "
			"top fps resolution format",
	     .max_args = 1,
	     .examples = "  sextant report game.sxc\n"
			 "  sextant report game.sxc --by frame --top 10 --sort gpu_time\n"
			 "  sextant report game.sxc --resolution 1920x1080 --fps 60\n"
			 "  sextant report game.sxc --by time -I 1s -m 'cpu_*' --csv\n"},
    .run = run,
};
