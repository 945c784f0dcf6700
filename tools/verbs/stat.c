/* sextant stat: totals and distribution for one command, several runs of it, or a duration. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/compare/noise.h"
#include "base/number.h"
#include "output/diff/diff.h"
#include "output/report/report.h"
#include "output/views.h"
#include "tools/cli/request.h"
#include "tools/verbs/repeat.h"
#include "tools/verbs/run.h"

/* stat -r: one program several times, and how its runs spread. */

#define RUNS_MAX 10000

/* A metric as shown: its value in each run, and whether that is a total. */
struct shown {
	bool total;
	const double *values;
	uint32_t runs;
	double mean;
};

static struct shown shown_of(const struct compare_set *set, const struct compare_metric *m)
{
	bool total = m->amount && set->ended;
	return (struct shown){.total = total,
			      .values = total ? m->totals : m->means,
			      .runs = m->runs,
			      .mean = total ? m->stats.total : m->stats.mean};
}

/* Standard deviation of the runs, relative; NaN where that means nothing. */
static double spread_of(const struct shown *t)
{
	double deviation = sqrt(noise_variance(t->values, t->runs, t->mean));
	return t->mean != 0 && t->runs > 1 ? deviation / fabs(t->mean) : (double)NAN;
}

static double least(const struct shown *t, double sign)
{
	double best = t->values[0];
	for (uint32_t i = 1; i < t->runs; i++)
		if (sign * t->values[i] < sign * best)
			best = t->values[i];
	return best;
}

static bool add_row(const struct view *view, struct text_table *table,
		    const struct compare_metric *m, const struct shown *t)
{
	char mean[HUMAN_MAX], low[HUMAN_MAX], high[HUMAN_MAX], spread[32] = "-";
	double relative = spread_of(t);
	human_cell(&view->human, mean, t->mean, m->unit);
	human_cell(&view->human, low, least(t, 1), m->unit);
	human_cell(&view->human, high, least(t, -1), m->unit);
	if (!isnan(relative))
		snprintf(spread, sizeof(spread), "%.2f %%", relative * 100);
	const char *cells[] = {m->name, mean, spread,
			       low,	high, human_cell_unit(&view->human, m->unit)};
	return text_table_row(table, cells, TEXT_PLAIN);
}

static bool stat_repeat_write_text(const struct view *view, const struct compare_set *set)
{
	static const struct text_column columns[] = {
	    {.title = "", .align = TEXT_LEFT, .rank = 1, .min = 16, .middle = true},
	    {.title = "mean", .align = TEXT_RIGHT},
	    {.title = "+-", .align = TEXT_RIGHT},
	    {.title = "least", .align = TEXT_RIGHT},
	    {.title = "most", .align = TEXT_RIGHT},
	    {.title = "unit", .align = TEXT_LEFT}};
	struct text_table *table = text_table_create(columns, 6);
	struct diff_kinds kinds = {0};
	bool ok = table != NULL;
	for (size_t d = 0; d < set->device_count; d++) {
		text_styled(&view->out, TEXT_BOLD, set->devices[d].name);
		if (set->devices[d].simulated)
			text_styled(&view->out, TEXT_YELLOW, "  SIMULATED, not a real device");
		fputc('\n', view->out.out);
	}
	fprintf(view->out.out, "%s; each mean is that of the runs\n\n", COUNTED(set->runs, "run"));
	for (size_t i = 0; ok && i < set->metric_count; i++) {
		const struct compare_metric *m = &set->metrics[i];
		const struct shown t = shown_of(set, m);
		if (!m->runs || m->hidden || (m->stats.max == 0 && !view->verbose))
			continue;
		kinds.totals += t.total;
		kinds.of_rows += !t.total && m->of_rows;
		ok = add_row(view, table, m, &t);
	}
	if (ok)
		text_table_write(table, &view->out);
	unsigned at = 0;
	for (const char *note; ok && (note = diff_kinds_next(&kinds, &at));)
		text_wrap(&view->out, 2, note);
	if (ok && set->runs > 1)
		text_wrap(&view->out, 2,
			  "+- is the standard deviation of the runs, as a share of their mean");
	text_table_destroy(table);
	return ok;
}

