/* Building raw Mali samples, byte by byte, so that they are the same on every machine. */
#include "source/mali/raw.h"
#include "base/little.h"

#include <stdlib.h>
#include <string.h>

static size_t states_size(const struct mali_raw *raw)
{
	return (raw->blocks + 7u) / 8 * 8;
}

bool mali_raw_init(struct mali_raw *raw, uint32_t width, uint32_t slots, uint32_t slices,
		   uint64_t core_mask)
{
	*raw = (struct mali_raw){
	    .width = width, .slots = slots, .slices = slices, .core_mask = core_mask};
	if ((width != 4 && width != 8) || (slots != 64 && slots != 128) || !slices || slices > 64 ||
	    !core_mask)
		return false;
	raw->core_blocks = 64u - (uint32_t)__builtin_clzll(core_mask);
	raw->blocks = 2 + slices + raw->core_blocks;
	raw->size = MALI_RAW_HEAD + states_size(raw) + (size_t)raw->blocks * slots * width;
	raw->bytes = calloc(1, raw->size);
	if (!raw->bytes)
		return false;
	const uint32_t head[] = {MALI_RAW_MAGIC, 0, width, slots, slices, raw->blocks};
	for (uint32_t i = 0; i < 6; i++)
		little_put(raw->bytes + 4 * (size_t)i, head[i], 4);
	little_put(raw->bytes + 24, core_mask, 8);
	return true;
}

void mali_raw_finish(struct mali_raw *raw)
{
	free(raw->bytes);
	*raw = (struct mali_raw){0};
}

void mali_raw_clear(struct mali_raw *raw)
{
	little_put(raw->bytes + 4, 0, 4);
	memset(raw->bytes + MALI_RAW_HEAD, 0, raw->size - MALI_RAW_HEAD);
}

void mali_raw_set_failed(struct mali_raw *raw)
{
	little_put(raw->bytes + 4, MALI_RAW_FAILED, 4);
}

uint32_t mali_raw_block(const struct mali_raw *raw, enum mali_kind kind, uint32_t index)
{
	const uint32_t count[MALI_KINDS] = {1, 1, raw->slices, raw->core_blocks};
	const uint32_t first[MALI_KINDS] = {0, 1, 2, 2 + raw->slices};
	if ((unsigned)kind >= MALI_KINDS || index >= count[kind] ||
	    (kind == MALI_CORE && !(raw->core_mask >> index & 1)))
		return UINT32_MAX;
	return first[kind] + index;
}

void mali_raw_set_state(struct mali_raw *raw, uint32_t block, uint8_t state)
{
	raw->bytes[MALI_RAW_HEAD + block] = state;
}

uint8_t *mali_raw_dump(struct mali_raw *raw, size_t *size)
{
	size_t head = MALI_RAW_HEAD + states_size(raw);
	*size = raw->size - head;
	return raw->bytes + head;
}

void mali_raw_set(struct mali_raw *raw, uint32_t block, uint32_t slot, uint64_t value)
{
	size_t size;
	uint8_t *dump = mali_raw_dump(raw, &size);
	little_put(dump + ((size_t)block * raw->slots + slot) * raw->width, value, raw->width);
}

uint64_t mali_raw_get(const struct mali_raw *raw, uint32_t block, uint32_t slot)
{
	const uint8_t *at = raw->bytes + MALI_RAW_HEAD + states_size(raw) +
			    ((size_t)block * raw->slots + slot) * raw->width;
	return little_get(at, raw->width);
}
