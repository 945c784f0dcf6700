/*
 * cl_khr_command_buffer: counts the recorded commands each time that a command buffer is enqueued.
 * They have no times, because drivers report those of the whole command buffer or (pocl) of its
 * last command. The extension's types are not used, because headers differ in them, and since
 * version 0.9.5 the functions that record copies have one more parameter.
 */
#include <stdlib.h>
#include <string.h>

#include "layer/opencl/layer.h"

#define REFERENCE_COUNT 0x1296u /* CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR */
#define EXTENSION	"cl_khr_command_buffer"
#define OTHER_FORM	CL_MAKE_VERSION(0, 9, 5)
#define DEVICES_MOST	64u

struct command_buffer {
	struct command_buffer *next;
	const void *handle;
	cl_command_queue queue; /* the first of clCreateCommandBufferKHR() */
	bool incomplete;	/* some of its commands are not recorded here */
	struct wire_counted *items;
	size_t count, cap;
};

static struct command_buffer *command_buffers; /* under the lock */
static pthread_mutex_t command_buffers_lock = PTHREAD_MUTEX_INITIALIZER;
static bool unknown; /* atomic: the program may use functions that we do not intercept */

/* Functions of the first driver that the program asked for one. */
enum extension_function {
	FUNCTION_CREATE,
	FUNCTION_RELEASE,
	FUNCTION_ENQUEUE,
	FUNCTION_RANGE,
	FUNCTION_COPY,
	FUNCTION_COPY_RECT,
	FUNCTION_FILL,
	FUNCTION_TO_IMAGE,
	FUNCTION_COPY_IMAGE,
	FUNCTION_FROM_IMAGE,
	FUNCTION_FILL_IMAGE,
	EXTENSION_FUNCTIONS
};
static void *extension_next[EXTENSION_FUNCTIONS];
static void *extension_info; /* atomic; clGetCommandBufferInfoKHR */

static void *next_of(enum extension_function which)
{
	return __atomic_load_n(&extension_next[which], __ATOMIC_ACQUIRE);
}

static struct command_buffer **find(const void *handle)
{
	struct command_buffer **link = &command_buffers;
	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	return link;
}

static void command_buffer_destroy(const void *handle)
{
	pthread_mutex_lock(&command_buffers_lock);
	struct command_buffer **link = find(handle), *gone = *link;
	if (gone)
		*link = gone->next;
	pthread_mutex_unlock(&command_buffers_lock);
	if (gone)
		free(gone->items);
	free(gone);
}

/* Out of memory, the command buffer has no record. */
static void command_buffer_create(const void *handle, cl_command_queue queue)
{
	command_buffer_destroy(handle); /* an earlier one may have had this handle */
	struct command_buffer *made = calloc(1, sizeof(*made));
	if (!made)
		return;
	pthread_mutex_lock(&command_buffers_lock);
	*made = (struct command_buffer){.next = command_buffers, .handle = handle, .queue = queue};
	command_buffers = made;
	pthread_mutex_unlock(&command_buffers_lock);
}

static void add(const void *handle, const struct wire_counted *counts)
{
	pthread_mutex_lock(&command_buffers_lock);
	struct command_buffer *b = *find(handle);
	if (b && b->count == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 16;
		struct wire_counted *more = realloc(b->items, cap * sizeof(*more));
		b->incomplete |= !more;
		b->items = more ? more : b->items;
		b->cap = more ? cap : b->cap;
	}
	if (b && b->count < b->cap) {
		b->items[b->count] = *counts;
		b->items[b->count++].together = true;
	}
	pthread_mutex_unlock(&command_buffers_lock);
}

static cl_int info_of(void *handle, cl_uint what, size_t size, void *value)
{
	cl_int(CL_API_CALL * info)(void *, cl_uint, size_t, void *, size_t *) =
	    (__typeof__(info))__atomic_load_n(&extension_info, __ATOMIC_ACQUIRE);
	return info ? info(handle, what, size, value, NULL) : CL_INVALID_OPERATION;
}

