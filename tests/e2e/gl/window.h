/* What the test programs share: an EGL pbuffer context, GL functions, a hash of the picture. */
#ifndef TESTS_GL_WINDOW_H
#define TESTS_GL_WINDOW_H

#include <stdio.h>
#include <stdlib.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define WINDOW_SIZE 64

struct window {
	EGLDisplay display;
	EGLConfig config;
	EGLSurface surface;
	EGLContext context;
};

enum window_kind { WINDOW_COMPAT, WINDOW_CORE, WINDOW_ES, WINDOW_DEBUG };

/* A program that cannot run here says so by status 77. */
#define NEED(what)                                                                                 \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "skipped: no %s\n", #what);                                \
			exit(77);                                                                  \
		}                                                                                  \
	} while (0)

/* A finding of the program about itself. */
#define EXPECT(what)                                                                               \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                 \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* Opens a display without a window system. */
void window_display(struct window *window);
/* Makes a context of a kind with a pbuffer, not current yet. */
void window_open(struct window *window, enum window_kind kind);
void window_bind(const struct window *window);
void window_swap(const struct window *window);
void window_close(struct window *window);
/* FNV-1a over the picture. */
unsigned window_hash(void);
GLuint window_program(const char *const *sources, const GLenum *kinds, int count,
		      const char *const *captured, int captured_count);
/* Draws into a texture of so many pixels a side from now on, with an empty vertex array. */
void window_target(int side);
/* Binds it, with a program that fills it by one triangle; then draws so many frames of that. */
void window_prepare(const struct window *window);
void window_frames(const struct window *window, int count);

#endif
