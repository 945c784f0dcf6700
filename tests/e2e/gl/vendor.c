/*
 * Mesa's EGL as another vendor of libglvnd, with a made-up renderer. After swap number
 * VENDOR_DISJOINT it reports GL_GPU_DISJOINT once; at exit it prints how often that was read. With
 * VENDOR_COUNT it keeps the renderer's name, and prints the number of calls on queries and state
 * after the swap of that number. VENDOR_CLOCK is the factor by which the GPU's clock is too fast.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <EGL/egl.h>
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <glvnd/libeglabi.h>

static void *(*mesa_lookup)(const char *name);
static long swaps, disjoint_at = -1, count_after = -1, calls;
static int disjoint, shown;
static GLuint64 clock_factor = 1;
static unsigned char is_stamp[4096]; /* by name: of the core profile, from 1 up */

static void count(void)
{
	calls += count_after >= 0 && swaps >= count_after;
}

#define COUNTED(X)                                                                                 \
	X(void, glBeginQuery, (GLenum a, GLuint b), (a, b))                                        \
	X(void, glEndQuery, (GLenum a), (a))                                                       \
	X(void, glBeginQueryIndexed, (GLenum a, GLuint b, GLuint c), (a, b, c))                    \
	X(void, glEndQueryIndexed, (GLenum a, GLuint b), (a, b))                                   \
	X(void, glGetQueryiv, (GLenum a, GLenum b, GLint * c), (a, b, c))                          \
	X(void, glGetQueryObjectuiv, (GLuint a, GLenum b, GLuint * c), (a, b, c))                  \
	X(void, glGenQueries, (GLsizei a, GLuint * b), (a, b))                                     \
	X(void, glFlush, (void), ())                                                               \
	X(GLenum, glGetError, (void), ())                                                          \
	X(GLboolean, glIsEnabled, (GLenum a), (a))

#define COUNT_CALL(type, name, parameters, arguments)                                              \
	static type counted_##name parameters                                                      \
	{                                                                                          \
		type(*real) parameters = (type(*) parameters)mesa_lookup(#name);                   \
                                                                                                   \
		count();                                                                           \
		return real arguments;                                                             \
	}
COUNTED(COUNT_CALL)
#undef COUNT_CALL

static const struct {
	const char *name;
	void *address;
} counted[] = {
#define COUNT_ROW(type, name, parameters, arguments) {#name, (void *)counted_##name},
    COUNTED(COUNT_ROW)
#undef COUNT_ROW
};

static void query_counter(GLuint query, GLenum target)
{
	void (*real)(GLuint, GLenum) = (void (*)(GLuint, GLenum))mesa_lookup("glQueryCounter");

	count();
	is_stamp[query % sizeof(is_stamp)] = 1;
	real(query, target);
}

static void get_result(GLuint query, GLenum what, GLuint64 *value)
{
	void (*real)(GLuint, GLenum, GLuint64 *) =
	    (void (*)(GLuint, GLenum, GLuint64 *))mesa_lookup("glGetQueryObjectui64v");

	count();
	real(query, what, value);
	if (what == GL_QUERY_RESULT && is_stamp[query % sizeof(is_stamp)])
		*value *= clock_factor;
}

static const GLubyte *get_string(GLenum name)
{
	const GLubyte *(*real)(GLenum) = (const GLubyte *(*)(GLenum))mesa_lookup("glGetString");

	return name == GL_RENDERER && count_after < 0 ? (const GLubyte *)"Made-up" : real(name);
}

static void get_integers(GLenum name, GLint *values)
{
	void (*real)(GLenum, GLint *) = (void (*)(GLenum, GLint *))mesa_lookup("glGetIntegerv");

	count();
	real(name, values);
	if (name == GL_GPU_DISJOINT_EXT) {
		*values = disjoint;
		shown += disjoint;
		disjoint = 0;
	}
}

static EGLBoolean swap(EGLDisplay display, EGLSurface surface)
{
	EGLBoolean (*real)(EGLDisplay, EGLSurface) =
	    (EGLBoolean(*)(EGLDisplay, EGLSurface))mesa_lookup("eglSwapBuffers");
	EGLBoolean done = real(display, surface);

	if (++swaps == disjoint_at)
		disjoint = 1;
	return done;
}

static void *lookup(const char *name)
{
	if (strcmp(name, "glGetString") == 0)
		return (void *)get_string;
	if (strcmp(name, "glGetIntegerv") == 0)
		return (void *)get_integers;
	if (strcmp(name, "glQueryCounter") == 0)
		return (void *)query_counter;
	if (strcmp(name, "glGetQueryObjectui64v") == 0)
		return (void *)get_result;
	if (strcmp(name, "eglSwapBuffers") == 0)
		return (void *)swap;
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		if (strcmp(name, counted[i].name) == 0 && mesa_lookup(name))
			return counted[i].address;
	}
	return mesa_lookup(name);
}

static void say(void)
{
	fprintf(stderr, "vendor: disjoint told %d times\n", shown);
	fprintf(stderr, "vendor: %ld calls in %ld swaps\n", calls, swaps - count_after);
}

__attribute__((visibility("default"))) EGLBoolean __egl_Main(uint32_t version,
							     const __EGLapiExports *exports,
							     __EGLvendorInfo *vendor,
							     __EGLapiImports *imports)
{
	void *mesa = dlopen("libEGL_mesa.so.0", RTLD_NOW | RTLD_LOCAL);
	__PFNEGLMAINPROC start = mesa ? (__PFNEGLMAINPROC)dlsym(mesa, "__egl_Main") : NULL;

	if (!start || !start(version, exports, vendor, imports))
		return EGL_FALSE;
	if (getenv("VENDOR_DISJOINT"))
		disjoint_at = strtol(getenv("VENDOR_DISJOINT"), NULL, 10);
	if (getenv("VENDOR_COUNT"))
		count_after = strtol(getenv("VENDOR_COUNT"), NULL, 10);
	if (getenv("VENDOR_CLOCK"))
		clock_factor = strtoul(getenv("VENDOR_CLOCK"), NULL, 10);
	mesa_lookup = imports->getProcAddress;
	imports->getProcAddress = lookup;
	atexit(say);
	return EGL_TRUE;
}
