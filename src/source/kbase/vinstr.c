/* Sampling through vinstr, the reader of older kbase versions: 32-bit dumps in a ring of buffers.
 */
#include "source/kbase/kbase.h"
#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define BUFFERS_MAX 32

/* Some systems lack memory for many buffers: half as many do as well, down to one. */
static enum sx_status vinstr_set_up(struct kbase *k, struct sx_error *err)
{
	struct vinstr *r = &k->u.vinstr;
	for (r->buffers = BUFFERS_MAX; r->buffers; r->buffers /= 2) {
		struct kbase_reader_setup setup = {.buffers = r->buffers,
						   .front_end = (uint32_t)k->groups[MALI_FRONT_END],
						   .shader = (uint32_t)k->groups[MALI_CORE],
						   .tiler = (uint32_t)k->groups[MALI_TILER],
						   .memory = (uint32_t)k->groups[MALI_MEMORY]};
		r->fd = kbase_ioctl(k->base.sys, k->device.fd, KBASE_HWCNT_SETUP, &setup);
		if (r->fd >= 0)
			return SX_OK;
		if (errno != ENOMEM)
			break;
	}
	return kbase_refused(k, errno, err);
}

static enum sx_status ask_layout(struct kbase *k, struct sx_error *err)
{
	struct vinstr *r = &k->u.vinstr;
	struct kbase_reader_version version = {0};
	uint32_t size = 0, only = 0;
	if (kbase_ioctl(k->base.sys, r->fd, KBASE_READER_VERSION_FEATURES, &version) < 0 &&
	    kbase_ioctl(k->base.sys, r->fd, KBASE_READER_VERSION, &only) < 0)
		return error_errno(err, errno, "cannot ask for the version of kbase's reader");
	r->cycles = version.features & 3;
	if (kbase_ioctl(k->base.sys, r->fd, KBASE_READER_BUFFER_SIZE, &size) < 0)
		return error_errno(err, errno, "cannot ask for the size of kbase's dumps");
	size_t dump;
	mali_raw_dump(&k->raw, &dump);
	r->buffer_size = size;
	if (size == dump)
		return SX_OK;
	error_set(err, SX_ERR_UNSUPPORTED, "kbase's dumps have %u bytes", size);
	error_because(err, "%zu were expected of %u L2 slices and the cores 0x%llx", dump,
		      k->raw.slices, (unsigned long long)k->raw.core_mask);
	error_try(err, "report this with the output of sextant doctor -v");
	return SX_ERR_UNSUPPORTED;
}

static enum sx_status vinstr_prepare(struct kbase *k, uint64_t period_ns, struct sx_error *err)
{
	k->u.vinstr = (struct vinstr){.fd = -1, .period_ns = period_ns};
	enum sx_status status = vinstr_set_up(k, err);
	return status ? status : ask_layout(k, err);
}

enum sx_status vinstr_try(struct kbase *k, struct sx_error *err)
{
	enum sx_status status = vinstr_prepare(k, 0, err);
	vinstr_close(k);
	return status;
}

enum sx_status vinstr_start(struct kbase *k, uint64_t period_ns, struct sx_error *err)
{
	struct vinstr *r = &k->u.vinstr;
	const struct sx_sys *sys = k->base.sys;
	enum sx_status status = vinstr_prepare(k, period_ns, err);
	if (status != SX_OK)
		return status;
	size_t size = r->buffer_size * r->buffers;
	void *map = sys->mmap(sys->user, size, PROT_READ, MAP_SHARED, r->fd, 0);
	if (map == MAP_FAILED)
		return error_errno(err, errno, "cannot map the dumps of kbase");
	r->map = map;
	r->map_size = size;
	r->last_ns = kbase_clock_raw_now(sys);
	if (kbase_ioctl(k->base.sys, r->fd, KBASE_READER_INTERVAL, (void *)(uintptr_t)period_ns) <
	    0)
		return error_errno(err, errno, "kbase does not start counting");
	return SX_OK;
}

