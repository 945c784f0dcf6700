/* Where the layer's manifest lies, and the environment by which a child's loader finds it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/guest/inject.h"
#include "source/vk/vk.h"
#include "wire/channel.h"

#define LAYER	    "VK_LAYER_SEXTANT"
#define VK_MANIFEST "sextant_vulkan." SX_CPU ".json"

static const struct place vk_place = {
    .file = VK_MANIFEST,
    .variable = "SEXTANT_LAYER_DIR",
    .near = {"/vulkan", "/../vulkan", "/../../../share/vulkan/explicit_layer.d",
	     "/../../share/vulkan/explicit_layer.d"},
    .beside = {"/layer/vulkan", "/../layer/vulkan", "/../share/vulkan/explicit_layer.d"},
    .installed = SX_DATADIR "/vulkan/explicit_layer.d",
    .list = "VK_LAYER_PATH",
    .no_chars = ":",
};

#define MANIFEST_MOST 4096u
#define KEY	      "\"library_path\""

/* The text of "library_path", as the manifest has it; false when it has none. */
static bool read_library(const struct sx_sys *sys, const char *manifest, char *out, size_t size)
{
	char text[MANIFEST_MOST];
	ssize_t got = sys->read_file(sys->user, manifest, text, sizeof(text) - 1);
	if (got <= 0)
		return false;
	text[got] = '\0';
	const char *at = strstr(text, KEY);
	if (!at)
		return false;
	at += strlen(KEY);
	at += strspn(at, " \t\r\n:");
	size_t used = 0;
	for (at += *at == '"'; *at && *at != '"' && used + 1 < size; at++) {
		at += *at == '\\' && at[1];
		out[used++] = *at;
	}
	out[used] = '\0';
	return used && *at == '"';
}

/* A manifest whose library is gone would leave programs unmeasured, and the loader says nothing. */
static enum sx_status check_library(const struct sx_sys *sys, const char *manifest,
				    struct sx_error *err)
{
	char named[1024], path[4096];
	int length = (int)(strrchr(manifest, '/') - manifest);
	if (!read_library(sys, manifest, named, sizeof(named))) {
		error_set(err, SX_ERR_NOT_FOUND, "cannot use %s", manifest);
		error_because(err, "%s names no library, or cannot be read", manifest);
		error_try(err, "install Sextant again, or set SEXTANT_LAYER_DIR");
		return SX_ERR_NOT_FOUND;
	}
	bool below = named[0] != '/';
	snprintf(path, sizeof(path), "%.*s%s%s", below ? length : 0, manifest, below ? "/" : "",
		 named);
	/* A name without a folder is looked for where the system has its libraries. */
	if (!strchr(named, '/') || place_is_there(sys, path))
		return SX_OK;
	error_set(err, SX_ERR_NOT_FOUND, "cannot find the Vulkan layer %s", path);
	error_because(err, "%s names %s, which is not there", manifest, named);
	error_try(err, "install Sextant where it was configured for, or set SEXTANT_LAYER_DIR to a "
		       "folder whose " VK_MANIFEST " names a library that is there");
	return SX_ERR_NOT_FOUND;
}

/* The folder: the file's name is the loader's business. */
enum sx_status vk_layer_find(const struct sx_sys *sys, char *path, size_t size,
			     struct sx_error *err)
{
	enum sx_status status = place_find(sys, &vk_place, path, size, err);
	if (!status)
		status = check_library(sys, path, err);
	if (!status)
		*strrchr(path, '/') = '\0';
	return status;
}

/*
 * A loader that is told where all explicit layers lie looks nowhere else; ours goes on that list
 * then. Layers that the user names come first, nearer to the program (Debian 12's loader goes by
 * where it finds them instead). The variable of the implicit layer serves programs in containers,
 * whose loader sees what is installed alone.
 */
enum sx_status vk_environment(const struct sx_sys *sys, const char *socket,
			      struct library_environment *out, struct sx_error *err)
{
	char folder[4096];
	const char *all = getenv("VK_LAYER_PATH"), *layers = getenv("VK_INSTANCE_LAYERS");
	enum sx_status status = vk_layer_find(sys, folder, sizeof(folder), err);
	if (status)
		return status;
	bool only = all && *all;
	bool there = place_holds(layers, ":", LAYER);
	out->items[0] = only ? place_list("VK_LAYER_PATH", all, folder)
			     : place_list("VK_ADD_LAYER_PATH", getenv("VK_ADD_LAYER_PATH"), folder);
	out->items[1] = place_list("VK_INSTANCE_LAYERS", layers, there ? NULL : LAYER);
	out->items[2] = place_list("SEXTANT_VULKAN", "1", NULL);
	out->items[3] = place_list(WIRE_ENV_VULKAN, socket, NULL);
	out->items[4] = NULL;
	return library_environment_check(out, 4, err);
}
