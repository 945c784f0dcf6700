/* Mali identities: GPU_ID, features and core masks to a catalog's name and its constants. */
#include "source/mali_id.h"

#include <stdio.h>
#include <string.h>

static const struct mali_model_info models[] = {
    {10, 4, "mali-g310", "Mali-G310"},
    {13, 1, "mali-g625", "Mali-G625"},
};

void mali_id_decode(uint64_t gpu_id, struct mali_id *out)
{
	out->gpu_id = gpu_id;
	if ((gpu_id >> 28 & 0xf) == 0xf) {
		out->arch = (uint32_t)(gpu_id >> 56);
		out->product = (uint32_t)(gpu_id >> 32 & 0xff);
		return;
	}
	out->arch = (uint32_t)(gpu_id >> 28 & 0xf);
	out->product = (uint32_t)(gpu_id >> 16 & 0xf);
}

uint32_t mali_id_bus_bits(uint64_t l2_features)
{
	uint64_t log2 = l2_features >> 24 & 0xff;
	return log2 >= 3 && log2 <= 12 ? 1u << log2 : 0;
}

uint32_t mali_id_slices(uint64_t mem_features)
{
	return (uint32_t)(mem_features >> 8 & 0xf) + 1;
}

const struct mali_model_info *mali_id_find(const struct mali_id *id,
					   const struct mali_model_info **nearest)
{
	*nearest = id->arch <= 11 ? &models[0] : &models[1];
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (models[i].arch == id->arch && models[i].product == id->product)
			return &models[i];
	return NULL;
}

uint32_t mali_id_slots(const struct mali_id *id)
{
	return id->arch <= 10 ? 64 : 128;
}

static uint32_t add(struct source_constant *out, uint32_t at, const char *name, double value)
{
	if (value == 0)
		return at;
	snprintf(out[at].name, sizeof(out[at].name), "%s", name);
	out[at].value = value;
	return at + 1;
}

uint32_t mali_id_constants(const struct mali_id *id, struct source_constant *out)
{
	uint32_t count = 0;
	count = add(out, count, "MaliConstantsBusWidthBits", id->bus_bits);
	count = add(out, count, "MaliConstantsL2SliceCount", id->slices);
	count =
	    add(out, count, "MaliConstantsShaderCoreCount", __builtin_popcountll(id->core_mask));
	count = add(out, count, "shader_core_mask", (double)id->core_mask);
	return add(out, count, "gpu_max_clock_hz", (double)id->freq_khz_max * 1e3);
}
