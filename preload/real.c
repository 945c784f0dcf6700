/* Where the real functions are: libc's dlsym, the next library in line, or what lookups found. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "preload/hooks/hooks.h"

static void *real_addresses[HOOK_COUNT]; /* atomic */
static void *libc_dlsym;		 /* atomic */
static bool egl_in_use;			 /* atomic */

static const struct {
	const char *name;
	void *address;
} hooks[HOOK_COUNT] = {
#define HOOK_ROW(name) {#name, (void *)name},
    HOOK_LIST(HOOK_ROW)
#undef HOOK_ROW
};

int hook_find(const char *name)
{
	if (name[0] != 'g' && name[0] != 'e' && name[0] != 'X')
		return -1;
	for (int i = 0; i < HOOK_COUNT; i++) {
		if (strcmp(name, hooks[i].name) == 0)
			return i;
	}
	return -1;
}

void *hook_address(int id)
{
	return hooks[id].address;
}

void *(*real_dlsym(void))(void *, const char *)
{
	/* The version that dlsym had when the C library of each CPU family began, and today's. */
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17",
					       "GLIBC_2.27", "GLIBC_2.0"};
	void *found = __atomic_load_n(&libc_dlsym, __ATOMIC_ACQUIRE);

	for (size_t i = 0; found == NULL && i < sizeof(versions) / sizeof(versions[0]); i++)
		found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	__atomic_store_n(&libc_dlsym, found, __ATOMIC_RELEASE);
	return (void *(*)(void *, const char *))found;
}

static bool is_ours(const void *address)
{
	for (int i = 0; i < HOOK_COUNT; i++) {
		if (hooks[i].address == address)
			return true;
	}
	return false;
}

void real_note(int id, void *address)
{
	void *none = NULL;

	if (address != NULL && !is_ours(address))
		__atomic_compare_exchange_n(&real_addresses[id], &none, address, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void real_set_egl(bool egl)
{
	__atomic_store_n(&egl_in_use, egl, __ATOMIC_RELAXED);
}

/* A failed lookup must not be what the program's next dlerror() reports. */
static void *next_in_line(const char *name)
{
	void *found = real_dlsym()(RTLD_NEXT, name);

	if (found == NULL)
		dlerror();
	return found;
}

void *real_find(int id)
{
	void *found = __atomic_load_n(&real_addresses[id], __ATOMIC_ACQUIRE);

	if (found != NULL)
		return found;
	real_note(id, next_in_line(hooks[id].name));
	found = __atomic_load_n(&real_addresses[id], __ATOMIC_ACQUIRE);
	if (found == NULL && strncmp(hooks[id].name, "gl", 2) == 0 && hooks[id].name[2] != 'X') {
		real_note(id, real_gl_function(__atomic_load_n(&egl_in_use, __ATOMIC_RELAXED),
					       hooks[id].name));
		found = __atomic_load_n(&real_addresses[id], __ATOMIC_ACQUIRE);
	}
	return found;
}

void *real_gl_function(bool egl, const char *name)
{
	void (*(*glx_lookup)(const GLubyte *))(void) = REAL(glXGetProcAddressARB);
	void (*(*egl_lookup)(const char *))(void) = REAL(eglGetProcAddress);
	void *found = NULL;

	if (glx_lookup == NULL)
		glx_lookup = REAL(glXGetProcAddress);
	if (egl && egl_lookup != NULL)
		found = (void *)egl_lookup(name);
	if (!egl && glx_lookup != NULL)
		found = (void *)glx_lookup((const GLubyte *)name);
	if (found == NULL) /* before EGL 1.5 only extensions come from there */
		found = next_in_line(name);
	return found;
}
