/* The stream of the fake i915: how it is opened, and the reports of a model that it gives. */
#include "i915_oa_parts.h"

#include <errno.h>
#include <string.h>

#include "fake.h"
#include "wire/oa/flex.h"
#include "wire/oa/oa.h"

#define STREAM_FD    4
#define REPORT	     256
#define BUFFER_HOLDS 65536 /* reports of 256 bytes in 16 MiB */
#define TIMER_NS     UINT64_C(5000000)

static uint64_t ticks_at(const struct fake_i915 *f, uint64_t ns)
{
	uint64_t spent = (uint64_t)((unsigned __int128)ns * f->device.timestamp_hz / 1000000000);
	return spent + (uint64_t)((double)spent * f->clock_drift) +
	       0xff0000000; /* so that 32 bits wrap soon */
}

uint64_t fake_i915_ticks(const struct fake_i915 *f)
{
	return ticks_at(f, f->now_ns);
}

/* When the stream's timer last looked at what the hardware wrote; nothing later can be read. */
static uint64_t looked_ns(const struct fake_i915 *f)
{
	return f->opened_ns + (f->now_ns - f->opened_ns) / f->poll_ns * f->poll_ns;
}

/* One property of OPEN; 0, or an errno. */
static int take_property(struct fake_i915 *f, uint64_t id, uint64_t value)
{
	f->properties |= UINT64_C(1) << (id & 63);
	switch (id) {
	case I915_PROP_SAMPLE:
		return value == 1 ? 0 : EINVAL;
	case I915_PROP_SET:
		f->set_id = value;
		return value ? 0 : EINVAL;
	case I915_PROP_FORMAT:
		f->format = oa_format_of(f->device.device_id, (uint32_t)value);
		return f->format && value <= 14 ? 0 : EINVAL;
	case I915_PROP_ENGINE_CLASS:
		f->media = value == I915_ENGINE_VIDEO;
		return f->perf_revision >= 6 && (f->media || value == 0) ? 0 : EINVAL;
	case I915_PROP_ENGINE_INSTANCE:
		return f->perf_revision >= 6 && value == 0 ? 0 : EINVAL;
	case I915_PROP_EXPONENT: {
		if (value > 31)
			return EINVAL;
		uint64_t period =
		    ((UINT64_C(2) << value) * 1000000000 + f->device.timestamp_hz - 1) /
		    f->device.timestamp_hz;
		f->exponent = (uint32_t)value;
		return !f->capable && 1000000000 / period > f->max_rate_hz ? EACCES : 0;
	}
	case I915_PROP_POLL_PERIOD:
		f->poll_ns = value;
		return f->perf_revision >= 5 && value >= 100000 ? 0 : EINVAL;
	default:
		return EINVAL;
	}
}

/* Which formats a generation, and a unit of it, has. */
static bool accepts(const struct fake_i915 *f)
{
	uint32_t version = oa_platform(f->device.device_id)->version;
	if (f->media)
		return version >= 1270 &&
		       (f->format == SX_OA_MPEC8U64_B8_C8 || f->format == SX_OA_MPEC8U32_B8_C8);
	if (version == 750)
		return oa_format_head(f->format) == OA_HEAD_HASWELL;
	if (version < 1255)
		return f->format >= SX_OA_C4_B8 && f->format <= SX_OA_A32U40_A4U32_B8_C8;
	return f->format == SX_OA_OAR_A32U40_A4U32_B8_C8 || f->format == SX_OA_A24U40_A14U32_B8_C8;
}

