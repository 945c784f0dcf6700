/*
 * Cards with OA units, whichever driver they have; the period of their streams, and the reports
 * that these lost.
 */
#include "source/oa/oa.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/suggest.h"
#include "wire/oa/oa.h"

#define IOCTL_TRIES 100

int oa_ioctl(const struct sx_sys *sys, int fd, unsigned long request, void *arg)
{
	int result;
	int tries = IOCTL_TRIES;
	do
		result = sys->ioctl(sys->user, fd, request, arg);
	while (result < 0 && (errno == EINTR || errno == EAGAIN) && --tries);
	return result;
}

struct probing {
	const struct oa_driver *driver;
	const struct source_host *host;
	source_found_fn found;
	void *user;
	bool any;
};

static bool probe_card(void *arg, const struct drm_node *node)
{
	struct probing *p = arg;
	struct oa_catalog catalog;
	struct sx_error err;
	char id[32], name[64], remedy[320], because[2 * SX_ERROR_TEXT_MAX + 4];
	const char *generation = sx_oa_generation(node->device_id);
	p->any = true;
	bool known = oa_find_catalog(p->host->catalogs, node->device_id, &catalog);
	snprintf(id, sizeof(id), "%s:card%u", p->driver->name, node->card);
	snprintf(name, sizeof(name), "Intel GPU 0x%04x%s%s%s", node->device_id,
		 generation ? " (" : "", generation ? generation : "", generation ? ")" : "");
	struct sx_device device = {.id = id,
				   .source = p->driver->source,
				   .name = name,
				   .catalog = known ? catalog.name : NULL,
				   .driver = p->driver->name,
				   .state = SX_DEVICE_READY};
	device.because = p->driver->obstacle(p->host->sys, node, &device.obstacle, &device.remedy);
	if (!device.because && !known)
		oa_no_catalog(&device, catalog.match == SX_OA_MATCH_NEAR ? catalog.name : NULL,
			      remedy, sizeof(remedy));
	if (!device.because && p->host->ask_drivers &&
	    (device.obstacle = p->driver->attempt(p->host, id, &err))) {
		snprintf(because, sizeof(because), "%s: %s", err.message, err.because);
		device.because = because;
		device.remedy = err.remedy;
	}
	if (device.because)
		device.state = SX_DEVICE_UNUSABLE;
	p->found(p->user, &device);
	return true;
}

void oa_probe(const struct oa_driver *driver, const struct source_host *host, source_found_fn found,
	      void *user)
{
	struct probing probing = {driver, host, found, user, false};
	char id[32], because[64];
	nodes_each(host->sys, driver->name, probe_card, &probing);
	if (probing.any)
		return;
	snprintf(id, sizeof(id), "%s:card0", driver->name);
	snprintf(because, sizeof(because), "no card in /sys/class/drm is driven by %s",
		 driver->name);
	found(user, &(struct sx_device){.id = id,
					.source = driver->source,
					.name = "Intel GPU",
					.state = SX_DEVICE_ABSENT,
					.because = because});
}

bool oa_find(const struct oa_driver *driver, const struct sx_sys *sys, const char *id,
	     struct drm_node *node)
{
	bool any = suggest_is_same(driver->source, id);
	return nodes_find(sys, driver->name, driver->name, any ? driver->name : id, node);
}

enum sx_status oa_not_found(const struct oa_driver *driver, const char *id, struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "there is no %s device \"%.64s\"", driver->name, id);
	error_because(err, "no card in /sys/class/drm that %s drives is called so", driver->name);
	error_try(err, "sextant devices");
	return SX_ERR_NOT_FOUND;
}

enum sx_status oa_query_refused(int why, const char *what, const char *since, struct sx_error *err)
{
	enum sx_status status = error_errno(err, why, "the driver refuses the query of %s", what);
	switch (why) {
	case EACCES:
	case EPERM:
		error_because(err, "only the render node is open to all, and a container may "
				   "filter it");
		error_try(err, "sudo usermod -aG render,video $USER, then log in again");
		return status;
	case EINVAL:
	case ENOTTY:
	case EOPNOTSUPP:
		error_because(err, "this kernel does not know the query, or not for this GPU");
		error_try(err, "a kernel of %s or later that knows this GPU", since);
		return error_as(err, SX_ERR_UNSUPPORTED);
	case ENODEV:
		error_because(err, "the device or its driver went away");
		error_try(err, "start again once the GPU is back; see dmesg");
		return status;
	default:
		error_try(err, "the same again; dmesg has the driver's reason");
		return status;
	}
}

