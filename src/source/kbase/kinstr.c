/*
 * Sampling through kinstr_prfcnt: enumerate, set up, map, and fetch one sample at a time. All that
 * the driver hands over is checked.
 */
#include "source/kbase/kbase.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

#define META_MAX 1024 /* items of one sample; a list without its end stops here */

/* The end of the list has the type of a block, but no values in it. */
static bool is_end(const struct kbase_enum_item *item)
{
	return item->type == KBASE_ENUM_BLOCK && !item->u.block.instances && !item->u.block.values;
}

static void take_block(const struct kbase_enum_item *item, struct kinstr *out)
{
	uint8_t kind = item->u.block.type;
	if (kind >= MALI_KINDS ||
	    out->found[kind]) /* firmware and the like; the first set counts */
		return;
	out->found[kind] = true;
	out->set[kind] = item->u.block.set;
	out->instances[kind] = item->u.block.instances;
	out->values[kind] = item->u.block.values;
}

bool kinstr_parse_enumeration(const uint8_t *list, uint32_t stride, uint32_t count,
			      struct kinstr *out)
{
	bool requests[2] = {false};
	memset(out->found, 0, sizeof(out->found));
	if (stride < sizeof(struct kbase_enum_item))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct kbase_enum_item item;
		memcpy(&item, list + (size_t)i * stride, sizeof(item));
		if (is_end(&item))
			break;
		if (item.type == KBASE_ENUM_BLOCK)
			take_block(&item, out);
		else if (item.type == KBASE_ENUM_REQUEST && item.u.request.what < 2)
			requests[item.u.request.what] |= item.u.request.versions & 1;
	}
	bool all = requests[0] && requests[1];
	for (uint32_t kind = 0; kind < MALI_KINDS; kind++)
		all = all && out->found[kind] && out->values[kind] > MALI_HEADER_SLOTS &&
		      out->values[kind] <= 4096;
	return all;
}

/* A sample on its way: the metadata that were found, blocks by kind and index. */
struct seen {
	struct kbase_meta sample;
	bool has_sample;
	uint64_t cores; /* indices of cores that were reported */
};

/* An item of the metadata that begin at `offset` of the driver's memory. */
static bool meta_at(const struct kinstr *r, uint64_t offset, uint32_t item, struct kbase_meta *out)
{
	size_t stride = r->meta_size, at;
	if (__builtin_add_overflow(offset, (uint64_t)stride * item, &at) || at > r->map_size ||
	    r->map_size - at < stride)
		return false;
	memset(out, 0, sizeof(*out));
	memcpy(out, r->map + at, stride < sizeof(*out) ? stride : sizeof(*out));
	return true;
}

/* Which cores the driver reports: some number them without the holes, as they should, some not. */
static bool survey(const struct kinstr *r, uint64_t offset, struct seen *seen)
{
	*seen = (struct seen){.has_sample = false};
	for (uint32_t i = 0; i < META_MAX; i++) {
		struct kbase_meta meta;
		if (!meta_at(r, offset, i, &meta))
			return false;
		if (meta.type == KBASE_META_NONE)
			return seen->has_sample;
		if (meta.type == KBASE_META_SAMPLE) {
			seen->sample = meta;
			seen->has_sample = true;
		}
		if (meta.type == KBASE_META_BLOCK && meta.u.block.type == MALI_CORE &&
		    meta.u.block.index < 64)
			seen->cores |= UINT64_C(1) << meta.u.block.index;
	}
	return false;
}

/* The n-th present core, or UINT32_MAX. */
static uint32_t nth_core(uint64_t mask, uint32_t n)
{
	for (uint32_t i = 0; i < 64; i++)
		if (mask >> i & 1 && n-- == 0)
			return i;
	return UINT32_MAX;
}

/* A physical core where the dump numbers cores without holes, because its mask is too wide. */
static uint32_t renumber(const struct kbase *k, uint32_t index)
{
	uint64_t cores = k->device.id.core_mask;
	if (k->raw.core_mask == cores)
		return index;
	return cores >> index & 1
		   ? (uint32_t)__builtin_popcountll(cores & ((UINT64_C(1) << index) - 1))
		   : UINT32_MAX;
}

static uint32_t block_of(const struct kbase *k, const struct seen *seen,
			 const struct kbase_meta *meta)
{
	uint64_t present = k->raw.core_mask;
	uint32_t index = meta->u.block.index;
	if (meta->u.block.type == MALI_CORE) {
		uint32_t cores = (uint32_t)__builtin_popcountll(present);
		bool physical = cores < 64 && seen->cores >> cores;
		if (physical)
			index = index < 64 ? renumber(k, index) : UINT32_MAX;
		else
			index = nth_core(present, index);
	}
	if (meta->u.block.type >= MALI_KINDS ||
	    meta->u.block.set != k->u.kinstr.set[meta->u.block.type])
		return UINT32_MAX;
	return mali_raw_block(&k->raw, (enum mali_kind)meta->u.block.type, index);
}

