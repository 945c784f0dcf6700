/* The Vulkan source: any Vulkan driver, measured by a layer in the programs that Sextant starts. */
#include "source/vk/vk.h"

#include <stdlib.h>

#include "source/guest/inject.h"
#include "wire/channel.h"

static const char *const counters[] = {
#define QUERY(id, name, raw) name,
#define VULKAN(id, name)     name,
#include "wire/queries.def"
#include "wire/vulkan.def"
#undef QUERY
#undef VULKAN
};

static const struct inject_api vk_api = {
    .ops = &source_vulkan,
    .catalog = "vulkan",
    .title = "Vulkan",
    .kinds = 1u << SX_SAMPLE_FRAME | 1u << SX_SAMPLE_PASS | 1u << SX_SAMPLE_GROUP |
	     1u << SX_SAMPLE_COMMANDS,
    .variable = "VK_INSTANCE_LAYERS",
    .holds = "VK_LAYER_SEXTANT",
    .counters = counters,
    .counter_count = sizeof(counters) / sizeof(counters[0]),
    .environment = vk_environment,
    .not_loaded = "no Vulkan loader has put the layer into it: it does not use Vulkan, is setuid, "
		  "or clears its environment",
    .load_it = "start the program that draws itself, as the same user; VK_LOADER_DEBUG=layer shows "
	       "what the loader does",
    .no_context = "no Vulkan device was made in it",
    .use_context = "check that it draws with Vulkan, not OpenGL or on the CPU",
    .no_sample = "it submitted nothing, or ended before its first presentation",
    .have_sample = "let it run until it presents, or ends by itself",
};

static enum sx_status vk_open(const struct source_host *host, const char *id, struct source **out,
			      struct sx_error *err)
{
	return inject_open(&vk_api, host, out, err);
}

/* What the user's environment tells loaders, which may keep the layer out of a program. */
static void look_for_hiding(struct sx_device *device)
{
	const char *off = getenv("VK_LOADER_LAYERS_DISABLE"),
		   *own = getenv("VK_IMPLICIT_LAYER_PATH");
	if (off && *off) {
		device->because =
		    "VK_LOADER_LAYERS_DISABLE is set: loaders leave out the layers that it names";
		device->remedy = "unset VK_LOADER_LAYERS_DISABLE, should it mean VK_LAYER_SEXTANT";
	} else if (own && *own) {
		device->because =
		    "VK_IMPLICIT_LAYER_PATH is set: a loader in a container then sees no "
		    "implicit layer of the host";
		device->remedy =
		    "unset VK_IMPLICIT_LAYER_PATH, should the program run in a container";
	}
}

/* Which driver it will be only the program's own loader knows. */
static void vk_probe(const struct source_host *host, source_found_fn found, void *user)
{
	char folder[4096];
	struct sx_error err = {0};
	struct sx_device device = {.id = "vulkan",
				   .source = "vulkan",
				   .catalog = "vulkan",
				   .name = "Vulkan, whichever driver a program brings",
				   .state = SX_DEVICE_INJECT};
	if (vk_layer_find(host->sys, folder, sizeof(folder), &err)) {
		device.state = SX_DEVICE_UNUSABLE;
		device.obstacle = err.status;
		device.because = err.because;
		device.remedy = err.remedy;
	}
	if (device.state == SX_DEVICE_INJECT && host->ask_drivers)
		look_for_hiding(&device);
	found(user, &device);
}

const struct source_ops source_vulkan = {
    .name = "vulkan",
    .raw = RAW_GUEST,
    .probe = vk_probe,
    .open = vk_open,
    .describe = inject_describe,
    .start = inject_start,
    .read = inject_read,
    .stop = inject_stop,
    .close = inject_close,
    .running = inject_running,
    .waiting = inject_waiting,
    .explain = inject_explain,
    .spawn_env = inject_spawn_env,
};
