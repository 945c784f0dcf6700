/* A client of libGPUPerfAPICL: time of a kernel, on whatever platform is here (pocl in tests). */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "gpa/GPUPerfAPI.h"
#include "gpa/GPUPerfAPI3.h"
#include "check.h"

#define SAMPLES 3

static const char code[] = "__kernel void work(__global float *x) {\n"
			   "  size_t i = get_global_id(0);\n"
			   "  float v = x[i];\n"
			   "  for (int k = 0; k < 200; k++) v = v * 1.0001f + 0.5f;\n"
			   "  x[i] = v;\n"
			   "}\n";

struct job {
	cl_context context;
	cl_device_id device;
	cl_command_queue queue, plain;
	cl_kernel kernel;
};

static bool make_job(struct job *j)
{
	cl_platform_id platform;
	cl_uint count = 0;
	const char *source = code;
	if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || !count ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &j->device, &count) != CL_SUCCESS)
		return false;
	j->context = clCreateContext(NULL, 1, &j->device, NULL, NULL, NULL);
	j->queue = clCreateCommandQueue(j->context, j->device, CL_QUEUE_PROFILING_ENABLE, NULL);
	j->plain = clCreateCommandQueue(j->context, j->device, 0, NULL);
	cl_program program = clCreateProgramWithSource(j->context, 1, &source, NULL, NULL);
	if (clBuildProgram(program, 1, &j->device, "", NULL, NULL) != CL_SUCCESS)
		return false;
	j->kernel = clCreateKernel(program, "work", NULL);
	cl_mem buffer =
	    clCreateBuffer(j->context, CL_MEM_READ_WRITE, 65536 * sizeof(float), NULL, NULL);
	return j->kernel && clSetKernelArg(j->kernel, 0, sizeof(buffer), &buffer) == CL_SUCCESS;
}

/* Runs the kernel `times` times; returns the sum of its events' times, in ms. */
static double run(const struct job *j, int times, cl_event *events)
{
	size_t global = 65536;
	for (int i = 0; i < times; i++)
		clEnqueueNDRangeKernel(j->queue, j->kernel, 1, NULL, &global, NULL, 0, NULL,
				       &events[i]);
	return 0;
}

static double events_ms(int times, cl_event *events)
{
	double ms = 0;
	for (int i = 0; i < times; i++) {
		cl_ulong begin = 0, end = 0;
		clWaitForEvents(1, &events[i]);
		clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof(begin),
					&begin, NULL);
		clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof(end), &end,
					NULL);
		clReleaseEvent(events[i]);
		ms += (double)(end - begin) / 1e6;
	}
	return ms;
}

static void check_session(const struct job *j)
{
	gpa_uint32 session = 0, passes = 0, index = 99;
	cl_event events[SAMPLES][4];
	double own[SAMPLES];
	OK(GPA_EnableCounterStr("gputime"));
	OK(GPA_GetCounterIndex("GPUTime", &index));
	OK(GPA_GetPassCount(&passes));
	CHECK(passes == 1, "%u passes", passes);
	OK(GPA_BeginSession(&session));
	OK(GPA_BeginPass());
	for (gpa_uint32 s = 0; s < SAMPLES; s++) {
		OK(GPA_BeginSample(s));
		run(j, (int)s + 1, events[s]);
		OK(GPA_EndSample());
	}
	OK(GPA_EndPass());
	OK(GPA_EndSession());
	for (gpa_uint32 s = 0; s < SAMPLES; s++)
		own[s] = events_ms((int)s + 1, events[s]);
	for (gpa_uint32 s = 0; s < SAMPLES; s++) {
		gpa_float64 ms = -1;
		OK(GPA_GetSampleFloat64(session, s, index, &ms));
		printf("sample %u: %g ms, its kernels %g ms\n", s, ms, own[s]);
		/* The sample holds its kernels and the gaps between them. */
		CHECK(ms >= own[s] * 0.999 && ms < 60000, "sample %u: %g ms", s, ms);
	}
}

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* GPUTime of kernels in a queue without profiling, over the time on the wall. */
static double plain_ratio(struct job j)
{
	gpa_uint32 session = 0, index = 0;
	gpa_float64 ms = -1;
	cl_event events[8];
	j.queue = j.plain;
	clFinish(j.queue);
	OK(GPA_BeginSession(&session));
	OK(GPA_BeginPass());
	double begin = now_ms();
	OK(GPA_BeginSample(0));
	run(&j, 8, events);
	OK(GPA_EndSample());
	clFinish(j.queue);
	double wall = now_ms() - begin;
	OK(GPA_EndPass());
	OK(GPA_EndSession());
	OK(GPA_GetCounterIndex("GPUTime", &index));
	OK(GPA_GetSampleFloat64(session, 0, index, &ms));
	for (int i = 0; i < 8; i++) {
		cl_ulong value;
		CHECK(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof(value),
					      &value, NULL) == CL_PROFILING_INFO_NOT_AVAILABLE,
		      "the program's queue measures time now");
		clReleaseEvent(events[i]);
	}
	printf("plain queue: %g of %g ms on the wall\n", ms, wall);
	/* The device has a clock of its own. */
	CHECK(ms > 0 && ms <= wall * 1.01, "%g ms of %g", ms, wall);
	return ms / wall;
}

