/* The kbase source: Arm's own kernel driver, whichever of its two readers the version has. */
#include "source/kbase/kbase.h"
#include "source/mali/mali.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS 16

/* Whether the driver's version has a reader that serves this GPU. */
static enum sx_status check_reader(const struct kbase_device *device, struct sx_error *err)
{
	if (device->reader != KBASE_READER_NONE)
		return SX_OK;
	error_set(err, SX_ERR_UNSUPPORTED, "this kbase has no reader for its counters");
	error_because(err, "interface %u.%u is older than kinstr_prfcnt (CSF 1.10)",
		      device->version.major, device->version.minor);
	error_try(err, "update Arm's kernel driver");
	return SX_ERR_UNSUPPORTED;
}

/* Whether a Mali can be measured without more being said; others take a catalog by name. */
static enum sx_status check_device(struct sx_context *catalogs, const struct kbase_device *device,
				   unsigned unit, struct sx_error *err)
{
	struct mali_model_info near = {.catalog = "NAME"};
	enum sx_status status = check_reader(device, err);
	if (status != SX_OK || device->known)
		return status;
	if (catalogs && !sx_catalog_heads(catalogs, NULL))
		return error_nomem(err, "reading the catalogs' heads");
	error_set(err, SX_ERR_UNSUPPORTED, "no catalog describes this Mali");
	error_because(err, "it is architecture %u, product %u (GPU id 0x%llx)", device->id.arch,
		      device->id.product, (unsigned long long)device->id.gpu_id);
	mali_id_nearest(catalogs, &device->id, &near);
	error_try(err, "measure it by the nearest, at your own risk: -d mali%u --for %s", unit,
		  near.catalog);
	return SX_ERR_UNSUPPORTED;
}

/* How counters are read, as the head of a report names it. */
static const char *interface_name(const struct kbase_device *device)
{
	static const char *const names[] = {[KBASE_READER_NONE] = "no reader",
					    [KBASE_READER_KINSTR] = "kinstr",
					    [KBASE_READER_KINSTR_MANUAL] = "kinstr, manual",
					    [KBASE_READER_VINSTR] = "vinstr"};
	return names[device->reader];
}

static void name_driver(const struct kbase_device *device, char *out, size_t size)
{
	snprintf(out, size, "kbase %s %u.%u (%s)", device->csf ? "CSF" : "JM",
		 device->version.major, device->version.minor, interface_name(device));
}

enum sx_status kbase_failed(struct kbase *k, const char *what, struct sx_error *err)
{
	int why = errno;
	enum sx_status status = error_errno(err, why, "%s", what);
	if (why != ENODEV && why != EIO) {
		error_try(err, "sextant doctor -d kbase");
		return status;
	}
	uint64_t now = kbase_clock_raw_now(k->base.sys);
	k->lost = true;
	error_set(err, SX_ERR_DEVICE_LOST, "%s: lost after %.3f s", what,
		  now > k->started_ns ? (double)(now - k->started_ns) / 1e9 : 0);
	error_because(err, why == EIO ? "the GPU was reset, or it is suspended"
				      : "the GPU or its driver went away");
	error_try(err, "start again once it is back; see dmesg");
	return SX_ERR_DEVICE_LOST;
}

enum sx_status kbase_refused(const struct kbase *k, int why, struct sx_error *err)
{
	enum sx_status status = error_errno(err, why, "kbase refuses to count");
	switch (why) {
	case EBUSY:
		error_because(err, "all of its counter clients are taken");
		error_try(err, "end other profilers of this GPU (Streamline's gatord, for one)");
		return SX_ERR_BUSY;
	case ENOMEM:
		error_because(err, "the kernel has no memory for its ring of samples");
		error_try(err, "again when less memory is in use");
		return SX_ERR_NO_MEMORY;
	case EACCES:
	case EPERM:
		error_because(err, "this system lets only some programs read counters");
		error_try(err, "as root; on Android from a shell, for a debuggable app");
		return SX_ERR_PERMISSION;
	case EINVAL:
	case ENOTTY:
		error_because(err, "interface %u.%u does not take the request that %s makes",
			      k->device.version.major, k->device.version.minor,
			      interface_name(&k->device));
		error_try(err,
			  "update Arm's kernel driver, and report this with sextant doctor -v");
		return SX_ERR_UNSUPPORTED;
	default:
		error_try(err, "sextant doctor -d kbase");
		return status;
	}
}

