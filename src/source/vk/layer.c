/* Where the layer's manifest lies, and the environment by which a child's loader finds it. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/guest/library.h"
#include "source/guest/place.h"
#include "source/vk/vk.h"
#include "wire/channel.h"

#define LAYER "VK_LAYER_SEXTANT"

static const struct place vk_place = {
    .file = "sextant_vulkan." SX_CPU ".json",
    .variable = "SEXTANT_LAYER_DIR",
    .beside = {"/layer/vulkan", "/../layer/vulkan", "/../share/vulkan/explicit_layer.d"},
    .installed = SX_DATADIR "/vulkan/explicit_layer.d",
    .list = "VK_LAYER_PATH",
    .no_chars = ":",
};

/* The folder: the file's name is the loader's business. */
enum sx_status vk_layer_find(const struct sx_sys *sys, char *path, size_t size,
			     struct sx_error *err)
{
	enum sx_status status = place_find(sys, &vk_place, path, size, err);
	if (!status)
		*strrchr(path, '/') = '\0';
	return status;
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