enum sx_status oa_denied(bool paranoid, const char *sysctl, struct sx_error *err)
{
	if (paranoid) {
		error_because(err, "%s is 1, and the CAP_PERFMON of a container does not count",
			      sysctl);
		error_try(err, "sudo sysctl %s=0, outside of the container", sysctl);
	} else {
		error_because(err, "a security policy of this machine or container forbids it");
		error_try(err, "the same as root, outside of containers");
	}
	return error_as(err, SX_ERR_PERMISSION);
}

bool oa_find_catalog(struct sx_context *catalogs, uint32_t device_id, struct oa_catalog *out)
{
	out->match =
	    catalogs ? sx_oa_find_catalog(catalogs, device_id, out->name) : SX_OA_MATCH_NONE;
	/* Without a search path what is always there serves. */
	if (out->match == SX_OA_MATCH_NONE && oa_is_broadwell(device_id)) {
		snprintf(out->name, sizeof(out->name), "%s", OA_CATALOG_INSIDE);
		out->match = SX_OA_MATCH_OWN;
	}
	return out->match == SX_OA_MATCH_OWN;
}

static int any_entry(void *arg, const char *name)
{
	*(bool *)arg = true;
	return 1;
}

bool oa_kernel_has_metrics(const struct sx_sys *sys, uint32_t card)
{
	char path[64];
	bool any = false;
	snprintf(path, sizeof(path), "/sys/class/drm/card%u/metrics", card);
	return sys->list_dir(sys->user, path, any_entry, &any) >= 0;
}

uint64_t oa_config_find(const struct oa_place *place, const char *uuid)
{
	char file[64];
	snprintf(file, sizeof(file), "metrics/%s/id", uuid);
	return nodes_card_number(place->sys, place->card, file, 0);
}

bool oa_config_gone(const struct oa_place *place, const char *uuid, uint64_t id)
{
	errno = 0;
	uint64_t now = oa_config_find(place, uuid);
	return now ? now != id : errno == ENOENT;
}

void oa_describe_stream(struct source_desc *desc, struct oa_facts *facts,
			const struct oa_stream *stream)
{
	desc->facts.set = stream ? stream->set : OA_SET;
	desc->interval_ns = stream ? stream->period_ns : 0;
	desc->property_count = stream ? OA_FACTS : 0;
	desc->properties = facts->properties;
	if (!stream)
		return;
	snprintf(facts->exponent, sizeof(facts->exponent), "%u", stream->exponent);
	facts->properties[0] =
	    (struct source_property){"format", sx_oa_format_name(stream->format)};
	facts->properties[1] = (struct source_property){"exponent", facts->exponent};
	facts->properties[2] = (struct source_property){"uuid", stream->uuid};
}

size_t oa_raw_head(const struct sx_oa_device *of, const struct oa_stream *stream, uint8_t *out,
		   size_t cap)
{
	struct sx_oa_device device = *of;
	snprintf(device.set, sizeof(device.set), "%s", stream->set);
	snprintf(device.uuid, sizeof(device.uuid), "%s", stream->uuid);
	size_t size = oa_write_version(out, cap);
	size += oa_write_device(out + size, cap - size, &device);
	return size + oa_write_topology(out + size, cap - size, &device);
}

enum sx_status oa_stream_lost(uint32_t card, uint64_t ran_ns, const char *because,
			      struct sx_error *err)
{
	error_set(err, SX_ERR_DEVICE_LOST, "the OA stream of card%u ended after %.3f s", card,
		  (double)ran_ns / 1e9);
	error_because(err, "%s", because);
	error_try(err, "start again once the GPU is back; see dmesg");
	return SX_ERR_DEVICE_LOST;
}

