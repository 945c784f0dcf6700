/* What the files of the Mali decoder share: the layout of dumps, and which columns they fill. */
#ifndef DECODE_MALI_H
#define DECODE_MALI_H

#include <sextant/mali.h>
#include "wire/mali.h"
#include "wire/raw.h"

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

/* Bytes of one dump, from 256. Thread-safe. */
size_t mali_dump_size(const struct sx_mali_decoder *decoder);

#endif
