/* sextant diff: two captures, or two sets of runs, side by side. */
#include <stdlib.h>

#include "output/diff/diff.h"
#include "tools/verbs/diff.h"
#include "tools/cli/request.h"
#include "tools/cli/gate_options.h"

int diff_sets(struct cli *cli, const struct compare_set *a, const struct compare_set *b,
	      struct sx_error *err, enum sx_status *status)
{
	struct comparison c = {0};
	struct gate *gates = NULL;
	size_t count = 0;
	int code = EXIT_OK;
	*status = compare_run(a, b, &c, err);
	if (!*status)
		*status = gate_options_read(cli, &c.arena, &gates, &count, err);
	if (!*status)
		*status = gate_check_comparison(gates, count, &c, err);
	if (!*status && !(c.gates = calloc(count + 1, sizeof(*c.gates))))
		*status = error_nomem(err, "gates");
	if (!*status) {
		c.gate_count = count;
		c.skip_unjudged = gate_options_skip(cli);
		ticker_stop(cli);
		cli_ask_width(cli);
		gate_judge_comparison(gates, count, &c, &c.arena, c.gates);
		*status = diff_views_find(cli->view.format)->write(&cli->view, &c, err);
		code = gate_options_exit(cli, c.gates, count);
		if (code == EXIT_OK && !c.comparable)
			code = EXIT_INCOMPLETE;
	}
	comparison_finish(&c);
	return code;
}

static enum sx_status usage(struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "diff takes two sides");
	error_because(err, "each is a capture, several runs with commas between them, or a "
			   "baseline");
	error_try(err, "sextant diff before.sxc after.sxc");
	return SX_ERR_USAGE;
}

/* The two sides: both arguments, or --baseline and one. */
static enum sx_status sides(const struct cli *cli, const char *out[2], struct sx_error *err)
{
	const struct options *o = &cli->options;
	out[0] = o->baseline ? o->baseline : o->args.count ? o->args.items[0] : NULL;
	size_t b = o->baseline ? 0 : 1;
	out[1] = o->args.count > b ? o->args.items[b] : NULL;
	/* What is to become the baseline may be named alone. */
	if (out[0] && !out[1] && o->update_baseline && !o->baseline)
		out[1] = out[0];
	if (!out[0] || !out[1] || o->args.count > b + 1)
		return usage(err);
	return SX_OK;
}

static int diff_run(struct cli *cli)
{
	struct sx_error err = {0};
	const char *names[2];
	struct compare_set a = {0}, b = {0};
	bool whole = true;
	int code = EXIT_OK;
	compare_input_own(cli);
	enum sx_status status = sides(cli, names, &err);
	if (!status)
		status = compare_input_load(cli, names[0], &a, &whole, &err);
	if (!status)
		status = compare_input_load(cli, names[1], &b, &whole, &err);
	if (!status && names[0] == names[1]) /* no comparison: its numbers alone */
		cli_note(cli, "%s becomes the baseline", names[1]);
	else if (!status)
		code = diff_sets(cli, &a, &b, &err, &status);
	if (!status && cli->options.update_baseline)
		status = baseline_write(cli->options.update_baseline, &b, &err);
	compare_set_finish(&a);
	compare_set_finish(&b);
	if (status)
		return cli_fail(cli, &err);
	return code == EXIT_OK && !whole ? EXIT_INCOMPLETE : code;
}

const struct command cmd_diff = {
    .verb = {.name = "diff",
	     .synopsis = "A B [-m LIST] [--gate 'METRIC[.STAT] OP LIMIT']...",
	     .summary = "two captures, or two sets of them, side by side",
	     .about =
		 "Compares A with B: captures, runs of the same with commas between them "
		 "(a1.sxc,a2.sxc), or a baseline that --update-baseline wrote. The noise of times "
		 "and the like is how repeated runs spread, or of one run each how its own samples "
		 "spread. The verdict says better or worse where the catalog knows a direction. "
		 "Pieces of work (vertices, fragments, ...) are compared number by number, amounts "
		 "of what is sampled by time as totals of runs that ended by themselves. Other "
		 "devices and drivers are compared by neutral names alone. The first second, or "
		 "tenth, of each run is warm-up. The percentiles of frame times are compared by "
		 "themselves, and with --fps the share of frames that missed the deadline. A gate "
		 "is a limit for B, or with a sign and in percent for the change. Exit status 6 "
		 "when one fails, 1 when one cannot be judged.",
	     .formats = FORMATS_TEXT_JSON | 1u << FORMAT_MARKDOWN | 1u << FORMAT_JUNIT,
	     .reads = true,
	     .options = "metric set api for as const context process gate gates gate-missing "
			"gate-warn baseline "
			"update-baseline fps output format",
	     .max_args = 2,
	     .examples =
		 "  sextant diff before.sxc after.sxc\n"
		 "  sextant diff a1.sxc,a2.sxc,a3.sxc b1.sxc,b2.sxc,b3.sxc\n"
		 "  sextant diff main.json pr.sxc --gate 'frame_time.p95 < +5%' -f markdown\n"
		 "  sextant diff run1.sxc,run2.sxc --update-baseline main.json\n"},
    .run = diff_run,
};