uint64_t kbase_swallowed(uint64_t took_ns, uint64_t period_ns)
{
	uint64_t periods = period_ns ? (took_ns + period_ns / 2) / period_ns : 0;
	return periods > 1 ? periods - 1 : 0;
}

/*
 * A mask that a constant, which is a double, cannot hold: its cores are numbered without the holes
 * then.
 */
static uint64_t dump_mask(uint64_t cores)
{
	uint64_t span = cores >> __builtin_ctzll(cores);
	uint32_t count = (uint32_t)__builtin_popcountll(cores);
	if (span < UINT64_C(1) << 53)
		return cores;
	return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

static void want_everything(struct kbase *k)
{
	for (uint32_t kind = 0; kind < MALI_KINDS; kind++)
		k->groups[kind] = k->raw.slots == 64 ? 0xffff : 0xffffffff;
}

static bool make_raw(struct kbase *k)
{
	bool narrow = k->device.reader == KBASE_READER_VINSTR;
	return mali_raw_init(&k->raw, narrow ? 4 : 8, mali_id_slots(&k->device.id),
			     k->device.id.slices, dump_mask(k->device.id.core_mask));
}

/* Whether the driver really sets up a reader, which only an attempt shows; nothing stays behind. */
static enum sx_status try_reader(const struct source_host *host, const struct kbase_device *device,
				 struct sx_error *err)
{
	struct kbase k = {
	    .base = {.ops = &source_kbase, .sys = host->sys, .catalogs = host->catalogs},
	    .device = *device};
	if (!make_raw(&k))
		return error_nomem(err, "a kbase device");
	want_everything(&k);
	enum sx_status status =
	    device->reader == KBASE_READER_VINSTR ? vinstr_try(&k, err) : kinstr_try(&k, err);
	mali_raw_finish(&k.raw);
	return status;
}

/* `err` is what prevents use of the device; its status is SX_OK where nothing does. */
static void report(unsigned unit, const struct kbase_device *device, const struct sx_error *err,
		   source_found_fn found, void *user)
{
	char id[16], driver[64], name[64];
	snprintf(id, sizeof(id), "mali%u", unit);
	name_driver(device, driver, sizeof(driver));
	snprintf(name, sizeof(name), "%s", device->known ? device->model.name : "Mali");
	bool answered = device->version.major || device->version.minor;
	struct sx_device found_one = {.id = id,
				      .source = "kbase",
				      .name = name,
				      .catalog = device->known ? device->model.catalog : NULL,
				      .driver = answered ? driver : "kbase",
				      .state = SX_DEVICE_READY};
	if (err->status)
		source_unusable(&found_one, err);
	found(user, &found_one);
}

static void kbase_probe(const struct source_host *host, source_found_fn found, void *user)
{
	bool any = false;
	for (unsigned unit = 0; unit < UNITS; unit++) {
		struct kbase_device device;
		struct sx_error err = {0};
		enum sx_status status = kbase_identify(host, unit, &device, &err);
		if (status == SX_ERR_NOT_FOUND)
			continue;
		if (status == SX_OK)
			status = check_device(host->catalogs, &device, unit, &err);
		if (status == SX_OK && host->ask_drivers)
			status = try_reader(host, &device, &err);
		err.status = status;
		report(unit, &device, &err, found, user);
		kbase_release(host->sys, &device);
		any = true;
	}
	if (!any)
		found(user,
		      &(struct sx_device){.id = "mali0",
					  .source = "kbase",
					  .name = "Mali",
					  .state = SX_DEVICE_ABSENT,
					  .because = "there is no /dev/mali0 to /dev/mali15"});
}

static void describe_device(struct kbase *k)
{
	const struct kbase_device *device = &k->device;
	name_driver(device, k->driver, sizeof(k->driver));
	k->desc = (struct source_desc){.catalog = device->known ? device->model.catalog : NULL,
				       .facts.name = device->known ? device->model.name : "Mali",
				       .facts.driver = k->driver,
				       .clock_error_ns = clock_fit_error_ns(&k->clock.fit),
				       .facts.constants = k->constants};
	struct mali_id id = device->id;
	id.core_mask = dump_mask(id.core_mask);
	k->desc.facts.constant_count = mali_id_constants(&id, k->constants);
}

static enum sx_status kbase_open(const struct source_host *host, const char *id,
				 struct source **out, struct sx_error *err)
{
	const struct sx_sys *sys = host->sys;
	unsigned unit;
	char rest;
	if (sscanf(id, "mali%u%c", &unit, &rest) != 1 || unit >= UNITS)
		return error_set(err, SX_ERR_NOT_FOUND, "kbase has no device \"%s\"", id);
	struct kbase *k = calloc(1, sizeof(*k));
	if (!k)
		return error_nomem(err, "a kbase device");
	k->base = (struct source){&source_kbase, sys, host->catalogs, &k->desc};
	enum sx_status status = kbase_identify(host, unit, &k->device, err);
	if (status == SX_OK)
		status = check_reader(&k->device, err);
	if (status == SX_OK)
		status = kbase_clock_measure(sys, &k->clock, err);
	if (status == SX_OK && !make_raw(k))
		status = error_nomem(err, "a kbase device");
	if (status != SX_OK) {
		kbase_release(sys, &k->device);
		mali_raw_finish(&k->raw);
		free(k);
		return status;
	}
	describe_device(k);
	*out = &k->base;
	return SX_OK;
}

/* Marks the group of one wanted counter, "NAME" or "NAME[3]"; false when it is none of a Mali. */
static bool want(struct kbase *k, const struct sx_catalog *catalog, const char *name)
{
	char plain[160];
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(name, "["), name);
	uint32_t count, at = sx_catalog_find_counter(catalog, plain, SX_NONE, NULL);
	if (at == SX_NONE)
		return false;
	const struct sx_counter_info *counter = &sx_catalog_counters(catalog, &count)[at];
	if (counter->block == SX_NONE || counter->slot >= k->raw.slots)
		return false;
	uint32_t kind = sx_catalog_blocks(catalog, &count)[counter->block].code;
	bool ours = kind < MALI_KINDS && sx_catalog_blocks(catalog, &count)[counter->block].slots;
	if (ours)
		k->groups[kind] |= UINT64_C(1) << counter->slot / 4;
	return ours;
}

