/*
 * Mali identities: GPU_ID, features and core masks to a catalog's name and its constants; and raw
 * samples, built byte by byte, so that they are the same on every machine.
 */
#include "source/mali/mali.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/little.h"
#include "catalog/internal.h"

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

static size_t states_size(const struct mali_raw *raw)
{
	return (raw->blocks + 7u) / 8 * 8;
}

bool mali_raw_init(struct mali_raw *raw, uint32_t width, uint32_t slots, uint32_t slices,
		   uint64_t core_mask)
{
	*raw = (struct mali_raw){
	    .width = width, .slots = slots, .slices = slices, .core_mask = core_mask};
	if ((width != 4 && width != 8) || (slots != 64 && slots != 128) || !slices || slices > 64 ||
	    !core_mask)
		return false;
	raw->core_blocks = 64u - (uint32_t)__builtin_clzll(core_mask);
	raw->blocks = 2 + slices + raw->core_blocks;
	raw->size = MALI_RAW_HEAD + states_size(raw) + (size_t)raw->blocks * slots * width;
	raw->bytes = calloc(1, raw->size);
	if (!raw->bytes)
		return false;
	const uint32_t head[] = {MALI_RAW_MAGIC, 0, width, slots, slices, raw->blocks};
	for (uint32_t i = 0; i < 6; i++)
		little_put(raw->bytes + 4 * (size_t)i, head[i], 4);
	little_put(raw->bytes + 24, core_mask, 8);
	return true;
}

void mali_raw_finish(struct mali_raw *raw)
{
	free(raw->bytes);
	*raw = (struct mali_raw){0};
}

void mali_raw_clear(struct mali_raw *raw)
{
	little_put(raw->bytes + 4, 0, 4);
	memset(raw->bytes + MALI_RAW_HEAD, 0, raw->size - MALI_RAW_HEAD);
}

void mali_raw_set_failed(struct mali_raw *raw)
{
	little_put(raw->bytes + 4, MALI_RAW_FAILED, 4);
}

uint32_t mali_raw_block(const struct mali_raw *raw, enum mali_kind kind, uint32_t index)
{
	const uint32_t count[MALI_KINDS] = {1, 1, raw->slices, raw->core_blocks};
	const uint32_t first[MALI_KINDS] = {0, 1, 2, 2 + raw->slices};
	if ((unsigned)kind >= MALI_KINDS || index >= count[kind] ||
	    (kind == MALI_CORE && !(raw->core_mask >> index & 1)))
		return UINT32_MAX;
	return first[kind] + index;
}

void mali_raw_set_state(struct mali_raw *raw, uint32_t block, uint8_t state)
{
	raw->bytes[MALI_RAW_HEAD + block] = state;
}

uint8_t *mali_raw_dump(struct mali_raw *raw, size_t *size)
{
	size_t head = MALI_RAW_HEAD + states_size(raw);
	*size = raw->size - head;
	return raw->bytes + head;
}

void mali_raw_set(struct mali_raw *raw, uint32_t block, uint32_t slot, uint64_t value)
{
	size_t size;
	uint8_t *dump = mali_raw_dump(raw, &size);
	little_put(dump + ((size_t)block * raw->slots + slot) * raw->width, value, raw->width);
}

uint64_t mali_raw_get(const struct mali_raw *raw, uint32_t block, uint32_t slot)
{
	const uint8_t *at = raw->bytes + MALI_RAW_HEAD + states_size(raw) +
			    ((size_t)block * raw->slots + slot) * raw->width;
	return little_get(at, raw->width);
}
