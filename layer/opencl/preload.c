/*
 * Loaders that know no layers: the library is preloaded, and stands before clGetPlatformIDs. Every
 * object of a driver begins with the address of the driver's table of functions, through which such
 * a loader calls it: hooks go into that table. Of several drivers the first is measured, from
 * OpenCL 2 on.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layer/opencl/layer.h"

#define EXPORT __attribute__((visibility("default")))

/* Entries that every driver of OpenCL 2 and later has; all that are hooked are among them. */
#define ENTRIES_BYTES (offsetof(cl_icd_dispatch, clEnqueueSVMUnmap) + sizeof(void *))

struct _cl_platform_id {
	cl_icd_dispatch *dispatch;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool done; /* under the lock: a table was changed, or a loader has asked for the layer */

void preload_not_needed(void)
{
	pthread_mutex_lock(&lock);
	done = true;
	pthread_mutex_unlock(&lock);
}

/* Tables of drivers are constant data as often as not. */
static bool make_writable(void *table)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)table & ~(page - 1);
	uintptr_t end = (uintptr_t)table + ENTRIES_BYTES;
	return mprotect((void *)first, end - first, PROT_READ | PROT_WRITE) == 0;
}

static bool is_new_enough(cl_platform_id platform)
{
	char version[1024] = "";
	return platform->dispatch->clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof(version),
						     version, NULL) == CL_SUCCESS &&
	       strncmp(version, "OpenCL ", 7) == 0 && version[7] >= '2';
}

static void hook(cl_platform_id platform)
{
	pthread_mutex_lock(&lock);
	if (!done && platform && platform->dispatch && guest_active() && is_new_enough(platform) &&
	    make_writable(platform->dispatch)) {
		done = true;
		memcpy(&layer_next, platform->dispatch, ENTRIES_BYTES);
		layer_hook(platform->dispatch);
	}
	pthread_mutex_unlock(&lock);
}

/* A loader that knows layers has asked for ours before it returns. */
EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint entries, cl_platform_id *platforms,
							cl_uint *count)
{
	static __typeof__(clGetPlatformIDs) *next; /* the same whoever finds it */
	cl_platform_id first = NULL;

	if (!next)
		next = (__typeof__(next))dlsym(RTLD_NEXT, "clGetPlatformIDs");
	if (!next)
		return CL_INVALID_VALUE;
	cl_int status = next(entries, platforms, count);
	if (status == CL_SUCCESS && next(1, &first, NULL) == CL_SUCCESS)
		hook(first);
	return status;
}
