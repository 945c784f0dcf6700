/*
 * The perf stream: opened with its properties, read as it comes, drained at its end. A kernel timer
 * checks what the hardware wrote; no report can be read before that.
 */
#include "source/i915_oa/i915_oa.h"
#include "source/i915_oa/uapi.h"
#include "base/clock.h"
#include "base/error.h"
#include "wire/oa/oa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEDIA_REVISION	 6u
#define POLL_LEAST_NS	 UINT64_C(5000000)
#define POLL_MOST_NS	 UINT64_C(50000000)
#define DRAIN_MOST	 ((size_t)17 * 1024 * 1024) /* the kernel's buffer, with heads of records */
#define OPEN_POLL_PERIOD 4			    /* index of the one that may be left out */

struct properties {
	uint64_t pairs[8][2];
	uint32_t count;
};

static void gather_properties(const struct i915_oa *s, struct properties *out)
{
	const struct oa_source *oa = &s->oa;
	const uint64_t all[][2] = {{I915_PROP_SAMPLE, 1},
				   {I915_PROP_SET, oa->config.id},
				   {I915_PROP_FORMAT, oa_format_number(oa->card.device.format)},
				   {I915_PROP_EXPONENT, oa->exponent},
				   {I915_PROP_POLL_PERIOD, s->poll_ns},
				   {I915_PROP_ENGINE_CLASS, I915_ENGINE_VIDEO},
				   {I915_PROP_ENGINE_INSTANCE, 0}};
	out->count = s->perf_revision >= 5 ? OPEN_POLL_PERIOD + 1 : OPEN_POLL_PERIOD;
	memcpy(out->pairs, all, sizeof(all));
	if (oa->config.media)
		out->count = sizeof(all) / sizeof(all[0]); /* the revision was checked */
}

static int open_with(const struct i915_oa *s, struct properties *properties)
{
	struct i915_perf_open arg = {.flags = I915_OPEN_CLOEXEC | I915_OPEN_NONBLOCK,
				     .count = properties->count,
				     .properties = (uint64_t)(uintptr_t)properties->pairs};
	int fd = oa_ioctl(s->oa.base.sys, s->oa.fd, I915_PERF_OPEN, &arg);
	return fd >= 0 ? fd : -errno;
}

/* Whether the stream opens when one property is left out; it is closed again. */
static bool opens_without(const struct i915_oa *s, uint64_t property)
{
	struct properties some;
	uint32_t kept = 0;
	gather_properties(s, &some);
	for (uint32_t i = 0; i < some.count; i++)
		if (some.pairs[i][0] != property) {
			some.pairs[kept][0] = some.pairs[i][0];
			some.pairs[kept++][1] = some.pairs[i][1];
		}
	some.count = kept;
	int fd = open_with(s, &some);
	if (fd >= 0)
		s->oa.base.sys->close(s->oa.base.sys->user, fd);
	return fd >= 0;
}

/* EINVAL says nothing more: what is at fault shows in what the kernel takes without it. */
static enum sx_status invalid(struct i915_oa *s, struct sx_error *err)
{
	if (oa_config_removed(&s->oa))
		return SX_ERR_NOT_FOUND;
	if (opens_without(s, I915_PROP_EXPONENT))
		error_because(err, "the kernel refuses the sampling exponent %u (%.3g ms)",
			      s->oa.exponent, (double)s->oa.period_ns / 1e6);
	else if (s->perf_revision >= 5 && opens_without(s, I915_PROP_POLL_PERIOD))
		error_because(err, "the kernel refuses the poll period of %llu ns",
			      (unsigned long long)s->poll_ns);
	else
		error_because(err, "the kernel refuses report format %s or metric set %s",
			      sx_oa_format_name(s->oa.card.device.format), s->oa.config.set);
	error_try(err, "another --interval or --set; dmesg has the kernel's reason with drm.debug");
	return error_as(err, SX_ERR_UNSUPPORTED);
}

