/* Where the layer's manifest lies, and the environment by which a child's loader finds it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/guest/library.h"
#include "source/vk/vk.h"
#include "wire/channel.h"

#define LAYER	 "VK_LAYER_SEXTANT"
#define MANIFEST "sextant_vulkan." SX_CPU ".json"

static bool try_folder(const struct sx_sys *sys, const char *folder, const char *below, char *path,
		       size_t size)
{
	char file[4096];
	int n = snprintf(path, size, "%s%s", folder, below);
	int m = snprintf(file, sizeof(file), "%s%s/" MANIFEST, folder, below);
	if (n < 0 || (size_t)n >= size || m < 0 || (size_t)m >= sizeof(file))
		return false;
	int fd = sys->open(sys->user, file, O_RDONLY);
	if (fd >= 0)
		sys->close(sys->user, fd);
	return fd >= 0;
}

static bool find(const struct sx_sys *sys, char *path, size_t size)
{
	static const char *const places[] = {"/layer/vulkan", "/../layer/vulkan",
					     "/../share/vulkan/explicit_layer.d"};
	char folder[2048];
	const char *given = getenv("SEXTANT_LAYER_DIR");
	if (given && *given)
		return try_folder(sys, given, "", path, size);
	if (sys->read_link(sys->user, "/proc/self/exe", folder, sizeof(folder)) > 0) {
		char *slash = strrchr(folder, '/');
		if (slash)
			*slash = '\0';
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			if (try_folder(sys, folder, places[i], path, size))
				return true;
	}
	return try_folder(sys, SX_DATADIR, "/vulkan/explicit_layer.d", path, size);
}

enum sx_status vk_layer_find(const struct sx_sys *sys, char *path, size_t size,
			     struct sx_error *err)
{
	if (find(sys, path, size))
		return SX_OK;
	const char *given = getenv("SEXTANT_LAYER_DIR");
	error_set(err, SX_ERR_NOT_FOUND, "cannot find " MANIFEST);
	error_because(err, "it is not in %s",
		      given && *given ? given : SX_DATADIR "/vulkan/explicit_layer.d");
	error_try(err, "set SEXTANT_LAYER_DIR to the folder that holds it");
	return SX_ERR_NOT_FOUND;
}

/* "NAME=first:rest", without the rest where that is NULL or empty. */
static char *list(const char *name, const char *rest, const char *last)
{
	bool more = rest && *rest;
	size_t size = strlen(name) + strlen(last) + (more ? strlen(rest) : 0) + 3;
	char *text = malloc(size);
	if (text)
		snprintf(text, size, "%s=%s%s%s", name, more ? rest : "", more ? ":" : "", last);
	return text;
}

/* Whether a list separated by colons holds this one. */
static bool holds(const char *list_text, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = list_text; at && *at; at += strcspn(at, ":"), at += *at == ':')
		if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ':'))
			return true;
	return false;
}

/*
 * A loader that is told where all explicit layers lie looks nowhere else; ours goes on that list
 * then. Layers that the user names come first, nearer to the program. The variable of the implicit
 * layer serves programs in containers, whose loader sees what is installed alone.
 */
enum sx_status vk_environment(const struct sx_sys *sys, const char *socket,
			      struct library_environment *out, struct sx_error *err)
{
	char folder[4096];
	const char *all = getenv("VK_LAYER_PATH"), *layers = getenv("VK_INSTANCE_LAYERS");
	enum sx_status status = vk_layer_find(sys, folder, sizeof(folder), err);
	if (status)
		return status;
	if (strchr(folder, ':')) {
		error_set(err, SX_ERR_UNSUPPORTED, "cannot load the layer in %s", folder);
		error_because(err, "a list of folders cannot hold one with a colon");
		error_try(err, "install Sextant elsewhere, or set SEXTANT_LAYER_DIR to a copy");
		return SX_ERR_UNSUPPORTED;
	}
	bool only = all && *all;
	out->items[0] = only ? list("VK_LAYER_PATH", all, folder)
			     : list("VK_ADD_LAYER_PATH", getenv("VK_ADD_LAYER_PATH"), folder);
	out->items[1] = holds(layers, LAYER) ? list("VK_INSTANCE_LAYERS", NULL, layers)
					     : list("VK_INSTANCE_LAYERS", layers, LAYER);
	out->items[2] = list("SEXTANT_VULKAN", NULL, "1");
	out->items[3] = list(WIRE_ENV_VULKAN, NULL, socket);
	out->items[4] = NULL;
	for (int i = 0; i < 4; i++)
		if (!out->items[i])
			status = SX_ERR_NO_MEMORY;
	if (!status)
		return SX_OK;
	library_environment_finish(out);
	return error_nomem(err, "preparing the program's environment");
}
