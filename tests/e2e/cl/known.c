/*
 * A known program for the OpenCL layer: kernels, copies, maps and fills of known size in a known
 * order, and what it sees of its own queues and events: a line a fact, the same with and without
 * us. "kill" runs for ever; "threads" puts commands into queues of four threads; "deep" puts 20,000
 * kernels into one queue before it waits; "queues" has 300 queues of one kernel, one after the
 * other, and "released" 100 that are released while a kernel of theirs waits; "never" has one
 * kernel that runs and one that never does; "batch" puts a command buffer of three commands into
 * its queue five times (77: there are none here); "empty" has 60,000 that do nothing, and says
 * what CPU time they took.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ITEMS 1024

static const char source[] = "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n"
			     "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
			     "kernel void nothing(void) {}\n";

static cl_context context;
static cl_device_id device;
static cl_program program;

static void check(cl_int status, const char *what)
{
	if (status != CL_SUCCESS) {
		fprintf(stderr, "%s: %d\n", what, status);
		exit(2);
	}
}

static void open_device(void)
{
	cl_platform_id platform;
	cl_int status;
	const char *text = source;

	check(clGetPlatformIDs(1, &platform, NULL), "platform");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check(status, "context");
	program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
	check(status, "program");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
}

static cl_uint references(cl_command_queue queue, cl_event event)
{
	cl_uint count = 0;

	if (event)
		check(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(count), &count, NULL),
		      "event references");
	else
		check(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(count), &count,
					    NULL),
		      "queue references");
	return count;
}

static void tell_queue(cl_command_queue queue, const char *name)
{
	cl_command_queue_properties bits = 0;
	cl_queue_properties list[8] = {0};
	size_t bytes = 0;

	check(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(bits), &bits, NULL), "bits");
	cl_int status =
	    clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(list), list, &bytes);
	printf("%s: bits %llu, list %d %zu:", name, (unsigned long long)bits, status,
	       status ? 0 : bytes);
	for (size_t i = 0; !status && i < bytes / sizeof(list[0]); i++)
		printf(" %llx", (unsigned long long)list[i]);
	printf(", references %u\n", references(queue, NULL));
}

static void tell_times(cl_event event, const char *name)
{
	cl_ulong begin = 0, end = 0;
	cl_int a =
	    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, NULL);
	cl_int b =
	    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL);

	printf("%s: times %d %d %d\n", name, a, b, end >= begin);
}

/* Errors stay what they are, and are no commands. */
static void tell_errors(cl_command_queue queue, const char *name, cl_mem a, cl_mem b)
{
	int data[1];

	printf("%s: bad %d %d %d\n", name,
	       clEnqueueCopyBuffer(queue, a, b, 0, ITEMS * sizeof(int), 512, 0, NULL, NULL) !=
		   CL_SUCCESS,
	       clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 4, data, 0, NULL, NULL) != CL_SUCCESS,
	       clGetEventInfo(NULL, CL_EVENT_REFERENCE_COUNT, 4, data, NULL) != CL_SUCCESS);
}