/* The rule of the files is one; the rate is refused by the capability alone. */
static enum sx_status denied(const struct i915_oa *s, struct sx_error *err)
{
	const struct oa_card *card = &s->oa.card;
	if (card->paranoid || !card->max_rate_hz ||
	    s->oa.period_ns >= UINT64_C(1000000000) / card->max_rate_hz)
		return oa_denied(&s->oa, I915_PARANOID, err);
	error_because(err,
		      "dev.i915.oa_max_sample_rate is %llu, and the CAP_PERFMON of a container "
		      "does not count",
		      (unsigned long long)card->max_rate_hz);
	error_try(err, "a longer --interval");
	return error_as(err, SX_ERR_PERMISSION);
}

enum sx_status i915_stream_refused(struct oa_source *source, int why, struct sx_error *err)
{
	struct i915_oa *s = (struct i915_oa *)source;
	enum sx_status status = error_errno(err, why, "cannot open the i915 OA stream on card%u",
					    source->card.node.card);
	switch (why) {
	case EACCES:
	case EPERM:
		return denied(s, err);
	case EBUSY:
		error_because(err, "another process has the OA unit, which serves one at a time");
		error_try(err,
			  "end the other profiler (intel_gpu_top does not count, gputop does)");
		return error_as(err, SX_ERR_BUSY);
	case ENODEV:
	case I915_ENOTSUPP:
		error_because(err, why == ENODEV ? "this GPU or kernel has no OA unit"
						 : "the kernel has no perf interface for this GPU");
		error_try(err, "%s", I915_OA_KERNEL);
		return error_as(err, SX_ERR_UNSUPPORTED);
	case ENOMEM:
		error_because(err, "the kernel has no memory for the OA buffer of 16 MiB");
		error_try(err, "again when less memory is in use");
		return error_as(err, SX_ERR_NO_MEMORY);
	case EINVAL:
	case ENOENT:
		return invalid(s, err);
	default:
		error_try(err, "sextant doctor");
		return status;
	}
}

enum sx_status i915_stream_prepare(struct oa_source *source, struct sx_error *err)
{
	const struct i915_oa *s = (const struct i915_oa *)source;
	if (!source->config.media || s->perf_revision >= MEDIA_REVISION)
		return SX_OK;
	error_set(err, SX_ERR_UNSUPPORTED, "metric set %s is of the media engines",
		  source->config.set);
	error_because(err, "i915 perf here is revision %u, and their unit came with %u",
		      s->perf_revision, MEDIA_REVISION);
	error_try(err, "a newer kernel, or a set of the render engine");
	return SX_ERR_UNSUPPORTED;
}

int i915_stream_open(struct oa_source *source)
{
	struct i915_oa *s = (struct i915_oa *)source;
	struct properties properties;
	uint64_t period_ns = source->period_ns;
	s->poll_ns = period_ns < POLL_LEAST_NS	? POLL_LEAST_NS
		     : period_ns > POLL_MOST_NS ? POLL_MOST_NS
						: period_ns;
	gather_properties(s, &properties);
	return open_with(s, &properties);
}

enum sx_status i915_stream_begin(struct oa_source *source, struct sx_error *err)
{
	struct i915_oa *s = (struct i915_oa *)source;
	s->left_end = &s->left;
	return SX_OK;
}

bool i915_read_pair(struct oa_source *s, struct oa_pair *out)
{
	const struct sx_sys *sys = s->base.sys;
	struct i915_reg_read arg = {.offset = I915_RENDER_TIMESTAMP};
	uint64_t begin, end;
	if (!(begin = sys_now_ns(sys)) || oa_ioctl(sys, s->fd, I915_REG_READ, &arg) < 0 ||
	    !(end = sys_now_ns(sys)))
		return false;
	out->took_ns = end - begin;
	out->cpu_ns = begin + out->took_ns / 2;
	out->gpu_ticks = arg.value * oa_ticks_a_count(s->card.device.timestamp_hz,
						      ((struct i915_oa *)s)->register_hz);
	return true;
}

static enum sx_status i915_oa_lost(struct i915_oa *s, int why, struct sx_error *err)
{
	return oa_source_lost(&s->oa,
			      why == EIO ? "the kernel disabled it (GPU reset or suspend)"
					 : "the device or its driver went away",
			      err);
}