static void *CL_API_CALL create_command_buffer(cl_uint count, const cl_command_queue *queues,
					       const void *properties, cl_int *status)
{
	void *(CL_API_CALL * next)(cl_uint, const cl_command_queue *, const void *, cl_int *) =
	    (__typeof__(next))next_of(FUNCTION_CREATE);
	void *made = next(count, queues, properties, status);
	struct guest_visit visit = guest_enter();
	if (made && guest_check_active())
		command_buffer_create(made, count > 0 ? queues[0] : NULL);
	guest_leave(visit);
	return made;
}

static cl_int CL_API_CALL release_command_buffer(void *handle)
{
	cl_int(CL_API_CALL * next)(void *) = (__typeof__(next))next_of(FUNCTION_RELEASE);
	struct guest_visit visit = guest_enter();
	cl_uint references = 0;
	if (guest_check_active() &&
	    info_of(handle, REFERENCE_COUNT, sizeof(references), &references) == CL_SUCCESS &&
	    references == 1)
		command_buffer_destroy(handle);
	guest_leave(visit);
	return next(handle);
}

static void count_all(struct queue *queue, const void *handle)
{
	pthread_mutex_lock(&command_buffers_lock);
	const struct command_buffer *b = *find(handle);
	bool whole = b && !b->incomplete && !__atomic_load_n(&unknown, __ATOMIC_RELAXED);
	for (size_t i = 0; b && i < b->count; i++) {
		struct command command = {.counts = b->items[i]};
		pending_push(&queue->pending, &command);
	}
	pthread_mutex_unlock(&command_buffers_lock);
	if (!whole)
		pending_miss(&queue->pending);
}

/* The queue that counts the commands of a command buffer; any queue if it has no record. */
static struct queue *queue_of(const void *handle, cl_command_queue given)
{
	pthread_mutex_lock(&command_buffers_lock);
	const struct command_buffer *b = *find(handle);
	cl_command_queue queue = given ? given : b ? b->queue : NULL;
	pthread_mutex_unlock(&command_buffers_lock);
	return queue ? queue_find(queue) : queue_any();
}

static cl_int CL_API_CALL enqueue_command_buffer(cl_uint count, cl_command_queue *queues,
						 void *handle, cl_uint waits, const cl_event *list,
						 cl_event *event)
{
	cl_int(CL_API_CALL * next)(cl_uint, cl_command_queue *, void *, cl_uint, const cl_event *,
				   cl_event *) = (__typeof__(next))next_of(FUNCTION_ENQUEUE);
	cl_int status = next(count, queues, handle, waits, list, event);
	struct guest_visit visit = guest_enter();
	struct queue *q = queue_of(handle, count > 0 && queues ? queues[0] : NULL);
	if (q && status == CL_SUCCESS) {
		count_all(q, handle);
		queue_drain(q);
	}
	guest_leave(visit);
	return status;
}

#define SYNC_TYPES	cl_uint, const cl_uint *, cl_uint *, void **
#define SYNC_PARAMETERS cl_uint syncs, const cl_uint *waits, cl_uint *sync, void **mutable
#define SYNC		syncs, waits, sync, mutable
#define UNPACK(...)	__VA_ARGS__

/* Defines a hook of a function that records a copy or fill. */
#define RECORDS(which, function, named, types, parameters, arguments, moved)                       \
	static cl_int CL_API_CALL function(void *handle, cl_command_queue queue,                   \
					   UNPACK parameters, SYNC_PARAMETERS)                     \
	{                                                                                          \
		cl_int(CL_API_CALL *next)(void *, cl_command_queue, UNPACK types, SYNC_TYPES) =    \
		    (__typeof__(next))next_of(which);                                              \
		cl_int status = next(handle, queue, UNPACK arguments, SYNC);                       \
		struct guest_visit visit = guest_enter();                                          \
		if (status == CL_SUCCESS && guest_check_active()) {                                \
			const struct wire_counted c = {.kind = WIRE_COMMAND_COPY,                  \
						       .label = command_label(NULL, named),        \
						       .bytes = (moved)};                          \
			add(handle, &c);                                                           \
		}                                                                                  \
		guest_leave(visit);                                                                \
		return status;                                                                     \
	}
