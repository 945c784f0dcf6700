/*
 * A program with an OpenGL ES of its own, as Chromium has with ANGLE, which may call the driver's:
 * built as that library, too. Ends with 0 when a lookup in it gives its own function.
 */
#include <dlfcn.h>
#include <stddef.h>

#ifdef LIBRARY
__attribute__((visibility("default"))) void *EGL_GetProcAddress(const char *name);
__attribute__((visibility("default"))) void glFinish(void);
__attribute__((visibility("default"))) void *own_finish(void);

void *EGL_GetProcAddress(const char *name)
{
	return NULL;
}

void glFinish(void)
{
}

__attribute__((visibility("hidden"), alias("glFinish"))) void finish(void);

void *own_finish(void)
{
	return (void *)finish;
}
#else
int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!library)
		return 2;
	void *(*own)(void) = (void *(*)(void))dlsym(library, "own_finish");
	return !own || dlsym(library, "glFinish") != own();
}
#endif
