/* An input file as text that can be read twice. */
#ifndef TOOLS_CLI_INPUT_INPUT_SOURCE_H
#define TOOLS_CLI_INPUT_INPUT_SOURCE_H

#include <sys/types.h>

#include "import/table/csv.h"

struct input_source {
	int fd;
	struct csv_source csv;
};

/* Opens a file, no pipe: input_source_keep() makes one of it. The source must not move. */
enum sx_status input_source_open(struct input_source *source, const char *path,
				 struct sx_error *err);
void input_source_close(struct input_source *source);
/*
 * Keeps all that comes through a pipe, or standard input for "-", in a file without a name; *fd is
 * the caller's. Errors: SX_ERR_BAD_INPUT, SX_ERR_PERMISSION, SX_ERR_IO (no room), SX_ERR_NO_MEMORY.
 */
enum sx_status input_source_keep(const char *path, int *fd, struct sx_error *err);
/* The same of a packed file, unpacked. Errors: those of import_unpacked(), SX_ERR_IO (no room). */
enum sx_status input_source_unpack(const char *path, int *fd, struct sx_error *err);

#endif
