/* A line on standard error while something takes long: only on a terminal, and gone at the end. */
#ifndef TOOLS_CLI_PROGRESS_H
#define TOOLS_CLI_PROGRESS_H

#include "tools/cli/cli.h"

/* Zero-initialise all but the first. */
struct progress {
	const struct cli *cli;
	uint64_t begin_ns, last_ns;
	bool shown;
};

/* Whether a line should be written now: after the first second, five times a second. */
bool progress_due(struct progress *progress);
/* Replaces the line. */
void progress_tell(struct progress *progress, const char *fmt, ...) SX_PRINTF(2, 3);
/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
