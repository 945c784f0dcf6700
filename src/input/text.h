/* Input files as bytes, and as text that can be read twice. */
#ifndef INPUT_TEXT_H
#define INPUT_TEXT_H

#include <sys/types.h>

#include "import/table/csv.h"

/* Opens a file for reading, or standard input for "-". */
enum sx_status input_fd_open(const char *path, int *fd, struct sx_error *err);
/* Reads a whole file, or standard input for "-". *text is NUL-terminated and to be freed. */
enum sx_status input_bytes(const char *path, char **text, size_t *size, struct sx_error *err);

struct input_text {
	int fd;
	struct csv_source csv;
};

/* Opens a file, no pipe: input_text_keep() makes one of it. The source must not move. */
enum sx_status input_text_open(struct input_text *source, const char *path, struct sx_error *err);
void input_text_close(struct input_text *source);
/*
 * Keeps all that comes through a pipe, or standard input for "-", in a file without a name; *fd is
 * the caller's. Errors: SX_ERR_BAD_INPUT, SX_ERR_PERMISSION, SX_ERR_IO (no room), SX_ERR_NO_MEMORY.
 */
enum sx_status input_text_keep(const char *path, int *fd, struct sx_error *err);
/* The same of a packed file, unpacked. Errors: those of import_unpacked(), SX_ERR_IO (no room). */
enum sx_status input_text_unpack(const char *path, int *fd, struct sx_error *err);
/* Whether a file is a capture that was packed. */
bool input_is_packed_capture(const char *path);
/*
 * Whether a file is of a kind that `decode` reads: then *err says that, and that it is not for the
 * verb. `path` may be NULL.
 */
bool input_is_for_decode(const char *path, const char *verb, struct sx_error *err);

#endif
