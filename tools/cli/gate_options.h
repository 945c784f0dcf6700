/* Gates as the command line gives them. */
#ifndef TOOLS_CLI_GATE_OPTIONS_H
#define TOOLS_CLI_GATE_OPTIONS_H

#include "analysis/compare/gate.h"
#include "tools/cli/cli.h"

/* The gates of --gate and --gates, in memory of the arena. */
enum sx_status gate_options_read(const struct cli *cli, struct arena *arena, struct gate **out,
				 size_t *count, struct sx_error *err);
/* Whether gates can be read, where they are needed only later. */
enum sx_status gate_options_check(const struct cli *cli, struct sx_error *err);
/* What gates name. */
struct gate_names {
	const char **items; /* the arena's */
	size_t count;
};
/*
 * The names of gates, whose metrics are read whatever --metric selects; of one with a dot also what
 * stands before that, for what stands behind may be meant for a statistic.
 */
enum sx_status gate_options_names(struct arena *arena, struct gates gates, struct gate_names *out,
				  struct sx_error *err);
/* Whether gates that cannot be judged are skipped (--gate-missing=skip). */
bool gate_options_skip(const struct cli *cli);
/*
 * The exit status that gates give: EXIT_REGRESSION when one fails (unless --gate-warn),
 * EXIT_INCOMPLETE when one cannot be judged (unless --gate-missing=skip), else EXIT_OK. Notes what
 * each found where the format has no place for them (a page has one, but nobody looks at it at
 * once).
 */
int gate_options_exit(const struct cli *cli, const struct report_gate *gates, size_t count);

#endif
