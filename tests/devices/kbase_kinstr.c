/* The fake kbase's kinstr_prfcnt: enumeration, set-up, and a ring of samples in shared memory. */
#include "fake.h"
#include "devices/kbase.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_MIN 100000

static uint32_t stride_of(const struct fake_kbase *fake)
{
	return fake->enum_stride ? fake->enum_stride : 32;
}

static uint32_t meta_of(const struct fake_kbase *fake)
{
	return fake->meta_size ? fake->meta_size : 48;
}

static void add_item(const struct fake_kbase *fake, uint8_t *list, uint32_t *count,
		     const struct kbase_enum_item *item)
{
	if (list)
		memcpy(list + (size_t)*count * stride_of(fake), item, sizeof(*item));
	++*count;
}

static void add_block(const struct fake_kbase *fake, uint8_t *list, uint32_t *count, uint8_t kind,
		      uint32_t instances)
{
	struct kbase_enum_item item = {.type = KBASE_ENUM_BLOCK};
	item.u.block.type = kind;
	item.u.block.instances = (uint16_t)instances;
	item.u.block.values = (uint16_t)fake->slots;
	item.u.block.mask[0] = item.u.block.mask[1] = UINT64_MAX;
	add_item(fake, list, count, &item);
}

/* The list in the driver's order; returns its length. */
static uint32_t enumerate(const struct fake_kbase *fake, uint8_t *list)
{
	uint32_t count = 0;
	for (uint16_t what = 0; what < 3; what++) {
		struct kbase_enum_item item = {.type = KBASE_ENUM_REQUEST};
		item.u.request.what = what;
		item.u.request.versions = 1;
		add_item(fake, list, &count, &item);
	}
	struct kbase_enum_item info = {.type = KBASE_ENUM_SAMPLE_INFO};
	info.u.info.clocks = 2;
	add_item(fake, list, &count, &info);
	add_block(fake, list, &count, MALI_FRONT_END, 1);
	add_block(fake, list, &count, MALI_TILER, 1);
	add_block(fake, list, &count, MALI_MEMORY, fake->slices);
	add_block(fake, list, &count, MALI_CORE, (uint32_t)__builtin_popcountll(fake->core_mask));
	if (fake->extra_blocks) {
		add_block(fake, list, &count, 4, 1);
		add_block(fake, list, &count, 5, 8);
		add_block(fake, list, &count, 255, 1);
	}
	if (!fake->no_sentinel)
		add_item(fake, list, &count, &(struct kbase_enum_item){.type = 0});
	return count;
}

int fake_kinstr_enum(struct fake_kbase *fake, struct kbase_enum_info *info)
{
	uint32_t count = enumerate(fake, NULL);
	if (!info->list) {
		info->item_size = stride_of(fake);
		info->item_count = count;
		return 0;
	}
	if (info->item_size != stride_of(fake) || info->item_count != count)
		return fake_refuse(EINVAL);
	enumerate(fake, (uint8_t *)(uintptr_t)info->list);
	return 0;
}

static bool take_request(struct fake_kbase *fake, const struct kbase_request *request)
{
	if (request->version)
		return false;
	if (request->type == KBASE_REQUEST_MODE) {
		fake->periodic = request->u.mode.mode == KBASE_MODE_PERIODIC;
		fake->period_ns = (uint32_t)request->u.mode.period_ns; /* as the driver keeps it */
		if (fake->periodic && !fake->period_ns)
			return false;
		if (fake->period_ns < PERIOD_MIN)
			fake->period_ns = PERIOD_MIN;
		return true;
	}
	if (request->type != KBASE_REQUEST_ENABLE || request->u.enable.set ||
	    request->u.enable.block >= MALI_KINDS)
		return false;
	fake->masks[request->u.enable.block][0] |= request->u.enable.mask[0];
	fake->masks[request->u.enable.block][1] |= request->u.enable.mask[1];
	return true;
}

/* Bytes of one slot of the ring: metadata, then values of each block. */
static size_t slot_bytes(const struct fake_kbase *fake)
{
	size_t blocks = fake_kbase_blocks(fake);
	return (blocks + 4) * meta_of(fake) + blocks * fake->slots * 8;
}

int fake_kinstr_setup(struct fake_kbase *fake, union kbase_setup *setup)
{
	const struct kbase_request *list = (const void *)(uintptr_t)setup->in.list;
	uint32_t count = setup->in.count;
	if (setup->in.item_size != sizeof(*list) || !count || count > 32 ||
	    list[count - 1].type != KBASE_REQUEST_NONE)
		return fake_refuse(EINVAL);
	if (fake->setup_errno)
		return fake_refuse(fake->setup_errno);
	memset(fake->masks, 0, sizeof(fake->masks));
	for (uint32_t i = 0; i + 1 < count; i++)
		if (!take_request(fake, &list[i]))
			return fake_refuse(EINVAL);
	free(fake->memory);
	fake->memory_size = FAKE_RING * slot_bytes(fake);
	fake->memory = calloc(1, fake->memory_size);
	if (!fake->memory)
		return fake_refuse(ENOMEM);
	fake->vinstr = false;
	fake->reader_fds++;
	fake->head = fake->used = 0;
	fake->next_sequence = 1;
	setup->out.item_size = meta_of(fake);
	setup->out.mmap_size = (uint32_t)fake->memory_size;
	return 0;
}

