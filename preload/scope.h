/*
 * Looking up functions where no hook stands in the way: in the dynamic tables of what is loaded,
 * without dlsym or dlopen, which others hook as we do.
 */
#ifndef PRELOAD_SCOPE_H
#define PRELOAD_SCOPE_H

#include <stdbool.h>

/* A function of libc, whatever stands before it; NULL when it is not the C library that we know. */
void *scope_libc(const char *name);
/* A function of one of the libraries that OpenGL, EGL and X come in, if any is loaded. */
void *scope_driver(const char *name);
/*
 * What the module that `caller` (an address) lies in would find under this name among the libraries
 * that it is linked with; it need not be in the program's scope. NULL when there is none.
 */
void *scope_of_caller(const void *caller, const char *name);
/* Whether the module of `caller` exports this name itself, and stands behind ours. */
bool scope_hooks_behind(const void *caller, const char *name);
/* Whether the object that an address lies in was loaded after ours. */
bool scope_is_behind(const void *address);
/* Keeps the library that an address lies in loaded, since we go on using it. */
void scope_pin(const void *address);

#endif
