/*
 * The i915 OA source: a perf stream of Broadwell's OA unit, system-wide. What read() gives is
 * handed on as it is, behind a pair of CPU and GPU time.
 */
#include "source/i915_oa/i915_oa.h"
#include "source/i915_oa/uapi.h"
#include "base/clock.h"
#include "base/error.h"
#include "wire/oa/oa.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIR_RECORD	    24
#define DEFAULT_INTERVAL_NS UINT64_C(10000000)
#define POLL_PERIOD_NS	    UINT64_C(5000000)
#define PAIR_TRIES	    3

static struct i915_oa *from(struct source *source)
{
	return (struct i915_oa *)source;
}

struct probing {
	const struct sx_sys *sys;
	source_found_fn found;
	void *user;
	bool any;
};

static bool probe_card(void *arg, uint32_t number)
{
	struct probing *p = arg;
	struct i915_card card = {.number = number};
	char id[32], name[64];
	if (!i915_card_identify(p->sys, number, &card.device.device_id))
		return true;
	p->any = true;
	i915_card_read_files(p->sys, &card);
	snprintf(id, sizeof(id), "i915:card%u", number);
	bool gen8 = oa_is_broadwell(card.device.device_id);
	snprintf(name, sizeof(name), "Intel GPU 0x%04x%s", card.device.device_id,
		 gen8 ? " (Broadwell)" : "");
	struct sx_device device = {.id = id,
				   .source = "i915-oa",
				   .name = name,
				   .catalog = gen8 ? I915_OA_CATALOG : NULL,
				   .driver = "i915",
				   .state = SX_DEVICE_READY};
	device.because = i915_card_obstacle(p->sys, &card, &device.remedy);
	if (device.because)
		device.state = SX_DEVICE_UNUSABLE;
	p->found(p->user, &device);
	return true;
}

static void i915_oa_probe(const struct source_host *host, source_found_fn found, void *user)
{
	const struct sx_sys *sys = host->sys;
	struct probing probing = {sys, found, user, false};
	i915_card_each(sys, probe_card, &probing);
	if (!probing.any)
		found(user, &(struct sx_device){.id = "i915:card0",
						.source = "i915-oa",
						.name = "Intel GPU",
						.state = SX_DEVICE_ABSENT,
						.because =
						    "no card in /sys/class/drm is driven by i915"});
}

static void describe_constants(struct i915_oa *s)
{
	struct sx_oa_constant all[SX_OA_CONSTANTS_MAX];
	uint32_t count = sx_oa_device_constants(&s->card.device, all);
	for (uint32_t i = 0; i < count; i++) {
		struct source_constant *to = &s->constants[i];
		snprintf(to->name, sizeof(to->name), "%s", all[i].name);
		to->value = all[i].value;
	}
	s->desc.constants = s->constants;
	s->desc.constant_count = count;
}

static void i915_oa_close(struct source *source);

static enum sx_status open_card(struct i915_oa *s, struct sx_error *err)
{
	const struct sx_sys *sys = s->base.sys;
	char path[32];
	if (!i915_card_identify(sys, s->card.number, &s->card.device.device_id)) {
		error_set(err, SX_ERR_NOT_FOUND, "card%u is not driven by i915", s->card.number);
		error_try(err, "sextant devices");
		return SX_ERR_NOT_FOUND;
	}
	i915_card_read_files(sys, &s->card);
	snprintf(path, sizeof(path), "/dev/dri/card%u", s->card.number);
	s->fd = sys->open(sys->user, path, O_RDWR | O_CLOEXEC);
	if (s->fd < 0) {
		enum sx_status status = error_errno(err, errno, "cannot open %s", path);
		error_try(err, "be a member of group video or render");
		return status;
	}
	return i915_card_query(sys, s->fd, &s->card, err);
}

static enum sx_status i915_oa_open(const struct source_host *host, const char *id,
				   struct source **out, struct sx_error *err)
{
	char *end = NULL;
	unsigned long number = strncmp(id, "i915:card", 9) == 0 ? strtoul(id + 9, &end, 10) : 1000;
	if (number >= 1000 || *end) {
		error_set(err, SX_ERR_NOT_FOUND, "there is no i915 device \"%.64s\"", id);
		error_try(err, "sextant devices");
		return SX_ERR_NOT_FOUND;
	}
	struct i915_oa *s = calloc(1, sizeof(*s));
	if (!s)
		return error_nomem(err, "the i915 OA source");
	s->base = (struct source){&source_i915_oa, host->sys, host->catalogs};
	s->card.number = (uint32_t)number;
	s->fd = s->stream = -1;
	s->buffer = malloc(PAIR_RECORD + I915_OA_BUFFER);
	enum sx_status status = s->buffer ? open_card(s, err) : error_nomem(err, "OA reports");
	if (status) {
		i915_oa_close(&s->base);
		return status;
	}
	snprintf(s->name, sizeof(s->name), "Intel Broadwell 0x%04x", s->card.device.device_id);
	snprintf(s->driver, sizeof(s->driver), "i915 perf, revision %u", s->card.perf_revision);
	uint64_t hz = s->card.device.timestamp_hz;
	s->desc =
	    (struct source_desc){.catalog = I915_OA_CATALOG,
				 .name = s->name,
				 .driver = s->driver,
				 .min_interval_ns = i915_period_ns(hz, i915_exponent(&s->card, 0)),
				 .max_interval_ns = i915_period_ns(hz, I915_OA_EXPONENT_MAX),
				 .clock_error_ns = 1000};
	describe_constants(s);
	*out = &s->base;
	return SX_OK;
}