static bool copy_block(struct kbase *k, uint32_t block, const struct kbase_meta *meta)
{
	const struct kinstr *r = &k->u.kinstr;
	uint32_t kind = meta->u.block.type, values = r->values[kind];
	size_t from = meta->u.block.offset, size = (size_t)values * 8;
	if (from > r->map_size || r->map_size - from < size)
		return false;
	uint32_t slots = values < k->raw.slots ? values : k->raw.slots;
	uint64_t enabled = k->groups[kind];
	for (uint32_t i = 0; i < slots; i++) {
		uint64_t value;
		memcpy(&value, r->map + from + 8 * (size_t)i, sizeof(value));
		if (i == MALI_SLOT_ENABLE) /* neighbours of what was asked for may be there too */
			value = value ? value & enabled : enabled;
		mali_raw_set(&k->raw, block, i, value);
	}
	if (slots < k->raw.slots)
		mali_raw_set(&k->raw, block, MALI_SLOT_ENABLE,
			     enabled & ((UINT64_C(1) << slots / 4) - 1));
	mali_raw_set_state(&k->raw, block, k->device.states ? (uint8_t)meta->u.block.state : 0);
	return true;
}

static void take_sample(struct kbase *k, const struct kbase_meta *sample, struct raw_sample *out)
{
	struct kinstr *r = &k->u.kinstr;
	uint64_t sequence = sample->u.sample.sequence;
	*out = (struct raw_sample){.kind = RAW_MALI};
	out->begin_ns = kbase_clock_convert(k->base.sys, &k->clock, sample->u.sample.begin_ns);
	out->end_ns = kbase_clock_convert(k->base.sys, &k->clock, sample->u.sample.end_ns);
	if (sample->u.sample.flags & KBASE_SAMPLE_OVERFLOW) {
		out->flags |= RAW_STRETCHED;
		out->lost = kbase_swallowed(sample->u.sample.end_ns - sample->u.sample.begin_ns,
					    r->period_ns);
	}
	out->lost += r->missed;
	r->missed = 0;
	if (sample->u.sample.flags & KBASE_SAMPLE_ERROR)
		mali_raw_set_failed(&k->raw);
	if (sequence > r->next_sequence && r->next_sequence) {
		out->flags |= RAW_LOST;
		out->lost += sequence - r->next_sequence;
	}
	r->next_sequence = sequence + 1;
	out->data = k->raw.bytes;
	out->size = k->raw.size;
}

bool kinstr_parse_sample(struct kbase *k, uint64_t offset, struct raw_sample *out)
{
	const struct kinstr *r = &k->u.kinstr;
	struct seen seen;
	struct kbase_meta meta;
	if (!survey(r, offset, &seen))
		return false;
	mali_raw_clear(&k->raw);
	for (uint32_t i = 0; meta_at(r, offset, i, &meta); i++) {
		if (meta.type == KBASE_META_NONE)
			break;
		if (meta.type != KBASE_META_BLOCK)
			continue;
		uint32_t block = block_of(k, &seen, &meta);
		if (block != UINT32_MAX && !copy_block(k, block, &meta))
			return false;
	}
	take_sample(k, &seen.sample, out);
	return true;
}

#define ENUM_BYTES_MAX (1u << 20)
#define MAP_BYTES_MAX  (64u << 20)
#define DRAIN_MAX      64 /* more than the driver's ring holds */
#define DAMAGED_MAX    8  /* in a row: then the driver is at fault, not a sample */

static enum sx_status odd_driver(struct sx_error *err, const char *what)
{
	error_set(err, SX_ERR_UNSUPPORTED, "kbase %s", what);
	error_because(err, "this driver's kinstr_prfcnt is not as its interface says");
	error_try(err, "update Arm's kernel driver, and report this with sextant doctor -v");
	return SX_ERR_UNSUPPORTED;
}

static enum sx_status enumerate(struct kbase *k, struct sx_error *err)
{
	struct kbase_enum_info info = {0};
	if (kbase_ioctl(k->base.sys, k->device.fd, KBASE_KINSTR_ENUM, &info) < 0)
		return error_errno(err, errno, "cannot list the counters of kbase");
	if (!info.item_count || info.item_size < sizeof(struct kbase_enum_item) ||
	    info.item_count > ENUM_BYTES_MAX / info.item_size)
		return odd_driver(err, "lists counters in an unknown form");
	uint8_t *list = calloc(info.item_count, info.item_size);
	if (!list)
		return error_nomem(err, "the list of counters");
	uint32_t count = info.item_count, stride = info.item_size;
	info.list = (uint64_t)(uintptr_t)list;
	enum sx_status status = SX_OK;
	if (kbase_ioctl(k->base.sys, k->device.fd, KBASE_KINSTR_ENUM, &info) < 0)
		status = error_errno(err, errno, "cannot read the list of counters from kbase");
	else if (!kinstr_parse_enumeration(list, stride, count, &k->u.kinstr))
		status = odd_driver(err, "does not list all kinds of counter blocks");
	free(list);
	return status;
}