RECORDS(FUNCTION_COPY, record_copy, "clCommandCopyBufferKHR",
	(cl_mem, cl_mem, size_t, size_t, size_t),
	(cl_mem from, cl_mem to, size_t at, size_t to_at, size_t bytes),
	(from, to, at, to_at, bytes), bytes)
RECORDS(FUNCTION_COPY_RECT, record_copy_rect, "clCommandCopyBufferRectKHR",
	(cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t,
	 size_t),
	(cl_mem from, cl_mem to, const size_t *at, const size_t *to_at, const size_t *region,
	 size_t row, size_t slice, size_t to_row, size_t to_slice),
	(from, to, at, to_at, region, row, slice, to_row, to_slice), region_bytes(region, 1))
RECORDS(FUNCTION_FILL, record_fill, "clCommandFillBufferKHR",
	(cl_mem, const void *, size_t, size_t, size_t),
	(cl_mem to, const void *pattern, size_t each, size_t at, size_t bytes),
	(to, pattern, each, at, bytes), bytes)
RECORDS(FUNCTION_TO_IMAGE, record_to_image, "clCommandCopyBufferToImageKHR",
	(cl_mem, cl_mem, size_t, const size_t *, const size_t *),
	(cl_mem from, cl_mem to, size_t at, const size_t *to_at, const size_t *region),
	(from, to, at, to_at, region), image_region_bytes(to, region))
RECORDS(FUNCTION_COPY_IMAGE, record_copy_image, "clCommandCopyImageKHR",
	(cl_mem, cl_mem, const size_t *, const size_t *, const size_t *),
	(cl_mem from, cl_mem to, const size_t *at, const size_t *to_at, const size_t *region),
	(from, to, at, to_at, region), image_region_bytes(from, region))
RECORDS(FUNCTION_FROM_IMAGE, record_from_image, "clCommandCopyImageToBufferKHR",
	(cl_mem, cl_mem, const size_t *, const size_t *, size_t),
	(cl_mem from, cl_mem to, const size_t *at, const size_t *region, size_t to_at),
	(from, to, at, region, to_at), image_region_bytes(from, region))
RECORDS(FUNCTION_FILL_IMAGE, record_fill_image, "clCommandFillImageKHR",
	(cl_mem, const void *, const size_t *, const size_t *),
	(cl_mem to, const void *colour, const size_t *at, const size_t *region),
	(to, colour, at, region), image_region_bytes(to, region))

static cl_int CL_API_CALL record_range(void *handle, cl_command_queue queue, const void *properties,
				       cl_kernel kernel, cl_uint dimensions, const size_t *offset,
				       const size_t *global, const size_t *local, SYNC_PARAMETERS)
{
	cl_int(CL_API_CALL * next)(void *, cl_command_queue, const void *, cl_kernel, cl_uint,
				   const size_t *, const size_t *, const size_t *, SYNC_TYPES) =
	    (__typeof__(next))next_of(FUNCTION_RANGE);
	cl_int status =
	    next(handle, queue, properties, kernel, dimensions, offset, global, local, SYNC);
	struct guest_visit visit = guest_enter();
	if (status == CL_SUCCESS && guest_check_active()) {
		struct wire_counted c = {.kind = WIRE_COMMAND_KERNEL,
					 .label = command_label(kernel, NULL)};
		command_size(&c, dimensions, global, local);
		add(handle, &c);
	}
	guest_leave(visit);
	return status;
}

