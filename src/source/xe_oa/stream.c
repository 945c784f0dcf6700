/*
 * The observation stream: opened disabled, made to end with this program, then enabled; read as
 * reports come; disabled at its end, after which what is left can still be read. Reports come
 * without a head: they are given the record heads that i915 puts before them, so that one decoder
 * serves both. Losses are reported apart from the reports, by EIO and a status.
 */
#include "source/xe_oa/xe_oa.h"
#include "base/clock.h"
#include "base/error.h"
#include "wire/oa/oa.h"

#include <errno.h>
#include <string.h>

#define XE2	       2000
#define ALL_LOST       15u
#define READ_TRIES     4
#define SILENCE_NS     UINT64_C(1000000000)
#define BUFFER_DEFAULT (UINT64_C(16) << 20)
#define BUFFER_MOST    (UINT64_C(128) << 20)
#define BUFFER_LASTS   2 /* the buffer holds so many parts of a second at least */
#define PROPERTIES     7

/* Which unit's registers these are, on Xe2: one of the SAG, two of the SCMIs. */
static bool serves(const struct xe_oa *s, const struct xe_unit *unit, uint32_t nth)
{
	uint32_t address = s->oa.config.media;
	const struct oa_platform *platform = oa_platform(s->oa.card.device.device_id);
	bool xe2 = platform && platform->version >= XE2;
	if (!address)
		return unit->type == XE_OA_UNIT_OAG;
	if (!xe2)
		return unit->type == XE_OA_UNIT_OAM;
	if (address < 0x394000)
		return unit->type == XE_OA_UNIT_OAM_SAG;
	return unit->type == XE_OA_UNIT_OAM && nth == (address >= 0x394800);
}

enum sx_status xe_stream_prepare(struct oa_source *source, struct sx_error *err)
{
	struct xe_oa *s = (struct xe_oa *)source;
	struct sx_oa_device *device = &source->card.device;
	uint32_t nth = 0;
	s->unit = NULL;
	for (uint32_t i = 0; i < s->unit_count && !s->unit; i++) {
		if (serves(s, &s->units[i], nth))
			s->unit = &s->units[i];
		nth += s->units[i].type == XE_OA_UNIT_OAM;
	}
	if (s->unit && s->unit->timestamp_hz) {
		device->timestamp_hz = s->unit->timestamp_hz;
		device->engine_class = s->unit->engine.engine_class;
		device->engine_instance = s->unit->engine.engine_instance;
		return SX_OK;
	}
	error_set(err, SX_ERR_UNSUPPORTED, "the unit that counts metric set %s is not served",
		  source->config.set);
	error_because(err, "the driver lists %u OA units, none of that kind", s->unit_count);
	error_try(err, source->config.media ? "a newer kernel, or a set of the render engine"
					    : "a newer kernel");
	return SX_ERR_UNSUPPORTED;
}

/* An engine with timestamps on the unit's clock, or NULL. */
static const struct xe_engine *engine_of(const struct xe_oa *s)
{
	const struct xe_unit *unit = s->unit ? s->unit : &s->units[0];
	const struct xe_engine *any = NULL;
	if (unit->has_engine)
		return &unit->engine;
	for (uint32_t i = 0; i < s->unit_count; i++) {
		const struct xe_unit *other = &s->units[i];
		if (!other->has_engine)
			continue;
		if (unit->has_gt && other->gt_id == unit->gt_id)
			return &other->engine;
		any = any ? any : &other->engine;
	}
	return any;
}

bool xe_read_pair(struct oa_source *source, struct oa_pair *out)
{
	struct xe_oa *s = (struct xe_oa *)source;
	const struct xe_engine *engine = engine_of(s);
	if (!engine || s->gone)
		return false;
	struct xe_engine_cycles cycles = {.engine = *engine, .clock = CLOCK_MONOTONIC};
	struct xe_device_query query = {.query = XE_QUERY_ENGINE_CYCLES,
					.size = sizeof(cycles),
					.data = (uint64_t)(uintptr_t)&cycles};
	if (oa_ioctl(source->base.sys, source->fd, XE_DEVICE_QUERY, &query) < 0) {
		s->gone = errno == ENODEV;
		return false;
	}
	out->took_ns = cycles.took_ns;
	out->cpu_ns = cycles.cpu_ns + cycles.took_ns / 2;
	out->gpu_ticks = cycles.cycles * oa_ticks_a_count(source->card.device.timestamp_hz,
							  xe_card_reference_hz(s, engine->gt_id));
	return true;
}

