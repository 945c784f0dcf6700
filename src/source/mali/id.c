/* Mali identities: GPU_ID, features and core masks to a catalog's name and its constants. */
#include "source/mali/id.h"
#include "catalog/internal.h"

#include <stdio.h>
#include <string.h>

void mali_id_decode(uint64_t gpu_id, struct mali_id *out)
{
	out->gpu_id = gpu_id;
	if ((gpu_id >> 28 & 0xf) == 0xf) {
		out->arch = (uint32_t)(gpu_id >> 56);
		out->product = (uint32_t)(gpu_id >> 32 & 0xff);
		out->id = out->arch << 12 | out->product;
		return;
	}
	/* Midgard's ids are whole numbers without an architecture in them. */
	uint32_t old = (uint32_t)(gpu_id >> 16 & 0xffff);
	if (old < 0x1000 || old == 0x6956) {
		out->id = old;
		return;
	}
	out->arch = (uint32_t)(gpu_id >> 28 & 0xf);
	out->product = (uint32_t)(gpu_id >> 16 & 0xf);
	out->id = out->arch << 12 | out->product;
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

/* How far a rule "ARCHITECTURE.PRODUCT" is from a Mali; UINT32_MAX when it is no such rule. */
static uint32_t distance(const struct sx_match_info *rule, const struct mali_id *id)
{
	unsigned arch, product;
	if (strcmp(rule->key, "arch_product") != 0 ||
	    sscanf(rule->value, "%3u.%3u", &arch, &product) != 2)
		return UINT32_MAX;
	uint32_t far = arch > id->arch ? arch - id->arch : id->arch - arch;
	uint32_t near = product > id->product ? product - id->product : id->product - product;
	return far << 8 | (near & 0xff);
}

bool mali_id_nearest(struct sx_context *catalogs, const struct mali_id *id,
		     struct mali_model_info *out)
{
	size_t count = 0;
	uint32_t best = UINT32_MAX;
	const struct sx_catalog_info *const *heads =
	    catalogs ? sx_catalog_heads(catalogs, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		for (uint32_t m = 0; m < heads[i]->match_count; m++) {
			const struct sx_match_info *rule = &heads[i]->matches[m];
			uint32_t far = distance(rule, id);
			if (far >= best)
				continue;
			best = far;
			snprintf(out->catalog, sizeof(out->catalog), "%s",
				 rule->product == SX_NONE ? heads[i]->name
							  : heads[i]->products[rule->product].name);
		}
	return best != UINT32_MAX;
}

bool mali_id_find(struct sx_context *catalogs, const struct mali_id *id, const char *driver,
		  struct mali_model_info *out)
{
	char product[32], pair[32];
	struct match_found found;
	*out = (struct mali_model_info){0};
	snprintf(product, sizeof(product), "0x%04x", id->id);
	snprintf(pair, sizeof(pair), "%u.%u", id->arch, id->product);
	const struct match_query queries[] = {{driver, "product_id", product},
					      {driver, "arch_product", pair}};
	if (!catalogs || !match_device(catalogs, queries, id->arch ? 2 : 1, &found))
		return false;
	snprintf(out->catalog, sizeof(out->catalog), "%.*s", (int)sizeof(out->catalog) - 1,
		 found.name);
	snprintf(out->name, sizeof(out->name), "%.*s", (int)sizeof(out->name) - 1, found.title);
	return true;
}

uint32_t mali_id_slots(const struct mali_id *id)
{
	return id->arch <= 10 ? 64 : 128;
}

static uint32_t add(struct sx_constant_value *out, uint32_t at, const char *name, double value)
{
	if (value == 0)
		return at;
	out[at] = (struct sx_constant_value){name, value};
	return at + 1;
}

uint32_t mali_id_constants(const struct mali_id *id, struct sx_constant_value *out)
{
	uint32_t count = 0;
	count = add(out, count, "MaliConstantsBusWidthBits", id->bus_bits);
	count = add(out, count, "MaliConstantsL2SliceCount", id->slices);
	count =
	    add(out, count, "MaliConstantsShaderCoreCount", __builtin_popcountll(id->core_mask));
	count = add(out, count, "shader_core_mask", (double)id->core_mask);
	return add(out, count, "gpu_max_clock_hz", (double)id->freq_khz_max * 1e3);
}
