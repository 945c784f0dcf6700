/* A context of this machine's OpenGL driver, for a child that may die of it (source/guest/ask.h).
 */
#ifndef SOURCE_GL_EGL_H
#define SOURCE_GL_EGL_H

#include <stdbool.h>

struct egl {
	void *(*get_proc)(const char *name);
	void *(*get_display)(void *native);
	unsigned (*initialize)(void *display, int *major, int *minor);
	unsigned (*bind_api)(unsigned api);
	unsigned (*choose_config)(void *display, const int *attributes, void **configs, int size,
				  int *count);
	void *(*create_context)(void *display, void *config, void *share, const int *attributes);
	unsigned (*make_current)(void *display, void *draw, void *read, void *context);
};

/* Makes a context current, without a surface. False: no driver answers. */
bool egl_begin(struct egl *egl);

#endif
