/* Kernels, and the code around every clEnqueue* call. */
#include <stdlib.h>
#include <string.h>

#include "guest/clock.h"
#include "guest/labels.h"
#include "layer/opencl/layer.h"

#define MAPPINGS_FIRST 64u

/* Writable mappings; searched from the last, because an address may be mapped twice. */
static struct mapping {
	const void *address;
	uint64_t bytes;
} * mappings;
static size_t mapping_count, mapping_cap;
static bool mappings_lost; /* one could not be recorded: out of memory */
static pthread_mutex_t mappings_lock = PTHREAD_MUTEX_INITIALIZER;

static bool more_mappings(void)
{
	size_t cap = mapping_cap ? 2 * mapping_cap : MAPPINGS_FIRST;
	struct mapping *more = calloc(cap, sizeof(*more));
	if (!more)
		return false;
	if (mapping_count)
		memcpy(more, mappings, mapping_count * sizeof(*more));
	free(mappings);
	mappings = more;
	mapping_cap = cap;
	return true;
}

void mapping_keep(const void *address, uint64_t bytes)
{
	if (!address || bytes == 0)
		return;
	pthread_mutex_lock(&mappings_lock);
	if (mapping_count < mapping_cap || more_mappings())
		mappings[mapping_count++] = (struct mapping){address, bytes};
	else
		mappings_lost = true;
	pthread_mutex_unlock(&mappings_lock);
}

/* A mapping without a record may be a lost one, which may have been writable. */
void mapping_take(const void *address, struct wire_counted *out)
{
	pthread_mutex_lock(&mappings_lock);
	size_t at = mapping_count;
	while (at > 0 && mappings[at - 1].address != address)
		at--;
	if (at > 0) {
		out->kind = WIRE_COMMAND_WRITE;
		out->bytes = mappings[at - 1].bytes;
		mappings[at - 1] = mappings[--mapping_count];
	} else if (mappings_lost) {
		out->kind = WIRE_COMMAND_WRITE;
		out->bytes_lost = true;
	}
	pthread_mutex_unlock(&mappings_lock);
}

uint64_t region_bytes(const size_t *region, size_t element)
{
	return region ? (uint64_t)region[0] * region[1] * region[2] * element : 0;
}

static uint32_t read_name(cl_kernel kernel)
{
	char name[1024];
	size_t size = 0;
	if (layer_next.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name,
				       &size) != CL_SUCCESS ||
	    size < 2 || size > sizeof(name))
		return label_intern(0, "kernel", 6);
	return label_intern(0, name, size - 1);
}

/* A cache of labels per thread, because looking up a name costs more than the rest of a call. */
#define RECENT 8u
static __thread struct {
	const void *of; /* a kernel or a string literal */
	uint32_t label, releases;
} recent[RECENT] __attribute__((tls_model("initial-exec")));
static uint32_t releases; /* atomic; counts clReleaseKernel(), after which a handle may be reused */

uint32_t command_label(cl_kernel kernel, const char *name)
{
	const void *of = name ? (const void *)name : kernel;
	uint32_t now = __atomic_load_n(&releases, __ATOMIC_ACQUIRE);
	unsigned at = (unsigned)((uintptr_t)of >> 5) % RECENT;
	if (recent[at].of != of || recent[at].releases != now) {
		recent[at].of = of;
		recent[at].label = name ? label_intern(0, name, strlen(name)) : read_name(kernel);
		recent[at].releases = now;
	}
	return recent[at].label;
}

cl_event *enqueue_begin(struct enqueue *w, cl_command_queue handle, cl_event *event)
{
	w->visit = guest_enter();
	w->probed = sampling_probes(&w->probe_ns);
	w->queue = queue_find(handle);
	w->own = NULL;
	w->theirs = event;
	w->timed = w->queue && sampling_selects(w->queue, &w->before_ns);
	if (w->probed)
		w->spent_ns = guest_now_ns() - w->probe_ns;
	guest_restore_errno(&w->visit);
	return w->timed && !event ? &w->own : event;
}

/* Per command; more means that another thread was scheduled meanwhile. */
#define OWN_MOST_NS 20000u

/* Queues the command for its times. Returns the current time. */
static uint64_t keep_timed(const struct enqueue *w, struct command *c)
{
	c->before_ns = w->before_ns;
	c->after_ns = guest_now_ns();
	c->ours = !w->theirs;
	c->event = c->ours ? w->own : *w->theirs;
	/* The program may release its event before the command completes. */
	if (!c->event || (!c->ours && layer_next.clRetainEvent(c->event) != CL_SUCCESS))
		pending_miss(&w->queue->pending);
	else if (!pending_push(&w->queue->pending, c))
		layer_next.clReleaseEvent(c->event);
	uint64_t now_ns = guest_now_ns();
	uint64_t own_ns = now_ns - c->after_ns;
	sampling_spend(own_ns < OWN_MOST_NS ? own_ns : OWN_MOST_NS, 1);
	return now_ns;
}

cl_int enqueue_end(struct enqueue *w, cl_int status, const struct wire_counted *counts,
		   const char *name)
{
	struct command command = {.counts = *counts};
	uint64_t now_ns = 0;
	guest_keep_errno(&w->visit);
	if (w->probed)
		w->probe_ns = guest_now_ns();
	if (w->queue && status == CL_SUCCESS) {
		if (name)
			command.counts.label = command_label(NULL, name);
		if (w->timed)
			now_ns = keep_timed(w, &command);
		else
			pending_push(&w->queue->pending, &command);
		queue_drain_some(w->queue, now_ns);
	}
	if (w->probed) {
		now_ns = guest_now_ns();
		sampling_probed(w->spent_ns + now_ns - w->probe_ns, now_ns);
	}
	guest_leave(w->visit);
	return status;
}

static CL_API_ENTRY cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
	__atomic_add_fetch(&releases, 1, __ATOMIC_RELEASE);
	return layer_next.clReleaseKernel(kernel);
}

void command_size(struct wire_counted *c, cl_uint dimensions, const size_t *global,
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
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_KERNEL};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
							  local, count, waits, place);
	if (w.queue && status == CL_SUCCESS) {
		command_size(&c, dimensions, global, local);
		c.label = command_label(kernel, NULL);
	}
	return enqueue_end(&w, status, &c, NULL);
}

static CL_API_ENTRY cl_int CL_API_CALL run_task(cl_command_queue queue, cl_kernel kernel,
						cl_uint count, const cl_event *waits,
						cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_KERNEL,
				 .items = 1,
				 .groups = 1,
				 .items_known = true,
				 .groups_known = true};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueTask(queue, kernel, count, waits, place);
	if (w.queue && status == CL_SUCCESS)
		c.label = command_label(kernel, NULL);
	return enqueue_end(&w, status, &c, NULL);
}

static CL_API_ENTRY cl_int CL_API_CALL run_native(cl_command_queue queue,
						  void(CL_CALLBACK *function)(void *),
						  void *arguments, size_t size, cl_uint objects,
						  const cl_mem *list, const void **places,
						  cl_uint count, const cl_event *waits,
						  cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_KERNEL};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueNativeKernel(queue, function, arguments, size, objects,
							 list, places, count, waits, place);
	return enqueue_end(&w, status, &c, "clEnqueueNativeKernel");
}

void commands_hooks(cl_icd_dispatch *table)
{
	table->clReleaseKernel = release_kernel;
	table->clEnqueueNDRangeKernel = run_range;
	table->clEnqueueTask = run_task;
	table->clEnqueueNativeKernel = run_native;
}
