/* The one form in which every Mali source hands over a dump, and its decoder reads it. */
#ifndef SOURCE_MALI_RAW_H
#define SOURCE_MALI_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A RAW_MALI sample: this head (little endian, no padding), one state byte for each block, zeros up
 * to a multiple of 8, then the dump in the layout of struct sx_mali_options.
 *   0 u32 magic   4 u32 flags   8 u32 value bytes   12 u32 slots of a block
 *  16 u32 L2 slices   20 u32 blocks   24 u64 core mask
 */
#define MALI_RAW_MAGIC	0x694c4d53u /* "SMLi" */
#define MALI_RAW_WIDTH	8u	    /* where the bytes of a value stand */
#define MALI_RAW_HEAD	32u
#define MALI_RAW_FAILED (1u << 0) /* the driver says that the sample is wrong: no data in it */

/* State of a block during a sample, as kbase tells it; 0 is unknown and taken as counting. */
enum mali_state {
	MALI_STATE_ON = 1 << 0,
	MALI_STATE_OFF = 1 << 1,
	MALI_STATE_AVAILABLE = 1 << 2,
	MALI_STATE_UNAVAILABLE = 1 << 3,
	MALI_STATE_NORMAL = 1 << 4,
	MALI_STATE_PROTECTED = 1 << 5,
};

/* Kinds of block in the order of a dump; also their codes in the catalogs and in kbase. */
enum mali_kind { MALI_FRONT_END, MALI_TILER, MALI_MEMORY, MALI_CORE, MALI_KINDS };

/* Header slots of every block. Bit n of the enable slot covers slots 4n to 4n + 3. */
enum { MALI_SLOT_TIME_LOW, MALI_SLOT_TIME_HIGH, MALI_SLOT_ENABLE, MALI_SLOT_RESERVED };
#define MALI_HEADER_SLOTS 4

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
/* The dump itself, to be filled as a whole. */
uint8_t *mali_raw_dump(struct mali_raw *raw, size_t *size);

#endif
