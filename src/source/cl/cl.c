/* The OpenCL source: any OpenCL driver, measured by a layer in the programs that Sextant starts. */
#include "source/cl/cl.h"

#include "source/guest/inject.h"
#include "wire/channel.h"

/* A record holds all of them: they cost the same. */
static const char *const counters[] = {
#define OPENCL(id, name) name,
#include "wire/opencl.def"
#undef OPENCL
};

static const struct inject_api cl_api = {
    .ops = &source_opencl,
    .catalog = "opencl",
    .title = "OpenCL",
    .kinds = 1u << SX_SAMPLE_KERNEL,
    .kinds_named = "kernel",
    .variable = "OPENCL_LAYERS",
    .holds = "libsextant-opencl",
    .counters = counters,
    .counter_count = sizeof(counters) / sizeof(counters[0]),
    .find_library = cl_layer_find,
    .environment = cl_environment,
    .not_loaded = "no OpenCL loader has put the layer into it: it does not use OpenCL, its loader "
		  "knows no layers (ocl-icd before 2.3) and it loads that one itself, or it clears "
		  "its environment",
    .load_it = "start the program that computes itself, as the same user",
    .no_context = "no OpenCL command queue was made in it",
    .use_context = "check that it computes with OpenCL, and not on the CPU",
    .no_sample = "it put no command into a queue, or ended before one did",
    .have_sample = "let it run until it waits for its results",
};

static enum sx_status cl_open(const struct source_host *host, const char *id, struct source **out,
			      struct sx_error *err)
{
	return inject_open(&cl_api, host, out, err);
}

/* Only the program's own loader knows which driver it will use. */
static void cl_probe(const struct source_host *host, source_found_fn found, void *user)
{
	struct sx_error err = {0};
	struct sx_device device = inject_device(&cl_api, host, &err);
	device.name = "OpenCL, whichever driver a program brings";
	found(user, &device);
}

const struct source_ops source_opencl = {
    .name = "opencl",
    .raw = RAW_KERNELS,
    .probe = cl_probe,
    .open = cl_open,
    .describe = inject_describe,
    .start = inject_start,
    .read = inject_read,
    .wake = inject_wake,
    .stop = inject_stop,
    .close = inject_close,
    .running = inject_running,
    .waiting = inject_waiting,
    .explain = inject_explain,
    .spawn_env = inject_spawn_env,
};
