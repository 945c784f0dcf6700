/* Preloaded: no memory for the layer, and all of it for everybody else. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void *__libc_calloc(size_t count, size_t size);
void *calloc(size_t count, size_t size);

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
	static __thread int inside;
	Dl_info info = {0};
	int ours = 0;

	if (!inside) {
		inside = 1;
		ours = dladdr(__builtin_return_address(0), &info) && info.dli_fname &&
		       strstr(info.dli_fname, "libsextant-opencl") != NULL;
		inside = 0;
	}
	return ours ? NULL : __libc_calloc(count, size);
}