uint64_t oa_ticks_a_count(uint64_t oa_hz, uint64_t other_hz)
{
	return other_hz && oa_hz > other_hz && oa_hz % other_hz == 0 ? oa_hz / other_hz : 1;
}

uint64_t oa_period_ns(uint64_t timestamp_hz, uint32_t exponent)
{
	return (((uint64_t)2 << exponent) * 1000000000 + timestamp_hz - 1) / timestamp_hz;
}

/* Below two wraps of any counter: those of 32 bits that add up over EUs wrap soon on Haswell. */
static uint32_t highest_exponent(const struct sx_oa_device *d)
{
	uint32_t eus, slices, subslices, e = OA_EXPONENT_MAX;
	if (oa_format_head(d->format) != OA_HEAD_HASWELL)
		return e;
	oa_device_count(d, &eus, &slices, &subslices);
	double hz = d->gt_max_hz ? d->gt_max_hz : OA_HIGHEST_HZ;
	double wrap_ns = 4294967296e9 / (hz * (eus ? eus : 40));
	while (e > 6 && (double)oa_period_ns(d->timestamp_hz, e) > wrap_ns)
		e--;
	return e;
}

uint32_t oa_exponent(const struct sx_oa_device *device, uint64_t max_rate_hz, uint64_t interval_ns)
{
	uint32_t best = 0, highest = highest_exponent(device);
	uint64_t best_off = UINT64_MAX;
	for (uint32_t e = 0; e <= highest; e++) {
		uint64_t period = oa_period_ns(device->timestamp_hz, e);
		uint64_t off = period > interval_ns ? period - interval_ns : interval_ns - period;
		bool allowed = !max_rate_hz || 1000000000 / period <= max_rate_hz;
		if (allowed && off < best_off) {
			best = e;
			best_off = off;
		}
	}
	return best;
}

/*
 * Ticks since the last report of the stream. Its 32 bits wrap within minutes, so the CPU's clock
 * says how often they did.
 */
static uint64_t ticks_since(const struct oa_course *course, uint32_t ticks, uint64_t now_ns)
{
	uint64_t span = (uint32_t)(ticks - course->last_ticks);
	double estimate = (double)(now_ns > course->last_ns ? now_ns - course->last_ns : 0) *
			  (double)course->timestamp_hz / 1e9;
	double wraps = (estimate - (double)span) / 4294967296.0 + 0.5;
	return wraps >= 1 ? span + ((uint64_t)wraps << 32) : span;
}

uint64_t oa_course_take(struct oa_course *course, const uint8_t *data, size_t size, uint64_t now_ns)
{
	uint64_t missing = 0, step = UINT64_C(2) << course->exponent;
	bool wide = oa_format_head(course->format) == OA_HEAD_LONG;
	while (size >= OA_RECORD_HEADER) {
		size_t length = oa_record_size(data);
		uint32_t type = little_u32(data);
		if (length < OA_RECORD_HEADER || length > size)
			break;
		if (type == OA_RECORD_REPORT_LOST || type == OA_RECORD_BUFFER_LOST)
			course->gap = true;
		if (type == OA_RECORD_SAMPLE && length >= OA_RECORD_HEADER + 16) {
			uint32_t ticks = little_u32(data + OA_RECORD_HEADER + (wide ? 8 : 4));
			uint64_t steps = ticks_since(course, ticks, now_ns) / step;
			if (course->gap)
				missing += course->has_last && steps > 2 ? steps - 1 : 1;
			course->gap = false;
			course->has_last = true;
			course->last_ticks = ticks;
			course->last_ns = now_ns;
		}
		data += length;
		size -= length;
	}
	return missing;
}

void oa_no_catalog(struct sx_device *device, const char *nearest, char *remedy, size_t size)
{
	device->obstacle = SX_ERR_NOT_FOUND;
	device->because = "no catalog describes this GPU: its metric sets were never published";
	if (!nearest)
		return;
	snprintf(remedy, size, "measure it by the nearest, at your own risk: -d %s --for %s",
		 device->id, nearest);
	device->remedy = remedy;
}
