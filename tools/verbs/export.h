/* Views of a capture that sextant export writes beside its rows; for export.c. */
#ifndef TOOLS_VERBS_EXPORT_H
#define TOOLS_VERBS_EXPORT_H

#include "tools/cli/cli.h"

/* Writes a capture as a Perfetto trace; returns the exit status. */
int export_perfetto(struct cli *cli, const char *path);

/*
 * Writes the rows of every device of a capture that the options leave, as a document of the running
 * verb; returns the exit status.
 */
int export_tables(struct cli *cli, const char *path);

#endif
