/* Where the layer lies, and the environment by which a child's loader finds it. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/cl/cl.h"
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

enum sx_status cl_layer_find(const struct sx_sys *sys, char *path, size_t size,
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

enum sx_status cl_environment(const struct sx_sys *sys, const char *socket,
			      struct library_environment *out, struct sx_error *err)
{
	char path[4096];
	const char *layers = getenv("OPENCL_LAYERS");
	enum sx_status status = cl_layer_find(sys, path, sizeof(path), err);
	if (status)
		return status;
	bool there = place_holds(layers, ":", path);
	out->items[0] = place_list("OPENCL_LAYERS", there ? NULL : path, layers);
	out->items[1] = place_list(WIRE_ENV_OPENCL, socket, NULL);
	out->items[2] = preload(sys, path);
	out->items[3] = out->items[2] ? library_sanitizer() : NULL;
	out->items[4] = NULL;
	return library_environment_check(out, 2, err);
}
