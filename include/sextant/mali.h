/* Mali counter dumps: blocks of hardware memory in, a table of counters out. Pure, no device. */
#ifndef SEXTANT_MALI_H
#define SEXTANT_MALI_H

#include <sextant/catalog.h>
#include <sextant/table.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_mali_decoder;

/* The largest counts that a decoder accepts. */
#define SX_MALI_CORES_MAX  64
#define SX_MALI_SLICES_MAX 64

/*
 * The layout of a dump, and which counters are wanted. A dump holds little-endian values in blocks:
 * front-end, tiler, one block for each L2 slice, one for each shader core up to the highest one
 * present; the catalog gives the slots of a block.
 */
struct sx_mali_options {
	uint32_t value_bytes; /* 4 or 8 */
	uint32_t l2_slices;   /* from 1 */
	uint64_t core_mask;   /* bit n: core n is present; dumps also have blocks for absent cores
				 below the highest */
	/* A variant of the catalog or NULL: the first. In "summed", means become sums. */
	const char *variant;
	/* Names or aliases of the counters that are wanted; NULL: all that a dump holds. */
	const char *const *counters;
	uint32_t counter_count;
	/*
	 * Adds a column NAME[i] for each instance of a block with several (present cores, and
	 * slices), and for such a block BLOCK_imbalance: the maximum over the mean of the counter
	 * that its catalog tags "balance" (1: evenly loaded).
	 */
	bool instances;
};

/*
 * Creates a decoder of dumps by a Mali catalog, to which it keeps a reference. *out is owned by the
 * caller. Errors: SX_ERR_USAGE (impossible options, or a catalog without blocks of slots),
 * SX_ERR_NOT_FOUND (a counter or the variant), SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_mali_decoder_create(struct sx_catalog *catalog,
					     const struct sx_mali_options *options,
					     struct sx_mali_decoder **out, struct sx_error *err);
/* Releases a decoder; NULL is fine. Its tables stay. */
SX_API void sx_mali_decoder_destroy(struct sx_mali_decoder *decoder);

/*
 * Creates an empty table with the decoder's columns (kind SX_SAMPLE_DUMP). *out is owned by the
 * caller. Errors: SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_mali_table_create(const struct sx_mali_decoder *decoder,
					   struct sx_table **out, struct sx_error *err);

/*
 * Appends one row for each whole dump in `size` bytes to a table that this decoder created. A
 * counter with its enable bit off is not collected. A 32-bit value at its maximum carries
 * SX_QUALITY_WRAPPED, because the hardware saturates there. SX_INCOMPLETE when the remaining bytes
 * are no whole dump: all dumps before them are decoded. Errors: SX_ERR_NO_MEMORY. Thread-safe for
 * different tables.
 */
SX_API enum sx_status sx_mali_decode(const struct sx_mali_decoder *decoder, const uint8_t *data,
				     size_t size, struct sx_table *table, struct sx_error *err);

#ifdef __cplusplus
}
#endif

#endif
