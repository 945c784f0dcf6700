/* The fake kernel behind struct sx_sys; its rules are those of i915 perf on Gen8. */
#include "i915_oa_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "wire/oa/oa.h"
#include "source/i915_oa/uapi.h"

#define CARD_FD 3

static struct fake_card card_of(const struct fake_i915 *f)
{
	return (struct fake_card){.connector = "card0-eDP-1",
				  .is_missing = f->no_cards,
				  .has_metrics = f->has_metrics,
				  .has_no_node = f->no_card_node,
				  .has_no_render_node = f->no_render_node};
}

static int fake_open(void *user, const char *path, int flags)
{
	struct fake_i915 *f = user;
	if (FAKE_FAILS(f))
		return -1;
	if ((flags & O_ACCMODE) != O_RDWR)
		return fake_refuse(EACCES);
	struct fake_card card = card_of(f);
	if (fake_card_open(&card, path))
		return -1;
	if (f->fds[CARD_FD])
		abort();
	f->fds[CARD_FD] = true;
	f->open_fds++;
	return CARD_FD;
}

static int fake_close(void *user, int fd)
{
	struct fake_i915 *f = user;
	if (fd < 0 || fd >= FAKE_I915_FDS || !f->fds[fd])
		abort(); /* closed twice, or not ours */
	f->fds[fd] = false;
	f->open_fds--;
	if (fd == f->stream)
		f->stream = 0;
	return FAKE_FAILS(f) ? -1 : 0;
}

/* From 12.55 on the unit counts twice as fast as the command streamer. */
static uint32_t halving(const struct fake_i915 *f)
{
	const struct oa_platform *platform = oa_platform(f->device.device_id);
	return platform && platform->version >= 1255 ? 2 : 1;
}

static int get_param(const struct fake_i915 *f, struct i915_getparam *arg)
{
	switch (arg->param) {
	case I915_CHIPSET_ID:
		*arg->value = (int32_t)f->device.device_id;
		return 0;
	case I915_REVISION:
		*arg->value = 9;
		return 0;
	case I915_PERF_REVISION:
		*arg->value = (int32_t)f->perf_revision;
		return f->perf_revision > 1 ? 0 : fake_refuse(EINVAL);
	case I915_OA_TIMESTAMP_HZ:
		*arg->value = (int32_t)f->device.timestamp_hz;
		return f->frequency_params && !f->old_clock_param ? 0 : fake_refuse(EINVAL);
	case I915_CS_TIMESTAMP_HZ:
		*arg->value = (int32_t)(f->device.timestamp_hz / halving(f));
		return f->frequency_params ? 0 : fake_refuse(EINVAL);
	default:
		return fake_refuse(EINVAL);
	}
}

static int query(const struct fake_i915 *f, struct i915_query *arg)
{
	uint8_t answer[512];
	struct i915_query_item *item = (struct i915_query_item *)(uintptr_t)arg->items;
	if (arg->count != 1 || arg->flags)
		return fake_refuse(EINVAL);
	if (item->query_id == I915_QUERY_PERF_CONFIG) {
		item->length = fake_i915_query_config(f, item);
		return 0;
	}
	if (item->query_id != I915_QUERY_TOPOLOGY) {
		item->length = -EINVAL;
		return 0;
	}
	size_t size = oa_topology_write(answer, sizeof(answer), &f->device);
	if (f->topology_errno)
		item->length = -f->topology_errno;
	else if (item->length == 0)
		item->length = (int32_t)size;
	else if ((size_t)item->length < size)
		item->length = -EINVAL;
	else
		memcpy((void *)(uintptr_t)item->data, answer, size);
	return 0;
}

static int perf_ioctl(struct fake_i915 *f, unsigned long request, void *arg)
{
	if (request == I915_PERF_ADD_CONFIG)
		return fake_i915_add_config(f, arg);
	if (request == I915_PERF_REMOVE_CONFIG)
		return fake_i915_remove_config(f, *(const uint64_t *)arg);
	return fake_i915_open_stream(f, arg);
}

