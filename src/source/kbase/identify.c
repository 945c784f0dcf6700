/*
 * Opening a kbase node: version, context flags, properties, and which reader the version allows;
 * and the driver's clock against ours.
 */
#include "source/kbase/kbase.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/little.h"

#define PROPS_MAX      (1u << 20)
#define INTERRUPTS_MAX 8

int kbase_ioctl(const struct sx_sys *sys, int fd, unsigned long request, void *arg)
{
	int result, tries = 0;
	do
		result = sys->ioctl(sys->user, fd, request, arg);
	while (result < 0 && errno == EINTR && ++tries < INTERRUPTS_MAX);
	return result;
}

static int open_node(const struct sx_sys *sys, const char *path)
{
	int fd, tries = 0;
	do
		fd = sys->open(sys->user, path, O_RDONLY | O_CLOEXEC);
	while (fd < 0 && errno == EINTR && ++tries < INTERRUPTS_MAX);
	return fd;
}

static enum sx_status open_failed(struct sx_error *err, const char *path)
{
	int why = errno;
	enum sx_status status = error_errno(err, why, "cannot open %s", path);
	if (why == ENOENT || why == ENXIO || why == ENODEV) {
		status = error_set(err, SX_ERR_NOT_FOUND, "there is no %s", path);
		error_because(err, "Arm's kbase driver is not loaded");
	} else if (why == EACCES || why == EPERM) {
		error_try(err, "sudo chmod a+r %s, or add yourself to its group", path);
	} else if (why == EBUSY) {
		error_try(err, "see who holds it: sudo fuser -v %s", path);
	}
	return status;
}

/* The version of the driver interface. What the ioctls return means nothing: 0.0 is "not answered".
 */
static bool ask_version(const struct sx_sys *sys, struct kbase_device *device)
{
	for (int csf = 1; csf >= 0; csf--) {
		struct kbase_version version = {0};
		kbase_ioctl(sys, device->fd, csf ? KBASE_VERSION_CHECK_CSF : KBASE_VERSION_CHECK_JM,
			    &version);
		device->csf = csf;
		device->version = version;
		if (version.major || version.minor)
			return true;
	}
	return false;
}

/* EPERM: they are set already; EINVAL: a driver without this flag. Neither matters. */
static enum sx_status set_flags(const struct sx_sys *sys, struct kbase_device *device,
				struct sx_error *err)
{
	struct kbase_flags flags = {KBASE_FLAG_MONITOR_SUBMIT_DISABLED};
	if (kbase_ioctl(sys, device->fd, KBASE_SET_FLAGS, &flags) >= 0 || errno == EPERM ||
	    errno == EINVAL)
		return SX_OK;
	return error_errno(err, errno, "cannot set up a kbase context");
}

struct props {
	uint64_t gpu_id, l2_slices, l2_features, core_features, mem_features, shader_present;
	uint64_t groups, freq_khz_max;
	bool has_l2_slices, has_mem;
};

static void take_prop(struct props *props, uint32_t id, uint64_t value)
{
	if (id == KBASE_PROP_GPU_ID)
		props->gpu_id = value;
	else if (id == KBASE_PROP_L2_SLICES)
		props->l2_slices = value, props->has_l2_slices = true;
	else if (id == KBASE_PROP_L2_FEATURES)
		props->l2_features = value;
	else if (id == KBASE_PROP_CORE_FEATURES)
		props->core_features = value;
	else if (id == KBASE_PROP_MEM_FEATURES)
		props->mem_features = value, props->has_mem = true;
	else if (id == KBASE_PROP_SHADER_PRESENT)
		props->shader_present = value;
	else if (id == KBASE_PROP_FREQ_KHZ_MAX)
		props->freq_khz_max = value;
	else if (id >= KBASE_PROP_GROUP_0 && id <= KBASE_PROP_GROUP_15)
		props->groups |= value;
}

/* Unknown properties are skipped by their width; a cut one ends the list. */
static void parse_props(const uint8_t *data, size_t size, struct props *props)
{
	*props = (struct props){0};
	for (size_t at = 0; size - at > 4;) {
		uint32_t key = (uint32_t)little_get(data + at, 4), width = 1u << (key & 3);
		at += 4;
		if (width > size - at)
			return;
		take_prop(props, key >> 2, little_get(data + at, width));
		at += width;
	}
}

static enum sx_status read_props(const struct sx_sys *sys, struct kbase_device *device,
				 struct props *props, struct sx_error *err)
{
	struct kbase_gpuprops ask = {0};
	int size = kbase_ioctl(sys, device->fd, KBASE_GET_GPUPROPS, &ask);
	if (size < 0)
		return error_errno(err, errno, "cannot ask kbase for the GPU's properties");
	if (size < 5 || (uint32_t)size > PROPS_MAX)
		return error_set(err, SX_ERR_UNSUPPORTED,
				 "kbase reports %d bytes of GPU properties", size);
	uint8_t *data = calloc(1, (size_t)size);
	if (!data)
		return error_nomem(err, "GPU properties");
	ask = (struct kbase_gpuprops){.buffer = (uint64_t)(uintptr_t)data, .size = (uint32_t)size};
	int got = kbase_ioctl(sys, device->fd, KBASE_GET_GPUPROPS, &ask);
	enum sx_status status = SX_OK;
	if (got < 0)
		status = error_errno(err, errno, "cannot read the GPU's properties from kbase");
	else
		parse_props(data, got < size ? (size_t)got : (size_t)size, props);
	free(data);
	return status;
}

