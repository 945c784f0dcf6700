/* The fake kernel behind struct sx_sys; its rules are those of i915 perf on Gen8. */
#include "i915_oa.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "wire/oa/oa.h"
#include "source/i915_oa/uapi.h"
#include "wire/oa/flex.h"

#define CARD_FD	     3
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

static uint64_t ticks(const struct fake_i915 *f)
{
	return ticks_at(f, f->now_ns);
}

/* When the stream's timer last looked at what the hardware wrote; nothing later can be read. */
static uint64_t looked_ns(const struct fake_i915 *f)
{
	return f->opened_ns + (f->now_ns - f->opened_ns) / f->poll_ns * f->poll_ns;
}

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

/* Counts of 0 are filled in; else there has to be room for all. */
static bool give_writes(const struct fake_i915_config *config, int kind, uint32_t *count,
			uint64_t array)
{
	uint32_t have = config->counts[kind], room = *count;
	*count = have;
	if (room && room < have)
		return false;
	if (room && have)
		memcpy((void *)(uintptr_t)array, config->writes[kind],
		       (size_t)have * 2 * sizeof(uint32_t));
	return true;
}

static int32_t query_config(const struct fake_i915 *f, const struct i915_query_item *item)
{
	struct i915_query_config *out = (struct i915_query_config *)(uintptr_t)item->data;
	const struct fake_i915_config *found = NULL;
	if (f->no_config_query || item->flags != I915_CONFIG_DATA_BY_UUID)
		return -EINVAL;
	if (item->length == 0)
		return sizeof(*out);
	if ((size_t)item->length < sizeof(*out) || out->flags)
		return -EINVAL;
	for (size_t i = 0; i < FAKE_I915_CONFIGS; i++)
		if (f->configs[i].used && memcmp(f->configs[i].uuid, out->uuid, 36) == 0)
			found = &f->configs[i];
	if (!found)
		return -ENOENT;
	if (!give_writes(found, 0, &out->config.mux_count, out->config.mux) ||
	    !give_writes(found, 1, &out->config.boolean_count, out->config.boolean) ||
	    !give_writes(found, 2, &out->config.flex_count, out->config.flex))
		return -EINVAL;
	memcpy(out->config.uuid, found->uuid, 36);
	return sizeof(*out);
}

static int query(const struct fake_i915 *f, struct i915_query *arg)
{
	uint8_t answer[512];
	struct i915_query_item *item = (struct i915_query_item *)(uintptr_t)arg->items;
	if (arg->count != 1 || arg->flags)
		return fake_refuse(EINVAL);
	if (item->query_id == I915_QUERY_PERF_CONFIG) {
		item->length = query_config(f, item);
		return 0;
	}
	if (item->query_id != I915_QUERY_TOPOLOGY) {
		item->length = -EINVAL;
		return 0;
	}
	size_t size = oa_topology_write(answer, sizeof(answer), &f->device);
	if (item->length == 0)
		item->length = (int32_t)size;
	else if ((size_t)item->length < size)
		item->length = -EINVAL;
	else
		memcpy((void *)(uintptr_t)item->data, answer, size);
	return 0;
}

struct range {
	uint16_t from; /* graphics versions, times 100 */
	uint16_t to;
	uint32_t first, last;
};

static bool listed(const struct range *ranges, size_t count, uint32_t version, uint32_t address)
{
	for (size_t i = 0; i < count; i++)
		if (version >= ranges[i].from && version <= ranges[i].to &&
		    address >= ranges[i].first && address <= ranges[i].last)
			return true;
	return false;
}

