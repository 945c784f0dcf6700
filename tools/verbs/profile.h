/* One measured run and its totals: what stat and demo both do. */
#ifndef TOOLS_VERBS_PROFILE_H
#define TOOLS_VERBS_PROFILE_H

#include "tools/cli/cli.h"

/*
 * Measures `argv` (NULL: the devices alone) as the options say and writes the profile. Returns the
 * exit status: the child's own, unless Sextant failed.
 */
int profile_run(struct cli *cli, char *const *argv);

#endif
