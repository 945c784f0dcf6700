/* sextant catalog lint. */
#ifndef TOOLS_VERBS_CATALOG_LINT_H
#define TOOLS_VERBS_CATALOG_LINT_H

#include "tools/cli/cli.h"

/* Checks the catalogs named, or all that can be found; *findings receives how much is wrong. */
enum sx_status catalog_lint(const struct cli *cli, const char *const *names, size_t count,
			    size_t *findings, struct sx_error *err);

#endif