/* The kernel's lists of what user space may write, by generation. */
static bool allowed(const struct fake_i915 *f, int kind, uint32_t address)
{
	static const struct range mux[] = {
	    {750, 1100, 0x91b8, 0x91cc},     {750, 1100, 0x9800, 0x9888},
	    {750, 1100, 0xe180, 0xe180},     {750, 750, 0x9e80, 0x9ea4},
	    {750, 750, 0x9ec0, 0x9ec0},	     {750, 750, 0x25100, 0x2ff90},
	    {800, 1100, 0x0d00, 0x0d2c},     {800, 1299, 0x20cc, 0x20cc},
	    {800, 800, 0x182300, 0x1823a4},  {1100, 1100, 0x91c8, 0x91dc},
	    {1200, 1299, 0x0d00, 0x0d04},    {1200, 1299, 0x0d0c, 0x0d2c},
	    {1200, 1299, 0x9840, 0x9840},    {1200, 1299, 0x9884, 0x9888},
	    {1270, 1299, 0x38d100, 0x38d114}};
	static const struct range boolean[] = {
	    {750, 1100, 0x2710, 0x272c},      {750, 1100, 0x2740, 0x275c},
	    {750, 1100, 0x2770, 0x27ac},      {1200, 1299, 0x2b2c, 0x2b2c},
	    {1200, 1299, 0xd900, 0xd91c},     {1200, 1299, 0xd920, 0xd93c},
	    {1200, 1299, 0xd940, 0xd97c},     {1200, 1299, 0xdc00, 0xdc3c},
	    {1200, 1299, 0xdc40, 0xdc44},     {1255, 1299, 0xdc48, 0xdc48},
	    {1255, 1299, 0xdd00, 0xdd48},     {1270, 1299, 0x393000, 0x39301c},
	    {1270, 1299, 0x393020, 0x39303c}, {1270, 1299, 0x393040, 0x39307c},
	    {1270, 1299, 0x393200, 0x39323c}};
	uint32_t version = oa_platform(f->device.device_id)->version;
	if (address % 4)
		return false;
	if (kind == 0)
		return listed(mux, sizeof(mux) / sizeof(mux[0]), version, address);
	if (kind == 1)
		return listed(boolean, sizeof(boolean) / sizeof(boolean[0]), version, address);
	char text[16];
	snprintf(text, sizeof(text), "0x%x", address);
	return version > 750 && oa_flex_register(text) != 0;
}

static bool valid_uuid(const char *uuid)
{
	for (int i = 0; i < 36; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23
			? uuid[i] != '-'
			: !strchr("0123456789abcdefABCDEF", uuid[i]))
			return false;
	return true;
}

static void free_writes(struct fake_i915_config *config)
{
	for (int kind = 0; kind < 3; kind++) {
		free(config->writes[kind]);
		config->writes[kind] = NULL;
	}
}

static bool take_writes(const struct fake_i915 *f, struct fake_i915_config *config, int kind,
			uint64_t array, uint32_t count)
{
	const uint32_t(*writes)[2] = (const uint32_t(*)[2])(uintptr_t)array;
	config->counts[kind] = count;
	config->writes[kind] = malloc(2 * sizeof(uint32_t) * (count + 1));
	for (uint32_t i = 0; i < count; i++) {
		if (!allowed(f, kind, writes[i][0]) || writes[i][0] == f->refused_register)
			return false;
		uint32_t kept = writes[i][0] == I915_CHICKEN2	? I915_CHICKEN2_KEPT
				: writes[i][0] == I915_RC6_EXIT ? I915_RC6_EXIT_KEPT
								: 0;
		config->writes[kind][2 * i] = writes[i][0];
		config->writes[kind][2 * i + 1] = writes[i][1] & ~kept;
		if (kind == 1 && writes[i][0] == 0x27a8 && writes[i][1] == 0x00100001)
			config->tests_ratios = true;
		char text[16];
		snprintf(text, sizeof(text), "0x%x", writes[i][0]);
		if (kind == 2)
			config->flex[(oa_flex_register(text) - 7) / 2] = writes[i][1];
	}
	return true;
}

/* Where a configuration of this uuid goes; NULL and errno when it cannot. */
static struct fake_i915_config *place_for(struct fake_i915 *f, const char *uuid)
{
	struct fake_i915_config *free_one = NULL;
	for (size_t i = 0; i < FAKE_I915_CONFIGS; i++) {
		if (f->configs[i].used && strcmp(f->configs[i].uuid, uuid) == 0) {
			errno = EADDRINUSE;
			return NULL;
		}
		if (!f->configs[i].used && !free_one)
			free_one = &f->configs[i];
	}
	errno = ENOMEM;
	return free_one;
}