/* A queue that measures no time is served by one of ours, and stays as it is. */
static void check_plain(const struct job *job)
{
	double best = 0;
	OK(GPA_OpenContext(job->plain));
	OK(GPA_EnableCounterStr("GPUTime"));
	for (int i = 0; i < 8 && best < 0.9; i++)
		best = plain_ratio(*job);
	CHECK(best >= 0.9, "GPUTime is %.3f of the time on the wall", best);
	OK(GPA_CloseContext());
}

/* The same by version 3's table: one counter, packed. */
static void check_table(const struct job *j)
{
	GpaFunctionTable gpa = {.major_version = 3, .minor_version = sizeof(gpa)};
	GpaContextId context = NULL;
	GpaSessionId session = NULL;
	GpaCommandListId list = NULL;
	GpaUInt32 passes = 0;
	cl_event events[4];
	double ms = -1;
	CHECK(GpaGetFuncTable(&gpa) == kGpaStatusOk, "no table");
	CHECK(gpa.OpenContext(j->queue, 0, &context) == kGpaStatusOk, "OpenContext");
	CHECK(gpa.CreateSession(context, kGpaSessionSampleTypeDiscreteCounter, &session) == 0,
	      "CreateSession");
	CHECK(gpa.EnableAllCounters(session) == kGpaStatusOk, "EnableAllCounters");
	CHECK(gpa.GetPassCount(session, &passes) == kGpaStatusOk && passes == 1, "%u passes",
	      passes);
	CHECK(gpa.BeginSession(session) == kGpaStatusOk, "BeginSession");
	CHECK(gpa.BeginCommandList(session, 0, NULL, kGpaCommandListNone, &list) == kGpaStatusOk,
	      "BeginCommandList");
	CHECK(gpa.BeginSample(7, list) == kGpaStatusOk, "BeginSample");
	run(j, 4, events);
	CHECK(gpa.EndSample(list) == kGpaStatusOk, "EndSample");
	CHECK(gpa.EndCommandList(list) == kGpaStatusOk, "EndCommandList");
	CHECK(gpa.EndSession(session) == kGpaStatusOk, "EndSession");
	CHECK(gpa.GetSampleResult(session, 7, sizeof(ms), &ms) == kGpaStatusOk, "GetSampleResult");
	double own = events_ms(4, events);
	CHECK(ms >= own * 0.999 && ms < 60000, "by table %g ms, its kernels %g", ms, own);
	CHECK(gpa.CloseContext(context) == kGpaStatusOk, "CloseContext");
}

int main(void)
{
	struct job job = {0};
	const char *name = NULL, *text = "";
	gpa_uint32 count = 0;
	if (!make_job(&job)) {
		printf("SKIP: no OpenCL platform that builds a kernel\n");
		return 77;
	}
	OK(GPA_Initialize());
	check_plain(&job);
	check_table(&job);
	OK(GPA_OpenContext(job.queue));
	OK(GPA_GetDeviceDesc(&name));
	printf("device: %s\n", name);
	OK(GPA_GetNumCounters(&count));
	CHECK(count == 1, "%u counters", count);
	OK(GPA_GetCounterDescription(0, &text));
	CHECK(text[0] == '#', "%s", text);
	check_session(&job);
	OK(GPA_CloseContext());
	OK(GPA_Destroy());
	printf("%d failures\n", failures);
	return failures != 0;
}
