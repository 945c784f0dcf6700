/* Mali identities: GPU_ID, features and core masks to a catalog's name and its constants. */
#include "source/mali/id.h"

#include <stdio.h>
#include <string.h>

/* A quick way to the catalogs that are always there; a test holds it against their matches. */
static const struct {
	uint32_t arch, product;
	const char *catalog, *name;
} models[] = {
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

const char *mali_id_nearest(const struct mali_id *id)
{
	return id->arch <= 11 ? "mali-g310" : "mali-g625";
}

static void take(struct mali_model_info *out, const char *catalog, const char *name)
{
	snprintf(out->catalog, sizeof(out->catalog), "%s", catalog);
	snprintf(out->name, sizeof(out->name), "%s", name);
}

static bool matches(const struct sx_catalog_info *info, const struct mali_id *id,
		    const char *driver)
{
	char product[32], pair[32];
	snprintf(product, sizeof(product), "0x%x%03x", id->arch, id->product);
	snprintf(pair, sizeof(pair), "%u.%u", id->arch, id->product);
	for (uint32_t i = 0; i < info->match_count; i++) {
		const struct sx_match_info *m = &info->matches[i];
		if (strcmp(m->driver, driver) != 0)
			continue;
		if ((!strcmp(m->key, "product_id") && !strcmp(m->value, product)) ||
		    (!strcmp(m->key, "arch_product") && !strcmp(m->value, pair)))
			return true;
	}
	return false;
}

/* A catalog that somebody added; one that cannot be read is none. */
static bool search(struct sx_context *catalogs, const struct mali_id *id, const char *driver,
		   struct mali_model_info *out)
{
	size_t count = 0;
	bool found = false;
	const char *const *names = catalogs ? sx_catalog_names(catalogs, &count) : NULL;
	for (size_t i = 0; names && !found && i < count; i++) {
		struct sx_catalog *catalog = NULL;
		if (sx_catalog_open(catalogs, names[i], &catalog, NULL) != SX_OK)
			continue;
		const struct sx_catalog_info *info = sx_catalog_info(catalog);
		found = matches(info, id, driver);
		if (found)
			take(out, info->name, info->title);
		sx_catalog_unref(catalog);
	}
	return found;
}

bool mali_id_find(struct sx_context *catalogs, const struct mali_id *id, const char *driver,
		  struct mali_model_info *out)
{
	*out = (struct mali_model_info){0};
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (models[i].arch == id->arch && models[i].product == id->product) {
			take(out, models[i].catalog, models[i].name);
			return true;
		}
	return search(catalogs, id, driver, out);
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