static bool stat_repeat_write_json(const struct view *view, const struct compare_set *set)
{
	struct json json = view_json_begin(view, "stat-repeat");
	if (compare_set_is_simulated(set))
		json_kv_bool(&json, "simulated", true);
	json_kv_u64(&json, "runs", set->runs);
	json_kv_array(&json, "metrics");
	for (size_t i = 0; i < set->metric_count; i++) {
		const struct compare_metric *m = &set->metrics[i];
		if (!m->runs || m->hidden)
			continue;
		const struct shown t = shown_of(set, m);
		json_object_begin_flat(&json);
		json_kv_string(&json, "name", m->name);
		json_kv_u64(&json, "device", m->device);
		json_kv_string(&json, "unit", m->unit);
		json_kv_string(&json, "of", t.total ? "total" : "mean");
		json_kv_f64(&json, "mean", t.mean);
		json_kv_f64(&json, "spread", spread_of(&t));
		json_kv_array_flat(&json, "means");
		for (uint32_t r = 0; r < m->runs; r++)
			json_f64(&json, t.values[r]);
		json_array_end(&json);
		json_object_end(&json);
	}
	json_array_end(&json);
	view_json_end(&json);
	return true;
}

static enum sx_status stat_repeat_measure(const struct cli *cli, struct repeat *repeat,
					  struct repeat_files *files, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint64_t i = 0; !status && i < cli->options.repeat; i++) {
		char name[48];
		snprintf(name, sizeof(name), "run %" PRIu64, i + 1);
		status = repeat_record(
		    repeat, cli, (struct repeat_run){cli->options.child, name, NULL}, files, err);
	}
	if (!repeat->cut || !files->list)
		return status;
	repeat_note_cut(repeat, cli);
	return SX_OK;
}

static int stat_repeat_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct repeat repeat = {0};
	struct repeat_files files = {0};
	struct compare_set set = {0};
	bool whole = true;
	compare_input_own(cli);
	enum sx_status status = cli_formats(cli, 1u << FORMAT_TEXT | 1u << FORMAT_JSON, &err);
	if (!status && cli->options.repeat > RUNS_MAX)
		status = error_nomem(&err, "so many runs");
	if (!status)
		status = repeat_begin(&repeat, &err);
	if (!status)
		repeat.samples = cli->options.count;
	if (!status)
		status = stat_repeat_measure(cli, &repeat, &files, &err);
	if (!status)
		status = compare_input_load(cli, files.list, &set, &whole, &err);
	cli_ask_width(cli);
	bool ok =
	    !status && (cli->view.format == FORMAT_JSON ? stat_repeat_write_json(&cli->view, &set)
							: stat_repeat_write_text(&cli->view, &set));
	if (!status && !ok)
		status = error_nomem(&err, "writing the result");
	repeat_end(&repeat);
	compare_set_finish(&set);
	free(files.list);
	if (status)
		return repeat_fail(&repeat, cli, &err);
	if (repeat.failed) /* the status is the program's, as of one run */
		return repeat.failed;
	return whole && !repeat.cut ? EXIT_OK : EXIT_INCOMPLETE;
}

static int stat_run(struct cli *cli)
{
	struct sx_error err;
	if (run_check_input(cli, &err))
		return cli_fail(cli, &err);
	return cli->options.repeat > 1 ? stat_repeat_run(cli)
				       : profile_run(cli, cli->options.child);
}

const struct command cmd_stat = {
    .verb = {.name = "stat",
	     .synopsis = "[options] [-- COMMAND ARGS...]",
	     .summary = "totals and distribution for one command, or for a duration",
	     .about =
		 "Runs COMMAND and samples it, one sample a frame for programs that draw. Then "
		 "writes what holds the program back, advice, and totals and distribution of the "
		 "metrics that say most; -v has all of them. The command's output, exit status and "
		 "signals are its own. Without a command the devices are sampled until --duration "
		 "or --count, or Ctrl-C. With -i the samples of a capture are used instead. With "
		 "-r N the command runs N times, and each metric comes with the spread of its "
		 "runs.",
	     .formats = VIEWS_FORMATS,
	     .options = "for device metric map set interval duration count input output const api "
			"context process pid profiling delay join format "
			"repeat realtime overhead per",
	     .child = true,
	     .examples = "  sextant stat -- glmark2 -b build\n"
			 "  sextant stat -m 'gpu_*,frame_time' -o profile.json --json -- ./game\n"
			 "  sextant stat -r 5 -m 'frame_time,gpu_time' -- ./game\n"
			 "  sextant stat -d cpu -I 100ms -t 5s\n"},
    .run = stat_run,
};