int fake_i915_open_stream(struct fake_i915 *f, const struct i915_perf_open *arg)
{
	const uint64_t(*properties)[2] = (const uint64_t(*)[2])(uintptr_t)arg->properties;
	if (arg->flags & ~7u || arg->count < 1 || arg->count > 10)
		return fake_refuse(EINVAL);
	if (f->open_errno)
		return fake_refuse(f->open_errno);
	f->properties = 0;
	f->poll_ns = TIMER_NS;
	f->set_id = 0;
	f->exponent = 0;
	f->media = false;
	for (uint32_t i = 0; i < arg->count; i++) {
		int why = take_property(f, properties[i][0], properties[i][1]);
		if (why)
			return fake_refuse(why);
	}
	/* The order of the kernel: rights, samples, the unit, the configuration. */
	if (f->paranoid && !f->capable)
		return fake_refuse(EACCES);
	if (!(f->properties & 1 << I915_PROP_SAMPLE) || !(f->properties & 1 << I915_PROP_FORMAT))
		return fake_refuse(EINVAL);
	if (!accepts(f))
		return fake_refuse(EINVAL);
	if (f->stream || f->held)
		return fake_refuse(EBUSY);
	if (fake_i915_find_config(f, f->set_id) && f->vanish && f->vanish--)
		fake_i915_vanish(f, f->set_id);
	f->active = fake_i915_find_config(f, f->set_id);
	if (!f->active)
		return fake_refuse(EINVAL);
	f->opened_ns = f->seen_ns = f->now_ns;
	f->stream = STREAM_FD;
	f->fds[STREAM_FD] = true;
	f->open_fds++;
	uint64_t step = UINT64_C(2) << f->exponent;
	if (!(f->properties & 1 << I915_PROP_EXPONENT))
		step = UINT64_C(1) << 40; /* none of its own */
	f->started_ticks = fake_i915_ticks(f);
	f->next_ticks = (f->started_ticks / step + 1) * step;
	return STREAM_FD;
}

static void put_counter(uint8_t *r, uint32_t i, uint64_t value)
{
	little_put_u32(r + 16 + 4 * i, (uint32_t)value);
	if (i < 32)
		r[160 + i] = (uint8_t)(value >> 32);
}

/*
 * The report at a tick. The model: busy 80 %, EUs active half and stalled a quarter of that;
 * threads and pixels grow with time. What flexible counters count depends on their event alone.
 */
static void make_report(const struct fake_i915 *f, uint64_t at, uint8_t r[REPORT])
{
	static const uint64_t sixths[8] = {0, 6, 6, 3, 2, 2, 1, 4};
	static const uint64_t share[16] = {30, 20, 10, 5, 50, 25, 0, 0, 60};
	uint64_t spent = at - f->started_ticks;
	uint64_t clock = spent * (f->clock_hz / f->device.timestamp_hz);
	memset(r, 0, REPORT);
	little_put_u32(r, OA_REASON_TIMER << 19 | 1u << 25);
	little_put_u32(r + 4, (uint32_t)at);
	little_put_u32(r + 8, at / (UINT64_C(2) << f->exponent) % 8 < 4 ? 5 : 6);
	little_put_u32(r + 12, (uint32_t)clock);
	put_counter(r, 0, clock * 8 / 10);
	for (uint32_t i = 1; i < 36; i++)
		put_counter(r, i, spent * i);
	for (uint32_t i = 7; i <= 20; i++) {
		uint32_t event = oa_flex_decode(i, f->active->flex[(i - 7) / 2]).event;
		put_counter(r, i, clock * 24 * share[event & 15] / 100);
	}
	for (uint32_t i = 0; i < 8; i++) {
		uint64_t b = f->active->tests_ratios ? clock * sixths[i] / 6 : clock * (i + 1) / 16;
		if (f->wrong_ratio && i == 4)
			b = clock / 2;
		little_put_u32(r + 192 + 4 * i, (uint32_t)b);
		little_put_u32(r + 224 + 4 * i, (uint32_t)(clock * (i + 1) / 32));
	}
}