static int fake_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	struct fake_i915 *f = user;
	if (FAKE_FAILS(f))
		return -1;
	if (fd < 0 || fd >= FAKE_I915_FDS || !f->fds[fd])
		return fake_refuse(EBADF);
	if (f->gone)
		return fake_refuse(ENODEV);
	f->now_ns += 1000;
	switch (request) {
	case I915_GETPARAM:
		return get_param(f, arg);
	case I915_QUERY:
		return query(f, arg);
	case I915_REG_READ: {
		struct i915_reg_read *reg = arg;
		if (reg->offset != I915_RENDER_TIMESTAMP)
			return fake_refuse(EINVAL);
		reg->value = fake_i915_ticks(f) / halving(f) & 0xfffffffff;
		return 0;
	}
	case I915_PERF_ADD_CONFIG:
	case I915_PERF_REMOVE_CONFIG:
	case I915_PERF_OPEN:
		if (!f->has_metrics)
			return fake_refuse(I915_ENOTSUPP);
		return perf_ioctl(f, request, arg);
	default:
		return fake_refuse(ENOTTY);
	}
}

static int fake_clock(void *user, clockid_t clock, struct timespec *out)
{
	struct fake_i915 *f = user;
	if (FAKE_FAILS(f))
		return -1;
	f->now_ns += f->look_ns;
	return fake_time(out, f->now_ns);
}

static ssize_t fake_read_file(void *user, const char *path, char *buf, size_t size)
{
	struct fake_i915 *f = user;
	static const char card[] = "/sys/class/drm/card0/";
	char text[256];
	if (FAKE_FAILS(f))
		return -1;
	if (strcmp(path, "/proc/sys/dev/i915/perf_stream_paranoid") == 0)
		return fake_give(buf, size, f->paranoid ? "1\n" : "0\n");
	if (strcmp(path, "/proc/sys/dev/i915/oa_max_sample_rate") == 0) {
		snprintf(text, sizeof(text), "%llu\n", (unsigned long long)f->max_rate_hz);
		return fake_give(buf, size, text);
	}
	if (strcmp(path, "/proc/thread-self/status") == 0)
		return fake_give(buf, size, fake_capabilities(f->capable));
	if (strncmp(path, card, strlen(card)) != 0)
		return fake_refuse(ENOENT);
	path += strlen(card);
	if (strcmp(path, "device/uevent") == 0)
		return fake_give(buf, size, "DRIVER=i915\nPCI_CLASS=30000\n");
	if (strcmp(path, "device/vendor") == 0)
		return fake_give(buf, size, "0x8086\n");
	if (strcmp(path, "device/device") == 0) {
		snprintf(text, sizeof(text), "0x%04x\n", f->device.device_id);
		return fake_give(buf, size, text);
	}
	if (strcmp(path, "gt_min_freq_mhz") == 0)
		return fake_give(buf, size, "300\n");
	if (strcmp(path, "gt_max_freq_mhz") == 0)
		return fake_give(buf, size, "600\n"); /* a user has lowered it */
	if (strcmp(path, "gt_RP0_freq_mhz") == 0)
		return fake_give(buf, size, "900\n");
	if (strcmp(path, "gt_RPn_freq_mhz") == 0)
		return fake_give(buf, size, "300\n");
	for (size_t i = 0; i < FAKE_I915_CONFIGS; i++) {
		snprintf(text, sizeof(text), "metrics/%s/id", f->configs[i].uuid);
		if (!f->configs[i].used || strcmp(text, path) != 0)
			continue;
		snprintf(text, sizeof(text), "%llu\n", (unsigned long long)f->configs[i].id);
		return fake_give(buf, size, text);
	}
	return fake_refuse(ENOENT);
}

static int fake_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			 void *arg)
{
	struct fake_i915 *f = user;
	struct fake_card card = card_of(f);
	return FAKE_FAILS(f) ? -1 : fake_card_list(&card, path, visit, arg);
}

void fake_i915_init(struct fake_i915 *f)
{
	*f = (struct fake_i915){
	    .now_ns = 1000000000,
	    .device = {.timestamp_hz = 12500000,
		       .device_id = 0x1616,
		       .max_slices = 3,
		       .max_subslices = 3,
		       .max_eus = 8,
		       .slice_mask = 1,
		       .subslice_mask = {7},
		       .eu_mask = {{0xff, 0xff, 0xff}}},
	    .capable = true,
	    .look_ns = 100,
	    .has_metrics = true,
	    .perf_revision = 5,
	    .max_rate_hz = 100000,
	    .clock_hz = 800000000,
	    .frequency_params = true,
	    .next_id = 2,
	};
	f->sys = (struct sx_sys){.user = f,
				 .open = fake_open,
				 .close = fake_close,
				 .ioctl = fake_ioctl,
				 .read = fake_i915_read,
				 .poll = fake_i915_poll,
				 .clock_gettime = fake_clock,
				 .read_file = fake_read_file,
				 .list_dir = fake_list_dir};
}
