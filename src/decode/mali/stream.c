/* RAW_MALI samples of a source to rows: the decoder interface over the decoding of dumps. */
#include "decode/decode.h"
#include "decode/mali/mali.h"
#include "base/error.h"
#include "catalog/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct decoder_ops decode_mali;

struct mali_stream {
	struct decoder base;
	struct sx_mali_decoder *widths[2]; /* of 32-bit and of 64-bit values; equal columns */
};

/* A constant by name or alias; false when it was not given or is no whole number. */
static bool constant_of(const struct decoder_setup *setup, const char *name, uint64_t *out)
{
	const struct sx_constant_value *given =
	    constants_given(setup->catalog, sx_catalog_find_constant(setup->catalog, name),
			    &(struct constants_list){setup->constants, setup->constant_count});
	if (!given || !(given->value >= 0 && given->value < 0x1p64))
		return false;
	*out = (uint64_t)given->value;
	return true;
}

static enum sx_status need(struct sx_error *err, const char *name)
{
	error_set(err, SX_ERR_USAGE, "Mali dumps cannot be read without the constant %s", name);
	error_because(err, "it says how many blocks a dump has");
	error_try(err, "--const %s=VALUE", name);
	return SX_ERR_USAGE;
}

static enum sx_status options_of(const struct decoder_setup *setup, struct sx_mali_options *out,
				 struct sx_error *err)
{
	uint64_t slices, cores;
	*out = (struct sx_mali_options){.variant = setup->variant, .instances = setup->instances};
	if (!constant_of(setup, "l2_slices", &slices))
		return need(err, "l2_slices");
	out->l2_slices = slices > UINT32_MAX ? UINT32_MAX : (uint32_t)slices;
	if (constant_of(setup, "shader_core_mask", &out->core_mask))
		return SX_OK;
	if (!constant_of(setup, "shader_cores", &cores))
		return need(err, "shader_core_mask");
	if (cores <= SX_MALI_CORES_MAX)
		out->core_mask = cores == 64 ? UINT64_MAX : (UINT64_C(1) << cores) - 1;
	return SX_OK;
}

/*
 * The counter behind one wanted name, which may have an instance part anywhere ("NAME[3]"); NULL
 * when the catalog does not know it. *instance says whether there was such a part.
 */
static const char *plain_name(const struct sx_catalog *catalog, const char *name, bool *instance)
{
	char plain[160];
	const char *open = strchr(name, '['), *end = open ? strchr(open, ']') : NULL;
	*instance = end != NULL;
	if (end)
		snprintf(plain, sizeof(plain), "%.*s%s", (int)(open - name), name, end + 1);
	uint32_t count, at = sx_catalog_find_counter(catalog, end ? plain : name, SX_NONE, NULL);
	return at == SX_NONE ? NULL : sx_catalog_counters(catalog, &count)[at].name;
}

/* A selection may name counters of other sources too: only a Mali's are used. */
static enum sx_status choose_counters(const struct decoder_setup *setup,
				      struct sx_mali_options *options, const char ***names,
				      struct sx_error *err)
{
	*names = NULL;
	if (!setup->counters)
		return SX_OK;
	*names = calloc(setup->counter_count + 1, sizeof(**names));
	if (!*names)
		return error_nomem(err, "a Mali decoder");
	options->counters = *names;
	options->counter_count = 0;
	for (uint32_t i = 0; i < setup->counter_count; i++) {
		bool instance;
		const char *name = plain_name(setup->catalog, setup->counters[i], &instance);
		if (!name)
			continue;
		(*names)[options->counter_count++] = name;
		options->instances |= instance;
	}
	return SX_OK;
}

static void mali_destroy(struct decoder *decoder)
{
	struct mali_stream *stream = (struct mali_stream *)decoder;
	sx_mali_decoder_destroy(stream->widths[0]);
	sx_mali_decoder_destroy(stream->widths[1]);
	free(stream);
}

static enum sx_status mali_create(const struct decoder_setup *setup, struct decoder **out,
				  struct sx_error *err)
{
	struct mali_stream *stream = calloc(1, sizeof(*stream));
	if (!stream)
		return error_nomem(err, "a Mali decoder");
	stream->base.ops = &decode_mali;
	struct sx_mali_options options;
	const char **names = NULL;
	enum sx_status status = options_of(setup, &options, err);
	if (status == SX_OK)
		status = choose_counters(setup, &options, &names, err);
	for (uint32_t i = 0; status == SX_OK && i < 2; i++) {
		options.value_bytes = i ? 8 : 4;
		status = sx_mali_decoder_create(setup->catalog, &options, &stream->widths[i], err);
	}
	free(names);
	if (status != SX_OK) {
		mali_destroy(&stream->base);
		return status;
	}
	const struct sx_mali_decoder *any = stream->widths[0];
	stream->base.columns = any->columns;
	stream->base.column_count = any->column_count;
	stream->base.kind = SX_SAMPLE_TIME;
	*out = &stream->base;
	return SX_OK;
}

static enum sx_status mali_feed(struct decoder *decoder, const struct raw_sample *raw,
				struct sx_table *table, struct sx_error *err)
{
	struct mali_stream *stream = (struct mali_stream *)decoder;
	bool wide = raw->size > MALI_RAW_WIDTH && raw->data[MALI_RAW_WIDTH] == 8;
	return mali_decode_sample(stream->widths[wide], raw, table, err);
}

const struct decoder_ops decode_mali = {
    .name = "mali",
    .kind = RAW_MALI,
    .create = mali_create,
    .feed = mali_feed,
    .destroy = mali_destroy,
};
