/* The list of sources. */
#include "source/source.h"

#include <string.h>
#include <strings.h>

#include "base/suggest.h"

const struct source_ops *const *source_all(void)
{
#define SOURCE(name) &source_##name,
	static const struct source_ops *const all[] = {
#include "source/sources.def"
	    NULL,
	};
#undef SOURCE
	return all;
}

void source_unusable(struct sx_device *device, const struct sx_error *err)
{
	device->state = SX_DEVICE_UNUSABLE;
	device->obstacle = err->status;
	device->because = err->because[0] ? err->because : err->message;
	device->remedy = err->remedy[0] ? err->remedy : NULL;
}

const struct source_ops *source_find(const char *name)
{
	for (const struct source_ops *const *ops = source_all(); *ops; ops++)
		if (suggest_is_same((*ops)->name, name))
			return *ops;
	return NULL;
}

/* Whether a name is the selector, or is it before " (": drivers append versions in brackets. */
static bool is_called(const char *name, const char *selector)
{
	size_t length = strlen(selector);
	return length && strncasecmp(name, selector, length) == 0 &&
	       (!name[length] || strncmp(name + length, " (", 2) == 0);
}

bool sx_device_means(const struct sx_device *device, const char *selector)
{
	const char *colon = strchr(device->id, ':');
	size_t length = strlen(selector);
	if (strcasecmp(device->id, selector) == 0 || suggest_is_same(device->source, selector))
		return true;
	if (device->catalog && strcasecmp(device->catalog, selector) == 0)
		return true;
	/* What is not here is named after what it would be. */
	if (device->name && device->state != SX_DEVICE_ABSENT && is_called(device->name, selector))
		return true;
	return colon && (strcasecmp(colon + 1, selector) == 0 ||
			 ((size_t)(colon - device->id) == length &&
			  strncasecmp(device->id, selector, length) == 0));
}

enum sx_status sx_device_catalog(struct sx_context *context, const struct sx_device *device,
				 struct sx_catalog **out, struct sx_error *err)
{
	const struct source_ops *ops = source_find(device->source);
	if (ops && ops->catalog && device->state == SX_DEVICE_INJECT)
		return ops->catalog(context, out, err);
	return sx_catalog_open(context, device->catalog, out, err);
}

enum sx_status sx_device_passes(struct sx_context *context, const struct sx_device *device,
				struct sx_counter_passes *passes, struct sx_error *err)
{
	const struct source_ops *ops = source_find(device->source);
	passes->pass_count = 0;
	if (!ops || !ops->passes)
		return SX_OK;
	return ops->passes(passes->names, passes->count, passes->pass_of, &passes->pass_count, err);
}