struct chain {
	struct xe_set_property links[PROPERTIES];
	uint32_t count;
};

static void add_property(struct chain *chain, enum xe_oa_property property, uint64_t value)
{
	struct xe_set_property *link = &chain->links[chain->count];
	if (chain->count)
		link[-1].next = (uint64_t)(uintptr_t)link;
	*link = (struct xe_set_property){.property = property, .value = value};
	chain->count++;
}

/* A buffer that holds half a second of reports, where the usual one does not; 0: the usual one. */
static uint64_t buffer_bytes(const struct xe_oa *s)
{
	uint64_t needed = UINT64_C(1000000000) / s->oa.period_ns *
			  oa_format_size(s->oa.config.format) / BUFFER_LASTS;
	uint64_t bytes = BUFFER_DEFAULT;
	if (!(s->unit->capabilities & XE_OA_CAP_BUFFER_SIZE) || needed <= bytes)
		return 0;
	while (bytes < needed && bytes < BUFFER_MOST)
		bytes *= 2;
	return bytes;
}

static void make_chain(const struct xe_oa *s, struct chain *chain)
{
	uint64_t bytes = buffer_bytes(s);
	uint32_t word = 0;
	xe_format_word(s->oa.card.device.device_id, s->oa.config.format, &word);
	chain->count = 0;
	add_property(chain, XE_PROP_UNIT, s->unit->id);
	add_property(chain, XE_PROP_SAMPLE, 1);
	add_property(chain, XE_PROP_SET, s->oa.config.id);
	add_property(chain, XE_PROP_FORMAT, word);
	add_property(chain, XE_PROP_EXPONENT, s->oa.exponent);
	add_property(chain, XE_PROP_DISABLED, 1);
	if (bytes)
		add_property(chain, XE_PROP_BUFFER_SIZE, bytes);
}

/* EINVAL says nothing more. */
static enum sx_status invalid(struct xe_oa *s, struct sx_error *err)
{
	if (oa_config_removed(&s->oa))
		return SX_ERR_NOT_FOUND;
	error_because(err, "the kernel refuses report format %s, exponent %u or OA unit %u",
		      sx_oa_format_name(s->oa.config.format), s->oa.exponent, s->unit->id);
	error_try(err, "another --interval or --set; dmesg has the kernel's reason with drm.debug");
	return error_as(err, SX_ERR_UNSUPPORTED);
}

enum sx_status xe_stream_refused(struct oa_source *source, int why, struct sx_error *err)
{
	enum sx_status status =
	    error_errno(err, why, "cannot open the xe OA stream on card%u", source->card.node.card);
	switch (why) {
	case EACCES:
	case EPERM:
		return oa_denied(source, XE_PARANOID, err);
	case EBUSY:
		error_because(err, "another process has this OA unit, which serves one at a time");
		error_try(err, "end the other profiler (gputop and unitrace count)");
		return error_as(err, SX_ERR_BUSY);
	case ENODEV:
		error_because(err, "this GPU or kernel has no OA unit, or the device went away");
		error_try(err, "a kernel of 6.11 or later; dmesg");
		return error_as(err, SX_ERR_UNSUPPORTED);
	case ETIMEDOUT:
		error_because(err, "the GPU does not wake up");
		error_try(err, "dmesg; a driver that hangs needs a new start of the machine");
		return error_as(err, SX_ERR_IO);
	case ENOMEM:
		error_because(err, "the kernel has no memory for the OA buffer");
		error_try(err, "again when less memory is in use, or a longer --interval");
		return error_as(err, SX_ERR_NO_MEMORY);
	case EINVAL:
	case ENOENT:
		return invalid((struct xe_oa *)source, err);
	default:
		error_try(err, "sextant doctor");
		return status;
	}
}

