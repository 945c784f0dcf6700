/* What diff and compare share. */
#ifndef TOOLS_VERBS_DIFF_H
#define TOOLS_VERBS_DIFF_H

#include "analysis/compare/compare.h"
#include "input/input.h"
#include "tools/cli/cli.h"

/*
 * Compares two sets, holds the gates of the command line against them and writes the result.
 * Returns the exit status that gates give; *status other than SX_OK is a failure with *err.
 */
int diff_sets(struct cli *cli, const struct compare_set *a, const struct compare_set *b,
	      struct sx_error *err, enum sx_status *status);

/* Writing baselines. */

enum sx_status baseline_write(const char *path, const struct compare_set *set,
			      struct sx_error *err);

#endif