static void run(cl_command_queue queue, const char *name)
{
	size_t global = ITEMS, local = 64, two[2] = {32, 16}, zero[3] = {0, 0, 0},
	       box[3] = {16, 4, 2};
	int data[ITEMS], three = 3, pattern = 7, sum = 0;
	cl_int status;
	cl_event event, first;
	cl_kernel twice = clCreateKernel(program, "twice", &status),
		  add = clCreateKernel(program, "add", &status);
	cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(data), NULL, &status);
	cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(data), NULL, &status);

	for (int i = 0; i < ITEMS; i++)
		data[i] = i;
	tell_queue(queue, name);
	check(clSetKernelArg(twice, 0, sizeof(a), &a), "argument");
	check(clSetKernelArg(add, 0, sizeof(a), &a), "argument");
	check(clSetKernelArg(add, 1, sizeof(three), &three), "argument");
	check(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL),
	      "write");
	check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, &local, 0, NULL, &first),
	      "twice");
	check(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 1, &first, NULL), "add");
	check(clEnqueueNDRangeKernel(queue, add, 2, NULL, two, two, 0, NULL, NULL), "add 2");
	check(clEnqueueCopyBuffer(queue, a, b, 0, 0, 512, 0, NULL, NULL), "copy");
	check(clEnqueueFillBuffer(queue, b, &pattern, sizeof(pattern), 512, 256, 0, NULL, NULL),
	      "fill");
	check(clEnqueueReadBufferRect(queue, a, CL_TRUE, zero, zero, box, 0, 0, 0, 0, data, 0, NULL,
				      NULL),
	      "rect");
	int *mapped = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 1024, 0,
					 NULL, &event, &status);
	check(status, "map");
	printf("%s: mapped event %u\n", name, references(queue, event));
	for (int i = 0; i < 192; i++)
		sum += mapped[i];
	check(clEnqueueUnmapMemObject(queue, b, mapped, 0, NULL, NULL), "unmap");
	tell_errors(queue, name, a, b);
	check(clWaitForEvents(1, &first), "wait");
	check(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL), "read");
	check(clFinish(queue), "finish");
	tell_times(first, name);
	printf("%s: sum %d, data %d %d, events %u %u\n", name, sum, data[1], data[ITEMS - 1],
	       references(queue, first), references(queue, event));
	clReleaseEvent(first);
	clReleaseEvent(event);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
	clReleaseKernel(twice);
	clReleaseKernel(add);
	clRetainCommandQueue(queue);
	clReleaseCommandQueue(queue);
	clReleaseCommandQueue(queue);
}

static cl_command_queue plain_queue(void)
{
	cl_int status;
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);

	check(status, "queue");
	return queue;
}

static void *work(void *number)
{
	cl_command_queue queue = plain_queue();
	cl_int status;
	size_t global = ITEMS;
	cl_kernel twice = clCreateKernel(program, "twice", &status);
	cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(int), NULL, &status);

	clSetKernelArg(twice, 0, sizeof(a), &a);
	for (int i = 0; i < 200; i++) {
		cl_event event = NULL;

		check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 0, NULL,
					     i % 7 ? NULL : &event),
		      "kernel");
		if (event && i % 14)
			check(clWaitForEvents(1, &event), "wait");
		if (event)
			clReleaseEvent(event);
		if (i % 50 == 49)
			clFinish(queue);
	}
	clFinish(queue);
	clReleaseMemObject(a);
	clReleaseKernel(twice);
	clReleaseCommandQueue(queue);
	return number;
}

static void threads(void)
{
	pthread_t ids[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
}

static void for_ever(void)
{
	cl_command_queue queue = plain_queue();
	cl_int status;
	size_t global = ITEMS;
	cl_kernel twice = clCreateKernel(program, "twice", &status);
	cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(int), NULL, &status);

	clSetKernelArg(twice, 0, sizeof(a), &a);
	for (int i = 0;; i++) {
		check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 0, NULL, NULL),
		      "kernel");
		clFinish(queue);
		if (i == 20) {
			puts("running");
			fflush(stdout);
		}
	}
}

/* A kernel and what it works on; queues of its own. */
struct job {
	cl_kernel kernel;
	cl_mem memory;
};

static struct job make_job(void)
{
	cl_int status;
	struct job job = {.kernel = clCreateKernel(program, "twice", &status)};

	check(status, "kernel");
	job.memory = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(int), NULL, &status);
	check(status, "memory");
	check(clSetKernelArg(job.kernel, 0, sizeof(job.memory), &job.memory), "argument");
	return job;
}

static void put(cl_command_queue queue, struct job job, const cl_event *wait, cl_event *event)
{
	size_t global = ITEMS;

	check(clEnqueueNDRangeKernel(queue, job.kernel, 1, NULL, &global, NULL, wait ? 1 : 0, wait,
				     event),
	      "kernel");
}

static void finish_job(struct job job)
{
	clReleaseMemObject(job.memory);
	clReleaseKernel(job.kernel);
}

