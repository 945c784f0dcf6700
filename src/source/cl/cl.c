/*
 * The OpenCL source: any OpenCL driver, measured by a layer in the programs that Sextant starts.
 * Where the layer lies, and the environment by which a child's loader finds it.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "source/guest/inject.h"
#include "wire/channel.h"

#define LOADER_MOST (1u << 20) /* bytes of a loader that are looked at */

static const struct place cl_place = {
    .file = "libsextant-opencl.so",
    .variable = "SEXTANT_LAYER_DIR",
    .near = {"/opencl", "/../opencl", "/../../../" SX_LOADER_LIB "/sextant",
	     "/../../../lib/sextant"},
    .elsewhere_too = true, /* OpenCL's folder may be the Vulkan layer's */
    .beside = {"/layer/opencl", "/../layer/opencl", "/../lib/sextant", "/sextant",
	       "/../" SX_LOADER_LIB "/sextant"},
    .installed = SX_LIBDIR "/sextant",
    .list = "OPENCL_LAYERS",
    .no_chars = ":",
};

static enum sx_status cl_layer_find(const struct sx_sys *sys, char *path, size_t size,
				    struct sx_error *err)
{
	return place_find(sys, &cl_place, path, size, err);
}

/* Whether a file holds this text. */
static bool file_holds(const struct sx_sys *sys, const char *path, const char *text)
{
	size_t cap = LOADER_MOST;
	char *bytes = malloc(cap);
	ssize_t size = bytes ? sys->read_file(sys->user, path, bytes, cap) : -1;
	bool found = size > 0 && memmem(bytes, (size_t)size, text, strlen(text));
	free(bytes);
	return found;
}

/* Whether the loader that programs get by default reads OPENCL_LAYERS: no driver is loaded. */
static bool loader_knows_layers(const struct sx_sys *sys)
{
	struct link_map *map = NULL;
	void *loader = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (!loader)
		return true; /* none to be helped */
	bool knows = dlinfo(loader, RTLD_DI_LINKMAP, &map) != 0 || !map->l_name[0] ||
		     file_holds(sys, map->l_name, "OPENCL_LAYERS");
	dlclose(loader);
	return knows;
}

/* The other way in, where the loader has none: LD_PRELOAD, in front of what is there. */
static char *preload(const struct sx_sys *sys, const char *path)
{
	const char *there = getenv("LD_PRELOAD");
	if (loader_knows_layers(sys) || strpbrk(path, ": "))
		return NULL;
	return place_list("LD_PRELOAD", path, there);
}

static enum sx_status cl_environment(const struct sx_sys *sys, const char *channel,
				     const char *socket, struct library_environment *out,
				     struct sx_error *err)
{
	char path[4096];
	const char *layers = getenv("OPENCL_LAYERS");
	enum sx_status status = cl_layer_find(sys, path, sizeof(path), err);
	if (status)
		return status;
	bool there = place_holds(layers, ":", path);
	out->items[0] = place_list("OPENCL_LAYERS", there ? NULL : path, layers);
	out->items[1] = place_list(channel, socket, NULL);
	out->items[2] = preload(sys, path);
	out->items[3] = out->items[2] ? library_sanitizer() : NULL;
	out->items[4] = NULL;
	return library_environment_check(out, 2, err);
}

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
    .channel = WIRE_ENV_OPENCL,
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
    INJECT_OPS,
};
