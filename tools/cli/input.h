/* Input files as tables of raw counters, whatever their format. */
#ifndef TOOLS_CLI_INPUT_H
#define TOOLS_CLI_INPUT_H

#include "tools/cli/cli.h"

#define INPUT_BYTES_MAX ((size_t)4 << 30)
#define INPUT_NOTES_MAX 5 /* unknown columns that are named one by one */

/* Opens a file for reading, or standard input for "-". */
enum sx_status input_open(const char *path, int *fd, struct sx_error *err);
/* Reads a whole file, or standard input for "-". *text is NUL-terminated and to be freed. */
enum sx_status input_read(const char *path, char **text, size_t *size, struct sx_error *err);
/* Reads raw counters of a catalog from a file; *out is owned by the caller. */
enum sx_status input_table(const struct cli *cli, const char *path, struct sx_catalog *catalog,
			   struct sx_table **out, struct sx_error *err);
/*
 * Notes the columns of a table that mean nothing in a catalog (a typing error, mostly).
 */
void input_note_unknown(const struct cli *cli, const struct sx_table *table,
			struct sx_catalog *catalog);

#endif
