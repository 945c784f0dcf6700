/* A child asks the Vulkan loader for all devices, queue families and their counters. */
#include "source/vk/vk.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "catalog/internal.h"
#include "query/vk/perf.h"
#include "source/guest/inject.h"

#define DEADLINE_MS  5000 /* drivers that compile shaders as they start take a while */
#define GPUS_MOST    16u
#define NAME_MOST    110u /* so that a number fits behind */
#define FAMILIES_MAX 16u

struct vk_asking {
	VkInstance instance;
	PFN_vkGetInstanceProcAddr get;
	/* Of vk_counters_part(). */
	const uint8_t (*ids)[WIRE_ID_BYTES];
	uint32_t id_count;
};

#define FROM(asking, name) (PFN_##name)(asking)->get((asking)->instance, #name)

static bool open_instance(struct vk_asking *asking)
{
	const VkApplicationInfo program = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					   .apiVersion = VK_API_VERSION_1_2};
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					   .pApplicationInfo = &program};
	void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
	*(void **)&asking->get = dlsym(library, "vkGetInstanceProcAddr");
	if (!asking->get)
		return false;
	PFN_vkCreateInstance create =
	    (PFN_vkCreateInstance)asking->get(VK_NULL_HANDLE, "vkCreateInstance");
	return create && create(&info, NULL, &asking->instance) == VK_SUCCESS;
}

static bool has_extension(const struct vk_asking *asking, VkPhysicalDevice gpu)
{
	PFN_vkEnumerateDeviceExtensionProperties list =
	    FROM(asking, vkEnumerateDeviceExtensionProperties);
	uint32_t count = 0;
	bool found = false;
	if (!list || list(gpu, NULL, &count, NULL) < 0)
		return false;
	VkExtensionProperties *all = calloc((size_t)count + 1, sizeof(*all));
	if (all && list(gpu, NULL, &count, all) >= 0)
		for (uint32_t i = 0; i < count; i++)
			found |= strcmp(all[i].extensionName,
					VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME) == 0;
	free(all);
	return found;
}

typedef bool (*visit_fn)(void *user, const struct perf_api *api, uint32_t family,
			 const struct perf_list *list);

static bool each_family(const struct vk_asking *asking, VkPhysicalDevice gpu, visit_fn visit,
			void *user)
{
	PFN_vkGetPhysicalDeviceQueueFamilyProperties get =
	    FROM(asking, vkGetPhysicalDeviceQueueFamilyProperties);
	const struct perf_api api = {
	    .gpu = gpu,
	    .enumerate =
		FROM(asking, vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR),
	    .passes = FROM(asking, vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR)};
	uint32_t count = 0;
	bool more = true;
	if (!get || !api.enumerate || !api.passes || !has_extension(asking, gpu))
		return true;
	get(gpu, &count, NULL);
	for (uint32_t i = 0; more && i < count && i < FAMILIES_MAX; i++) {
		struct perf_list list;
		if (perf_list_read(&api, i, &list) != VK_SUCCESS)
			continue;
		more = visit(user, &api, i, &list);
		perf_list_finish(&list);
	}
	return more;
}

static bool each_list(const struct vk_asking *asking, visit_fn visit, void *user)
{
	PFN_vkEnumeratePhysicalDevices list = FROM(asking, vkEnumeratePhysicalDevices);
	VkPhysicalDevice gpus[GPUS_MOST];
	uint32_t count = GPUS_MOST;
	bool more = true;
	if (!list || list(asking->instance, &count, gpus) < 0)
		return false;
	for (uint32_t i = 0; more && i < count; i++)
		more = each_family(asking, gpus[i], visit, user);
	return more;
}

static const char *scope_text(VkPerformanceCounterScopeKHR scope)
{
	return scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR ? "of whole command buffers"
	       : scope == VK_PERFORMANCE_COUNTER_SCOPE_RENDER_PASS_KHR	? "of whole render passes"
									: "of commands";
}

static void write_name(const char *from, char *to, size_t size)
{
	size_t at = (size_t)snprintf(to, size, SOURCE_DRIVER_PREFIX);
	for (; *from && at < NAME_MOST; from++)
		to[at++] = isalnum((unsigned char)*from) ? *from : '_';
	to[at] = '\0';
}

static bool send_counter(int to, const VkPerformanceCounterKHR *counter,
			 const VkPerformanceCounterDescriptionKHR *text)
{
	const struct perf_unit *unit = perf_unit_of(counter, text);
	struct vk_counter item = {.level = unit->level};
	write_name(text->name, item.name, sizeof(item.name));
	snprintf(item.unit, sizeof(item.unit), "%s", unit->name);
	snprintf(item.text, sizeof(item.text), "%.100s%s%.40s: %.120s (%s)", text->name,
		 text->category[0] ? ", " : "", text->category, text->description,
		 scope_text(counter->scope));
	for (char *at = item.text; *at; at++)
		*at = *at >= ' ' && *at < 0x7f ? *at : '?';
	memcpy(item.id, counter->uuid, sizeof(item.id));
	return write(to, &item, sizeof(item)) == (ssize_t)sizeof(item);
}

