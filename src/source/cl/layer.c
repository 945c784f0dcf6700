/* Where the layer lies, and the environment by which a child's loader finds it. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/cl/cl.h"
#include "wire/channel.h"

#define LAYER	    "libsextant-opencl.so"
#define LOADER_MOST (1u << 20) /* bytes of a loader that are looked at */

static bool try_folder(const struct sx_sys *sys, const char *folder, const char *below, char *path,
		       size_t size)
{
	int n = snprintf(path, size, "%s%s/" LAYER, folder, below);
	if (n < 0 || (size_t)n >= size)
		return false;
	int fd = sys->open(sys->user, path, O_RDONLY);
	if (fd >= 0)
		sys->close(sys->user, fd);
	return fd >= 0;
}

static bool find(const struct sx_sys *sys, char *path, size_t size)
{
	static const char *const places[] = {"/layer/opencl", "/../layer/opencl", "/../lib/sextant",
					     "/sextant"};
	char folder[2048];
	const char *given = getenv("SEXTANT_LAYER_DIR");
	if (given && *given && try_folder(sys, given, "", path, size))
		return true;
	if (sys->read_link(sys->user, "/proc/self/exe", folder, sizeof(folder)) > 0) {
		char *slash = strrchr(folder, '/');
		if (slash)
			*slash = '\0';
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			if (try_folder(sys, folder, places[i], path, size))
				return true;
	}
	return try_folder(sys, SX_LIBDIR, "/sextant", path, size);
}

enum sx_status cl_layer_find(const struct sx_sys *sys, char *path, size_t size,
			     struct sx_error *err)
{
	if (find(sys, path, size))
		return SX_OK;
	error_set(err, SX_ERR_NOT_FOUND, "cannot find " LAYER);
	error_because(err, "it is neither beside the command nor in " SX_LIBDIR "/sextant");
	error_try(err, "set SEXTANT_LAYER_DIR to the folder that holds it");
	return SX_ERR_NOT_FOUND;
}

/* "NAME=first:rest", without the rest where there is none. */
static char *list(const char *name, const char *first, const char *rest)
{
	bool more = rest && *rest;
	size_t size = strlen(name) + strlen(first) + (more ? strlen(rest) : 0) + 3;
	char *text = malloc(size);
	if (text)
		snprintf(text, size, "%s=%s%s%s", name, first, more ? ":" : "", more ? rest : "");
	return text;
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
	return list("LD_PRELOAD", path, there);
}

enum sx_status cl_environment(const struct sx_sys *sys, const char *socket,
			      struct library_environment *out, struct sx_error *err)
{
	char path[4096];
	const char *layers = getenv("OPENCL_LAYERS");
	enum sx_status status = cl_layer_find(sys, path, sizeof(path), err);
	if (status)
		return status;
	if (strchr(path, ':')) {
		error_set(err, SX_ERR_UNSUPPORTED, "cannot load %s into a program", path);
		error_because(err, "OPENCL_LAYERS cannot hold a path with a colon");
		error_try(err, "install Sextant elsewhere, or set SEXTANT_LAYER_DIR to a copy");
		return SX_ERR_UNSUPPORTED;
	}
	bool there = layers && strstr(layers, path);
	out->items[0] = list("OPENCL_LAYERS", there ? layers : path, there ? NULL : layers);
	out->items[1] = list(WIRE_ENV_OPENCL, socket, NULL);
	out->items[2] = preload(sys, path);
	out->items[3] = NULL;
	if (out->items[0] && out->items[1])
		return SX_OK;
	library_environment_finish(out);
	return error_nomem(err, "preparing the program's environment");
}