/* Of other formats and generations the head alone, and B counters where most have them. */
static void make_other(const struct fake_i915 *f, uint64_t at, uint8_t *r)
{
	uint32_t version = oa_platform(f->device.device_id)->version;
	uint64_t clock = (at - f->started_ticks) * (f->clock_hz / f->device.timestamp_hz);
	enum oa_head head = oa_format_head(f->format);
	bool wide = head == OA_HEAD_LONG;
	memset(r, 0, oa_format_size(f->format));
	little_put_u32(r, OA_REASON_TIMER << 19 | (version < 900 ? 1u << 25 : 1u << 16));
	little_put_u32(r + (wide ? 8 : 4), (uint32_t)at);
	if (wide)
		little_put_u32(r + 12, (uint32_t)(at >> 32));
	little_put_u32(r + (wide ? 16 : 8), 5);
	if (head != OA_HEAD_HASWELL)
		little_put_u32(r + (wide ? 24 : 12), (uint32_t)clock);
	if (wide)
		little_put_u32(r + 28, (uint32_t)(clock >> 32));
	for (uint32_t i = 0; i < 8; i++)
		little_put_u32(r + (wide ? 64 : 192) + 4 * i, (uint32_t)(clock / (i + 1)));
}

/* Whether read() has something, which is what the timer saw. */
static bool pending(const struct fake_i915 *f)
{
	return f->next_ticks <= ticks_at(f, looked_ns(f)) || f->lose_report || f->lose_buffer;
}

/* Whether poll() wakes: the timer has looked since the last read(), and found something. */
static bool wakes(const struct fake_i915 *f)
{
	return pending(f) && looked_ns(f) > f->seen_ns;
}

int fake_i915_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct fake_i915 *f = user;
	if (FAKE_FAILS(f))
		return -1;
	if (count != 1 || fds->fd != f->stream)
		return fake_refuse(EBADF);
	uint64_t wait = (uint64_t)timeout_ms * 1000000;
	fds->revents = f->gone ? POLLHUP : 0;
	if (f->gone)
		return 1;
	for (uint64_t spent = 0; !wakes(f) && !f->false_poll && spent < wait;) {
		uint64_t next = looked_ns(f) + f->poll_ns - f->now_ns;
		uint64_t nap = next < wait - spent ? next : wait - spent;
		f->now_ns += nap;
		spent += nap;
	}
	if (!wakes(f) && !f->false_poll)
		return 0;
	f->false_poll = false;
	fds->revents = POLLIN;
	return 1;
}

static size_t put_status(uint8_t *out, uint32_t type)
{
	memset(out, 0, 8);
	little_put_u32(out, type);
	out[6] = 8;
	return 8;
}

ssize_t fake_i915_read(void *user, int fd, void *buf, size_t size)
{
	struct fake_i915 *f = user;
	uint8_t *out = buf;
	size_t used = 0;
	uint64_t step = UINT64_C(2) << f->exponent;
	if (FAKE_FAILS(f))
		return -1;
	if (fd != f->stream)
		return fake_refuse(EBADF);
	if (f->gone)
		return fake_refuse(ENODEV);
	if (f->read_errno)
		return fake_refuse(f->read_errno);
	if (!pending(f))
		return fake_refuse(EAGAIN);
	f->seen_ns = looked_ns(f);
	uint64_t tail = ticks_at(f, f->seen_ns);
	if (f->lose_buffer || (fake_i915_ticks(f) - f->next_ticks) / step > BUFFER_HOLDS) {
		used += put_status(out, 3);
		f->next_ticks = (fake_i915_ticks(f) / step + 1) * step;
		f->started_ticks += step; /* counters are not comparable */
	} else if (f->lose_report) {
		used += put_status(out, 2);
		f->next_ticks += step;
	}
	f->lose_buffer = f->lose_report = false;
	bool gen8 = oa_is_broadwell(f->device.device_id);
	size_t report_size = oa_format_size(f->format);
	while (f->next_ticks <= tail && size - used >= 8 + report_size) {
		uint8_t report[OA_REPORT_MAX];
		if (gen8)
			make_report(f, f->next_ticks, report);
		else
			make_other(f, f->next_ticks, report);
		used += oa_write_sample(out + used, size - used, report, report_size);
		f->next_ticks += step;
	}
	return used ? (ssize_t)used : fake_refuse(ENOSPC);
}
