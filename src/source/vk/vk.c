/*
 * The Vulkan source: any Vulkan driver, measured by a layer in the programs that Sextant starts.
 * Where the layer's manifest lies, and the environment by which a child's loader finds it.
 */
#include "source/vk/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/guest/inject.h"
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

/*
 * A manifest that names a missing library would leave programs unmeasured, and the loader says
 * nothing.
 */
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
static enum sx_status vk_layer_find(const struct sx_sys *sys, char *path, size_t size,
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
 * A loader with an explicit layer path looks nowhere else; our folder then goes on that path.
 * Layers that the user names come first, nearer to the program (Debian 12's loader orders them as
 * it finds them instead). The variable of the implicit layer serves programs in containers, where
 * the loader sees only installed layers.
 */
static enum sx_status vk_environment(const struct sx_sys *sys, const char *channel,
				     const char *socket, struct library_environment *out,
				     struct sx_error *err)
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
	out->items[3] = place_list(channel, socket, NULL);
	out->items[4] = NULL;
	return library_environment_check(out, 4, err);
}

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
	     1u << SX_SAMPLE_COMMANDS | 1u << SX_SAMPLE_SUBMIT | 1u << SX_SAMPLE_QUEUE,
    .kinds_named = "frame, group, pass, command-buffer, submit, queue",
    .variable = "VK_INSTANCE_LAYERS",
    .holds = "VK_LAYER_SEXTANT",
    .channel = WIRE_ENV_VULKAN,
    .counters = counters,
    .counter_count = sizeof(counters) / sizeof(counters[0]),
    .find_library = vk_layer_find,
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

/* One block, which inject_close() frees: what the list points to lies behind it. */
static struct inject_counter *list_counters(const struct vk_counters *found)
{
	size_t head = found->count * sizeof(struct inject_counter);
	struct inject_counter *list = malloc(head + found->count * sizeof(struct vk_counter) + 1);
	if (!list)
		return NULL;
	struct vk_counter *copies = (struct vk_counter *)(list + found->count);
	for (uint32_t i = 0; i < found->count; i++) {
		copies[i] = found->items[i];
		list[i] = (struct inject_counter){copies[i].name, copies[i].id};
	}
	return list;
}

static enum sx_status add_counters(struct inject_source *in, const struct source_host *host,
				   const struct vk_counters *found, struct sx_error *err)
{
	if (!found->count)
		return SX_OK;
	in->own = list_counters(found);
	if (!in->own)
		return error_nomem(err, "listing the driver's counters");
	in->own_count = found->count;
	enum sx_status status = vk_counters_catalog(host->catalogs, found, &in->catalog, err);
	in->desc.own = in->catalog;
	return status;
}

/* Drivers are loaded to list their counters only when one of these is asked for. */
static bool asks_driver(const struct source_host *host)
{
	for (uint32_t i = 0; i < host->metric_count; i++)
		if (strncmp(host->metrics[i], SOURCE_DRIVER_PREFIX, strlen(SOURCE_DRIVER_PREFIX)) ==
		    0)
			return true;
	return false;
}

/* Drivers are asked before anything is open: the child of a process with threads may hang. */
static enum sx_status vk_open(const struct source_host *host, const char *id, struct source **out,
			      struct sx_error *err)
{
	struct vk_counters found = {0};
	struct source *source = NULL;
	enum sx_status status = asks_driver(host) ? vk_counters_read(&found, err) : SX_OK;
	if (!status)
		status = inject_open(&vk_api, host, &source, err);
	if (!status)
		status = add_counters((struct inject_source *)source, host, &found, err);
	vk_counters_finish(&found);
	if (status && source)
		inject_close(source);
	if (!status)
		*out = source;
	return status;
}

/* Settings of the user's environment by which loaders may keep the layer out of a program. */
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

/* Only the program's own loader knows which driver it will use. */
static void vk_probe(const struct source_host *host, source_found_fn found, void *user)
{
	struct sx_error err = {0};
	struct sx_device device = inject_device(&vk_api, host, &err);
	device.name = "Vulkan, whichever driver a program brings";
	if (device.state == SX_DEVICE_INJECT && host->ask_drivers)
		look_for_hiding(&device);
	found(user, &device);
}

static enum sx_status vk_catalog(struct sx_context *catalogs, struct sx_catalog **out,
				 struct sx_error *err)
{
	struct vk_counters found;
	enum sx_status status = vk_counters_read(&found, err);
	if (!status)
		status = vk_counters_catalog(catalogs, &found, out, err);
	vk_counters_finish(&found);
	return status;
}

static enum sx_status vk_passes(const char *const *names, uint32_t count, uint32_t *pass_of,
				uint32_t *pass_count, struct sx_error *err)
{
	struct vk_counters found;
	uint8_t ids[WIRE_DRIVER_MOST][WIRE_ID_BYTES];
	uint32_t passes[WIRE_DRIVER_MOST], which[WIRE_DRIVER_MOST], asked = 0;
	enum sx_status status = vk_counters_read(&found, err);
	if (status)
		return status;
	*pass_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct vk_counter *counter = vk_counters_find(&found, names[i]);
		pass_of[i] = SX_NONE;
		if (!counter || asked == WIRE_DRIVER_MOST)
			continue;
		memcpy(ids[asked], counter->id, sizeof(ids[asked]));
		which[asked++] = i;
	}
	vk_counters_finish(&found);
	if (!asked || !vk_counters_part((const uint8_t(*)[WIRE_ID_BYTES])ids, asked, passes))
		return SX_OK;
	for (uint32_t i = 0; i < asked; i++) {
		pass_of[which[i]] = passes[i];
		if (passes[i] != SX_NONE && passes[i] >= *pass_count)
			*pass_count = passes[i] + 1;
	}
	return SX_OK;
}

const struct source_ops source_vulkan = {
    .name = "vulkan",
    .raw = RAW_GUEST,
    .probe = vk_probe,
    .open = vk_open,
    INJECT_OPS,
    .catalog = vk_catalog,
    .passes = vk_passes,
};
