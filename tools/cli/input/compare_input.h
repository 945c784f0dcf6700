/* The two sides of a comparison as they are named on the command line. */
#ifndef TOOLS_CLI_INPUT_COMPARE_INPUT_H
#define TOOLS_CLI_INPUT_COMPARE_INPUT_H

#include "analysis/compare/compare.h"
#include "tools/cli/cli.h"

/* Takes names that no device knows but every comparison has (run_time) out of --metric. */
void compare_input_own(struct cli *cli);
/*
 * Fills a set: from one file, from several with commas between them (runs of the same), or from a
 * baseline. Captures and, as everywhere, files of other tools; --metric selects. *whole becomes
 * false where a file is damaged or lost something. Errors: those of reading a file.
 */
enum sx_status compare_input_load(struct cli *cli, const char *files, struct compare_set *set,
				  bool *whole, struct sx_error *err);

#endif