static void deep(void)
{
	cl_command_queue queue = plain_queue();
	struct job job = make_job();

	for (int i = 0; i < 20000; i++)
		put(queue, job, NULL, NULL);
	clFinish(queue);
	clReleaseCommandQueue(queue);
	finish_job(job);
}

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void empty(void)
{
	const size_t one = 1;
	cl_int status;
	cl_command_queue queue = plain_queue();
	cl_kernel kernel = clCreateKernel(program, "nothing", &status);
	double begin_us = 0;

	check(status, "kernel");
	for (int i = 0; i < 60; i++) {
		if (i == 1)
			begin_us = cpu_us(); /* the first ones are compiled */
		for (int k = 0; k < 1000; k++)
			check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL,
						     NULL),
			      "enqueue");
		clFinish(queue);
	}
	printf("%.0f us\n", cpu_us() - begin_us);
	clReleaseKernel(kernel);
	clReleaseCommandQueue(queue);
}

/* The extension's functions; headers differ in its types. */
static void *address(const char *name)
{
	cl_platform_id platform;
	void *found = NULL;

	check(clGetPlatformIDs(1, &platform, NULL), "platform");
	found = clGetExtensionFunctionAddressForPlatform(platform, name);
	if (!found)
		exit(77);
	return found;
}

static void batch(void)
{
	void *(*create)(cl_uint, const cl_command_queue *, const void *, cl_int *) =
	    (__typeof__(create))address("clCreateCommandBufferKHR");
	cl_int (*fill)(void *, cl_command_queue, cl_mem, const void *, size_t, size_t, size_t,
		       cl_uint, const cl_uint *, cl_uint *, void **) =
	    (__typeof__(fill))address("clCommandFillBufferKHR");
	cl_int (*range)(void *, cl_command_queue, const void *, cl_kernel, cl_uint, const size_t *,
			const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *,
			void **) = (__typeof__(range))address("clCommandNDRangeKernelKHR");
	cl_int (*finalize)(void *) = (__typeof__(finalize))address("clFinalizeCommandBufferKHR");
	cl_int (*enqueue)(cl_uint, cl_command_queue *, void *, cl_uint, const cl_event *,
			  cl_event *) = (__typeof__(enqueue))address("clEnqueueCommandBufferKHR");
	cl_int (*release)(void *) = (__typeof__(release))address("clReleaseCommandBufferKHR");
	const size_t items = ITEMS, group = 64;
	const int pattern = 3;
	cl_command_queue queue = plain_queue();
	struct job job = make_job();
	cl_int status;
	void *buffer = create(1, &queue, NULL, &status);
	cl_uint done = 0;

	check(status, "command buffer");
	check(fill(buffer, NULL, job.memory, &pattern, sizeof(pattern), 0, ITEMS * sizeof(int), 0,
		   NULL, &done, NULL),
	      "fill");
	for (int i = 0; i < 2; i++)
		check(range(buffer, NULL, NULL, job.kernel, 1, NULL, &items, &group, 1, &done,
			    &done, NULL),
		      "range");
	check(finalize(buffer), "finalize");
	for (int i = 0; i < 5; i++) {
		check(enqueue(0, NULL, buffer, 0, NULL, NULL), "enqueue");
		clFinish(queue);
	}
	put(queue, job, NULL, NULL);
	clFinish(queue);
	check(release(buffer), "release");
	clReleaseCommandQueue(queue);
	finish_job(job);
}

static void queues(void)
{
	struct job job = make_job();

	for (int i = 0; i < 300; i++) {
		cl_command_queue queue = plain_queue();

		put(queue, job, NULL, NULL);
		clFinish(queue);
		clReleaseCommandQueue(queue);
	}
	finish_job(job);
}

static void released(void)
{
	struct job job = make_job();
	cl_int status;
	cl_event gate = clCreateUserEvent(context, &status), ends[100];

	for (int i = 0; i < 100; i++) {
		cl_command_queue queue = plain_queue();

		put(queue, job, &gate, &ends[i]);
		clReleaseCommandQueue(queue);
	}
	clSetUserEventStatus(gate, CL_COMPLETE);
	check(clWaitForEvents(100, ends), "wait");
	for (int i = 0; i < 100; i++)
		clReleaseEvent(ends[i]);
	clReleaseEvent(gate);
	finish_job(job);
}

