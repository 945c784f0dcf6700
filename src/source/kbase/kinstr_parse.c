/* What kinstr_prfcnt hands over, read with suspicion: enumeration lists and samples. */
#include "source/kbase/kbase.h"

#include <string.h>

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

/* The driver's memory, and where in it the metadata of one sample begin. */
struct sample_place {
	const uint8_t *map;
	size_t map_size;
	uint64_t offset;
};

static bool meta_at(const struct kbase *k, const struct sample_place *in, uint32_t item,
		    struct kbase_meta *out)
{
	size_t stride = k->u.kinstr.meta_size, at;
	if (__builtin_add_overflow(in->offset, (uint64_t)stride * item, &at) || at > in->map_size ||
	    in->map_size - at < stride)
		return false;
	memset(out, 0, sizeof(*out));
	memcpy(out, in->map + at, stride < sizeof(*out) ? stride : sizeof(*out));
	return true;
}

/* Which cores the driver reports: some number them without the holes, as they should, some not. */
static bool survey(const struct kbase *k, const struct sample_place *in, struct seen *seen)
{
	*seen = (struct seen){.has_sample = false};
	for (uint32_t i = 0; i < META_MAX; i++) {
		struct kbase_meta meta;
		if (!meta_at(k, in, i, &meta))
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

static bool copy_block(struct kbase *k, const uint8_t *map, size_t map_size, uint32_t block,
		       const struct kbase_meta *meta)
{
	uint32_t kind = meta->u.block.type, values = k->u.kinstr.values[kind];
	size_t from = meta->u.block.offset, size = (size_t)values * 8;
	if (from > map_size || map_size - from < size)
		return false;
	uint32_t slots = values < k->raw.slots ? values : k->raw.slots;
	uint64_t enabled = k->groups[kind];
	for (uint32_t i = 0; i < slots; i++) {
		uint64_t value;
		memcpy(&value, map + from + 8 * (size_t)i, sizeof(value));
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

bool kinstr_parse_sample(struct kbase *k, const uint8_t *map, size_t map_size, uint64_t offset,
			 struct raw_sample *out)
{
	const struct sample_place in = {map, map_size, offset};
	struct seen seen;
	struct kbase_meta meta;
	if (!survey(k, &in, &seen))
		return false;
	mali_raw_clear(&k->raw);
	for (uint32_t i = 0; meta_at(k, &in, i, &meta); i++) {
		if (meta.type == KBASE_META_NONE)
			break;
		if (meta.type != KBASE_META_BLOCK)
			continue;
		uint32_t block = block_of(k, &seen, &meta);
		if (block != UINT32_MAX && !copy_block(k, map, map_size, block, &meta))
			return false;
	}
	take_sample(k, &seen.sample, out);
	return true;
}
