/* Files as the command line names them: what is wanted of each. */
#ifndef TOOLS_CLI_REQUEST_H
#define TOOLS_CLI_REQUEST_H

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

/* Files of other tools as input of any verb: read once. */

/*
 * Reads files into a capture at `out`; what it found, and what was left out, is noted. --as and
 * --for are heeded. SX_INCOMPLETE: the capture is there, but a file broke off.
 */
enum sx_status imported_write(const struct cli *cli, const char *const *paths, size_t count,
			      const char *out, struct sx_error *err);
/*
 * Reads each input file of the verb that is none of Sextant's, or replaces it by a capture of what
 * it holds where the verb needs one.
 * Errors: those of reading it.
 */
enum sx_status imported_inputs(struct cli *cli, struct sx_error *err);
/* The same for one file; nothing happens to a capture. *path then lives as long as the run. */
enum sx_status imported_replace(struct cli *cli, const char **path, struct sx_error *err);
/* The name of a file as the user gave it. Lives as long as the run, or as `path`. */
const char *imported_shown(const struct cli *cli, const char *path);
/* What a file of another tool holds; NULL: it is none, or was made a capture. */
const struct input_import *imported_of(const struct cli *cli, const char *path);
/* Whether a file is a capture, or can be read as one. */
bool imported_is_recording(const struct cli *cli, const char *path);
void imported_finish(struct cli *cli);

#endif