static enum sx_status take_identity(struct sx_context *catalogs, struct kbase_device *device,
				    const struct props *props, struct sx_error *err)
{
	struct mali_id *id = &device->id;
	mali_id_decode(props->gpu_id, id);
	id->core_mask = props->groups ? props->groups : props->shader_present;
	id->slices = props->has_l2_slices ? (uint32_t)props->l2_slices
		     : props->has_mem	  ? mali_id_slices(props->mem_features)
					  : 0;
	id->bus_bits = mali_id_bus_bits(props->l2_features);
	id->variant = (uint32_t)props->core_features & 0xf;
	id->freq_khz_max = props->freq_khz_max;
	device->known = mali_id_find(catalogs, id, "kbase", &device->model);
	if (props->gpu_id && id->core_mask && id->slices && id->slices <= 64)
		return SX_OK;
	error_set(err, SX_ERR_UNSUPPORTED, "kbase does not identify this Mali");
	error_because(err, "GPU id, shader cores or L2 slices are missing in its properties");
	error_try(err, "update the driver; properties of interface %u.%u are not understood",
		  device->version.major, device->version.minor);
	return SX_ERR_UNSUPPORTED;
}

static bool at_least(const struct kbase_version *v, uint16_t major, uint16_t minor)
{
	return v->major > major || (v->major == major && v->minor >= minor);
}

/* The versions in which each reader exists, and its timer works (that of CSF 1.18 does not). */
static void choose_reader(struct kbase_device *device)
{
	const struct kbase_version *v = &device->version;
	bool narrow = mali_id_slots(&device->id) == 64; /* all that vinstr can count */
	bool good = device->csf ? at_least(v, 1, 17) : at_least(v, 11, 37);
	bool some = device->csf ? at_least(v, 1, 10) : at_least(v, 11, 34);
	bool old = device->csf ? !at_least(v, 1, 21) : !at_least(v, 11, 40);
	device->states = device->csf ? at_least(v, 1, 23) : at_least(v, 11, 41);
	if (device->csf && v->major == 1 && v->minor == 18)
		good = false;
	device->reader = good		 ? KBASE_READER_KINSTR
			 : old && narrow ? KBASE_READER_VINSTR
			 : some		 ? KBASE_READER_KINSTR_MANUAL
					 : KBASE_READER_NONE;
}

enum sx_status kbase_identify(const struct source_host *host, unsigned unit,
			      struct kbase_device *device, struct sx_error *err)
{
	const struct sx_sys *sys = host->sys;
	char path[32];
	snprintf(path, sizeof(path), "/dev/mali%u", unit);
	*device = (struct kbase_device){.fd = open_node(sys, path)};
	if (device->fd < 0)
		return open_failed(err, path);
	struct props props = {0};
	enum sx_status status = SX_OK;
	if (sys->is_char_device(sys->user, device->fd) != 1) {
		status = error_set(err, SX_ERR_NOT_FOUND, "%s is no device", path);
	} else if (!ask_version(sys, device)) {
		status = error_set(err, SX_ERR_UNSUPPORTED, "%s does not answer as kbase", path);
		error_because(err, "it is older than r21, or another driver's");
		error_try(err, "update Arm's kernel driver");
	}
	if (status == SX_OK)
		status = set_flags(sys, device, err);
	if (status == SX_OK)
		status = read_props(sys, device, &props, err);
	if (status == SX_OK)
		status = take_identity(host->catalogs, device, &props, err);
	if (status == SX_OK)
		choose_reader(device);
	else
		kbase_release(sys, device);
	return status;
}

void kbase_release(const struct sx_sys *sys, struct kbase_device *device)
{
	if (device->fd >= 0)
		sys->close(sys->user, device->fd);
	device->fd = -1;
}

#define TRIES 4

enum sx_status kbase_clock_measure(const struct sx_sys *sys, struct kbase_clock *clock,
				   struct sx_error *err)
{
	struct clock_pair best = {.error_ns = UINT64_MAX};
	for (int i = 0; i < TRIES; i++) {
		uint64_t before, raw, after;
		if (!sys_clock_ns(sys, CLOCK_MONOTONIC, &before) ||
		    !sys_clock_ns(sys, CLOCK_MONOTONIC_RAW, &raw) ||
		    !sys_clock_ns(sys, CLOCK_MONOTONIC, &after))
			return error_errno(err, errno, "cannot read the clocks");
		uint64_t error = (after - before + 1) / 2;
		if (after < before || error >= best.error_ns)
			continue;
		best = (struct clock_pair){
		    .from_ns = raw, .to_ns = before + (after - before) / 2, .error_ns = error};
	}
	if (best.error_ns == UINT64_MAX)
		return error_set(err, SX_ERR_IO, "CLOCK_MONOTONIC ran backwards");
	clock_fit_add(&clock->fit, &best);
	return SX_OK;
}

uint64_t kbase_clock_convert(const struct sx_sys *sys, struct kbase_clock *clock, uint64_t raw_ns)
{
	/* The end of a sample is the begin of the next, also where the line moved in between. */
	if (clock->last_raw_ns && raw_ns == clock->last_raw_ns)
		return clock->last_ns;
	if (clock_fit_due(&clock->fit, raw_ns))
		kbase_clock_measure(sys, clock, NULL); /* on failure the old line still serves */
	uint64_t ns = clock_fit_convert(&clock->fit, raw_ns);
	if (clock->last_raw_ns && raw_ns > clock->last_raw_ns && ns < clock->last_ns)
		ns = clock->last_ns;
	clock->last_raw_ns = raw_ns;
	clock->last_ns = ns;
	return ns;
}

uint64_t kbase_clock_raw_now(const struct sx_sys *sys)
{
	uint64_t now_ns;
	return sys_clock_ns(sys, CLOCK_MONOTONIC_RAW, &now_ns) ? now_ns : 0;
}