/* Makes the descriptor end with exec and never block, then counting begin. */
enum sx_status xe_stream_begin(struct oa_source *source, struct sx_error *err)
{
	struct xe_oa *s = (struct xe_oa *)source;
	const struct sx_sys *sys = source->base.sys;
	int one = 1;
	s->losses = s->ever = s->noted = 0;
	s->gone = s->clock_reported = false;
	s->heard_ns = 0;
	if (oa_ioctl(sys, source->stream, XE_FIOCLEX, NULL) >= 0 &&
	    oa_ioctl(sys, source->stream, XE_FIONBIO, &one) >= 0 &&
	    oa_ioctl(sys, source->stream, XE_STREAM_ENABLE, NULL) >= 0)
		return SX_OK;
	int why = errno;
	oa_source_close_stream(source);
	return xe_stream_refused(source, why, err);
}

int xe_stream_open(struct oa_source *source)
{
	struct chain chain;
	make_chain((struct xe_oa *)source, &chain);
	struct xe_observation arg = {.type = XE_OBSERVE_OA,
				     .op = XE_OBSERVE_OPEN,
				     .param = (uint64_t)(uintptr_t)chain.links};
	int fd = oa_ioctl(source->base.sys, source->fd, XE_OBSERVATION, &arg);
	return fd >= 0 ? fd : -errno;
}

uint64_t xe_stream_silent_ns(const struct xe_oa *s, unsigned periods)
{
	uint64_t heard_ns = s->heard_ns ? s->heard_ns : s->oa.started_ns;
	return heard_ns + SILENCE_NS + periods * s->oa.period_ns;
}

static enum sx_status xe_oa_lost(struct xe_oa *s, struct sx_error *err)
{
	return oa_source_lost(&s->oa, "the device or its driver went away", err);
}

/*
 * Whether the device still answers. The stream's descriptor does not say that it is gone: it stays
 * silent, or loses everything all the time.
 */
static bool answers(struct xe_oa *s)
{
	uint8_t pair[OA_PAIR_RECORD];
	oa_source_pair(&s->oa, pair, sizeof(pair));
	s->heard_ns = sys_now_ns(s->oa.base.sys);
	return !s->gone;
}

/*
 * What was lost, which the kernel forgets with the next read(). An overflow of the buffer means
 * that what lies in it may be half written over: the unit begins anew.
 */
static void take_losses(struct xe_oa *s)
{
	struct xe_stream_status status = {.status = 0};
	const struct sx_sys *sys = s->oa.base.sys;
	if (oa_ioctl(sys, s->oa.stream, XE_STREAM_STATUS, &status) < 0)
		status.status =
		    XE_STATUS_BUFFER_OVERFLOW; /* the worst that the status may have been */
	if ((status.status & ALL_LOST) == ALL_LOST && !answers(s))
		return; /* a device that went reads as all ones */
	s->losses |= (uint32_t)status.status;
	s->ever |= (uint32_t)status.status;
	if (!(status.status & XE_STATUS_BUFFER_OVERFLOW))
		return;
	oa_ioctl(sys, s->oa.stream, XE_STREAM_DISABLE, NULL);
	if (s->oa.state == OA_RUNNING && oa_ioctl(sys, s->oa.stream, XE_STREAM_ENABLE, NULL) < 0)
		s->gone = true;
}

/* What read() has: bytes in s->oa.reports; 0: nothing now; below 0: an errno. */
static ssize_t fetch(struct xe_oa *s)
{
	const struct sx_sys *sys = s->oa.base.sys;
	for (int i = 0; i < READ_TRIES && !s->gone; i++) {
		ssize_t n = sys->read(sys->user, s->oa.stream, s->oa.reports, XE_READ);
		if (n > 0)
			return n;
		if (n == 0 || errno == EAGAIN || errno == EINTR)
			return 0;
		if (errno != EIO)
			return -errno;
		take_losses(s);
	}
	return 0;
}

