/* sextant compare: two programs in turn, each run recorded, then compared. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/gate_options.h"
#include "tools/verbs/diff.h"
#include "tools/cli/request.h"
#include "tools/verbs/repeat.h"
#include "tools/verbs/run.h"

#define RUNS	  5
#define SEPARATOR ":::"

/* Both sides while they are measured. */
struct sides {
	char *const *argv[2];
	struct repeat_files files[2];
};

static enum sx_status split(const struct cli *cli, struct sides *s, struct sx_error *err)
{
	char **words = cli->options.child;
	size_t at = 0;
	while (words && words[at] && strcmp(words[at], SEPARATOR) != 0)
		at++;
	size_t next = words && words[at] ? at + 1 : at;
	while (words && words[next] && strcmp(words[next], SEPARATOR) != 0)
		next++;
	if (!words || !at || !words[at] || !words[at + 1] || words[next]) {
		error_set(err, SX_ERR_USAGE, "compare takes two commands");
		error_because(err, "both are written after --, separated by " SEPARATOR);
		error_try(err, "sextant compare -n 5 -- ./old " SEPARATOR " ./new");
		return SX_ERR_USAGE;
	}
	words[at] = NULL;
	s->argv[0] = words;
	s->argv[1] = words + at + 1;
	return SX_OK;
}

static enum sx_status compare_measure(const struct cli *cli, struct repeat *repeat, struct sides *s,
				      struct sx_error *err)
{
	uint64_t runs = cli->options.count ? cli->options.count : RUNS;
	enum sx_status status = SX_OK;
	for (uint64_t i = 0; !status && i < 2 * runs; i++) {
		char name[48];
		int side = (int)(i % 2);
		snprintf(name, sizeof(name), "run %" PRIu64 " of %c", i / 2 + 1, 'A' + side);
		status = repeat_record(repeat, cli, (struct repeat_run){s->argv[side], name, NULL},
				       &s->files[side], err);
	}
	if (!repeat->cut || !s->files[0].list || !s->files[1].list)
		return status;
	repeat_note_cut(repeat, cli);
	return SX_OK;
}

/* The result names a side by its command, because its files are temporary. */
static void name_side(struct compare_set *set, char *const *argv)
{
	char text[512];
	run_words(argv, text, sizeof(text));
	const char *copy = compare_set_text(set, text);
	if (copy) {
		set->files[0] = copy;
		set->file_count = 1;
	}
}

static int compare_command_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sides s = {0};
	struct repeat repeat = {0};
	struct compare_set sets[2] = {0};
	bool whole = true;
	int code = EXIT_OK;
	compare_input_own(cli);
	enum sx_status status = split(cli, &s, &err);
	if (!status) /* before all the runs are made */
		status = gate_options_check(cli, &err);
	if (!status)
		status = repeat_begin(&repeat, &err);
	if (!status)
		status = compare_measure(cli, &repeat, &s, &err);
	for (int i = 0; !status && i < 2; i++) {
		status = compare_input_load(cli, s.files[i].list, &sets[i], &whole, &err);
		if (!status)
			name_side(&sets[i], s.argv[i]);
	}
	if (!status)
		code = diff_sets(cli, &sets[0], &sets[1], &err, &status);
	if (!status && cli->options.update_baseline)
		status = baseline_write(cli->options.update_baseline, &sets[1], &err);
	repeat_end(&repeat);
	for (int i = 0; i < 2; i++) {
		compare_set_finish(&sets[i]);
		free(s.files[i].list);
	}
	if (status)
		return repeat_fail(&repeat, cli, &err);
	return code == EXIT_OK && (!whole || repeat.failed || repeat.cut) ? EXIT_INCOMPLETE : code;
}

const struct command cmd_compare = {
    .verb =
	{.name = "compare",
	 .synopsis = "[-n N] [options] -- A ARGS... " SEPARATOR " B ARGS...",
	 .summary = "runs two commands in turn, records both, and compares them",
	 .about = "Runs the two commands in turn (A B A B ...), N times each (5), and compares "
		  "the recordings as diff does: what the machine does meanwhile then concerns "
		  "both alike. The commands' output is their own; give -o for the result.",
	 .formats = FORMATS_TEXT_JSON | 1u << FORMAT_MARKDOWN | 1u << FORMAT_JUNIT,
	 .options =
	     "device metric set interval duration count api overhead per gate gates gate-missing "
	     "gate-warn update-baseline fps output format",
	 .child = true,
	 .examples = "  sextant compare -n 5 -- ./old " SEPARATOR " ./new\n"
		     "  sextant compare -m frame_time --gate 'frame_time < +3%' -- ./old " SEPARATOR
		     " ./new\n"},
    .run = compare_command_run,
};