static const struct source_desc *i915_oa_describe(struct source *source)
{
	return &from(source)->desc;
}

static enum sx_status cannot_stream(const struct i915_oa *s, int why, struct sx_error *err)
{
	error_errno(err, why, "cannot open the i915 OA stream on card%u", s->card.number);
	switch (why) {
	case EACCES:
	case EPERM:
		error_because(err, s->card.privileged
				       ? "the kernel refuses this process"
				       : "dev.i915.perf_stream_paranoid is 1 and CAP_PERFMON is "
					 "missing, or the rate is too high");
		error_try(err, "sudo sysctl dev.i915.perf_stream_paranoid=0");
		return SX_ERR_PERMISSION;
	case EBUSY:
		error_because(err, "another process has the OA unit, which serves one at a time");
		error_try(err,
			  "end the other profiler (intel_gpu_top does not count, gputop does)");
		return SX_ERR_BUSY;
	case ENODEV:
		error_because(err, "this GPU or kernel has no OA unit");
		error_try(err, "sextant doctor");
		return SX_ERR_UNSUPPORTED;
	default:
		error_try(err, "a longer interval, or another kernel");
		return err ? err->status : SX_ERR_IO;
	}
}

static enum sx_status open_stream(struct i915_oa *s, uint32_t exponent, struct sx_error *err)
{
	const struct sx_sys *sys = s->base.sys;
	uint64_t properties[][2] = {
	    {I915_PROP_SAMPLE, 1},
	    {I915_PROP_SET, s->config.id},
	    {I915_PROP_FORMAT, (uint64_t)s->card.device.format},
	    {I915_PROP_EXPONENT, exponent},
	    {I915_PROP_POLL_PERIOD, s->period_ns < POLL_PERIOD_NS ? POLL_PERIOD_NS : s->period_ns},
	};
	uint32_t count = s->card.perf_revision >= 5 ? 5 : 4;
	struct i915_perf_open arg = {.flags = I915_OPEN_CLOEXEC | I915_OPEN_NONBLOCK,
				     .count = count,
				     .properties = (uint64_t)(uintptr_t)properties};
	s->stream = i915_ioctl(sys, s->fd, I915_PERF_OPEN, &arg);
	return s->stream < 0 ? cannot_stream(s, errno, err) : SX_OK;
}

static enum sx_status read_definitions(const struct source_request *request,
				       struct sx_oa_flex_counter out[SX_OA_FLEX_COUNTERS],
				       uint32_t *count, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	*count = 0;
	for (uint32_t i = 0; !status && i < request->definition_count; i++) {
		struct sx_oa_flex_counter counter;
		status = sx_oa_flex_parse(request->definitions[i], &counter, err);
		if (!status)
			status = sx_oa_flex_merge(out, count, &counter, err);
	}
	return status;
}

static enum sx_status i915_oa_stop(struct source *source, struct sx_error *err)
{
	struct i915_oa *s = from(source);
	const struct sx_sys *sys = s->base.sys;
	if (s->stream >= 0)
		sys->close(sys->user, s->stream);
	s->stream = -1;
	i915_config_close(sys, s->fd, &s->config);
	return SX_OK;
}

static enum sx_status i915_oa_start(struct source *source, const struct source_request *request,
				    struct sx_error *err)
{
	struct i915_oa *s = from(source);
	struct sx_oa_flex_counter flex[SX_OA_FLEX_COUNTERS];
	uint32_t flex_count;
	uint64_t interval = request->interval_ns ? request->interval_ns : DEFAULT_INTERVAL_NS;
	uint32_t exponent = i915_exponent(&s->card, interval);
	i915_oa_stop(source, NULL);
	s->period_ns = i915_period_ns(s->card.device.timestamp_hz, exponent);
	s->stretched = s->period_ns > 2 * interval;
	s->told = request->pid == 0 && !s->stretched;
	enum sx_status status = read_definitions(request, flex, &flex_count, err);
	if (!status)
		status = i915_config_open(s->base.sys, s->fd, &s->card, request->catalog,
					  request->set ? request->set : I915_OA_SET, flex,
					  flex_count, &s->config, err);
	if (!status)
		status = open_stream(s, exponent, err);
	if (status)
		i915_oa_stop(source, NULL);
	return status;
}

