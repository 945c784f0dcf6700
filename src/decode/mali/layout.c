/* Prepares the decoding of Mali dumps: where blocks lie, and which column each counter fills. */
#include "decode/mali/mali.h"
#include "base/error.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 160

bool mali_layout_init(struct mali_layout *layout, uint32_t value_bytes, uint32_t slots,
		      uint32_t slices, uint64_t core_mask)
{
	*layout = (struct mali_layout){
	    .value_bytes = value_bytes, .slots = slots, .slices = slices, .core_mask = core_mask};
	if ((value_bytes != 4 && value_bytes != 8) || (slots != 64 && slots != 128) || !slices ||
	    slices > SX_MALI_SLICES_MAX || !core_mask)
		return false;
	layout->core_blocks = 64u - (uint32_t)__builtin_clzll(core_mask);
	layout->cores = (uint32_t)__builtin_popcountll(core_mask);
	layout->blocks = 2 + slices + layout->core_blocks;
	layout->dump_bytes = (size_t)layout->blocks * slots * value_bytes;
	uint32_t in_order[MALI_KINDS] = {1, 1, slices, layout->core_blocks}, block = 0;
	for (uint32_t kind = 0; kind < MALI_KINDS; kind++) {
		layout->first[kind] = block;
		for (uint32_t i = 0; i < in_order[kind]; i++, block++)
			if (kind != MALI_CORE || core_mask >> i & 1)
				layout->block_of[kind][layout->count[kind]++] = (uint16_t)block;
	}
	return true;
}

/* The decoder while it is built. */
struct build {
	struct sx_mali_decoder *decoder;
	const struct sx_counter_info *counters;
	const struct sx_block_info *blocks;
	uint32_t counter_count, block_count;
	bool sums; /* the variant sums what the guide averages */
	size_t field_cap, column_cap;
	struct sx_error *err;
};

static bool has_tag(const struct sx_counter_info *counter, const char *tag)
{
	for (uint32_t i = 0; i < counter->tags.count; i++)
		if (!strcmp(counter->tags.items[i], tag))
			return true;
	return false;
}

/* The kind of block that a counter lives in, or MALI_KINDS when dumps do not hold it. */
static uint32_t kind_of(const struct build *build, const struct sx_counter_info *counter)
{
	if (counter->block == SX_NONE || counter->slot == SX_NONE)
		return MALI_KINDS;
	const struct sx_block_info *block = &build->blocks[counter->block];
	if (block->slots != build->decoder->layout.slots || counter->slot >= block->slots ||
	    counter->slot < MALI_HEADER_SLOTS || block->code >= MALI_KINDS)
		return MALI_KINDS;
	return block->code;
}

static enum sx_status add_column(struct build *build, struct mali_field field,
				 struct sx_column column)
{
	struct sx_mali_decoder *decoder = build->decoder;
	if (!mem_grow(&decoder->fields, &build->field_cap, decoder->field_count + 1,
		      sizeof(*decoder->fields)) ||
	    !mem_grow(&decoder->columns, &build->column_cap, decoder->column_count + 1,
		      sizeof(*decoder->columns)))
		return error_nomem(build->err, "a Mali decoder");
	column.name = strdup(column.name);
	if (!column.name)
		return error_nomem(build->err, "a Mali decoder");
	field.column = decoder->column_count;
	decoder->fields[decoder->field_count++] = field;
	decoder->columns[decoder->column_count++] = column;
	return SX_OK;
}

static enum sx_status add_imbalance(struct build *build, const struct sx_counter_info *counter,
				    uint32_t kind)
{
	char name[NAME_MAX_BYTES];
	snprintf(name, sizeof(name), "%.128s_imbalance", build->blocks[counter->block].name);
	for (char *p = name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	struct mali_field field = {.instance = SX_NONE,
				   .kind = (uint8_t)kind,
				   .slot = (uint8_t)counter->slot,
				   .reduce = SX_REDUCE_RATIO,
				   .f64 = true,
				   .scale = 1};
	struct sx_column column = {
	    .name = name, .unit = "ratio", .type = SX_F64, .over_time = SX_REDUCE_MEAN};
	return add_column(build, field, column);
}

static enum sx_status add_instances(struct build *build, const struct sx_counter_info *counter,
				    uint32_t kind)
{
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; status == SX_OK && i < build->decoder->layout.count[kind]; i++) {
		char name[NAME_MAX_BYTES];
		snprintf(name, sizeof(name), "%.128s[%u]", counter->name, (unsigned)i);
		struct mali_field field = {.instance = i,
					   .kind = (uint8_t)kind,
					   .slot = (uint8_t)counter->slot,
					   .reduce = SX_REDUCE_SUM,
					   .scale = counter->scale};
		struct sx_column column = {
		    .name = name, .unit = counter->unit, .over_time = counter->over_time};
		status = add_column(build, field, column);
	}
	return status;
}

