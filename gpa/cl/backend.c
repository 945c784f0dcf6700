/* OpenCL: device time between two points of a command queue, on any platform with profiling. */
#include "gpa/core.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

struct cl_api {
	__typeof__(clGetCommandQueueInfo) *GetCommandQueueInfo;
	__typeof__(clGetDeviceInfo) *GetDeviceInfo;
	__typeof__(clEnqueueMarkerWithWaitList) *EnqueueMarkerWithWaitList;
	__typeof__(clEnqueueBarrierWithWaitList) *EnqueueBarrierWithWaitList;
	__typeof__(clGetEventInfo) *GetEventInfo;
	__typeof__(clGetEventProfilingInfo) *GetEventProfilingInfo;
	__typeof__(clReleaseEvent) *ReleaseEvent;
	__typeof__(clFlush) *Flush;
	__typeof__(clRetainCommandQueue) *RetainCommandQueue;
	__typeof__(clReleaseCommandQueue) *ReleaseCommandQueue;
	__typeof__(clCreateCommandQueue) *CreateCommandQueue;
};

struct cl_backend {
	struct cl_api cl;
	struct gpa_guide guide;
	bool retained;
	cl_command_queue clock; /* our queue with profiling, if the program's has none; or NULL */
	char device[256];
};

/* Events at the begin and end, in the program's queue or, without profiling, in ours. */
struct gpa_request {
	cl_event begin, end;
	bool flushed;
};

static bool load(struct cl_api *cl)
{
	void *library = dlopen("libOpenCL.so.1", RTLD_LAZY);
	bool all = library != NULL;
	const struct {
		void *to;
		const char *name;
	} symbols[] = {
	    {&cl->GetCommandQueueInfo, "clGetCommandQueueInfo"},
	    {&cl->GetDeviceInfo, "clGetDeviceInfo"},
	    {&cl->EnqueueMarkerWithWaitList, "clEnqueueMarkerWithWaitList"},
	    {&cl->EnqueueBarrierWithWaitList, "clEnqueueBarrierWithWaitList"},
	    {&cl->GetEventInfo, "clGetEventInfo"},
	    {&cl->GetEventProfilingInfo, "clGetEventProfilingInfo"},
	    {&cl->ReleaseEvent, "clReleaseEvent"},
	    {&cl->Flush, "clFlush"},
	    {&cl->RetainCommandQueue, "clRetainCommandQueue"},
	    {&cl->ReleaseCommandQueue, "clReleaseCommandQueue"},
	    {&cl->CreateCommandQueue, "clCreateCommandQueue"},
	};
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = dlsym(RTLD_DEFAULT, symbols[i].name);
		if (!symbol && library)
			symbol = dlsym(library, symbols[i].name);
		memcpy(symbols[i].to, &symbol, sizeof(symbol));
		all = all && symbol;
	}
	return all; /* the library stays: the program has it too */
}

/* Creates our queue with profiling, on the program's device and context. */
static bool make_clock(struct cl_backend *b, cl_command_queue queue, cl_device_id device)
{
	cl_context context = NULL;
	cl_int error = CL_SUCCESS;
	if (b->cl.GetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL) !=
	    CL_SUCCESS)
		return false;
	b->clock = b->cl.CreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
	if (error != CL_SUCCESS)
		b->clock = NULL;
	return b->clock != NULL;
}

/* Reads the device's name; creates our queue if the program's has no profiling. */
static bool read_device(struct cl_backend *b, cl_command_queue queue)
{
	cl_command_queue_properties properties = 0;
	cl_device_id device = NULL;
	if (b->cl.GetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties,
				      NULL) != CL_SUCCESS ||
	    b->cl.GetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device), &device, NULL) !=
		CL_SUCCESS) {
		gpa_log(GPA_LOGGING_ERROR, "this is no command queue");
		return false;
	}
	b->cl.GetDeviceInfo(device, CL_DEVICE_NAME, sizeof(b->device) - 1, b->device, NULL);
	if (properties & CL_QUEUE_PROFILING_ENABLE || make_clock(b, queue, device))
		return true;
	gpa_log(GPA_LOGGING_ERROR,
		"the queue measures no time, and the device gives no second one that does; create "
		"it with CL_QUEUE_PROFILING_ENABLE");
	return false;
}

static GPA_Status cl_open(struct gpa_context *context)
{
	static const uint32_t raw = 0;
	struct gpa_list list = {0};
	struct gpa_counter counter;
	struct cl_backend *b = calloc(1, sizeof(*b));
	if (!b)
		return GPA_STATUS_ERROR_FAILED;
	context->impl = b;
	if (!load(&b->cl)) {
		gpa_log(GPA_LOGGING_ERROR, "libOpenCL.so.1 of version 1.2 is not here");
		return GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED;
	}
	if (!read_device(b, context->native))
		return GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED;
	if (!guide_open(&b->guide, "amd-gcn3") ||
	    !guide_counter(&b->guide, "GPUTime", "Read between two markers of the queue.",
			   &counter) ||
	    !guide_add(&b->guide, &list, counter, &raw, 1))
		return GPA_STATUS_ERROR_FAILED;
	b->retained = b->cl.RetainCommandQueue(context->native) == CL_SUCCESS;
	context->counters = list.items;
	context->counter_count = (uint32_t)list.count;
	context->device_name = b->device[0] ? b->device : NULL;
	return GPA_STATUS_OK;
}

