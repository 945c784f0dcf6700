/* The library for measured programs, and the environment that loads it into a child. */
#ifndef SOURCE_GUEST_LIBRARY_H
#define SOURCE_GUEST_LIBRARY_H

#include <sextant/status.h>
#include "base/sys.h"

#define LIBRARY_VARIABLES 5u

/* "NAME=VALUE" texts, NULL-terminated. */
struct library_environment {
	char *items[LIBRARY_VARIABLES + 1];
};

/*
 * Path of libsextant-gl.so: in $SEXTANT_PRELOAD_DIR, else beside the command, in its build tree, or
 * where it is installed. Errors: SX_ERR_NOT_FOUND, SX_ERR_UNSUPPORTED (a path that LD_PRELOAD
 * cannot hold).
 */
enum sx_status library_find(const struct sx_sys *sys, char *path, size_t size,
			    struct sx_error *err);
/*
 * What lets a program start whose own AddressSanitizer wants to come before all libraries, beside
 * what the user set for it; it is said to every program, since its children may be such. NULL: out
 * of memory. Owned by the caller.
 */
char *library_sanitizer(void);
/* `socket` is the path that the child opens, told by `variable`. What LD_PRELOAD holds already is
 * kept. */
enum sx_status library_environment_make(struct library_environment *environment,
					const char *library, const char *variable,
					const char *socket, struct sx_error *err);
/*
 * Whether the first `count` texts of an environment are there; else all are released. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status library_environment_check(struct library_environment *environment, unsigned count,
					 struct sx_error *err);
void library_environment_finish(struct library_environment *environment);

#endif
