/* Mali dumps and raw samples of any content: the first bytes choose the device, the rest is data.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "decode/mali/mali.h"
#include "fuzz.h"

static struct sx_catalog *open_catalog(bool big)
{
	struct sx_context *context = NULL;
	struct sx_catalog *catalog = NULL;
	if (sx_context_create(NULL, &context, NULL) != SX_OK ||
	    sx_catalog_open(context, big ? "mali-g625" : "mali-g310", &catalog, NULL) != SX_OK)
		abort();
	sx_context_destroy(context);
	return catalog;
}

static void decode_dumps(struct sx_catalog *catalog, const struct sx_mali_options *options,
			 const uint8_t *data, size_t size)
{
	struct sx_mali_decoder *decoder = NULL;
	struct sx_table *table = NULL;
	struct sx_error err;
	if (sx_mali_decoder_create(catalog, options, &decoder, &err) != SX_OK)
		return;
	if (sx_mali_table_create(decoder, &table, &err) == SX_OK) {
		enum sx_status status = sx_mali_decode(decoder, data, size, table, &err);
		if ((status != SX_OK && status != SX_INCOMPLETE) ||
		    sx_table_row_count(table) != size / mali_dump_size(decoder))
			abort();
	}
	sx_table_destroy(table);
	sx_mali_decoder_destroy(decoder);
}

/* The same bytes as a raw sample; the head is made right so that the rest is reached. */
static void decode_raw(struct sx_catalog *catalog, const struct sx_mali_options *options,
		       const uint8_t *data, size_t size)
{
	const struct sx_constant_value constants[] = {
	    {"l2_slices", options->l2_slices}, {"shader_core_mask", (double)options->core_mask}};
	struct decoder_setup setup = {.catalog = catalog,
				      .constants = constants,
				      .constant_count = 2,
				      .instances = options->instances};
	const struct decoder_ops *ops = decode_find(RAW_MALI);
	struct decoder *decoder = NULL;
	struct sx_error err;
	if (ops->create(&setup, &decoder, &err) != SX_OK)
		return;
	struct sx_table *table = NULL;
	if (decoder_table(decoder, &table, &err) != SX_OK)
		abort();
	struct raw_sample raw = {.kind = RAW_MALI, .data = data, .size = size};
	enum sx_status status = ops->feed(decoder, &raw, table, &err);
	if (status != SX_OK && status != SX_INCOMPLETE)
		abort();
	sx_table_destroy(table);
	ops->destroy(decoder);
}

/* A raw sample of the options' layout, filled with the input again and again, cut or not. */
static void feed_raw(struct sx_catalog *catalog, const struct sx_mali_options *options,
		     const uint8_t *data, size_t size)
{
	struct mali_layout layout;
	uint32_t slots = !strcmp(sx_catalog_info(catalog)->name, "mali-g625") ? 128 : 64;
	if (!mali_layout_init(&layout, options->value_bytes, slots, options->l2_slices,
			      options->core_mask))
		return;
	size_t whole = MALI_RAW_HEAD + (layout.blocks + 7u) / 8 * 8 + layout.dump_bytes;
	size_t length = data[0] & 8 ? size % whole : whole;
	uint8_t *copy = malloc(length + !length);
	if (!copy)
		return;
	const uint32_t words[] = {MALI_RAW_MAGIC,
				  data[0] >> 4,
				  options->value_bytes,
				  slots,
				  options->l2_slices,
				  layout.blocks,
				  (uint32_t)options->core_mask,
				  (uint32_t)(options->core_mask >> 32)};
	for (size_t i = 0; i < length; i++) {
		if (i < MALI_RAW_HEAD)
			copy[i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
		else
			copy[i] = data[i % size];
	}
	decode_raw(catalog, options, copy, length);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sx_catalog *catalogs[2];
	if (size < 6)
		return 0;
	bool big = data[0] & 1;
	if (!catalogs[big])
		catalogs[big] = open_catalog(big);
	struct sx_mali_options options = {.value_bytes = data[0] & 2 ? 8 : 4,
					  .l2_slices = data[1] % 8,
					  .core_mask = data[2] | (uint64_t)data[3] << 8,
					  .instances = data[0] & 4};
	/* A block of its own size, so that a sanitizer sees any byte read beyond it. */
	uint8_t *copy = malloc(size - 4);
	if (!copy)
		return 0;
	memcpy(copy, data + 4, size - 4);
	decode_dumps(catalogs[big], &options, copy, size - 4);
	feed_raw(catalogs[big], &options, copy, size - 4);
	free(copy);
	return 0;
}