static enum sx_status add_counter(struct build *build, const struct sx_counter_info *counter,
				  bool instances)
{
	uint32_t kind = kind_of(build, counter);
	if (kind == MALI_KINDS)
		return SX_OK;
	enum sx_reduce reduce = counter->reduce;
	if (reduce == SX_REDUCE_MEAN && build->sums)
		reduce = SX_REDUCE_SUM;
	enum sx_status status = SX_OK;
	if (reduce != SX_REDUCE_EACH) {
		struct mali_field field = {.instance = SX_NONE,
					   .kind = (uint8_t)kind,
					   .slot = (uint8_t)counter->slot,
					   .reduce = (uint8_t)reduce,
					   .f64 = reduce == SX_REDUCE_MEAN,
					   .scale = counter->scale};
		struct sx_column column = {.name = counter->name,
					   .unit = counter->unit,
					   .type = field.f64 ? SX_F64 : SX_U64,
					   .over_time = counter->over_time};
		status = add_column(build, field, column);
	}
	bool several = kind == MALI_MEMORY || kind == MALI_CORE;
	if (status == SX_OK && several && (instances || reduce == SX_REDUCE_EACH))
		status = add_instances(build, counter, kind);
	if (status == SX_OK && several && instances && has_tag(counter, "balance"))
		status = add_imbalance(build, counter, kind);
	return status;
}

/* Marks the wanted counters in `wanted`. */
static enum sx_status mark_wanted(const struct build *build, const struct sx_mali_options *options,
				  bool *wanted)
{
	for (uint32_t i = 0; i < build->counter_count; i++)
		wanted[i] = !options->counters;
	for (uint32_t i = 0; options->counters && i < options->counter_count; i++) {
		uint32_t at = sx_catalog_find_counter(build->decoder->catalog, options->counters[i],
						      SX_NONE, NULL);
		if (at == SX_NONE) {
			error_set(build->err, SX_ERR_NOT_FOUND, "no Mali counter is named \"%s\"",
				  options->counters[i]);
			error_try(build->err, "sextant list counters --for %s",
				  sx_catalog_info(build->decoder->catalog)->name);
			return SX_ERR_NOT_FOUND;
		}
		wanted[at] = true;
	}
	return SX_OK;
}

static enum sx_status add_counters(struct build *build, const struct sx_mali_options *options)
{
	bool *wanted = calloc(build->counter_count + 1, sizeof(*wanted));
	if (!wanted)
		return error_nomem(build->err, "a Mali decoder");
	enum sx_status status = mark_wanted(build, options, wanted);
	for (uint32_t i = 0; status == SX_OK && i < build->counter_count; i++)
		if (wanted[i])
			status = add_counter(build, &build->counters[i], options->instances);
	free(wanted);
	return status;
}

static enum sx_status init_layout(struct build *build, const struct sx_mali_options *options)
{
	uint32_t slots = 0;
	for (uint32_t i = 0; i < build->block_count; i++)
		if (build->blocks[i].code < MALI_KINDS && build->blocks[i].slots > slots)
			slots = build->blocks[i].slots;
	if (mali_layout_init(&build->decoder->layout, options->value_bytes, slots,
			     options->l2_slices, options->core_mask))
		return SX_OK;
	error_set(build->err, SX_ERR_USAGE,
		  "no Mali dump has %u-byte values, %u slots, %u slices "
		  "and cores 0x%llx",
		  options->value_bytes, slots, options->l2_slices,
		  (unsigned long long)options->core_mask);
	error_try(build->err, "give the constants l2_slices and shader_core_mask of the device");
	return SX_ERR_USAGE;
}

static enum sx_status find_variant(struct build *build, const char *variant)
{
	const struct sx_catalog_info *info = sx_catalog_info(build->decoder->catalog);
	if (!variant)
		return SX_OK;
	for (uint32_t i = 0; i < info->variant_count; i++) {
		if (strcmp(info->variants[i].name, variant))
			continue;
		build->sums = !strcmp(variant, "summed");
		return SX_OK;
	}
	return error_set(build->err, SX_ERR_NOT_FOUND, "%s has no variant \"%s\"", info->name,
			 variant);
}

enum sx_status sx_mali_decoder_create(struct sx_catalog *catalog,
				      const struct sx_mali_options *options,
				      struct sx_mali_decoder **out, struct sx_error *err)
{
	struct build build = {.decoder = calloc(1, sizeof(*build.decoder)), .err = err};
	if (!build.decoder)
		return error_nomem(err, "a Mali decoder");
	build.decoder->catalog = sx_catalog_ref(catalog);
	build.counters = sx_catalog_counters(catalog, &build.counter_count);
	build.blocks = sx_catalog_blocks(catalog, &build.block_count);
	enum sx_status status = init_layout(&build, options);
	if (status == SX_OK)
		status = find_variant(&build, options->variant);
	if (status == SX_OK)
		status = add_counters(&build, options);
	if (status != SX_OK) {
		sx_mali_decoder_destroy(build.decoder);
		return status;
	}
	*out = build.decoder;
	return SX_OK;
}

void sx_mali_decoder_destroy(struct sx_mali_decoder *decoder)
{
	if (!decoder)
		return;
	for (uint32_t i = 0; i < decoder->column_count; i++)
		free((char *)decoder->columns[i].name);
	free(decoder->columns);
	free(decoder->fields);
	sx_catalog_unref(decoder->catalog);
	free(decoder);
}

size_t mali_dump_size(const struct sx_mali_decoder *decoder)
{
	return decoder->layout.dump_bytes;
}

enum sx_status sx_mali_table_create(const struct sx_mali_decoder *decoder, struct sx_table **out,
				    struct sx_error *err)
{
	return sx_table_create(decoder->columns, decoder->column_count, SX_SAMPLE_DUMP, out, err);
}
