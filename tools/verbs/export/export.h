/* The rows of a capture, for verbs that write them; other views of it for export.c. */
#ifndef TOOLS_VERBS_EXPORT_EXPORT_H
#define TOOLS_VERBS_EXPORT_EXPORT_H

#include "tools/cli/input/request.h"
#include "output/rows/rows.h"
#include "tools/cli/cli.h"

/* Writes a capture as a Perfetto trace; returns the exit status. */
int export_perfetto(struct cli *cli, const char *path);

/*
 * Writes the rows of every device of a capture that the options leave, as a document of the running
 * verb: in JSON a table a device, or with one_table one whose rows say of which device they are;
 * returns the exit status.
 */
int export_tables(struct cli *cli, const char *path, bool one_table);

/*
 * What stands beside the values of a device's rows: times, reservations, and the labels that any
 * row has, for which the capture is read once. Errors: those of reading.
 */
enum sx_status export_shape(const struct cli *cli, const struct input_device *d,
			    struct rows_shape *shape, struct sx_error *err);

#endif
