/* Baselines: what a comparison needs of a set, as a small JSON document that can be committed. */
#ifndef TOOLS_CLI_INPUT_BASELINE_H
#define TOOLS_CLI_INPUT_BASELINE_H

#include "analysis/compare/compare.h"
#include "tools/cli/cli.h"

#define BASELINE_SCHEMA "sextant.baseline/1"

/* Whether a file begins as a baseline; reading and writing one. */
bool baseline_is(const char *path);
enum sx_status baseline_read(const char *path, struct compare_set *set, struct sx_error *err);
enum sx_status baseline_write(const char *path, const struct compare_set *set,
			      struct sx_error *err);

#endif