/* Bits of single counters from groups of four. */
static void expand_mask(uint64_t groups, uint64_t mask[2])
{
	mask[0] = mask[1] = 0;
	for (uint32_t bit = 0; bit < 128; bit++)
		if (groups >> bit / 4 & 1)
			mask[bit / 64] |= UINT64_C(1) << bit % 64;
}

static uint32_t fill_requests(const struct kbase *k, struct kbase_request *list)
{
	const struct kinstr *r = &k->u.kinstr;
	uint32_t count = 0;
	list[count] = (struct kbase_request){.type = KBASE_REQUEST_MODE};
	list[count].u.mode.mode = r->periodic ? KBASE_MODE_PERIODIC : KBASE_MODE_MANUAL;
	list[count++].u.mode.period_ns = r->periodic ? r->period_ns : 0;
	for (uint32_t kind = 0; kind < MALI_KINDS; kind++) {
		list[count] = (struct kbase_request){.type = KBASE_REQUEST_ENABLE};
		list[count].u.enable.block = (uint8_t)kind;
		list[count].u.enable.set = r->set[kind];
		expand_mask(k->groups[kind], list[count++].u.enable.mask);
	}
	list[count++] = (struct kbase_request){.type = KBASE_REQUEST_NONE};
	return count;
}

static enum sx_status kinstr_set_up(struct kbase *k, struct sx_error *err)
{
	struct kinstr *r = &k->u.kinstr;
	struct kbase_request list[MALI_KINDS + 2];
	uint32_t count = fill_requests(k, list);
	union kbase_setup setup = {.in = {.count = count,
					  .item_size = sizeof(list[0]),
					  .list = (uint64_t)(uintptr_t)list}};
	r->fd = kbase_ioctl(k->base.sys, k->device.fd, KBASE_KINSTR_SETUP, &setup);
	if (r->fd < 0)
		return kbase_refused(k, errno, err);
	r->meta_size = setup.out.item_size;
	if (r->meta_size < 16 || r->meta_size > 4096 || !setup.out.mmap_size ||
	    setup.out.mmap_size > MAP_BYTES_MAX)
		return odd_driver(err, "hands over samples in an unknown form");
	const struct sx_sys *sys = k->base.sys;
	void *map = sys->mmap(sys->user, setup.out.mmap_size, PROT_READ, MAP_SHARED, r->fd, 0);
	if (map == MAP_FAILED)
		return error_errno(err, errno, "cannot map the samples of kbase");
	r->map = map;
	r->map_size = setup.out.mmap_size;
	return SX_OK;
}

/* Up to where counting may start. */
static enum sx_status kinstr_prepare(struct kbase *k, uint64_t period_ns, bool manual,
				     struct sx_error *err)
{
	k->u.kinstr = (struct kinstr){.fd = -1, .periodic = !manual, .period_ns = period_ns};
	enum sx_status status = enumerate(k, err);
	return status ? status : kinstr_set_up(k, err);
}

enum sx_status kinstr_try(struct kbase *k, struct sx_error *err)
{
	enum sx_status status = kinstr_prepare(k, KBASE_PERIOD_NS, false, err);
	kinstr_close(k);
	return status;
}

static int command(struct kbase *k, uint16_t what)
{
	struct kbase_cmd cmd = {.cmd = what};
	return kbase_ioctl(k->base.sys, k->u.kinstr.fd, KBASE_KINSTR_CMD, &cmd);
}

enum sx_status kinstr_start(struct kbase *k, uint64_t period_ns, bool manual, struct sx_error *err)
{
	enum sx_status status = kinstr_prepare(k, period_ns, manual, err);
	if (status == SX_OK && command(k, KBASE_CMD_START) < 0)
		status = error_errno(err, errno, "kbase does not start counting");
	k->u.kinstr.due_ns = kbase_clock_raw_now(k->base.sys) + period_ns;
	return status;
}

/* Waits for a sample: 1, 0 when there is none yet, or -1. */
static int wait_ready(struct kbase *k, int timeout_ms)
{
	struct pollfd fd = {.fd = k->u.kinstr.fd, .events = POLLIN};
	int ready = k->base.sys->poll(k->base.sys->user, &fd, 1, timeout_ms);
	if (ready < 0)
		return errno == EINTR ? 0 : -1;
	if (ready && !(fd.revents & POLLIN)) {
		errno = ENODEV;
		return -1;
	}
	return ready ? 1 : 0;
}

