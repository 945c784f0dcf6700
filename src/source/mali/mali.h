/*
 * What all Mali sources share: the identity of a Mali and its constants, raw samples, and the
 * self-test of invariants between counters of one block.
 */
#ifndef SOURCE_MALI_MALI_H
#define SOURCE_MALI_MALI_H

#include <sextant/catalog.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/source.h"
#include "wire/mali.h"

/* What identifies a Mali and shapes its dumps. Zero means that the driver did not report it. */
struct mali_id {
	uint64_t gpu_id, core_mask;
	uint32_t arch, product; /* major numbers; 0 and 0 on Midgard */
	uint32_t id;		/* as `match` has it under product_id */
	uint32_t slices, bus_bits, variant;
	uint64_t freq_khz_max;
};

/* What to open for a Mali, and what it is called; both empty when nothing describes it. */
struct mali_model_info {
	char catalog[64], name[64];
};

#define MALI_CONSTANTS_MAX 5

/* Splits a GPU_ID of either form, 32 or 64 bits. */
void mali_id_decode(uint64_t gpu_id, struct mali_id *out);
/* The bus width in bits from L2_FEATURES, and the slices from MEM_FEATURES. */
uint32_t mali_id_bus_bits(uint64_t l2_features);
uint32_t mali_id_slices(uint64_t mem_features);
/*
 * Finds what describes the Mali, by the catalogs' own matches with key product_id ("0xa004") or
 * arch_product ("10.4") for this driver. false when nothing does.
 */
bool mali_id_find(struct sx_context *catalogs, const struct mali_id *id, const char *driver,
		  struct mali_model_info *out);
/* The catalog or product with the nearest arch_product; false when there is none. */
bool mali_id_nearest(struct sx_context *catalogs, const struct mali_id *id,
		     struct mali_model_info *out);
/* Slots of a counter block by architecture. */
uint32_t mali_id_slots(const struct mali_id *id);
/* Fills constants that are known; returns how many. */
uint32_t mali_id_constants(const struct mali_id *id, struct sx_constant_value *out);

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

struct mali_relations;

/* Resolves the relations by a catalog; NULL when memory is out. */
struct mali_relations *mali_relations_create(const struct sx_catalog *catalog);
void mali_relations_destroy(struct mali_relations *relations);

/* What checking found so far. Zero-initialise. */
struct mali_outcome {
	uint32_t samples, checked, failed;
	uint32_t counted; /* checks in which a counter was not 0: the others prove nothing */
};

/*
 * Checks one dump, each present block by itself. `slack` is the share by which a side may be off
 * (the slots of a block are not read in one instant). *out grows.
 */
void mali_relations_check(struct mali_relations *relations, const struct mali_raw *raw,
			  double slack, struct mali_outcome *out);
/* Says each relation that failed once, with its first numbers; returns how many did. */
uint32_t mali_relations_report(const struct mali_relations *relations, const struct note_sink *to);

/*
 * The self-test of an opened source that builds its samples in `raw`: samples and checks, by the
 * catalog of that name. *to gets findings and a summary. SX_INCOMPLETE when a relation failed or
 * no sample came; errors of the source otherwise.
 */
enum sx_status mali_selftest(struct source *source, const struct mali_raw *raw, const char *catalog,
			     double slack, const struct note_sink *to, struct sx_error *err);

#endif
