/* Events: the times of commands, and hooks that hide our use of events from the program. */
#include <string.h>

#include "guest/clock.h"
#include "layer/opencl/layer.h"

#define DEVICES 16u

/* Bounds of the offset from a device's clock to CLOCK_MONOTONIC. */
static struct clock_of {
	cl_device_id device;
	int64_t least_ns, most_ns;
} clocks[DEVICES];
static pthread_mutex_t clocks_lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * The offset of the device's clock. CL_PROFILING_COMMAND_QUEUED lies between the begin and the end
 * of the call, so each command narrows the bounds; the lower one is used, which is exact for the
 * quickest call. A command outside of the bounds starts anew.
 */
static int64_t clock_offset(const struct queue *q, const struct command *c, uint64_t queued)
{
	int64_t least = (int64_t)(c->before_ns - queued), most = (int64_t)(c->after_ns - queued);
	struct clock_of *clock = &clocks[0];
	pthread_mutex_lock(&clocks_lock);
	for (unsigned i = 0; i + 1 < DEVICES && clock->device != q->device; i++, clock++)
		if (!clock->device)
			break;
	if (clock->device != q->device || least > clock->most_ns || most < clock->least_ns)
		*clock = (struct clock_of){q->device, least, most};
	clock->least_ns = least > clock->least_ns ? least : clock->least_ns;
	clock->most_ns = most < clock->most_ns ? most : clock->most_ns;
	least = clock->least_ns;
	pthread_mutex_unlock(&clocks_lock);
	return least;
}

static uint64_t between(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static void set_times(struct wire_record *out, enum wire_command kind, const cl_ulong times[4])
{
	uint64_t length = between(times[2], times[3]);
	bool kernel = kind == WIRE_COMMAND_KERNEL;
	wire_command_set(out, WIRE_CL_KERNEL_TIME, kernel ? length : 0);
	wire_command_set(out, WIRE_CL_SUBMIT_DELAY, kernel ? between(times[0], times[1]) : 0);
	wire_command_set(out, WIRE_CL_QUEUE_DELAY, kernel ? between(times[1], times[2]) : 0);
	wire_command_set(out, WIRE_CL_READ_TIME, kind == WIRE_COMMAND_READ ? length : 0);
	wire_command_set(out, WIRE_CL_WRITE_TIME, kind == WIRE_COMMAND_WRITE ? length : 0);
	wire_command_set(out, WIRE_CL_COPY_TIME, kind == WIRE_COMMAND_COPY ? length : 0);
}

bool events_record(struct queue *q, const struct command *c, struct wire_record *out)
{
	static const cl_profiling_info infos[] = {
	    CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
	    CL_PROFILING_COMMAND_END};
	cl_ulong times[4];
	for (int i = 0; i < 4; i++)
		if (layer_next.clGetEventProfilingInfo(c->event, infos[i], sizeof(times[i]),
						       &times[i], NULL) != CL_SUCCESS)
			return false;
	memset(out, 0, sizeof(*out));
	out->kind = WIRE_KERNEL;
	out->flags = WIRE_GPU_KNOWN;
	out->frame = q->number;
	out->index = q->number;
	out->label = c->counts.label;
	int64_t to_ours = clock_offset(q, c, times[0]);
	out->begin_ns = out->gpu_begin_ns = (uint64_t)((int64_t)times[2] + to_ours);
	out->end_ns = out->gpu_end_ns = out->begin_ns + between(times[2], times[3]);
	for (int i = 0; i < 4; i++)
		wire_command_set(out, (enum wire_opencl)(WIRE_CL_QUEUED + i), times[i]);
	wire_command_count(out, &c->counts);
	set_times(out, c->counts.kind, times);
	return true;
}

/* To a program that did not enable profiling, the queue has no times. */
static CL_API_ENTRY cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info what,
						      size_t size, void *value, size_t *needed)
{
	cl_command_queue handle = NULL;
	struct queue *q = NULL;
	if (guest_check_active() && event &&
	    layer_next.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(handle), &handle,
				      NULL) == CL_SUCCESS)
		q = queue_find_any(handle);
	if (q && q->profiled && !q->wants_profiling)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	return layer_next.clGetEventProfilingInfo(event, what, size, value, needed);
}

/* Subtracts our references from the reference count. */
static CL_API_ENTRY cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, size_t size,
						  void *value, size_t *needed)
{
	struct guest_visit visit = guest_enter();
	cl_uint ours = 0;
	if (guest_check_active() && what == CL_EVENT_REFERENCE_COUNT) {
		queue_drain_all();
		ours = queue_holds(event);
	}
	guest_restore_errno(&visit);
	cl_int status = layer_next.clGetEventInfo(event, what, size, value, needed);
	guest_keep_errno(&visit);
	if (status == CL_SUCCESS && ours > 0 && value && *(cl_uint *)value > ours)
		*(cl_uint *)value -= ours;
	guest_leave(visit);
	return status;
}

static CL_API_ENTRY cl_int CL_API_CALL wait_for(cl_uint count, const cl_event *events)
{
	struct guest_visit visit = guest_enter();
	cl_int status = layer_next.clWaitForEvents(count, events);
	guest_keep_errno(&visit);
	queue_drain_all();
	guest_leave(visit);
	return status;
}

void events_hooks(cl_icd_dispatch *table)
{
	table->clGetEventProfilingInfo = profiling_info;
	table->clGetEventInfo = event_info;
	table->clWaitForEvents = wait_for;
}
