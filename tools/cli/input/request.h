/* Files as the command line names them: what is wanted of each. */
#ifndef TOOLS_CLI_INPUT_REQUEST_H
#define TOOLS_CLI_INPUT_REQUEST_H

#include "input/input.h"
#include "tools/cli/cli.h"

/* What the options ask of a file; valid until an option or a device changes. */
struct input_request request_of(const struct cli *cli, const char *path);
/*
 * Opens the device that --for or --device names, else the first. *out is owned by the caller.
 * The options' constants then include the file's.
 */
enum sx_status request_open(struct cli *cli, const char *path, struct input_device **out,
			    struct sx_error *err);

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
