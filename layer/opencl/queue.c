/* Queues: enables profiling, and hides that from a program that did not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/clock.h"
#include "layer/opencl/layer.h"

static struct queue *queues; /* atomic; read without a lock, so records are reused, never freed */
static pthread_rwlock_t queues_lock = PTHREAD_RWLOCK_INITIALIZER;
static uint32_t serials; /* atomic */

static struct queue *first(void)
{
	return __atomic_load_n(&queues, __ATOMIC_ACQUIRE);
}

static cl_command_queue handle_of(const struct queue *q)
{
	return __atomic_load_n(&q->handle, __ATOMIC_ACQUIRE);
}

static bool is_referenced(const struct queue *q)
{
	return __atomic_load_n(&q->references, __ATOMIC_RELAXED) > 0;
}

static struct queue *queue_search(cl_command_queue handle, bool any)
{
	if (!handle || !guest_check_active())
		return NULL;
	for (struct queue *q = first(); q; q = q->next)
		if (handle_of(q) == handle && is_referenced(q) && (any || q->profiled))
			return q;
	/* The driver may reuse the handle of a queue that still has pending commands here. */
	for (struct queue *q = first(); any && q; q = q->next)
		if (handle_of(q) == handle)
			return q;
	return NULL;
}

struct queue *queue_find(cl_command_queue handle)
{
	return queue_search(handle, false);
}

struct queue *queue_any(void)
{
	struct queue *q = guest_check_active() ? first() : NULL;
	while (q && !(handle_of(q) && is_referenced(q) && q->profiled))
		q = q->next;
	return q;
}

struct queue *queue_find_any(cl_command_queue handle)
{
	return queue_search(handle, true);
}

static bool is_done(const struct queue *q)
{
	return pending_none(&q->pending) &&
	       __atomic_load_n(&q->counted_count, __ATOMIC_RELAXED) == 0;
}

struct queue *queue_next(const struct queue *after, bool only_released)
{
	struct queue *q = after ? after->next : first();
	while (q && (!handle_of(q) || (is_referenced(q) && (only_released || is_done(q)))))
		q = q->next;
	return q;
}

void queue_retire(struct queue *q)
{
	pthread_rwlock_wrlock(&queues_lock);
	if (!is_referenced(q) && handle_of(q) && is_done(q)) {
		channel_close(&q->stream);
		__atomic_store_n(&q->handle, NULL, __ATOMIC_RELEASE);
	}
	pthread_rwlock_unlock(&queues_lock);
}

cl_uint queue_holds(cl_event event)
{
	cl_uint count = 0;
	pthread_rwlock_rdlock(&queues_lock);
	for (struct queue *q = queues; q; q = q->next)
		count += pending_holds(&q->pending, event);
	pthread_rwlock_unlock(&queues_lock);
	return count;
}

static void device_text(cl_device_id device, cl_device_info what, char *to, size_t size)
{
	char text[1024] = "";
	if (layer_next.clGetDeviceInfo(device, what, sizeof(text) - 1, text, NULL) != CL_SUCCESS)
		text[0] = '\0';
	memcpy(to, text, strnlen(text, size - 1));
}

static void identify(struct queue *q, cl_device_id device)
{
	struct channel_identity *id = &q->identity;
	char version[128] = "", driver[128] = "";
	*id = (struct channel_identity){.serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED),
					.start_ns = guest_now_ns(),
					.api = WIRE_OPENCL};
	device_text(device, CL_DEVICE_VENDOR, id->vendor, sizeof(id->vendor));
	device_text(device, CL_DEVICE_NAME, id->renderer, sizeof(id->renderer));
	device_text(device, CL_DEVICE_VERSION, version, sizeof(version)); /* "OpenCL 3.0 ..." */
	if (strncmp(version, "OpenCL ", 7) == 0 && version[7] != '\0' && version[8] == '.') {
		id->major = (uint8_t)(version[7] - '0');
		id->minor = (uint8_t)(version[9] - '0');
	}
	device_text(device, CL_DRIVER_VERSION, driver, sizeof(driver));
	snprintf(id->version, sizeof(id->version), "%u.%u (driver %s)", id->major, id->minor,
		 driver);
	memset(id->bits, 64, sizeof(id->bits));
}