size_t i915_oa_pair(struct i915_oa *s, uint8_t *out, size_t cap)
{
	const struct sx_sys *sys = s->base.sys;
	uint64_t best = UINT64_MAX, cpu = 0, gpu = 0;
	for (int i = 0; i < PAIR_TRIES; i++) {
		struct i915_reg_read arg = {.offset = I915_RENDER_TIMESTAMP};
		uint64_t begin, end;
		if (!(begin = sys_now_ns(sys)) || i915_ioctl(sys, s->fd, I915_REG_READ, &arg) < 0 ||
		    !(end = sys_now_ns(sys)))
			continue;
		if (end - begin < best) {
			best = end - begin;
			cpu = begin + best / 2;
			gpu = arg.value;
		}
	}
	return best == UINT64_MAX ? 0 : sx_oa_write_correlation(out, cap, cpu, gpu);
}

static enum sx_status lost(const struct i915_oa *s, int why, struct sx_error *err)
{
	error_set(err, SX_ERR_DEVICE_LOST, "the OA stream of card%u ended", s->card.number);
	error_because(err, why == EIO ? "the kernel disabled it (GPU reset or suspend)"
				      : "the device or its driver went away");
	error_try(err, "start again once the GPU is back; see dmesg");
	return SX_ERR_DEVICE_LOST;
}

/* What the user should know of this stream, once. */
static bool tell(struct i915_oa *s, struct raw_sample *out)
{
	if (s->told)
		return false;
	s->told = true;
	if (s->stretched)
		snprintf(s->note, sizeof(s->note),
			 "samples are %.3g ms apart: dev.i915.oa_max_sample_rate allows no more",
			 (double)s->period_ns / 1e6);
	else
		snprintf(s->note, sizeof(s->note),
			 "OA counts everything on the GPU, not this program alone");
	*out = (struct raw_sample){
	    .kind = RAW_NOTE, .data = (const uint8_t *)s->note, .size = strlen(s->note)};
	return true;
}

static enum sx_status i915_oa_read(struct source *source, int timeout_ms, struct raw_sample *out,
				   struct sx_error *err)
{
	struct i915_oa *s = from(source);
	const struct sx_sys *sys = s->base.sys;
	struct pollfd pfd = {.fd = s->stream, .events = POLLIN};
	if (s->stream < 0)
		return error_set(err, SX_ERR_USAGE, "the OA source was not started");
	if (tell(s, out))
		return SX_OK;
	int ready = sys->poll(sys->user, &pfd, 1, timeout_ms);
	if (ready == 0 || (ready < 0 && errno == EINTR))
		return SX_AGAIN;
	if (ready < 0)
		return error_errno(err, errno, "cannot wait for OA reports");
	if (!(pfd.revents & POLLIN))
		return lost(s, pfd.revents & POLLERR ? EIO : ENODEV, err);
	ssize_t n = sys->read(sys->user, s->stream, s->buffer + PAIR_RECORD, I915_OA_BUFFER);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return SX_AGAIN; /* the kernel's timer wakes without a report, too */
	if (n < 0 && (errno == EIO || errno == ENODEV))
		return lost(s, errno, err);
	if (n <= 0)
		return error_errno(err, n ? errno : EPROTO, "cannot read OA reports");
	uint8_t *begin = s->buffer + PAIR_RECORD;
	size_t size = (size_t)n;
	uint8_t pair[PAIR_RECORD];
	if (i915_oa_pair(s, pair, sizeof(pair)) == PAIR_RECORD) {
		memcpy(s->buffer, pair, PAIR_RECORD);
		begin = s->buffer;
		size += PAIR_RECORD;
	}
	*out = (struct raw_sample){.kind = RAW_I915_OA,
				   .flags = s->stretched ? RAW_STRETCHED : 0,
				   .begin_ns = SX_TIME_UNKNOWN,
				   .end_ns = SX_TIME_UNKNOWN,
				   .data = begin,
				   .size = size};
	return SX_OK;
}

static void i915_oa_close(struct source *source)
{
	struct i915_oa *s = from(source);
	if (!s)
		return;
	const struct sx_sys *sys = s->base.sys;
	i915_oa_stop(source, NULL);
	if (s->fd >= 0)
		sys->close(sys->user, s->fd);
	free(s->buffer);
	free(s);
}

const struct source_ops source_i915_oa = {.name = "i915-oa",
					  .raw = RAW_I915_OA,
					  .probe = i915_oa_probe,
					  .open = i915_oa_open,
					  .describe = i915_oa_describe,
					  .start = i915_oa_start,
					  .read = i915_oa_read,
					  .stop = i915_oa_stop,
					  .close = i915_oa_close,
					  .selftest = i915_oa_selftest};
