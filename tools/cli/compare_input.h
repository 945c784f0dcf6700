/* The two sides of a comparison as they are named on the command line. */
#ifndef TOOLS_CLI_COMPARE_INPUT_H
#define TOOLS_CLI_COMPARE_INPUT_H

#include "analysis/compare/gate.h"
#include "tools/cli/cli.h"

/*
 * Fills a set: from one file, from several with commas between them (runs of the same), or from a
 * baseline. Captures and, as everywhere, files of other tools; --metric selects. *whole becomes
 * false where a file is damaged or lost something. Errors: those of reading a file.
 */
enum sx_status compare_input_load(struct cli *cli, const char *files, struct compare_set *set,
				  bool *whole, struct sx_error *err);

/* Whether a file begins as a baseline; reading and writing one. */
bool baseline_is(const char *path);
enum sx_status baseline_read(const char *path, struct compare_set *set, struct sx_error *err);
enum sx_status baseline_write(const char *path, const struct compare_set *set,
			      struct sx_error *err);

/* The gates of --gate and --gates, in memory of the arena. */
enum sx_status compare_gates(const struct cli *cli, struct arena *arena, struct gate **out,
			     size_t *count, struct sx_error *err);
/*
 * The exit status that gates give: EXIT_REGRESSION when one fails (unless --gate-warn),
 * EXIT_INCOMPLETE when one cannot be judged (unless --gate-missing=skip), else EXIT_OK. Notes those
 * that failed where the format has no place for them.
 */
int compare_gates_exit(const struct cli *cli, const struct report_gate *gates, size_t count);

#endif
