/* Which Mali a GPU_ID means, and what the driver's properties say of it as catalog constants. */
#ifndef SOURCE_MALI_ID_H
#define SOURCE_MALI_ID_H

#include "source/source.h"

/* What identifies a Mali and shapes its dumps. Zero means that the driver did not tell. */
struct mali_id {
	uint64_t gpu_id, core_mask;
	uint32_t arch, product; /* major numbers */
	uint32_t slices, bus_bits, variant;
	uint64_t freq_khz_max;
};

/* A Mali that a catalog describes. */
struct mali_model_info {
	uint32_t arch, product;
	const char *catalog, *name;
};

#define MALI_CONSTANTS_MAX 5

/* Splits a GPU_ID of either form, 32 or 64 bits. */
void mali_id_decode(uint64_t gpu_id, struct mali_id *out);
/* The bus width in bits from L2_FEATURES, and the slices from MEM_FEATURES. */
uint32_t mali_id_bus_bits(uint64_t l2_features);
uint32_t mali_id_slices(uint64_t mem_features);
/* The model that it is, or NULL; *nearest receives the one to compare with, never NULL. */
const struct mali_model_info *mali_id_find(const struct mali_id *id,
					   const struct mali_model_info **nearest);
/* Slots of a counter block by architecture. */
uint32_t mali_id_slots(const struct mali_id *id);
/* Fills constants that are known; returns how many. */
uint32_t mali_id_constants(const struct mali_id *id, struct source_constant *out);

#endif
