/* sx_devices_probe(): every source's findings as one list. */
#include <sextant/source.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "session/session.h"

struct sx_device_list {
	struct arena strings;
	struct sx_device *devices;
	size_t count, cap;
	bool out_of_memory;
};

static const char *keep(struct sx_device_list *list, const char *text)
{
	if (!text)
		return NULL;
	const char *copy = arena_strndup(&list->strings, text, strlen(text));
	if (!copy)
		list->out_of_memory = true;
	return copy;
}

static void devices_found(void *user, const struct sx_device *device)
{
	struct sx_device_list *list = user;
	if (!mem_grow(&list->devices, &list->cap, list->count + 1, sizeof(*list->devices))) {
		list->out_of_memory = true;
		return;
	}
	list->devices[list->count++] = (struct sx_device){.id = keep(list, device->id),
							  .source = keep(list, device->source),
							  .name = keep(list, device->name),
							  .catalog = keep(list, device->catalog),
							  .driver = keep(list, device->driver),
							  .state = device->state,
							  .obstacle = device->obstacle,
							  .because = keep(list, device->because),
							  .remedy = keep(list, device->remedy),
							  .gives = keep(list, device->gives)};
}

/* Usable devices come first, the rest in the order of the sources. */
static void order(struct sx_device_list *list)
{
	for (size_t i = 1; i < list->count; i++)
		for (size_t j = i; j && list->devices[j].state < list->devices[j - 1].state; j--) {
			struct sx_device moved = list->devices[j];
			list->devices[j] = list->devices[j - 1];
			list->devices[j - 1] = moved;
		}
}

enum sx_status devices_probe(const struct source_host *host, const char *name,
			     struct sx_device_list **out, struct sx_error *err)
{
	const struct source_ops *one = name ? source_find(name) : NULL;
	struct sx_device_list *list = calloc(1, sizeof(*list));
	if (!list)
		return error_nomem(err, "probing devices");
	for (const struct source_ops *const *all = source_all(); *all; all++)
		if (!one || *all == one)
			(*all)->probe(host, devices_found, list);
	if (list->out_of_memory) {
		sx_devices_destroy(list);
		return error_nomem(err, "probing devices");
	}
	order(list);
	*out = list;
	return SX_OK;
}

enum sx_status sx_devices_probe(struct sx_context *context, bool ask_drivers,
				struct sx_device_list **out, struct sx_error *err)
{
	struct source_host host = {
	    .sys = sys_real(), .catalogs = context, .ask_drivers = ask_drivers};
	return devices_probe(&host, NULL, out, err);
}

void sx_devices_destroy(struct sx_device_list *list)
{
	if (!list)
		return;
	arena_finish(&list->strings);
	free(list->devices);
	free(list);
}

const struct sx_device *sx_devices_get(const struct sx_device_list *list, size_t *count)
{
	if (count)
		*count = list->count;
	return list->devices;
}