/* `size` bytes of records as a raw sample, behind a pair of times where there is one. */
static void hand_out(struct i915_oa *s, size_t size, struct raw_sample *out)
{
	uint8_t pair[OA_PAIR_RECORD], *begin = s->oa.reports + OA_PAIR_RECORD;
	uint64_t missing = oa_count_missing(&s->oa, begin, size, sys_now_ns(s->oa.base.sys));
	if (oa_source_pair(&s->oa, pair, sizeof(pair)) == OA_PAIR_RECORD) {
		memcpy(s->oa.reports, pair, OA_PAIR_RECORD);
		begin = s->oa.reports;
		size += OA_PAIR_RECORD;
	}
	*out = (struct raw_sample){.kind = RAW_I915_OA,
				   .flags = s->stretched ? RAW_STRETCHED : 0,
				   .begin_ns = SX_TIME_UNKNOWN,
				   .end_ns = SX_TIME_UNKNOWN,
				   .lost = missing,
				   .data = begin,
				   .size = size};
}

static enum sx_status read_left(struct i915_oa *s, struct raw_sample *out)
{
	struct i915_piece *piece = s->left;
	if (!piece)
		return SX_END;
	memcpy(s->oa.reports + OA_PAIR_RECORD, piece->data, piece->size);
	s->left = piece->next;
	hand_out(s, piece->size, out);
	free(piece);
	return SX_OK;
}

enum sx_status i915_stream_read(struct oa_source *source, int timeout_ms, struct raw_sample *out,
				struct sx_error *err)
{
	struct i915_oa *s = (struct i915_oa *)source;
	const struct sx_sys *sys = s->oa.base.sys;
	struct pollfd pfd = {.fd = s->oa.stream, .events = POLLIN};
	if (s->oa.state != OA_RUNNING)
		return read_left(s, out);
	int ready = sys->poll(sys->user, &pfd, 1, timeout_ms);
	if (ready == 0 || (ready < 0 && errno == EINTR))
		return SX_AGAIN;
	if (ready < 0)
		return error_errno(err, errno, "cannot wait for OA reports");
	if (!(pfd.revents & POLLIN))
		return i915_oa_lost(s, pfd.revents & POLLERR ? EIO : ENODEV, err);
	ssize_t n =
	    sys->read(sys->user, s->oa.stream, s->oa.reports + OA_PAIR_RECORD, I915_OA_BUFFER);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return SX_AGAIN; /* the kernel's timer wakes without a report, too */
	if (n < 0 && (errno == EIO || errno == ENODEV))
		return i915_oa_lost(s, errno, err);
	if (n <= 0)
		return error_errno(err, n ? errno : EPROTO, "cannot read OA reports");
	hand_out(s, (size_t)n, out);
	return SX_OK;
}

/* One read() kept for later. False when there is no more, or no memory: then a gap stays behind. */
static bool keep_piece(struct i915_oa *s)
{
	const struct sx_sys *sys = s->oa.base.sys;
	ssize_t n;
	int tries = 3;
	do
		n = sys->read(sys->user, s->oa.stream, s->oa.reports, I915_OA_BUFFER);
	while (n < 0 && errno == EINTR && --tries);
	if (n <= 0)
		return false;
	struct i915_piece *piece = malloc(sizeof(*piece) + (size_t)n);
	if (!piece)
		return false;
	piece->next = NULL;
	piece->size = (size_t)n;
	memcpy(piece->data, s->oa.reports, (size_t)n);
	*s->left_end = piece;
	s->left_end = &piece->next;
	return true;
}

void i915_stream_drain(struct oa_source *source)
{
	struct i915_oa *s = (struct i915_oa *)source;
	const struct sx_sys *sys = s->oa.base.sys;
	struct pollfd pfd = {.fd = s->oa.stream, .events = POLLIN};
	size_t kept = 0;
	if (s->oa.state == OA_RUNNING) {
		/* The timer's next look brings what was written up to now. */
		sys->poll(sys->user, &pfd, 1, (int)(s->poll_ns / 1000000) + 1);
		while (kept < DRAIN_MOST && keep_piece(s))
			kept += I915_OA_BUFFER;
	}
	oa_source_close_stream(&s->oa);
}

void i915_stream_forget(struct oa_source *source)
{
	struct i915_oa *s = (struct i915_oa *)source;
	while (s->left) {
		struct i915_piece *next = s->left->next;
		free(s->left);
		s->left = next;
	}
}