/* Dumps carry their end only: the end of the one before is the begin. */
static void take_dump(struct kbase *k, const struct kbase_reader_buffer *buffer,
		      struct raw_sample *out)
{
	struct vinstr *r = &k->u.vinstr;
	size_t size;
	mali_raw_clear(&k->raw);
	uint8_t *dump = mali_raw_dump(&k->raw, &size);
	memcpy(dump, r->map + r->buffer_size * buffer->index, size);
	*out = (struct raw_sample){.kind = RAW_MALI, .data = k->raw.bytes, .size = k->raw.size};
	out->begin_ns = kbase_clock_convert(k->base.sys, &k->clock, r->last_ns);
	out->end_ns = kbase_clock_convert(k->base.sys, &k->clock, buffer->timestamp);
	uint64_t took = buffer->timestamp - r->last_ns;
	out->lost = kbase_swallowed(took, r->period_ns);
	if (out->lost)
		out->flags |= RAW_STRETCHED;
	r->last_ns = buffer->timestamp;
}

static enum sx_status vinstr_fetch(struct kbase *k, struct raw_sample *out, struct sx_error *err)
{
	struct vinstr *r = &k->u.vinstr;
	struct kbase_reader_buffer buffer = {0};
	if (kbase_ioctl(k->base.sys, r->fd, r->cycles ? KBASE_READER_GET_CYCLES : KBASE_READER_GET,
			&buffer) < 0) {
		if (errno == EAGAIN)
			return k->stopped ? SX_END : SX_AGAIN;
		return kbase_failed(k, "kbase does not hand over a dump", err);
	}
	bool good = buffer.index < r->buffers && buffer.timestamp > r->last_ns;
	if (good)
		take_dump(k, &buffer, out);
	if (kbase_ioctl(k->base.sys, r->fd, r->cycles ? KBASE_READER_PUT_CYCLES : KBASE_READER_PUT,
			&buffer) < 0)
		return kbase_failed(k, "kbase does not take a dump back", err);
	return good ? SX_OK : SX_AGAIN; /* a dump of no time, or from nowhere, is left out */
}

enum sx_status vinstr_read(struct kbase *k, int timeout_ms, struct raw_sample *out,
			   struct sx_error *err)
{
	struct pollfd fd = {.fd = k->u.vinstr.fd, .events = POLLIN};
	int ready = k->base.sys->poll(k->base.sys->user, &fd, 1, k->stopped ? 0 : timeout_ms);
	if (ready < 0 && errno != EINTR)
		return kbase_failed(k, "cannot wait for a dump of kbase", err);
	if (ready > 0 && !(fd.revents & POLLIN)) {
		errno = ENODEV;
		return kbase_failed(k, "cannot wait for a dump of kbase", err);
	}
	if (ready <= 0)
		return k->stopped ? SX_END : SX_AGAIN;
	return vinstr_fetch(k, out, err);
}

/* The rest of the interval is dumped by hand, then the timer ends. */
enum sx_status vinstr_stop(struct kbase *k, struct sx_error *err)
{
	if (kbase_ioctl(k->base.sys, k->u.vinstr.fd, KBASE_READER_INTERVAL, NULL) < 0)
		return kbase_failed(k, "kbase does not stop counting", err);
	if (kbase_ioctl(k->base.sys, k->u.vinstr.fd, KBASE_READER_DUMP, NULL) < 0 &&
	    errno != EBUSY && errno != EAGAIN)
		return kbase_failed(k, "kbase does not make the last dump", err);
	return SX_OK;
}

void vinstr_close(struct kbase *k)
{
	struct vinstr *r = &k->u.vinstr;
	if (r->map)
		k->base.sys->munmap(k->base.sys->user, r->map, r->map_size);
	if (r->fd >= 0)
		k->base.sys->close(k->base.sys->user, r->fd);
	*r = (struct vinstr){.fd = -1};
}