static void never(void)
{
	cl_command_queue queue = plain_queue();
	struct job job = make_job();
	cl_int status;
	cl_event gate = clCreateUserEvent(context, &status), end;

	put(queue, job, NULL, NULL);
	clFinish(queue);
	put(queue, job, &gate, &end);
	clSetUserEventStatus(gate, -5);
	printf("wait %d\n", clWaitForEvents(1, &end) != CL_SUCCESS);
	clReleaseEvent(end);
	clReleaseEvent(gate);
	clReleaseCommandQueue(queue);
	finish_job(job);
}

/* Kernels that never end, because the program leaves before it lets them begin. */
static void left(void)
{
	cl_command_queue queue = plain_queue();
	struct job job = make_job();
	cl_int status;
	cl_event gate = clCreateUserEvent(context, &status);

	for (int i = 0; i < 3; i++)
		put(queue, job, NULL, NULL);
	clFinish(queue);
	for (int i = 0; i < 5; i++)
		put(queue, job, &gate, NULL);
	clFlush(queue);
	fflush(stdout);
	exit(0);
}

/* More queues, one after the other, than there are streams for contexts. */
static void crowd(void)
{
	struct job job = make_job();

	for (int i = 0; i < 5000; i++) {
		cl_command_queue queue = plain_queue();

		put(queue, job, NULL, NULL);
		clFinish(queue);
		clReleaseCommandQueue(queue);
	}
	finish_job(job);
}

/* Many places that may be written to, given back in the order in which they came. */
static void maps(void)
{
	enum { PLACES = 1000, BYTES = 64 };
	cl_command_queue queue = plain_queue();
	static void *places[PLACES];
	cl_int status;
	cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, PLACES * BYTES, NULL, &status);

	for (size_t i = 0; i < PLACES; i++) {
		places[i] = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_WRITE, i * BYTES, BYTES, 0,
					       NULL, NULL, &status);
		check(status, "map");
	}
	for (size_t i = 0; i < PLACES; i++)
		check(clEnqueueUnmapMemObject(queue, a, places[i], 0, NULL, NULL), "unmap");
	clFinish(queue);
	clReleaseMemObject(a);
	clReleaseCommandQueue(queue);
}

/* More queues at one time than a channel has streams; a kernel in each. */
static void held(void)
{
	enum { QUEUES = 70 };
	cl_command_queue all[QUEUES];
	struct job job = make_job();

	for (int i = 0; i < QUEUES; i++) {
		all[i] = plain_queue();
		put(all[i], job, NULL, NULL);
		clFinish(all[i]);
	}
	for (int i = 0; i < QUEUES; i++)
		clReleaseCommandQueue(all[i]);
	finish_job(job);
}

static int run_mode(const char *name)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {{"threads", threads}, {"kill", for_ever},	   {"deep", deep},
		     {"queues", queues},   {"released", released}, {"never", never},
		     {"left", left},	   {"crowd", crowd},	   {"held", held},
		     {"maps", maps},	   {"empty", empty},	   {"batch", batch}};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(name, modes[i].name) == 0) {
			modes[i].run();
			return 1;
		}
	return 0;
}

int main(int argc, char **argv)
{
	static const cl_queue_properties bits[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE,
						   0},
					 none[] = {CL_QUEUE_PROPERTIES, 0, 0};
	const char *what = argc > 1 ? argv[1] : "";
	cl_int status;
	cl_uint count = 0;

	open_device();
	if (!run_mode(what)) {
		run(plain_queue(), "plain");
		run(clCreateCommandQueueWithProperties(context, device, bits, &status), "profiled");
		run(clCreateCommandQueueWithProperties(context, device, none, &status), "listed");
		run(clCreateCommandQueue(context, device, 0, &status), "old");
		printf("bad queue %d\n",
		       !clCreateCommandQueue(context, device, 1u << 30, &status) &&
			   status != CL_SUCCESS);
	}
	check(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count, NULL),
	      "context");
	printf("context %u\n", count);
	clReleaseProgram(program);
	clReleaseContext(context);
	return 0;
}