static uint8_t *put_head(uint8_t *out, uint32_t type, size_t size)
{
	memset(out, 0, XE_RECORD);
	little_put_u32(out, type);
	out[6] = (uint8_t)size;
	out[7] = (uint8_t)(size >> 8);
	return out + XE_RECORD;
}

/* The losses as records, before the reports behind them. */
static uint8_t *put_losses(struct xe_oa *s, uint8_t *out)
{
	const uint32_t breaks = XE_STATUS_BUFFER_OVERFLOW | XE_STATUS_COUNTER_OVERFLOW;
	if (s->losses & breaks)
		out = put_head(out, OA_RECORD_BUFFER_LOST, XE_RECORD);
	if (s->losses & ~breaks)
		out = put_head(out, OA_RECORD_REPORT_LOST, XE_RECORD);
	s->losses = 0;
	return out;
}

/* `size` bytes of reports as records, behind a pair of times where there is one. */
static void hand_out(struct xe_oa *s, size_t size, struct raw_sample *out)
{
	size_t report = oa_format_size(s->oa.config.format);
	uint8_t *at = s->oa.records + oa_source_pair(&s->oa, s->oa.records, OA_PAIR_RECORD),
		*records = at;
	bool losses = s->losses != 0;
	uint64_t now = sys_now_ns(s->oa.base.sys);
	at = put_losses(s, at);
	for (size_t done = 0; done + report <= size; done += report) {
		at = put_head(at, OA_RECORD_SAMPLE, XE_RECORD + report);
		memcpy(at, s->oa.reports + done, report);
		at += report;
	}
	uint64_t missing = oa_count_missing(&s->oa, records, (size_t)(at - records), now);
	if (losses && size < report)
		missing = 1; /* nothing follows that would show how many */
	s->heard_ns = now;
	*out = (struct raw_sample){.kind = RAW_I915_OA,
				   .begin_ns = SX_TIME_UNKNOWN,
				   .end_ns = SX_TIME_UNKNOWN,
				   .lost = missing,
				   .data = s->oa.records,
				   .size = (size_t)(at - s->oa.records)};
}

/* What the kernel still has of a stream that was stopped. */
static enum sx_status read_left(struct xe_oa *s, struct raw_sample *out)
{
	ssize_t n = s->oa.stream >= 0 ? fetch(s) : 0;
	if (n > 0 || s->losses) {
		hand_out(s, n > 0 ? (size_t)n : 0, out);
		return SX_OK;
	}
	oa_source_close_stream(&s->oa);
	return SX_END;
}

enum sx_status xe_stream_read(struct oa_source *source, int timeout_ms, struct raw_sample *out,
			      struct sx_error *err)
{
	struct xe_oa *s = (struct xe_oa *)source;
	const struct sx_sys *sys = s->oa.base.sys;
	struct pollfd pfd = {.fd = s->oa.stream, .events = POLLIN};
	if (s->oa.state != OA_RUNNING)
		return read_left(s, out);
	int ready = sys->poll(sys->user, &pfd, 1, timeout_ms);
	if (ready < 0 && errno != EINTR)
		return error_errno(err, errno, "cannot wait for OA reports");
	ssize_t n = 0;
	if (ready > 0 && pfd.revents & POLLIN)
		n = fetch(s);
	else if (ready > 0)
		s->gone = true;
	if (n < 0 && n != -ENODEV)
		return error_errno(err, (int)-n, "cannot read OA reports");
	if (n > 0) {
		hand_out(s, (size_t)n, out);
		return SX_OK;
	}
	/* Losses without a report behind them, and long silence, are signs of a device that went.
	 */
	bool odd = s->losses || sys_now_ns(sys) > xe_stream_silent_ns(s, 16);
	if (n < 0 || s->gone || (odd && !answers(s)))
		return xe_oa_lost(s, err);
	return SX_AGAIN;
}

void xe_stream_stop(struct oa_source *source)
{
	if (source->state == OA_RUNNING)
		oa_ioctl(source->base.sys, source->stream, XE_STREAM_DISABLE, NULL);
	else if (source->state == OA_LOST)
		oa_source_close_stream(source);
}
