/* Writing baselines. */
#ifndef TOOLS_CLI_INPUT_BASELINE_H
#define TOOLS_CLI_INPUT_BASELINE_H

#include "input/input.h"
#include "tools/cli/cli.h"

enum sx_status baseline_write(const char *path, const struct compare_set *set,
			      struct sx_error *err);

#endif