/* A record of the list without a handle, for a new queue; NULL: no memory. */
static struct queue *queue_reserve(void)
{
	struct queue *q;
	pthread_rwlock_wrlock(&queues_lock);
	for (q = queues; q; q = q->next)
		if (!handle_of(q) && !is_referenced(q))
			break;
	if (!q && (q = calloc(1, sizeof(*q)))) {
		pthread_mutex_init(&q->pending.lock, NULL);
		q->next = queues;
		__atomic_store_n(&queues, q, __ATOMIC_RELEASE);
	}
	if (q)
		__atomic_store_n(&q->references, 1, __ATOMIC_RELAXED); /* reserved */
	else if (guest_channel())
		__atomic_add_fetch(&guest_channel()->refused, 1, __ATOMIC_RELAXED);
	pthread_rwlock_unlock(&queues_lock);
	return q;
}

static void queue_unreserve(struct queue *q)
{
	pthread_rwlock_wrlock(&queues_lock);
	__atomic_store_n(&q->references, 0, __ATOMIC_RELAXED);
	pthread_rwlock_unlock(&queues_lock);
}

/* Initialises the record, and sets its handle last: from then on queue_find() returns it. */
static void queue_begin(struct queue *q, cl_command_queue handle, cl_device_id device,
			bool profiled)
{
	struct wire_header *channel = guest_channel();
	q->stream = (struct channel_stream){.stream = NULL};
	q->device = device;
	q->number = 0;
	q->full_ns = q->drained_ns = 0;
	q->skip = 0;
	sampling_start();
	q->profiled = profiled;
	identify(q, device);
	if (channel)
		__atomic_add_fetch(&channel->contexts, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&q->handle, handle, __ATOMIC_RELEASE);
	guest_at_exit(queue_drain_last);
}

static CL_API_ENTRY cl_command_queue CL_API_CALL create_queue(
    cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *status)
{
	struct queue *q = guest_check_active() ? queue_reserve() : NULL;
	cl_command_queue made = NULL;
	if (!q)
		return layer_next.clCreateCommandQueue(context, device, properties, status);
	q->wants_profiling = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
	q->property_count = 0;
	made = layer_next.clCreateCommandQueue(context, device,
					       properties | CL_QUEUE_PROFILING_ENABLE, status);
	bool profiled = made != NULL;
	if (!made && !q->wants_profiling)
		made = layer_next.clCreateCommandQueue(context, device, properties, status);
	if (made)
		queue_begin(q, made, device, profiled);
	else
		queue_unreserve(q);
	return made;
}

/*
 * Copies the program's properties and adds profiling. false: the list is too long, or it is a queue
 * on the device.
 */
static bool with_profiling(const cl_queue_properties *given, cl_queue_properties *out,
			   struct queue *q)
{
	uint32_t n = 0, used = 0;
	bool bits = false;
	q->wants_profiling = false;
	for (; given && given[n] != 0; n += 2) {
		if (n + 4 >= 32)
			return false;
		out[used] = given[n];
		out[used + 1] = given[n + 1];
		if (given[n] == CL_QUEUE_PROPERTIES) {
			if (given[n + 1] & CL_QUEUE_ON_DEVICE)
				return false;
			q->wants_profiling = (given[n + 1] & CL_QUEUE_PROFILING_ENABLE) != 0;
			out[used + 1] |= CL_QUEUE_PROFILING_ENABLE;
			bits = true;
		}
		used += 2;
	}
	if (!bits) {
		out[used++] = CL_QUEUE_PROPERTIES;
		out[used++] = CL_QUEUE_PROFILING_ENABLE;
	}
	out[used] = 0;
	q->property_count = given ? n + 1 : 0;
	if (given)
		memcpy(q->properties, given, q->property_count * sizeof(*given));
	return true;
}

static CL_API_ENTRY cl_command_queue CL_API_CALL create_queue_with(
    cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *status)
{
	cl_queue_properties changed[34];
	struct queue *q = guest_check_active() ? queue_reserve() : NULL;
	cl_command_queue made = NULL;
	if (!q)
		return layer_next.clCreateCommandQueueWithProperties(context, device, properties,
								     status);
	if (with_profiling(properties, changed, q))
		made =
		    layer_next.clCreateCommandQueueWithProperties(context, device, changed, status);
	if (made) {
		queue_begin(q, made, device, true);
		return made;
	}
	queue_unreserve(q);
	return layer_next.clCreateCommandQueueWithProperties(context, device, properties, status);
}

