/* Building the raw samples that every Mali source hands over. */
#ifndef SOURCE_MALI_RAW_H
#define SOURCE_MALI_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/mali.h"

/* A raw sample that is being built; the bytes are reused for the next. */
struct mali_raw {
	uint8_t *bytes;
	size_t size;
	uint32_t width, slots, slices, core_blocks, blocks;
	uint64_t core_mask;
};

/* Allocates and writes the head. false: an impossible layout, or memory is out. */
bool mali_raw_init(struct mali_raw *raw, uint32_t width, uint32_t slots, uint32_t slices,
		   uint64_t core_mask);
void mali_raw_finish(struct mali_raw *raw);
/* Zeroes flags, states and values: a block that is not filled then counts nothing. */
void mali_raw_clear(struct mali_raw *raw);
void mali_raw_set_failed(struct mali_raw *raw);
/* Index of a block, cores by their physical number; UINT32_MAX when there is none. */
uint32_t mali_raw_block(const struct mali_raw *raw, enum mali_kind kind, uint32_t index);
void mali_raw_set_state(struct mali_raw *raw, uint32_t block, uint8_t state);
void mali_raw_set(struct mali_raw *raw, uint32_t block, uint32_t slot, uint64_t value);
uint64_t mali_raw_get(const struct mali_raw *raw, uint32_t block, uint32_t slot);
/* The dump itself, to be filled as a whole. */
uint8_t *mali_raw_dump(struct mali_raw *raw, size_t *size);

#endif
