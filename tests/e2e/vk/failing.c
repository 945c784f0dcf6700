/*
 * Preloaded into a program: the Vulkan layer's FAIL_AT-th allocation finds no memory, and with
 * FAIL_FOR=all none behind it does either. Everybody else's are left alone.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool fails(const void *caller)
{
	static unsigned count; /* atomic */
	static int at = -1, all;
	Dl_info info;

	if (dladdr(caller, &info) == 0 || !info.dli_fname ||
	    !strstr(info.dli_fname, "libsextant-vulkan"))
		return false;
	if (at < 0) {
		at = getenv("FAIL_AT") ? atoi(getenv("FAIL_AT")) : 0;
		all = getenv("FAIL_FOR") != NULL;
	}
	unsigned number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	return at > 0 && (number == (unsigned)at || (all && number > (unsigned)at));
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