/* Whether the functions that record copies have the parameters that we know. */
static bool is_known_form(cl_platform_id platform)
{
	cl_device_id devices[DEVICES_MOST];
	cl_uint count = 0;
	size_t bytes = 0;
	bool known = false;
	if (!platform || layer_next.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES_MOST,
						   devices, &count) != CL_SUCCESS)
		return false;
	for (cl_uint d = 0; d < count && d < DEVICES_MOST; d++) {
		if (layer_next.clGetDeviceInfo(devices[d], CL_DEVICE_EXTENSIONS_WITH_VERSION, 0,
					       NULL, &bytes) != CL_SUCCESS)
			continue;
		cl_name_version *list = calloc(1, bytes + 1);
		if (list &&
		    layer_next.clGetDeviceInfo(devices[d], CL_DEVICE_EXTENSIONS_WITH_VERSION, bytes,
					       list, NULL) == CL_SUCCESS)
			for (size_t i = 0; i < bytes / sizeof(*list); i++)
				if (strncmp(list[i].name, EXTENSION, sizeof(EXTENSION)) == 0)
					known = list[i].version < OTHER_FORM;
		free(list);
	}
	return known;
}

/* Our hook of the driver's function `name`, or that function. */
static void *intercept(cl_platform_id platform, const char *name, void *real)
{
	static const struct {
		const char *name;
		void *ours;
		bool changed; /* version 0.9.5 changes its parameters */
	} all[EXTENSION_FUNCTIONS] = {
	    [FUNCTION_CREATE] = {"clCreateCommandBufferKHR", (void *)create_command_buffer, false},
	    [FUNCTION_RELEASE] = {"clReleaseCommandBufferKHR", (void *)release_command_buffer,
				  false},
	    [FUNCTION_ENQUEUE] = {"clEnqueueCommandBufferKHR", (void *)enqueue_command_buffer,
				  false},
	    [FUNCTION_RANGE] = {"clCommandNDRangeKernelKHR", (void *)record_range, false},
	    [FUNCTION_COPY] = {"clCommandCopyBufferKHR", (void *)record_copy, true},
	    [FUNCTION_COPY_RECT] = {"clCommandCopyBufferRectKHR", (void *)record_copy_rect, true},
	    [FUNCTION_FILL] = {"clCommandFillBufferKHR", (void *)record_fill, true},
	    [FUNCTION_TO_IMAGE] = {"clCommandCopyBufferToImageKHR", (void *)record_to_image, true},
	    [FUNCTION_COPY_IMAGE] = {"clCommandCopyImageKHR", (void *)record_copy_image, true},
	    [FUNCTION_FROM_IMAGE] = {"clCommandCopyImageToBufferKHR", (void *)record_from_image,
				     true},
	    [FUNCTION_FILL_IMAGE] = {"clCommandFillImageKHR", (void *)record_fill_image, true},
	};
	for (int i = 0; i < EXTENSION_FUNCTIONS; i++) {
		void *none = NULL;
		if (strcmp(name, all[i].name) != 0 || (all[i].changed && !is_known_form(platform)))
			continue;
		if (__atomic_compare_exchange_n(&extension_next[i], &none, real, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    none == real)
			return all[i].ours;
	}
	/* Other functions of the extension record commands, or change recorded ones. */
	bool records = strncmp(name, "clCommand", 9) == 0 &&
		       strcmp(name, "clCommandBarrierWithWaitListKHR") != 0;
	if (records || strcmp(name, "clUpdateMutableCommandsKHR") == 0)
		__atomic_store_n(&unknown, true, __ATOMIC_RELAXED);
	return real;
}

static CL_API_ENTRY void *CL_API_CALL address_for(cl_platform_id platform, const char *name)
{
	void *real = layer_next.clGetExtensionFunctionAddressForPlatform(platform, name);
	if (!real || !guest_check_active())
		return real;
	struct guest_visit visit = guest_enter();
	if (!__atomic_load_n(&extension_info, __ATOMIC_RELAXED))
		__atomic_store_n(&extension_info,
				 layer_next.clGetExtensionFunctionAddressForPlatform(
				     platform, "clGetCommandBufferInfoKHR"),
				 __ATOMIC_RELEASE);
	real = intercept(platform, name, real);
	guest_leave(visit);
	return real;
}

void command_buffers_hooks(cl_icd_dispatch *table)
{
	table->clGetExtensionFunctionAddressForPlatform = address_for;
}