static bool send_list(void *user, const struct perf_api *api, uint32_t family,
		      const struct perf_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!send_counter(*(int *)user, &list->counters[i], &list->texts[i]))
			return false;
	return true;
}

static bool ask_list(int to, void *user)
{
	struct vk_asking *asking = user;
	return open_instance(asking) && each_list(asking, send_list, &to);
}

/* Each counter once; of several that share a name, each with one of its own. */
static void keep_new(struct vk_counters *all, const struct vk_counter *item)
{
	struct vk_counter *kept = &all->items[all->count];
	for (uint32_t i = 0; i < all->count; i++)
		if (memcmp(all->items[i].id, item->id, sizeof(item->id)) == 0)
			return;
	*kept = *item;
	for (unsigned n = 2; vk_counters_find(all, kept->name); n++)
		snprintf(kept->name, sizeof(kept->name), "%.110s_%u", item->name, n);
	all->count++;
}

enum sx_status vk_counters_read(struct vk_counters *out, struct sx_error *err)
{
	struct vk_asking asking = {.instance = VK_NULL_HANDLE};
	size_t cap = VK_COUNTERS_MOST * sizeof(struct vk_counter);
	*out = (struct vk_counters){.items = calloc(1, cap)};
	struct vk_counter *said = malloc(cap);
	if (!out->items || !said) {
		free(said);
		vk_counters_finish(out);
		return error_nomem(err, "asking for the drivers' counters");
	}
	size_t size = guest_ask(ask_list, &asking, DEADLINE_MS, said, cap);
	for (size_t i = 0; i < size / sizeof(*said); i++)
		keep_new(out, &said[i]);
	free(said);
	return SX_OK;
}

void vk_counters_finish(struct vk_counters *counters)
{
	free(counters->items);
	*counters = (struct vk_counters){0};
}

const struct vk_counter *vk_counters_find(const struct vk_counters *counters, const char *name)
{
	for (uint32_t i = 0; i < counters->count; i++)
		if (strcmp(counters->items[i].name, name) == 0)
			return &counters->items[i];
	return NULL;
}

enum sx_status vk_counters_catalog(struct sx_context *catalogs, const struct vk_counters *counters,
				   struct sx_catalog **out, struct sx_error *err)
{
	struct catalog_addition *more = calloc(counters->count + (size_t)1, sizeof(*more));
	if (!more)
		return error_nomem(err, "adding the drivers' counters");
	for (uint32_t i = 0; i < counters->count; i++)
		more[i] = (struct catalog_addition){.name = counters->items[i].name,
						    .unit = counters->items[i].unit,
						    .description = counters->items[i].text,
						    .is_real = true,
						    .is_mean = counters->items[i].level};
	const struct catalog_more all = {.counters = more, .counter_count = counters->count};
	enum sx_status status = catalog_extend(catalogs, "vulkan", &all, out, err);
	free(more);
	return status;
}

/* What a family has of those that are asked for, and the passes that they take. */
struct vk_parting {
	const struct vk_asking *asking;
	uint32_t best; /* how many counters the best family has */
	uint32_t pass_of[WIRE_DRIVER_MOST];
};

static bool part_family(void *user, const struct perf_api *api, uint32_t family,
			const struct perf_list *list)
{
	struct vk_parting *p = user;
	uint32_t indices[WIRE_DRIVER_MOST], which[WIRE_DRIVER_MOST], sets[WIRE_DRIVER_MOST];
	uint32_t count = 0;
	for (uint32_t w = 0; w < p->asking->id_count; w++)
		for (uint32_t i = 0; i < list->count; i++) {
			if (memcmp(list->counters[i].uuid, p->asking->ids[w], WIRE_ID_BYTES) != 0)
				continue;
			indices[count] = i;
			which[count++] = w;
			break;
		}
	if (count <= p->best)
		return true;
	p->best = count;
	memset(p->pass_of, 0xff, sizeof(p->pass_of));
	perf_part(api, family, indices, count, sets);
	for (uint32_t i = 0; i < count; i++)
		p->pass_of[which[i]] = sets[i];
	return true;
}

static bool ask_parts(int to, void *user)
{
	struct vk_asking *asking = user;
	struct vk_parting parting = {.asking = asking};
	memset(parting.pass_of, 0xff, sizeof(parting.pass_of));
	return open_instance(asking) && each_list(asking, part_family, &parting) &&
	       write(to, parting.pass_of, sizeof(parting.pass_of)) ==
		   (ssize_t)sizeof(parting.pass_of);
}

bool vk_counters_part(const uint8_t (*ids)[WIRE_ID_BYTES], uint32_t count, uint32_t *pass_of)
{
	struct vk_asking asking = {.ids = ids,
				   .id_count = count < WIRE_DRIVER_MOST ? count : WIRE_DRIVER_MOST};
	uint32_t said[WIRE_DRIVER_MOST];
	if (guest_ask(ask_parts, &asking, DEADLINE_MS, said, sizeof(said)) != sizeof(said))
		return false;
	memcpy(pass_of, said, asking.id_count * sizeof(*pass_of));
	return true;
}