static void put_meta(const struct fake_kbase *fake, uint8_t **at, const struct kbase_meta *meta)
{
	memset(*at, 0xee, meta_of(fake)); /* what newer versions add behind */
	memcpy(*at, meta, meta_of(fake) < sizeof(*meta) ? meta_of(fake) : sizeof(*meta));
	*at += meta_of(fake);
}

static void put_blocks(struct fake_kbase *fake, const struct fake_sample *sample, uint8_t **at,
		       uint8_t *values)
{
	uint32_t contiguous = 0;
	for (uint32_t n = 0; n < fake_kbase_blocks(fake); n++) {
		enum mali_kind kind;
		uint32_t index;
		fake_kbase_block(fake, n, &kind, &index);
		fake_kbase_values(fake, kind, index, sample, (uint64_t *)values);
		struct kbase_meta meta = {.type = KBASE_META_BLOCK};
		meta.u.block.type = (uint8_t)kind;
		meta.u.block.index =
		    (uint8_t)(kind != MALI_CORE || fake->physical_cores ? index : contiguous);
		contiguous += kind == MALI_CORE;
		meta.u.block.state = fake->state;
		meta.u.block.offset = (uint32_t)(values - fake->memory);
		if (fake->bad_offset && (!fake->bad_sample || fake->bad_sample == sample->sequence))
			meta.u.block.offset = fake->bad_offset;
		put_meta(fake, at, &meta);
		values += fake->slots * 8;
	}
}

/* Writes the oldest sample into its slot of the memory that the client sees. */
static uint64_t render(struct fake_kbase *fake, const struct fake_sample *sample)
{
	uint8_t *begin = fake->memory + fake->head * slot_bytes(fake), *at = begin;
	uint8_t *values = begin + (fake_kbase_blocks(fake) + 4) * meta_of(fake);
	struct kbase_meta meta = {.type = KBASE_META_SAMPLE};
	meta.u.sample.begin_ns = sample->begin_ns;
	meta.u.sample.end_ns = sample->end_ns;
	meta.u.sample.sequence = sample->sequence;
	meta.u.sample.flags = sample->flags;
	put_meta(fake, &at, &meta);
	meta = (struct kbase_meta){.type = KBASE_META_CLOCK};
	meta.u.clock.domains = 2;
	put_meta(fake, &at, &meta);
	put_blocks(fake, sample, &at, values);
	meta = (struct kbase_meta){.type = KBASE_META_NONE};
	put_meta(fake, &at, &meta);
	return (uint64_t)(begin - fake->memory);
}

static int command(struct fake_kbase *fake, const struct kbase_cmd *cmd)
{
	switch (cmd->cmd) {
	case KBASE_CMD_START:
		if (!fake->running)
			fake->begin_ns = fake->now_ns;
		fake->running = true;
		return 0;
	case KBASE_CMD_STOP:
		if (!fake->running)
			return fake_refuse(EINVAL);
		fake->running = false;
		if (fake->empty_stop_sample)
			fake_kbase_emit(fake, 0);
		if (!fake->drops_stop_sample)
			fake_kbase_emit(fake, 0);
		return 0;
	case KBASE_CMD_SAMPLE_SYNC:
		if (!fake->running || fake->periodic)
			return fake_refuse(EINVAL);
		if (fake->used >= FAKE_RING - 1)
			return fake_refuse(EBUSY);
		fake_kbase_emit(fake, 0);
		return 0;
	default:
		return fake_refuse(EINVAL);
	}
}

int fake_kinstr_ioctl(struct fake_kbase *fake, unsigned long request, void *arg)
{
	struct kbase_access *access = arg;
	const struct fake_sample *oldest = &fake->ring[fake->head];
	switch (request) {
	case KBASE_KINSTR_CMD:
		return command(fake, arg);
	case KBASE_KINSTR_GET:
		if (!fake->used || fake->held)
			return fake_refuse(fake->held ? EBUSY : EINVAL);
		fake->held = true;
		access->offset = render(fake, oldest);
		access->sequence = oldest->sequence;
		return 0;
	case KBASE_KINSTR_PUT:
		if (!fake->held || access->sequence != oldest->sequence ||
		    access->offset != fake->head * slot_bytes(fake))
			return fake_refuse(EINVAL);
		fake->held = false;
		fake->head = (fake->head + 1) % FAKE_RING;
		fake->used--;
		return 0;
	default:
		return fake_refuse(ENOTTY);
	}
}