static int add_config(struct fake_i915 *f, const struct i915_perf_config *arg)
{
	struct fake_i915_config config = {.used = true};
	if (f->add_errno)
		return fake_refuse(f->add_errno);
	if (f->paranoid && !f->capable)
		return fake_refuse(EACCES);
	if (!arg->mux_count && !arg->boolean_count && !arg->flex_count)
		return fake_refuse(EINVAL);
	if ((arg->mux_count && !arg->mux) || (arg->boolean_count && !arg->boolean) ||
	    (arg->flex_count && !arg->flex))
		return fake_refuse(EINVAL);
	memcpy(config.uuid, arg->uuid, 36);
	if (!valid_uuid(config.uuid))
		return fake_refuse(EINVAL);
	bool taken = take_writes(f, &config, 0, arg->mux, arg->mux_count) &&
		     take_writes(f, &config, 1, arg->boolean, arg->boolean_count) &&
		     take_writes(f, &config, 2, arg->flex, arg->flex_count);
	struct fake_i915_config *place = taken ? place_for(f, config.uuid) : NULL;
	if (!place) {
		int why = taken ? errno : EINVAL;
		free_writes(&config);
		return fake_refuse(why);
	}
	config.id = f->next_id++;
	*place = config;
	return (int)config.id;
}

static struct fake_i915_config *find_config(struct fake_i915 *f, uint64_t id)
{
	for (size_t i = 0; i < FAKE_I915_CONFIGS; i++)
		if (f->configs[i].used && f->configs[i].id == id)
			return &f->configs[i];
	return NULL;
}

static int remove_config(struct fake_i915 *f, uint64_t id)
{
	struct fake_i915_config *config = find_config(f, id);
	if (f->paranoid && !f->capable)
		return fake_refuse(EACCES);
	if (!config)
		return fake_refuse(ENOENT);
	config->used = false;
	free_writes(config);
	return 0;
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

static int open_stream(struct fake_i915 *f, const struct i915_perf_open *arg)
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
	if (f->stream)
		return fake_refuse(EBUSY);
	if (f->vanish && f->vanish--)
		remove_config(f, f->set_id);
	f->active = find_config(f, f->set_id);
	if (!f->active)
		return fake_refuse(EINVAL);
	f->opened_ns = f->seen_ns = f->now_ns;
	f->stream = STREAM_FD;
	f->fds[STREAM_FD] = true;
	f->open_fds++;
	uint64_t step = UINT64_C(2) << f->exponent;
	if (!(f->properties & 1 << I915_PROP_EXPONENT))
		step = UINT64_C(1) << 40; /* none of its own */
	f->started_ticks = ticks(f);
	f->next_ticks = (f->started_ticks / step + 1) * step;
	return STREAM_FD;
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
		reg->value = ticks(f) / halving(f) & 0xfffffffff;
		return 0;
	}
	case I915_PERF_ADD_CONFIG:
		return add_config(f, arg);
	case I915_PERF_REMOVE_CONFIG:
		return remove_config(f, *(const uint64_t *)arg);
	case I915_PERF_OPEN:
		return open_stream(f, arg);
	default:
		return fake_refuse(ENOTTY);
	}
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

static int fake_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
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

static ssize_t fake_read(void *user, int fd, void *buf, size_t size)
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
	if (f->lose_buffer || (ticks(f) - f->next_ticks) / step > BUFFER_HOLDS) {
		used += put_status(out, 3);
		f->next_ticks = (ticks(f) / step + 1) * step;
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
				 .read = fake_read,
				 .poll = fake_poll,
				 .clock_gettime = fake_clock,
				 .read_file = fake_read_file,
				 .list_dir = fake_list_dir};
}

void fake_i915_finish(struct fake_i915 *f)
{
	for (size_t i = 0; i < FAKE_I915_CONFIGS; i++)
		free_writes(&f->configs[i]);
}

void fake_i915_add_foreign(struct fake_i915 *f, const char *uuid, uint64_t id)
{
	static const uint32_t half[][2] = {{0x9888, 0x166c01e0}, {0x9888, 0x12170280}};
	struct fake_i915_config *config = &f->configs[0];
	*config = (struct fake_i915_config){.used = true, .id = id};
	snprintf(config->uuid, sizeof(config->uuid), "%s", uuid);
	take_writes(f, config, 0, (uint64_t)(uintptr_t)half, 2);
}

unsigned fake_i915_config_count(const struct fake_i915 *f)
{
	unsigned count = 0;
	for (size_t i = 0; i < FAKE_I915_CONFIGS; i++)
		count += f->configs[i].used;
	return count;
}
