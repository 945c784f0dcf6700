/* The environment that loads the library for measured programs into a child. */
#ifndef SOURCE_GL_LIBRARY_H
#define SOURCE_GL_LIBRARY_H

#include "source/gl/gl.h"

/* "NAME=VALUE" texts, NULL-terminated. */
struct gl_environment {
	char *items[3];
};

/* `channel` is the path that the child opens. What LD_PRELOAD holds already is kept. */
enum sx_status gl_environment_make(struct gl_environment *environment, const char *library,
				   const char *channel, struct sx_error *err);
void gl_environment_finish(struct gl_environment *environment);

#endif