/*
 * Manual sampling: asks for the sample once it is due. 0 when that is after the timeout; then all
 * of it was spent waiting.
 */
static int take_when_due(struct kbase *k, int timeout_ms)
{
	struct kinstr *r = &k->u.kinstr;
	uint64_t now = kbase_clock_raw_now(k->base.sys);
	uint64_t left_ms = r->due_ns > now ? (r->due_ns - now + 999999) / 1000000 : 0;
	int wait_ms = left_ms < (uint64_t)timeout_ms ? (int)left_ms : timeout_ms;
	if (wait_ms > 0)
		k->base.sys->poll(k->base.sys->user, NULL, 0, wait_ms);
	now = kbase_clock_raw_now(k->base.sys);
	if (now < r->due_ns)
		return 0;
	r->due_ns += r->period_ns;
	if (r->due_ns <= now) { /* late: do not catch up with a burst */
		r->missed += (now - r->due_ns) / r->period_ns + 1;
		r->due_ns = now + r->period_ns;
	}
	if (command(k, KBASE_CMD_SAMPLE_SYNC) < 0 && errno != EBUSY)
		return -1; /* EBUSY: the ring is full, so there is one to fetch */
	return 1;
}

static enum sx_status send_stop(struct kbase *k, struct sx_error *err);

/* Fetches the oldest sample: copies it out and gives its slot back. */
static enum sx_status kinstr_fetch(struct kbase *k, struct raw_sample *out, struct sx_error *err)
{
	struct kinstr *r = &k->u.kinstr;
	struct kbase_access access = {0};
	if (kbase_ioctl(k->base.sys, r->fd, KBASE_KINSTR_GET, &access) < 0) {
		if (errno == EINVAL || errno == EAGAIN)
			return SX_AGAIN;
		return kbase_failed(k, "kbase does not hand over a sample", err);
	}
	bool good = kinstr_parse_sample(k, access.offset, out);
	if (kbase_ioctl(k->base.sys, r->fd, KBASE_KINSTR_PUT, &access) < 0)
		return kbase_failed(k, "kbase does not take a sample back", err);
	enum sx_status status = r->stop_due ? send_stop(k, err) : SX_OK;
	if (good) {
		r->damaged = 0;
		return status;
	}
	/* A damaged sample costs itself alone: the gap in the sequence counts it. */
	if (++r->damaged >= DAMAGED_MAX)
		return odd_driver(err, "hands over samples that are not whole");
	snprintf(k->note, sizeof(k->note),
		 "kbase handed over a sample that is not whole; it is left out");
	return status ? status : SX_AGAIN;
}

/* Some versions answer a stop with a sample of no time at all. */
static bool is_empty(const struct raw_sample *sample)
{
	return sample->begin_ns >= sample->end_ns;
}

enum sx_status kinstr_read(struct kbase *k, int timeout_ms, struct raw_sample *out,
			   struct sx_error *err)
{
	bool manual = !k->u.kinstr.periodic && !k->stopped;
	if (manual) {
		int due = take_when_due(k, timeout_ms);
		if (due < 0)
			return kbase_failed(k, "kbase does not take a sample", err);
		if (!due)
			return SX_AGAIN;
	}
	for (int tries = 0; tries < DRAIN_MAX; tries++) {
		int ready = wait_ready(k, manual || k->stopped || tries ? 0 : timeout_ms);
		if (ready < 0)
			return kbase_failed(k, "cannot wait for a sample of kbase", err);
		if (!ready)
			return k->stopped ? SX_END : SX_AGAIN;
		enum sx_status status = kinstr_fetch(k, out, err);
		if (status == SX_AGAIN)
			continue;
		if (status != SX_OK || !is_empty(out))
			return status;
	}
	return k->stopped ? SX_END : SX_AGAIN;
}

static enum sx_status send_stop(struct kbase *k, struct sx_error *err)
{
	k->u.kinstr.stop_due = false;
	if (command(k, KBASE_CMD_STOP) >= 0 || errno == EINVAL) /* EINVAL: counting has stopped */
		return SX_OK;
	return kbase_failed(k, "kbase does not stop counting", err);
}

/*
 * A stop emits one last sample, but into a full ring the driver drops it without a word. So with
 * samples waiting it is sent only once one of them has been fetched, which makes room.
 */
enum sx_status kinstr_stop(struct kbase *k, struct sx_error *err)
{
	k->u.kinstr.stop_due = true;
	return wait_ready(k, 0) > 0 ? SX_OK : send_stop(k, err);
}

void kinstr_close(struct kbase *k)
{
	struct kinstr *r = &k->u.kinstr;
	if (r->map)
		k->base.sys->munmap(k->base.sys->user, r->map, r->map_size);
	if (r->fd >= 0)
		k->base.sys->close(k->base.sys->user, r->fd);
	*r = (struct kinstr){.fd = -1};
}