/*
 * Only selected counters are counted. Counters that the catalog does not know are in no group; when
 * it cannot be read, or nothing is selected, everything is counted.
 */
static void choose_groups(struct kbase *k, const struct source_request *request)
{
	bool known = false, ask = request->catalog && k->desc.catalog;
	memset(k->groups, 0, sizeof(k->groups));
	for (uint32_t i = 0; ask && i < request->counter_count; i++)
		known |= want(k, request->catalog, request->counters[i]);
	if (!known)
		want_everything(k);
}

static enum sx_status check_period(uint64_t period_ns, struct sx_error *err)
{
	if (period_ns >= KBASE_PERIOD_MIN_NS && period_ns <= KBASE_PERIOD_MAX_NS)
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "kbase cannot sample every %g us", (double)period_ns * 1e-3);
	error_because(err, "its timer takes 100 us to 4.29 s, and cuts or raises all else");
	error_try(err, "choose an interval between, for example -I 10ms");
	return SX_ERR_USAGE;
}

static void close_reader(struct kbase *k)
{
	if (k->device.reader == KBASE_READER_VINSTR)
		vinstr_close(k);
	else
		kinstr_close(k);
	k->started = k->stopped = k->lost = false;
	k->desc.interval_ns = 0;
}

static enum sx_status kbase_start(struct source *source, const struct source_request *request,
				  struct sx_error *err)
{
	struct kbase *k = (struct kbase *)source;
	uint64_t period_ns = request->interval_ns ? request->interval_ns : KBASE_PERIOD_NS;
	enum sx_status status = check_period(period_ns, err);
	if (status != SX_OK)
		return status;
	if (k->started)
		close_reader(k);
	choose_groups(k, request);
	k->started = true;
	k->note[0] = '\0';
	k->started_ns = kbase_clock_raw_now(k->base.sys);
	k->desc.interval_ns = period_ns;
	if (k->device.reader == KBASE_READER_VINSTR)
		status = vinstr_start(k, period_ns, err);
	else
		status =
		    kinstr_start(k, period_ns, k->device.reader == KBASE_READER_KINSTR_MANUAL, err);
	if (status != SX_OK)
		close_reader(k);
	return status;
}

