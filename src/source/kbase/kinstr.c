/* Sampling through kinstr_prfcnt: enumerate, set up, map, and fetch one sample at a time. */
#include "source/kbase/kbase.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ENUM_BYTES_MAX (1u << 20)
#define MAP_BYTES_MAX  (64u << 20)
#define DRAIN_MAX      64 /* more than the driver's ring holds */
#define DAMAGED_MAX    8  /* in a row: then the driver is at fault, not a sample */

static int kinstr_call(struct kbase *k, int fd, unsigned long request, void *arg)
{
	return kbase_ioctl(k->base.sys, fd, request, arg);
}

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
	if (kinstr_call(k, k->device.fd, KBASE_KINSTR_ENUM, &info) < 0)
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
	if (kinstr_call(k, k->device.fd, KBASE_KINSTR_ENUM, &info) < 0)
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
	r->fd = kinstr_call(k, k->device.fd, KBASE_KINSTR_SETUP, &setup);
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

enum sx_status kinstr_try(struct kbase *k, struct sx_error *err)
{
	k->u.kinstr = (struct kinstr){.fd = -1, .periodic = true, .period_ns = KBASE_PERIOD_NS};
	enum sx_status status = enumerate(k, err);
	if (status == SX_OK)
		status = kinstr_set_up(k, err);
	kinstr_close(k);
	return status;
}

static int command(struct kbase *k, uint16_t what)
{
	struct kbase_cmd cmd = {.cmd = what};
	return kinstr_call(k, k->u.kinstr.fd, KBASE_KINSTR_CMD, &cmd);
}

enum sx_status kinstr_start(struct kbase *k, uint64_t period_ns, bool manual, struct sx_error *err)
{
	struct kinstr *r = &k->u.kinstr;
	*r = (struct kinstr){.fd = -1, .periodic = !manual, .period_ns = period_ns};
	enum sx_status status = enumerate(k, err);
	if (status == SX_OK)
		status = kinstr_set_up(k, err);
	if (status == SX_OK && command(k, KBASE_CMD_START) < 0)
		status = error_errno(err, errno, "kbase does not start counting");
	r->due_ns = kbase_clock_raw_now(k->base.sys) + period_ns;
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
	if (kinstr_call(k, r->fd, KBASE_KINSTR_GET, &access) < 0) {
		if (errno == EINVAL || errno == EAGAIN)
			return SX_AGAIN;
		return kbase_failed(k, "kbase does not hand over a sample", err);
	}
	bool good = kinstr_parse_sample(k, r->map, r->map_size, access.offset, out);
	if (kinstr_call(k, r->fd, KBASE_KINSTR_PUT, &access) < 0)
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
