/* The fake kbase: its node, its clock, its counts, and the table of system calls. */
#include "fake.h"
#include "devices/kbase.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NODE_FD	  100
#define READER_FD 101

uint64_t fake_kbase_rate(enum mali_kind kind, uint32_t index, uint32_t slot)
{
	return 1000 + (uint64_t)kind * 300 + index * 17 + slot;
}

static void count_default(void *user, enum mali_kind kind, uint32_t index, uint64_t begin_ns,
			  uint64_t end_ns, uint64_t *values, uint32_t slots)
{
	uint64_t us = (end_ns - begin_ns) / 1000;
	for (uint32_t slot = MALI_HEADER_SLOTS; slot < slots; slot++)
		values[slot] = us * fake_kbase_rate(kind, index, slot);
}

/* Counts the calls, and says whether this is the one that fails. */
uint32_t fake_kbase_blocks(const struct fake_kbase *fake)
{
	return 2 + fake->slices + (uint32_t)__builtin_popcountll(fake->core_mask);
}

void fake_kbase_block(const struct fake_kbase *fake, uint32_t n, enum mali_kind *kind,
		      uint32_t *index)
{
	*index = 0;
	*kind = n < 2 ? (enum mali_kind)n : n < 2 + fake->slices ? MALI_MEMORY : MALI_CORE;
	if (*kind == MALI_MEMORY)
		*index = n - 2;
	for (uint32_t left = n - 2 - fake->slices; *kind == MALI_CORE; ++*index)
		if (fake->core_mask >> *index & 1 && left-- == 0)
			return;
}

void fake_kbase_values(struct fake_kbase *fake, enum mali_kind kind, uint32_t index,
		       const struct fake_sample *sample, uint64_t *values)
{
	memset(values, 0, fake->slots * sizeof(*values));
	fake->count(fake->user, kind, index, sample->begin_ns, sample->end_ns, values, fake->slots);
	uint32_t groups = 0;
	for (uint32_t slot = 0; slot < fake->slots; slot++) {
		/* One counter that is asked for brings its three neighbours with it. */
		uint64_t four = fake->masks[kind][slot / 64] >> (slot % 64 & ~3u) & 15;
		groups |= four ? 1u << slot / 4 : 0;
		if (!four && slot >= MALI_HEADER_SLOTS)
			values[slot] = 0;
	}
	values[MALI_SLOT_TIME_LOW] = (uint32_t)sample->end_ns;
	values[MALI_SLOT_TIME_HIGH] = sample->end_ns >> 32;
	values[MALI_SLOT_ENABLE] = groups;
}

/* Puts what was counted since the last sample into the ring; a full one stretches the next. */
void fake_kbase_emit(struct fake_kbase *fake, uint32_t flags)
{
	if (fake->used >= FAKE_RING - 1)
		return;
	uint32_t at = (fake->head + fake->used++) % FAKE_RING;
	bool late = fake->periodic && fake->now_ns - fake->begin_ns > fake->period_ns;
	fake->ring[at] = (struct fake_sample){.begin_ns = fake->begin_ns,
					      .end_ns = fake->now_ns,
					      .sequence = fake->next_sequence++,
					      .flags = flags | fake->error_flag |
						       (late ? KBASE_SAMPLE_OVERFLOW : 0)};
	fake->begin_ns = fake->now_ns;
}

/* The timer fires at multiples of the period since clock zero, whenever one began. */
void fake_kbase_advance(struct fake_kbase *fake, uint64_t ns)
{
	uint64_t end = fake->now_ns + ns;
	while (fake->running && fake->periodic && fake->period_ns) {
		uint64_t next = (fake->now_ns / fake->period_ns + 1) * fake->period_ns;
		if (next > end)
			break;
		fake->now_ns = next;
		fake_kbase_emit(fake, 0);
	}
	fake->now_ns = end;
}

/* The same for calls that no signal interrupts. */
static bool fails_hard(struct fake_kbase *fake)
{
	return FAKE_FAILS(fake) && errno != EINTR;
}

static int fake_open(void *user, const char *path, int flags)
{
	struct fake_kbase *fake = user;
	if (strcmp(path, "/dev/mali0")) { /* the others do not exist, and are no calls that count */
		errno = ENOENT;
		return -1;
	}
	if (FAKE_FAILS(fake))
		return -1;
	if (fake->open_errno) {
		errno = fake->open_errno;
		return -1;
	}
	fake->node_fds++;
	return NODE_FD;
}

static int fake_close(void *user, int fd)
{
	struct fake_kbase *fake = user;
	if (fd == NODE_FD)
		fake->node_fds--;
	else
		fake->reader_fds--, fake->running = false, fake->held = false;
	return 0;
}

static int fake_is_char_device(void *user, int fd)
{
	struct fake_kbase *fake = user;
	return fails_hard(fake) ? -1 : !fake->no_char_device;
}

static uint8_t *put_prop(uint8_t *at, uint32_t id, uint32_t log2, uint64_t value)
{
	uint32_t key = id << 2 | log2;
	memcpy(at, &key, 4);
	memcpy(at + 4, &value, (size_t)1 << log2);
	return at + 4 + ((size_t)1 << log2);
}

