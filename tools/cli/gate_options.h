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
 * The metrics of gates, which are read even if --metric does not select them. Of a name with a dot
 * also the part before the last dot, because the part after it may be a statistic.
 */
enum sx_status gate_options_names(struct arena *arena, struct gates gates, struct gate_names *out,
				  struct sx_error *err);
/* Whether gates that cannot be judged are skipped (--gate-missing=skip). */
bool gate_options_skip(const struct cli *cli);
/*
 * The exit status of the gates: EXIT_REGRESSION if one fails (unless --gate-warn), EXIT_INCOMPLETE
 * if one cannot be judged (unless --gate-missing=skip), else EXIT_OK. Prints a note for each gate
 * if the format has no place for it, and with a page, which is not read at once.
 */
int gate_options_exit(const struct cli *cli, const struct report_gate *gates, size_t count);

#endif
