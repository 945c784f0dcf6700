/* Mali dumps between source, decoder and tests: the raw sample's head, and what a decoder is. */
#ifndef DECODE_MALI_H
#define DECODE_MALI_H

#include <sextant/mali.h>
#include "source/raw.h"

/*
 * The data of a RAW_MALI sample: this head (little endian, no padding), one state byte for each
 * block, zeros up to a multiple of 8, then the dump in the layout of struct sx_mali_options.
 *   0 u32 magic   4 u32 flags   8 u32 value bytes   12 u32 slots of a block
 *  16 u32 L2 slices   20 u32 blocks   24 u64 core mask
 */
#define MALI_RAW_MAGIC	0x694c4d53u /* "SMLi" */
#define MALI_RAW_WIDTH	8u
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

/* Kinds of block in the order of a dump; also their codes in the catalog. */
enum mali_kind { MALI_FRONT_END, MALI_TILER, MALI_MEMORY, MALI_CORE, MALI_KINDS };

/* Header slots of every block. */
enum { MALI_SLOT_TIME_LOW, MALI_SLOT_TIME_HIGH, MALI_SLOT_ENABLE, MALI_SLOT_RESERVED };
#define MALI_HEADER_SLOTS 4

/* One column that is filled from dumps. */
struct mali_field {
	uint32_t column;
	uint32_t instance; /* SX_NONE: reduced over all */
	uint8_t kind;	   /* enum mali_kind */
	uint8_t slot;
	uint8_t reduce; /* enum sx_reduce; SX_REDUCE_RATIO is largest over mean */
	bool f64;
	uint64_t scale;
};

struct mali_layout {
	uint32_t value_bytes, slots, slices, core_blocks, cores, blocks;
	uint64_t core_mask;
	size_t dump_bytes;
	uint32_t first[MALI_KINDS]; /* index of the first block of a kind */
	uint32_t count[MALI_KINDS]; /* present instances of a kind */
	/* Index of each present instance's block in a dump. */
	uint16_t block_of[MALI_KINDS][SX_MALI_CORES_MAX];
};

struct sx_mali_decoder {
	struct sx_catalog *catalog;
	struct mali_layout layout;
	struct mali_field *fields;
	uint32_t field_count;
	struct sx_column *columns; /* names are owned */
	uint32_t column_count;
};

/* Fills a layout; false when a number is out of its range. */
bool mali_layout_init(struct mali_layout *layout, uint32_t value_bytes, uint32_t slots,
		      uint32_t slices, uint64_t core_mask);

/*
 * Appends the row of one raw sample, with its times, states and flags. SX_INCOMPLETE when it is no
 * Mali sample or of another layout than the decoder's. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status mali_decode_sample(const struct sx_mali_decoder *decoder,
				  const struct raw_sample *sample, struct sx_table *table,
				  struct sx_error *err);

#endif
