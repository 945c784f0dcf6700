/* Kernels, and what is done around every call that enqueues. */
#include <string.h>

#include "guest/clock.h"
#include "guest/labels.h"
#include "layer/opencl/layer.h"

#define MAPPINGS 256u

static struct {
	const void *address;
	uint64_t bytes;
} mappings[MAPPINGS]; /* that the program may write to */
static pthread_mutex_t mappings_lock = PTHREAD_MUTEX_INITIALIZER;

void mapping_keep(const void *address, uint64_t bytes)
{
	unsigned i = 0;

	if (!address || bytes == 0)
		return;
	pthread_mutex_lock(&mappings_lock);
	while (i < MAPPINGS && mappings[i].address)
		i++;
	if (i < MAPPINGS) {
		mappings[i].address = address;
		mappings[i].bytes = bytes;
	}
	pthread_mutex_unlock(&mappings_lock);
}

uint64_t mapping_take(const void *address)
{
	uint64_t bytes = 0;

	pthread_mutex_lock(&mappings_lock);
	for (unsigned i = 0; i < MAPPINGS && bytes == 0; i++)
		if (address && mappings[i].address == address) {
			bytes = mappings[i].bytes;
			mappings[i].address = NULL;
		}
	pthread_mutex_unlock(&mappings_lock);
	return bytes;
}

uint64_t region_bytes(const size_t *region, size_t element)
{
	return region ? (uint64_t)region[0] * region[1] * region[2] * element : 0;
}

cl_event *watch_begin(struct watch *w, cl_command_queue handle, cl_event *event)
{
	w->visit = guest_enter();
	w->queue = queue_find(handle);
	w->own = NULL;
	w->theirs = event;
	w->before_ns = w->queue ? guest_now_ns() : 0;
	guest_restore_errno(&w->visit);
	return w->queue && !event ? &w->own : event;
}

static void keep(const struct watch *w, struct command *c, const char *name)
{
	c->before_ns = w->before_ns;
	c->after_ns = guest_now_ns();
	c->ours = !w->theirs;
	c->event = c->ours ? w->own : *w->theirs;
	c->label = name ? label_intern(0, name, strlen(name)) : c->label;
	/* The program may give its event back before the command has ended. */
	if (!c->event || (!c->ours && layer_next.clRetainEvent(c->event) != CL_SUCCESS))
		pending_miss(&w->queue->pending);
	else if (!pending_push(&w->queue->pending, c))
		layer_next.clReleaseEvent(c->event);
	queue_drain(w->queue); /* a blocking command has ended already */
}

cl_int watch_end(struct watch *w, cl_int status, struct command *command, const char *name)
{
	guest_keep_errno(&w->visit);
	if (w->queue && status == CL_SUCCESS)
		keep(w, command, name);
	guest_leave(w->visit);
	return status;
}

static uint32_t ask_name(cl_kernel kernel)
{
	char name[1024];
	size_t size = 0;

	if (layer_next.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name,
				       &size) != CL_SUCCESS ||
	    size < 2 || size > sizeof(name))
		return label_intern(0, "kernel", 6);
	return label_intern(0, name, size - 1);
}

/* The names of the kernels that this thread ran last: asking takes longer than all else. */
#define RECENT 4u
static __thread struct {
	cl_kernel kernel;
	uint32_t label, releases; /* of any kernel, until it was asked */
} recent[RECENT] __attribute__((tls_model("initial-exec")));
static uint32_t releases; /* atomic; after each, a handle may be another kernel's */

/* The kernel's name, as a label. */
static uint32_t name_of(cl_kernel kernel)
{
	uint32_t now = __atomic_load_n(&releases, __ATOMIC_ACQUIRE);
	unsigned at = (unsigned)((uintptr_t)kernel >> 6) % RECENT;

	if (recent[at].kernel != kernel || recent[at].releases != now) {
		recent[at].kernel = kernel;
		recent[at].label = ask_name(kernel);
		recent[at].releases = now;
	}
	return recent[at].label;
}

static CL_API_ENTRY cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
	__atomic_add_fetch(&releases, 1, __ATOMIC_RELEASE);
	return layer_next.clReleaseKernel(kernel);
}

static void size_of(struct command *c, cl_uint dimensions, const size_t *global,
		    const size_t *local)
{
	c->items = c->groups = 1;
	c->items_known = global != NULL;
	c->groups_known = global && local;
	for (cl_uint i = 0; global && i < dimensions && i < 3; i++) {
		c->items *= global[i];
		if (local && local[i] > 0)
			c->groups *= (global[i] + local[i] - 1) / local[i];
	}
}

static CL_API_ENTRY cl_int CL_API_CALL run_range(cl_command_queue queue, cl_kernel kernel,
						 cl_uint dimensions, const size_t *offset,
						 const size_t *global, const size_t *local,
						 cl_uint count, const cl_event *waits,
						 cl_event *event)
{
	struct watch w;
	struct command c = {.kind = COMMAND_KERNEL};
	cl_event *place = watch_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
							  local, count, waits, place);

	if (w.queue && status == CL_SUCCESS) {
		size_of(&c, dimensions, global, local);
		c.label = name_of(kernel);
	}
	return watch_end(&w, status, &c, NULL);
}

static CL_API_ENTRY cl_int CL_API_CALL run_task(cl_command_queue queue, cl_kernel kernel,
						cl_uint count, const cl_event *waits,
						cl_event *event)
{
	struct watch w;
	struct command c = {.kind = COMMAND_KERNEL,
			    .items = 1,
			    .groups = 1,
			    .items_known = true,
			    .groups_known = true};
	cl_event *place = watch_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueTask(queue, kernel, count, waits, place);

	if (w.queue && status == CL_SUCCESS)
		c.label = name_of(kernel);
	return watch_end(&w, status, &c, NULL);
}

static CL_API_ENTRY cl_int CL_API_CALL run_native(cl_command_queue queue,
						  void(CL_CALLBACK *function)(void *),
						  void *arguments, size_t size, cl_uint objects,
						  const cl_mem *list, const void **places,
						  cl_uint count, const cl_event *waits,
						  cl_event *event)
{
	struct watch w;
	struct command c = {.kind = COMMAND_KERNEL};
	cl_event *place = watch_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueNativeKernel(queue, function, arguments, size, objects,
							 list, places, count, waits, place);

	return watch_end(&w, status, &c, "clEnqueueNativeKernel");
}

void commands_hooks(cl_icd_dispatch *table)
{
	table->clReleaseKernel = release_kernel;
	table->clEnqueueNDRangeKernel = run_range;
	table->clEnqueueTask = run_task;
	table->clEnqueueNativeKernel = run_native;
}
