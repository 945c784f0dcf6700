/* sextant stat: totals and distribution for one command, or for a duration. */
#include "output/views.h"
#include "tools/verbs/profile.h"
#include "tools/verbs/stat_repeat.h"

static int stat_run(struct cli *cli)
{
	if (cli->options.input && cli->options.child) {
		struct sx_error err;
		error_set(&err, SX_ERR_USAGE, "a capture and a command at once");
		error_because(&err, "the samples come from one or the other");
		error_try(&err, "sextant stat -i %s",
			  error_word((char[ERROR_WORD_MAX]){0}, cli->options.input));
		return cli_fail(cli, &err);
	}
	return cli->options.repeat > 1 ? stat_repeat_run(cli)
				       : profile_run(cli, cli->options.child);
}

const struct command cmd_stat = {
    .verb = {.name = "stat",
	     .synopsis = "[options] [-- COMMAND ARGS...]",
	     .summary = "totals and distribution for one command, or for a duration",
	     .about =
		 "Runs COMMAND and samples it, one sample a frame for OpenGL programs, then "
		 "writes every metric's total and distribution and what holds the program "
		 "back. The command's output, exit status and signals are its own. Without a "
		 "command the devices are sampled until --duration or --count, or Ctrl-C; with "
		 "-i the samples of a capture take their place. With -r N the command runs N "
		 "times, and each metric comes with the spread of its runs.",
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