static CL_API_ENTRY cl_int CL_API_CALL retain_queue(cl_command_queue handle)
{
	cl_int status = layer_next.clRetainCommandQueue(handle);
	struct queue *q = status == CL_SUCCESS ? queue_find_any(handle) : NULL;
	if (q) {
		pthread_rwlock_wrlock(&queues_lock);
		__atomic_add_fetch(&q->references, 1, __ATOMIC_RELAXED);
		pthread_rwlock_unlock(&queues_lock);
	}
	return status;
}

/* Reads completed commands before the program's last reference is released. */
static CL_API_ENTRY cl_int CL_API_CALL release_queue(cl_command_queue handle)
{
	struct guest_visit visit = guest_enter();
	struct queue *q = queue_find_any(handle);
	if (q)
		queue_drain(q);
	guest_restore_errno(&visit);
	cl_int status = layer_next.clReleaseCommandQueue(handle);
	guest_keep_errno(&visit);
	if (status == CL_SUCCESS && q) {
		pthread_rwlock_wrlock(&queues_lock);
		bool gone = q->references > 0 &&
			    __atomic_sub_fetch(&q->references, 1, __ATOMIC_RELAXED) == 0;
		pthread_rwlock_unlock(&queues_lock);
		if (gone)
			queue_drain(q);
	}
	queue_drain_released();
	guest_leave(visit);
	return status;
}

static cl_int list_of(const struct queue *q, size_t size, void *value, size_t *needed)
{
	size_t bytes = q->property_count * sizeof(q->properties[0]);
	if (value && size < bytes)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, q->properties, bytes);
	if (needed)
		*needed = bytes;
	return CL_SUCCESS;
}

/* Reports the properties that the program has given. */
static CL_API_ENTRY cl_int CL_API_CALL queue_info(cl_command_queue handle,
						  cl_command_queue_info what, size_t size,
						  void *value, size_t *needed)
{
	struct queue *q = queue_find_any(handle);
	if (q && what == CL_QUEUE_REFERENCE_COUNT)
		queue_drain(q);
	cl_int status = layer_next.clGetCommandQueueInfo(handle, what, size, value, needed);
	if (status != CL_SUCCESS && what != CL_QUEUE_PROPERTIES_ARRAY)
		return status;
	if (!q || q->wants_profiling || !q->profiled)
		return status;
	if (what == CL_QUEUE_PROPERTIES && value)
		*(cl_command_queue_properties *)value &=
		    ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
	if (what != CL_QUEUE_PROPERTIES_ARRAY)
		return status;
	/* A driver without CL_QUEUE_PROPERTIES_ARRAY reports an error, as it would without us. */
	if (layer_next.clGetCommandQueueInfo(handle, what, 0, NULL, NULL) != CL_SUCCESS)
		return status;
	return list_of(q, size, value, needed);
}

static CL_API_ENTRY cl_int CL_API_CALL queue_finish(cl_command_queue handle)
{
	struct guest_visit visit = guest_enter();
	cl_int status = layer_next.clFinish(handle);
	guest_keep_errno(&visit);
	struct queue *q = queue_find(handle);
	if (q)
		queue_drain(q);
	queue_drain_released();
	guest_leave(visit);
	return status;
}

static CL_API_ENTRY cl_int CL_API_CALL flush(cl_command_queue handle)
{
	struct guest_visit visit = guest_enter();
	cl_int status = layer_next.clFlush(handle);
	guest_keep_errno(&visit);
	struct queue *q = queue_find(handle);
	if (q)
		queue_drain(q);
	queue_drain_released();
	guest_leave(visit);
	return status;
}

void queue_hooks(cl_icd_dispatch *table)
{
	table->clCreateCommandQueue = create_queue;
	if (layer_next.clCreateCommandQueueWithProperties)
		table->clCreateCommandQueueWithProperties = create_queue_with;
	table->clRetainCommandQueue = retain_queue;
	table->clReleaseCommandQueue = release_queue;
	table->clGetCommandQueueInfo = queue_info;
	table->clFinish = queue_finish;
	table->clFlush = flush;
}
