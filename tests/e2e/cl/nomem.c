/*
 * Preloaded: no memory for the layer, and all of it for everybody else. With FAIL_AT=N its N-th
 * allocation alone fails.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *__libc_calloc(size_t count, size_t size);

/* Whether this one of ours fails. */
static int fails(void)
{
	static unsigned count; /* atomic */
	const char *at = getenv("FAIL_AT");
	unsigned number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);

	return !at || number == (unsigned)atoi(at);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
	static __thread int inside;
	Dl_info info = {0};
	int ours = 0;

	if (!inside) {
		inside = 1;
		ours = dladdr(__builtin_return_address(0), &info) && info.dli_fname &&
		       strstr(info.dli_fname, "libsextant-opencl");
		inside = 0;
	}
	return ours && fails() ? NULL : __libc_calloc(count, size);
}
