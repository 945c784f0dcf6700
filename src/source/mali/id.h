/* Which Mali a GPU_ID means, and what the driver's properties say of it as catalog constants. */
#ifndef SOURCE_MALI_ID_H
#define SOURCE_MALI_ID_H

#include "source/source.h"

/* What identifies a Mali and shapes its dumps. Zero means that the driver did not tell. */
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
/* The catalog or product whose arch_product is nearest; false when there is none. */
bool mali_id_nearest(struct sx_context *catalogs, const struct mali_id *id,
		     struct mali_model_info *out);
/* Slots of a counter block by architecture. */
uint32_t mali_id_slots(const struct mali_id *id);
/* Fills constants that are known; returns how many. */
uint32_t mali_id_constants(const struct mali_id *id, struct sx_constant_value *out);

#endif