static int get_props(struct fake_kbase *fake, struct kbase_gpuprops *ask)
{
	uint8_t data[256], *at = data;
	at = put_prop(at, 999, 3, 12345); /* from the future */
	at = put_prop(at, KBASE_PROP_FREQ_KHZ_MAX, 2, 850000);
	if (!fake->missing_props)
		at = put_prop(at, KBASE_PROP_L2_SLICES, 0, fake->slices);
	at = put_prop(at, KBASE_PROP_L2_FEATURES, 2, (uint64_t)fake->bus_log2 << 24);
	if (!fake->missing_props)
		at = put_prop(at, KBASE_PROP_GPU_ID, 3, fake->gpu_id);
	at = put_prop(at, 998, 1, 7);
	at = put_prop(at, KBASE_PROP_CORE_FEATURES, 2, 9); /* an unknown variant */
	at = put_prop(at, KBASE_PROP_GROUP_0, 3, fake->core_mask & 0xff);
	at = put_prop(at, KBASE_PROP_GROUP_0 + 1, 3, fake->core_mask & ~UINT64_C(0xff));
	if (ask->size == 0)
		return (int)(at - data);
	if (ask->size < (size_t)(at - data)) {
		errno = EINVAL;
		return -1;
	}
	memcpy((void *)(uintptr_t)ask->buffer, data, (size_t)(at - data));
	return (int)(at - data);
}

/* The wrong of the two version ioctls fails or not, and leaves 0.0 in both cases. */
static int check_version(struct fake_kbase *fake, bool csf, struct kbase_version *version)
{
	if (csf == fake->csf)
		*version = fake->version;
	errno = EPERM;
	return -1; /* also on success: what it returns means nothing */
}

static int node_ioctl(struct fake_kbase *fake, unsigned long request, void *arg)
{
	switch (request) {
	case KBASE_VERSION_CHECK_CSF:
		return check_version(fake, true, arg);
	case KBASE_VERSION_CHECK_JM:
		return check_version(fake, false, arg);
	case KBASE_SET_FLAGS:
		errno = EPERM;
		return -1;
	case KBASE_GET_GPUPROPS:
		return get_props(fake, arg);
	case KBASE_KINSTR_ENUM:
		return fake_kinstr_enum(fake, arg);
	case KBASE_KINSTR_SETUP:
		return fake_kinstr_setup(fake, arg) < 0 ? -1 : READER_FD;
	case KBASE_HWCNT_SETUP:
		return fake_vinstr_setup(fake, arg) < 0 ? -1 : READER_FD;
	default:
		errno = ENOTTY;
		return -1;
	}
}

static int fake_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	struct fake_kbase *fake = user;
	if (FAKE_FAILS(fake))
		return -1;
	if (fake->gone) {
		errno = fake->gone;
		return -1;
	}
	if (fd == NODE_FD)
		return node_ioctl(fake, request, arg);
	return fake->vinstr ? fake_vinstr_ioctl(fake, request, arg)
			    : fake_kinstr_ioctl(fake, request, arg);
}

static void *fake_mmap(void *user, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct fake_kbase *fake = user;
	if (fails_hard(fake))
		return MAP_FAILED;
	if (size != fake->memory_size || prot != PROT_READ || offset) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	fake->maps++;
	return fake->memory;
}

static int fake_munmap(void *user, void *addr, size_t size)
{
	struct fake_kbase *fake = user;
	fake->maps--;
	return 0;
}

static int fake_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct fake_kbase *fake = user;
	if (FAKE_FAILS(fake))
		return -1;
	/* Time passes in steps, so that a wait ends soon after the first sample. */
	if (count && fake->gone) {
		fds[0].revents = POLLERR | POLLHUP;
		return 1;
	}
	for (int ms = 0; ms < timeout_ms && (!count || !fake->used); ms++)
		fake_kbase_advance(fake, 1000000);
	if (!count || !fake->used)
		return 0;
	fds[0].revents = POLLIN;
	return 1;
}

static int fake_clock_gettime(void *user, clockid_t clock, struct timespec *out)
{
	struct fake_kbase *fake = user;
	if (fails_hard(fake))
		return -1;
	fake_kbase_advance(fake, fake->look_ns);
	uint64_t now = fake->now_ns;
	if (clock == CLOCK_MONOTONIC)
		now += (uint64_t)fake->offset_ns + (uint64_t)(int64_t)((double)now * fake->drift);
	*out = (struct timespec){.tv_sec = (time_t)(now / 1000000000),
				 .tv_nsec = (long)(now % 1000000000)};
	return 0;
}

void fake_kbase_init(struct fake_kbase *fake)
{
	*fake = (struct fake_kbase){
	    .sys = {.user = fake,
		    .open = fake_open,
		    .close = fake_close,
		    .ioctl = fake_ioctl,
		    .mmap = fake_mmap,
		    .munmap = fake_munmap,
		    .poll = fake_poll,
		    .clock_gettime = fake_clock_gettime,
		    .is_char_device = fake_is_char_device},
	    .csf = true,
	    .version = {1, 24},
	    .gpu_id = 0xd0010000,
	    .core_mask = 0x3f,
	    .slices = 2,
	    .bus_log2 = 7,
	    .slots = 128,
	    .max_buffers = FAKE_RING,
	    .state = MALI_STATE_ON | MALI_STATE_AVAILABLE | MALI_STATE_NORMAL,
	    .look_ns = 100,
	    .now_ns = UINT64_C(5003000000),
	    .offset_ns = -1234567,
	    .count = count_default,
	};
}

void fake_kbase_finish(struct fake_kbase *fake)
{
	free(fake->memory);
	fake->memory = NULL;
}

bool fake_kbase_clean(const struct fake_kbase *fake)
{
	return !fake->node_fds && !fake->reader_fds && !fake->maps && !fake->held && !fake->running;
}
