/* A file beside the context: cmocka_run_group_tests(tests, context_file_open, context_file_close).
 */
#ifndef UNIT_CONTEXT_FILE_H
#define UNIT_CONTEXT_FILE_H

#include <stdlib.h>
#include <unistd.h>

#include "unit/context.h"

static char path[] = "/tmp/sextant-test-XXXXXX";

static inline int context_file_open(void **state)
{
	int fd = mkstemp(path);
	if (fd >= 0)
		close(fd);
	return fd < 0 || context_open(state);
}

static inline int context_file_close(void **state)
{
	unlink(path);
	return context_close(state);
}

#endif