static enum sx_status not_started(struct sx_error *err)
{
	return error_set(err, SX_ERR_USAGE, "kbase was not started");
}

/* A suspend, or a clock that was set: samples since the last pair of clocks have doubtful times. */
static void note_jump(struct kbase *k, struct raw_sample *out)
{
	k->clock.jumps_reported = k->clock.fit.jumps;
	out->flags |= RAW_BROKEN;
	snprintf(k->note, sizeof(k->note),
		 "the driver's clock jumped by %.6g ms beside ours (a suspend, or one was set): "
		 "times of the second before are doubtful",
		 (double)k->clock.fit.jump_ns * 1e-6);
}

static enum sx_status kbase_read(struct source *source, int timeout_ms, struct raw_sample *out,
				 struct sx_error *err)
{
	struct kbase *k = (struct kbase *)source;
	if (!k->started)
		return not_started(err);
	if (k->lost && k->stopped)
		return SX_END;
	if (k->note[0]) {
		memcpy(k->reported, k->note, sizeof(k->reported));
		k->note[0] = '\0';
		*out = (struct raw_sample){.kind = RAW_NOTE,
					   .data = (const uint8_t *)k->reported,
					   .size = strlen(k->reported)};
		return SX_OK;
	}
	enum sx_status status = k->device.reader == KBASE_READER_VINSTR
				    ? vinstr_read(k, timeout_ms, out, err)
				    : kinstr_read(k, timeout_ms, out, err);
	if (status == SX_OK && k->clock.fit.jumps != k->clock.jumps_reported)
		note_jump(k, out);
	return status;
}

static enum sx_status kbase_stop(struct source *source, struct sx_error *err)
{
	struct kbase *k = (struct kbase *)source;
	if (!k->started)
		return not_started(err);
	if (k->stopped)
		return SX_OK;
	k->stopped = true;
	if (k->lost)
		return SX_OK;
	return k->device.reader == KBASE_READER_VINSTR ? vinstr_stop(k, err) : kinstr_stop(k, err);
}

static void kbase_wake(struct source *source, struct source_wake *out)
{
	struct kbase *k = (struct kbase *)source;
	bool vinstr = k->device.reader == KBASE_READER_VINSTR;
	bool manual = k->device.reader == KBASE_READER_KINSTR_MANUAL;
	*out = (struct source_wake){.fd = vinstr ? k->u.vinstr.fd : k->u.kinstr.fd,
				    .due_ns = UINT64_MAX};
	if (manual)
		out->due_ns = clock_fit_convert(&k->clock.fit, k->u.kinstr.due_ns);
	if (k->stopped || k->note[0])
		out->due_ns = 0;
}

static void kbase_close(struct source *source)
{
	struct kbase *k = (struct kbase *)source;
	if (k->started)
		close_reader(k);
	kbase_release(k->base.sys, &k->device);
	mali_raw_finish(&k->raw);
	free(k);
}

/* The slots of a block are not read in one instant: a side may be off by a hundredth. */
static enum sx_status kbase_selftest(struct source *source, const struct note_sink *to,
				     struct sx_error *err)
{
	struct kbase *k = (struct kbase *)source;
	if (!k->desc.catalog)
		return error_set(err, SX_ERR_UNSUPPORTED,
				 "no catalog says what the counters of this Mali mean");
	return mali_selftest(source, &k->raw, k->desc.catalog, 0.01, to, err);
}

static bool kbase_clock_note(struct source *source, struct source_clock *out)
{
	const struct clock_fit *fit = &((struct kbase *)source)->clock.fit;
	const struct clock_pair *newest = clock_fit_newest(fit);
	if (!newest)
		return false;
	*out = (struct source_clock){.name = "monotonic_raw",
				     .own_ns = newest->from_ns,
				     .monotonic_ns = newest->to_ns,
				     .error_ns = newest->error_ns,
				     .jumps = fit->jumps};
	return true;
}

const struct source_ops source_kbase = {
    .name = "kbase",
    .raw = RAW_MALI,
    .probe = kbase_probe,
    .open = kbase_open,
    .start = kbase_start,
    .read = kbase_read,
    .wake = kbase_wake,
    .stop = kbase_stop,
    .close = kbase_close,
    .selftest = kbase_selftest,
    .clock = kbase_clock_note,
};
