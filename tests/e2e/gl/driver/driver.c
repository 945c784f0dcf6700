/*
 * A made-up OpenGL driver in the place of libEGL.so.1: everything goes to the real one, but for the
 * renderer's name and the functions of hardware counters. The environment says which: FAKE_GL is
 * amd, amd-split, gfx6, unknown, intel or none; FAKE_GL_LIE how it lies; FAKE_GL_OTHER, in the
 * measured program alone, that it is another driver there ("renderer"), or shows its groups in
 * another order and size ("groups"). What happened is written to FAKE_GL_LOG at exit.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include "../../../gpa/fake_amd.h"
#include "../../../gpa/fake_intel.h"

#define EXPORT __attribute__((visibility("default")))

void *fake_next_proc(const char *name); /* eglGetProcAddress() of fake_amd.c */
EXPORT void *eglGetProcAddress(const char *name);

static int intel, loaded;
static char renderer[128];

static const char *word(const char *name)
{
	const char *text = getenv(name);
	return text ? text : "";
}

static void start(void)
{
	const char *kind = word("FAKE_GL"), *lie = word("FAKE_GL_LIE");
	const char *other = getenv("SEXTANT_CHANNEL_COUNTERS") ? word("FAKE_GL_OTHER") : "";
	loaded = 1;
	if (strcmp(lie, "crash") == 0 && !getenv("SEXTANT_CHANNEL_COUNTERS"))
		abort();
	if (strcmp(kind, "amd") == 0)
		fake_amd_enable("hawaii", 4, 2, 4);
	else if (strcmp(kind, "amd-split") == 0)
		fake_amd_enable_split("hawaii", 2, 4);
	else if (strcmp(kind, "gfx6") == 0)
		fake_amd_enable_gfx6();
	else if (strcmp(kind, "unknown") == 0)
		fake_amd_enable("navi99", 2, 1, 1);
	intel = strcmp(kind, "intel") == 0;
	if (intel)
		fake_intel_enable(*lie ? lie : NULL);
	else if (*lie)
		fake_amd_lie(lie);
	fake_amd_exclusive();
	if (strcmp(other, "groups") == 0)
		fake_amd_shuffle();
	if (strcmp(other, "renderer") == 0)
		snprintf(renderer, sizeof(renderer), "Another one (radeonsi, hawaii, LLVM)");
	else if (intel)
		snprintf(renderer, sizeof(renderer), "%s", fake_intel_renderer());
}

/* In forked children, too, which end without exit handlers. */
__attribute__((destructor)) static void write_log(void)
{
	const char *path = getenv("FAKE_GL_LOG");
	FILE *to = path ? fopen(path, "a") : NULL;
	if (!to)
		return;
	struct fake_amd_log amd = fake_amd_report();
	struct fake_intel_log other = fake_intel_report();
	fprintf(to, "begun %u refused %u alive %u most %u\n", amd.begun + other.begun,
		amd.refused + other.refused, amd.alive + other.alive, amd.most);
	fclose(to);
}

static const GLubyte *get_string(GLenum name)
{
	const GLubyte *(*next)(GLenum) = NULL;
	void *symbol = fake_next_proc("glGetString");
	memcpy(&next, &symbol, sizeof(next));
	return name == GL_RENDERER && renderer[0] ? (const GLubyte *)renderer : next(name);
}

static const GLubyte *get_string_i(GLenum name, GLuint index)
{
	const GLubyte *(*next)(GLenum, GLuint) = NULL;
	void *symbol = fake_next_proc("glGetStringi");
	memcpy(&next, &symbol, sizeof(next));
	if (name == GL_EXTENSIONS && index == 0)
		return (const GLubyte *)"GL_INTEL_performance_query";
	return next(name, index);
}

static GLenum get_error(void)
{
	GLenum (*mine)(void) = NULL, (*next)(void) = NULL;
	void *symbol = fake_intel_function("take error");
	memcpy(&mine, &symbol, sizeof(mine));
	symbol = fake_next_proc("glGetError");
	memcpy(&next, &symbol, sizeof(next));
	GLenum error = mine();
	return error ? error : next();
}

static void *as_object(void (*function)(void))
{
	void *out;
	memcpy(&out, &function, sizeof(out));
	return out;
}

void *eglGetProcAddress(const char *name)
{
	if (!loaded)
		start();
	if (renderer[0] && strcmp(name, "glGetString") == 0)
		return as_object((void (*)(void))get_string);
	if (intel && strcmp(name, "glGetStringi") == 0)
		return as_object((void (*)(void))get_string_i);
	if (intel && strcmp(name, "glGetError") == 0)
		return as_object((void (*)(void))get_error);
	void *mine = intel ? fake_intel_function(name) : NULL;
	return mine ? mine : fake_next_proc(name);
}

/* All else of EGL takes and gives integers and pointers, eight at most. */
static long forward(void **place, const char *name, const long *a)
{
	long (*real)(long, long, long, long, long, long, long, long) = NULL;
	if (!*place)
		*place = dlsym(dlopen(FAKE_REAL_EGL, RTLD_LAZY), name);
	memcpy(&real, place, sizeof(real));
	return real ? real(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]) : 0;
}

#define FORWARD(name)                                                                              \
	EXPORT long name(long a, long b, long c, long d, long e, long f, long g, long h);          \
	long name(long a, long b, long c, long d, long e, long f, long g, long h)                  \
	{                                                                                          \
		static void *place;                                                                \
		const long all[] = {a, b, c, d, e, f, g, h};                                       \
		return forward(&place, #name, all);                                                \
	}
FORWARD(eglBindAPI)
FORWARD(eglBindTexImage)
FORWARD(eglChooseConfig)
FORWARD(eglClientWaitSync)
FORWARD(eglCopyBuffers)
FORWARD(eglCreateContext)
FORWARD(eglCreateImage)
FORWARD(eglCreatePbufferSurface)
FORWARD(eglCreatePixmapSurface)
FORWARD(eglCreateSync)
FORWARD(eglCreateWindowSurface)
FORWARD(eglDestroyContext)
FORWARD(eglDestroyImage)
FORWARD(eglDestroySurface)
FORWARD(eglDestroySync)
FORWARD(eglGetConfigAttrib)
FORWARD(eglGetConfigs)
FORWARD(eglGetCurrentContext)
FORWARD(eglGetCurrentDisplay)
FORWARD(eglGetCurrentSurface)
FORWARD(eglGetDisplay)
FORWARD(eglGetError)
FORWARD(eglGetPlatformDisplay)
FORWARD(eglInitialize)
FORWARD(eglMakeCurrent)
FORWARD(eglQueryAPI)
FORWARD(eglQueryContext)
FORWARD(eglQueryString)
FORWARD(eglQuerySurface)
FORWARD(eglReleaseTexImage)
FORWARD(eglReleaseThread)
FORWARD(eglSurfaceAttrib)
FORWARD(eglSwapBuffers)
FORWARD(eglSwapInterval)
FORWARD(eglTerminate)
FORWARD(eglWaitClient)
FORWARD(eglWaitGL)
FORWARD(eglWaitNative)
FORWARD(eglWaitSync)
