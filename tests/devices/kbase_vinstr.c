/* The fake kbase's vinstr: dumps of 32-bit values, cores with their holes, in a ring of buffers. */
#include "fake.h"
#include "devices/kbase.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t buffer_bytes(const struct fake_kbase *fake)
{
	size_t cores = 64u - (size_t)__builtin_clzll(fake->core_mask);
	return (2 + fake->slices + cores) * 64 * 4;
}

int fake_vinstr_setup(struct fake_kbase *fake, const struct kbase_reader_setup *setup)
{
	uint32_t count = setup->buffers;
	if (!count || count > 32 || count & (count - 1) || fake->slots != 64)
		return fake_refuse(EINVAL);
	if (count > fake->max_buffers)
		return fake_refuse(ENOMEM);
	const uint32_t groups[4] = {setup->front_end, setup->tiler, setup->memory, setup->shader};
	memset(fake->masks, 0, sizeof(fake->masks));
	for (uint32_t kind = 0; kind < 4; kind++)
		for (uint32_t slot = 0; slot < 64; slot++)
			fake->masks[kind][0] |= (uint64_t)(groups[kind] >> slot / 4 & 1) << slot;
	free(fake->memory);
	fake->memory_size = buffer_bytes(fake) * count;
	fake->memory = malloc(fake->memory_size);
	if (!fake->memory)
		return fake_refuse(ENOMEM);
	memset(fake->memory, 0xa5, fake->memory_size);
	fake->buffers = count;
	fake->vinstr = true;
	fake->reader_fds++;
	fake->head = fake->used = 0;
	fake->begin_ns = fake->now_ns;
	return 0;
}

static void put_block(struct fake_kbase *fake, uint32_t block, const uint64_t *values)
{
	uint8_t *to = fake->memory + buffer_bytes(fake) * (fake->head % fake->buffers) +
		      (size_t)block * 64 * 4;
	for (uint32_t slot = 0; slot < 64; slot++) {
		uint32_t narrow = values[slot] > UINT32_MAX ? UINT32_MAX : (uint32_t)values[slot];
		memcpy(to + 4 * (size_t)slot, &narrow, 4);
	}
}

static void render(struct fake_kbase *fake)
{
	for (uint32_t n = 0; n < fake_kbase_blocks(fake); n++) {
		enum mali_kind kind;
		uint32_t index;
		uint64_t values[64];
		fake_kbase_block(fake, n, &kind, &index);
		fake_kbase_values(fake, kind, index, &fake->ring[fake->head], values);
		put_block(fake, kind == MALI_CORE ? 2 + fake->slices + index : n, values);
	}
}

static int get(struct fake_kbase *fake, struct kbase_reader_buffer *buffer)
{
	if (!fake->used)
		return fake_refuse(EAGAIN);
	if (fake->held)
		return fake_refuse(EBUSY);
	fake->held = true;
	render(fake);
	buffer->timestamp = fake->ring[fake->head].end_ns;
	buffer->index = fake->head % fake->buffers;
	return 0;
}

static int put(struct fake_kbase *fake, const struct kbase_reader_buffer *buffer)
{
	if (!fake->held || buffer->index != fake->head % fake->buffers)
		return fake_refuse(EINVAL);
	fake->held = false;
	fake->head = (fake->head + 1) % FAKE_RING;
	fake->used--;
	return 0;
}

/* The interval comes as the argument itself. */
static int set_interval(struct fake_kbase *fake, uint64_t ns)
{
	fake->period_ns = ns && ns < 100000 ? 100000 : ns;
	fake->periodic = fake->running = ns > 0;
	return 0;
}

int fake_vinstr_ioctl(struct fake_kbase *fake, unsigned long request, void *arg)
{
	switch (request) {
	case KBASE_READER_VERSION_FEATURES:
		if (fake->version.minor < 10)
			return fake_refuse(EINVAL);
		*(struct kbase_reader_version *)arg = (struct kbase_reader_version){5, 3};
		return 0;
	case KBASE_READER_VERSION:
		*(uint32_t *)arg = 4;
		return 0;
	case KBASE_READER_BUFFER_SIZE:
		*(uint32_t *)arg = (uint32_t)buffer_bytes(fake);
		return 0;
	case KBASE_READER_INTERVAL:
		return set_interval(fake, (uint64_t)(uintptr_t)arg);
	case KBASE_READER_DUMP:
		fake_kbase_emit(fake, 0);
		return 0;
	case KBASE_READER_GET:
	case KBASE_READER_GET_CYCLES:
		return get(fake, arg);
	case KBASE_READER_PUT:
	case KBASE_READER_PUT_CYCLES:
		return put(fake, arg);
	default:
		return fake_refuse(ENOTTY);
	}
}
