/* sextant stat -r. */
#ifndef TOOLS_VERBS_STAT_REPEAT_H
#define TOOLS_VERBS_STAT_REPEAT_H

#include "tools/cli/cli.h"

/* Runs the command --repeat times and writes means and spread. Returns the exit status. */
int stat_repeat_run(struct cli *cli);

#endif
