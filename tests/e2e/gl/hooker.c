/*
 * Another library that hooks GL, as RenderDoc, apitrace and MangoHud do, in one of their three ways
 * of finding the real functions: HOW_HANDLE uses dlopen() and dlsym(), HOW_NEXT uses RTLD_NEXT,
 * HOW_PROC uses glXGetProcAddress(). At exit it prints how many swaps it has seen.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <GL/glx.h>

#define EXPORT __attribute__((visibility("default")))

static int swaps;
static unsigned depth;

static void *real(const char *name)
{
#if defined(HOW_NEXT)
	return dlsym(RTLD_NEXT, name);
#else
	void *library = dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL);
#if defined(HOW_PROC)
	void (*(*get)(const GLubyte *))(void) =
	    (void (*(*)(const GLubyte *))(void))dlsym(library, "glXGetProcAddressARB");
	void *found = (void *)get((const GLubyte *)name);

	return found;
#else
	return dlsym(library, name);
#endif
#endif
}

/* What would be an endless recursion ends here, with a word. */
static void enter(void)
{
	if (++depth > 50) {
		fprintf(stderr, "endless recursion\n");
		_Exit(3);
	}
}

static void say(void)
{
	fprintf(stderr, "hooker: %d swaps\n", swaps);
}

EXPORT void glXSwapBuffers(Display *display, GLXDrawable drawable)
{
	static __typeof__(&glXSwapBuffers) next;

	if (!next) {
		next = (__typeof__(next))real("glXSwapBuffers");
		atexit(say);
	}
	enter();
	swaps++;
	next(display, drawable);
	depth--;
}

EXPORT Bool glXMakeCurrent(Display *display, GLXDrawable drawable, GLXContext context)
{
	static __typeof__(&glXMakeCurrent) next;

	if (!next)
		next = (__typeof__(next))real("glXMakeCurrent");
	enter();
	Bool done = next(display, drawable, context);
	depth--;
	return done;
}

EXPORT void glXDestroyContext(Display *display, GLXContext context)
{
	static __typeof__(&glXDestroyContext) next;

	if (!next)
		next = (__typeof__(next))real("glXDestroyContext");
	enter();
	next(display, context);
	depth--;
}

EXPORT GLenum glGetError(void)
{
	static __typeof__(&glGetError) next;

	if (!next)
		next = (__typeof__(next))real("glGetError");
	enter();
	GLenum error = next();
	depth--;
	return error;
}

/* Hooks by address, as overlays do: their own function for a name that they have. */
EXPORT void (*glXGetProcAddressARB(const GLubyte *name))(void)
{
	static __typeof__(&glXGetProcAddressARB) next;
	void (*found)(void);

	if (!next)
#if defined(HOW_NEXT)
		next = (__typeof__(next))dlsym(RTLD_NEXT, "glXGetProcAddressARB");
#else
		next = (__typeof__(next))dlsym(dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL),
					       "glXGetProcAddressARB");
#endif
	if (strcmp((const char *)name, "glXSwapBuffers") == 0)
		return (void (*)(void))glXSwapBuffers;
	enter();
	found = next(name);
	depth--;
	return found;
}
