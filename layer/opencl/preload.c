/*
 * For loaders without layers: the library is preloaded and wraps clGetPlatformIDs(). Every object
 * of a driver begins with a pointer to the driver's dispatch table (cl_khr_icd), through which the
 * loader calls; our hooks replace entries of that table. Only the first driver is measured, and
 * only with OpenCL 2 or later.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layer/opencl/layer.h"

#define EXPORT __attribute__((visibility("default")))

/* Entries that every driver of OpenCL 2 has; we hook no others. */
#define ENTRIES_BYTES (offsetof(cl_icd_dispatch, clEnqueueSVMUnmap) + sizeof(void *))

struct _cl_platform_id {
	cl_icd_dispatch *dispatch;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool done; /* under the lock: a table was changed, or the loader supports layers */

void preload_not_needed(void)
{
	pthread_mutex_lock(&lock);
	done = true;
	pthread_mutex_unlock(&lock);
}

/* Many drivers have their table in read-only memory. */
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

/* A loader with layers calls clInitLayer() before this returns. */
EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint entries, cl_platform_id *platforms,
							cl_uint *count)
{
	static __typeof__(clGetPlatformIDs) *next; /* every thread finds the same address */
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
