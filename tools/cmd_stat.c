/* sextant stat: totals and distribution for one command, or for a duration. */
#include "tools/profile.h"

static int run(struct cli *cli)
{
	return profile_run(cli, cli->options.child);
}

const struct command cmd_stat = {
    .verb = {.name = "stat",
	     .synopsis = "[options] [-- COMMAND ARGS...]",
	     .summary = "totals and distribution for one command, or for a duration",
	     .about = "Runs COMMAND and samples it, one sample a frame for OpenGL programs, then "
		      "writes every metric's total and distribution and what holds the program "
		      "back. The command's output, exit status and signals are its own. Without a "
		      "command the devices are sampled until --duration or --count, or Ctrl-C.",
	     .options = "device metric set interval duration count output const api format",
	     .child = true,
	     .examples = "  sextant stat -- glmark2 -b build\n"
			 "  sextant stat -m 'gpu.*,frame_time' -o profile.json --json -- ./game\n"
			 "  sextant stat -d cpu -I 100ms -t 5s\n"},
    .run = run,
};