static void cl_close(struct gpa_context *context)
{
	struct cl_backend *b = context->impl;
	if (!b)
		return;
	if (b->clock)
		b->cl.ReleaseCommandQueue(b->clock);
	if (b->retained)
		b->cl.ReleaseCommandQueue(context->native);
	guide_close(&b->guide);
	free(context->counters);
	free(b);
}

static uint32_t cl_class_of(const struct gpa_context *context, uint32_t raw)
{
	(void)context;
	return raw;
}

static GPA_Status cl_plan(struct gpa_context *context, struct gpa_schedule *schedule)
{
	return gpa_plan_classes(context, schedule, cl_class_of, 1);
}

static void cl_release(struct gpa_context *context, struct gpa_request *request)
{
	struct cl_backend *b = context->impl;
	if (request->begin)
		b->cl.ReleaseEvent(request->begin);
	if (request->end)
		b->cl.ReleaseEvent(request->end);
	free(request);
}

/* Replaces an event of the program's queue by a marker in ours that waits for it. */
static bool mark_in_clock(struct cl_backend *b, cl_command_queue queue, cl_event *event)
{
	cl_event point = *event;
	*event = NULL;
	/* The program's queue is flushed first, because the marker waits for its commands. */
	bool ok = b->cl.Flush(queue) == CL_SUCCESS &&
		  b->cl.EnqueueMarkerWithWaitList(b->clock, 1, &point, event) == CL_SUCCESS &&
		  b->cl.Flush(b->clock) == CL_SUCCESS;
	b->cl.ReleaseEvent(point);
	return ok;
}

/* Later commands of the program's queue wait for the marker, so that it has their begin. */
static bool barrier_after(struct cl_backend *b, cl_command_queue queue, cl_event until)
{
	cl_event barrier = NULL;
	if (b->cl.EnqueueBarrierWithWaitList(queue, 1, &until, &barrier) != CL_SUCCESS)
		return false;
	b->cl.ReleaseEvent(barrier);
	return true;
}

/* A sample begins with a barrier, so that an out-of-order queue starts none of it earlier. */
static struct gpa_request *cl_begin(struct gpa_context *context, void *commands,
				    const uint32_t *raws, uint32_t count)
{
	(void)commands;
	struct cl_backend *b = context->impl;
	cl_command_queue queue = context->native;
	struct gpa_request *r = calloc(1, sizeof(*r));
	(void)raws;
	(void)count;
	if (r && b->cl.EnqueueBarrierWithWaitList(queue, 0, NULL, &r->begin) == CL_SUCCESS &&
	    (!b->clock ||
	     (mark_in_clock(b, queue, &r->begin) && barrier_after(b, queue, r->begin))))
		return r;
	if (r)
		cl_release(context, r);
	return NULL;
}

static bool cl_end(struct gpa_context *context, void *commands, struct gpa_request *request)
{
	(void)commands;
	struct cl_backend *b = context->impl;
	cl_command_queue queue = context->native;
	return b->cl.EnqueueMarkerWithWaitList(queue, 0, NULL, &request->end) == CL_SUCCESS &&
	       (!b->clock || mark_in_clock(b, queue, &request->end));
}

static bool time_of(const struct cl_backend *b, cl_event event, cl_ulong *ns)
{
	return b->cl.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(*ns), ns,
					   NULL) == CL_SUCCESS;
}

static enum gpa_answer cl_collect(struct gpa_context *context, struct gpa_request *request,
				  uint64_t *values, bool *valid)
{
	struct cl_backend *b = context->impl;
	cl_int status = CL_QUEUED;
	cl_ulong first = 0, last = 0;
	if (!request->flushed)
		b->cl.Flush(context->native);
	request->flushed = true;
	if (b->cl.GetEventInfo(request->end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
			       &status, NULL) != CL_SUCCESS ||
	    status < 0)
		return GPA_LOST;
	if (status != CL_COMPLETE)
		return GPA_NOT_YET;
	valid[0] =
	    time_of(b, request->begin, &first) && time_of(b, request->end, &last) && last >= first;
	values[0] = last - first;
	return GPA_READY;
}

static bool cl_value(struct gpa_context *context, uint32_t counter, const uint64_t *raws,
		     union gpa_value *out)
{
	(void)context;
	(void)counter;
	out->f64 = (double)raws[0] / 1e6;
	return true;
}

const struct gpa_backend gpa_backend = {
    .open = cl_open,
    .close = cl_close,
    .plan = cl_plan,
    .begin = cl_begin,
    .end = cl_end,
    .collect = cl_collect,
    .release = cl_release,
    .value = cl_value,
};
