/* sx_device_selftest(): the invariants of one device, on this machine's hardware. */
#include <sextant/source.h>

#include "base/error.h"
#include "source/source.h"

static const struct sx_device *find(const struct sx_device *all, size_t count, const char *id)
{
	for (size_t i = 0; i < count; i++)
		if (sx_device_means(&all[i], id))
			return &all[i];
	return NULL;
}

static enum sx_status unusable(const struct sx_device *device, struct sx_error *err)
{
	bool absent = device->state == SX_DEVICE_ABSENT;
	enum sx_status status = absent ? SX_ERR_NOT_FOUND : SX_ERR_PERMISSION;
	error_set(err, status, "%s cannot be tested", device->id);
	error_because(err, "%s", device->because ? device->because : "it is not here");
	error_try(err, "%s", device->remedy ? device->remedy : "run this on a machine that has it");
	return status;
}

static enum sx_status selftest_run(struct sx_context *context, const struct sx_device *device,
				   const struct note_sink *to, struct sx_error *err)
{
	struct source *source;
	struct source_host host = {.sys = sys_real(), .catalogs = context};
	const struct source_ops *ops = source_find(device->source);
	if (!ops->selftest) {
		error_set(err, SX_ERR_UNSUPPORTED, "%s has no self-test", device->id);
		error_because(err, "its source knows no invariants to check");
		error_try(err, "sextant stat -d %s", device->id);
		return SX_ERR_UNSUPPORTED;
	}
	enum sx_status status = ops->open(&host, device->id, &source, err);
	if (status)
		return status;
	const struct source_desc *desc = source_describe(source);
	note_sink_write(to, "device: %s, %s", desc->facts.name,
			desc->facts.driver ? desc->facts.driver : "");
	for (uint32_t i = 0; i < desc->facts.constant_count; i++)
		note_sink_write(to, "constant: %s = %.17g", desc->facts.constants[i].name,
				desc->facts.constants[i].value);
	status = ops->selftest(source, to, err);
	ops->close(source);
	return status;
}

enum sx_status sx_device_selftest(struct sx_context *context, const char *id, sx_selftest_fn say,
				  void *user, struct sx_error *err)
{
	struct sx_device_list *list;
	size_t count;
	enum sx_status status = sx_devices_probe(context, false, &list, err);
	if (status)
		return status;
	const struct sx_device *all = sx_devices_get(list, &count);
	const struct sx_device *device = find(all, count, id);
	if (!device) {
		error_set(err, SX_ERR_NOT_FOUND, "no device %s", id);
		error_because(err, "no source of this machine knows it");
		error_try(err, "sextant devices -v");
		status = SX_ERR_NOT_FOUND;
	} else if (device->state == SX_DEVICE_UNUSABLE || device->state == SX_DEVICE_ABSENT) {
		status = unusable(device, err);
	} else {
		status = selftest_run(context, device, &(struct note_sink){say, user}, err);
	}
	sx_devices_destroy(list);
	return status;
}
