/*
 * Mali dumps to rows. Blocks of a kind are first added slot by slot into one line of sums, several
 * dumps at a time, and then written to columns; rows with anything unusual are then set one by one.
 */
#include "decode/mali/mali.h"
#include "base/error.h"
#include "base/little.h"
#include "table/fill.h"

#include <string.h>

#define TILE	  16			 /* dumps reduced before columns are written */
#define LINE	  (MALI_KINDS * 128 + 8) /* sums of one dump; the 8 keep lines off one cache set */
#define BIG_VALUE (UINT64_C(1) << 56)	 /* up to 64 such values fit a sum */

/* A deviation of a row that the fast path cannot write. */
struct oddity {
	bool any;
	uint32_t enabled[MALI_KINDS]; /* groups of four slots that every instance counted */
};

struct tile {
	const uint8_t *data;
	uint32_t dumps;
	uint64_t sums[TILE][LINE];
	struct oddity odd[TILE];
};

/* Adds a block of 32-bit values; true when one is at its maximum. */
static inline bool add32(uint64_t *restrict sums, const uint8_t *restrict data, uint32_t slots)
{
	uint32_t top = 0;
	for (uint32_t i = 0; i < slots; i++) {
		uint32_t value = little_u32(data + 4 * (size_t)i);
		sums[i] += value;
		top |= value == UINT32_MAX;
	}
	return top;
}

/* Adds a block of 64-bit values; true when one is so large that sums may not hold. */
static inline bool add64(uint64_t *restrict sums, const uint8_t *restrict data, uint32_t slots)
{
	uint64_t all = 0;
	for (uint32_t i = 0; i < slots; i++) {
		uint64_t value = little_u64(data + 8 * (size_t)i);
		sums[i] += value;
		all |= value;
	}
	return all >= BIG_VALUE;
}

/* The trip count is a constant in each branch, so that the loops are vectorised. */
static bool add_block(const struct mali_layout *layout, uint64_t *sums, const uint8_t *data)
{
	/* The timestamps in slots 0 and 1 may be anything: they are no counts. */
	if (layout->value_bytes == 4)
		return layout->slots == 64 ? add32(sums + 4, data + 16, 60)
					   : add32(sums + 4, data + 16, 124);
	return layout->slots == 64 ? add64(sums + 4, data + 32, 60)
				   : add64(sums + 4, data + 32, 124);
}

static const uint8_t *block_at(const struct mali_layout *layout, const uint8_t *dump,
			       uint32_t block)
{
	return dump + (size_t)block * layout->slots * layout->value_bytes;
}

static uint64_t value_at(const struct mali_layout *layout, const uint8_t *dump, uint32_t block,
			 uint32_t slot)
{
	const uint8_t *data = block_at(layout, dump, block);
	return layout->value_bytes == 4 ? little_u32(data + 4 * (size_t)slot)
					: little_u64(data + 8 * (size_t)slot);
}

static void reduce_dump(const struct mali_layout *layout, const uint8_t *dump, uint64_t *sums,
			struct oddity *odd)
{
	uint32_t every = layout->slots == 64 ? 0xffff : UINT32_MAX;
	memset(sums, 0, LINE * sizeof(*sums));
	odd->any = false;
	for (uint32_t kind = 0; kind < MALI_KINDS; kind++) {
		uint32_t enabled = every;
		for (uint32_t i = 0; i < layout->count[kind]; i++) {
			uint32_t block = layout->block_of[kind][i];
			odd->any |=
			    add_block(layout, sums + kind * 128, block_at(layout, dump, block));
			enabled &= (uint32_t)value_at(layout, dump, block, MALI_SLOT_ENABLE);
		}
		odd->enabled[kind] = enabled;
		odd->any |= enabled != every;
	}
}

/* Quality of one instance's value by the state of its block. */
static uint8_t state_quality(uint8_t state)
{
	bool off = state & MALI_STATE_OFF && !(state & MALI_STATE_ON);
	bool gone = state & MALI_STATE_UNAVAILABLE && !(state & MALI_STATE_AVAILABLE);
	bool hidden = state & MALI_STATE_PROTECTED && !(state & MALI_STATE_NORMAL);
	if (off || gone || hidden)
		return SX_QUALITY_GAP;
	return state & (MALI_STATE_PROTECTED | MALI_STATE_UNAVAILABLE) ? SX_QUALITY_LOST : 0;
}

/* One dump with what is known of it. */
struct dump {
	const uint8_t *data;
	const uint8_t *states; /* one a block, or NULL: unknown */
	uint8_t quality;       /* of every value */
};

/* A core that was off did no work, so the others still make the total; hidden work is missing. */
static bool merely_off(uint8_t state)
{
	return state & MALI_STATE_OFF && !(state & MALI_STATE_ON) &&
	       !(state & (MALI_STATE_PROTECTED | MALI_STATE_UNAVAILABLE));
}

/* The careful way: one field of one dump, instance by instance. */
struct reduction {
	uint64_t sum, max;
	uint32_t present, off;
	uint8_t quality;
};

static void reduce_instance(const struct mali_layout *layout, const struct mali_field *field,
			    const struct dump *dump, uint32_t instance, struct reduction *into)
{
	uint32_t block = layout->block_of[field->kind][instance];
	uint8_t state = dump->states ? dump->states[block] : 0;
	uint64_t enabled = value_at(layout, dump->data, block, MALI_SLOT_ENABLE);
	into->present++;
	if (merely_off(state)) {
		into->off++;
		return;
	}
	into->quality |= state_quality(state);
	if (!(enabled >> (field->slot / 4) & 1))
		into->quality |= SX_QUALITY_NOT_COLLECTED;
	uint64_t value = value_at(layout, dump->data, block, field->slot);
	if (layout->value_bytes == 4 && value == UINT32_MAX)
		into->quality |= SX_QUALITY_WRAPPED;
	if (__builtin_add_overflow(into->sum, value, &into->sum))
		into->quality |= SX_QUALITY_WRAPPED;
	into->max = value > into->max ? value : into->max;
}

static struct reduction reduce_field(const struct mali_layout *layout,
				     const struct mali_field *field, const struct dump *dump)
{
	struct reduction out = {.quality = dump->quality};
	if (field->instance != SX_NONE) {
		reduce_instance(layout, field, dump, field->instance, &out);
	} else {
		for (uint32_t i = 0; i < layout->count[field->kind]; i++)
			reduce_instance(layout, field, dump, i, &out);
	}
	if (out.off == out.present)
		out.quality |= SX_QUALITY_GAP;
	return out;
}

static double ratio_of(const struct reduction *from)
{
	return (double)from->max * from->present / (double)from->sum; /* 0 of 0 is no data */
}

static void set_field(const struct sx_mali_decoder *decoder, const struct mali_field *field,
		      const struct dump *dump, struct sx_table *table, size_t row)
{
	struct reduction got = reduce_field(&decoder->layout, field, dump);
	uint64_t whole = field->reduce == SX_REDUCE_MAX ? got.max : got.sum;
	uint64_t scaled;
	if (__builtin_mul_overflow(whole, field->scale, &scaled))
		got.quality |= SX_QUALITY_WRAPPED;
	if (field->reduce == SX_REDUCE_RATIO)
		sx_table_set_f64(table, field->column, row, ratio_of(&got), got.quality);
	else if (field->reduce == SX_REDUCE_MEAN)
		sx_table_set_f64(table, field->column, row,
				 (double)got.sum * (double)field->scale / got.present, got.quality);
	else if (field->f64)
		sx_table_set_f64(table, field->column, row, (double)scaled, got.quality);
	else
		sx_table_set_u64(table, field->column, row, scaled, got.quality);
}

static void set_row(const struct sx_mali_decoder *decoder, const struct dump *dump,
		    struct sx_table *table, size_t row)
{
	for (uint32_t i = 0; i < decoder->field_count; i++)
		set_field(decoder, &decoder->fields[i], dump, table, row);
}

/* True when a field's value follows from the sums. */
static bool from_sums(const struct mali_field *field)
{
	return field->instance == SX_NONE && field->reduce != SX_REDUCE_MAX &&
	       field->reduce != SX_REDUCE_RATIO;
}

static void write_sums(const struct mali_layout *layout, const struct mali_field *field,
		       const struct tile *tile, void *data)
{
	uint32_t dumps = tile->dumps;
	uint32_t at = field->kind * 128u + field->slot;
	if (field->f64) {
		bool mean = field->reduce == SX_REDUCE_MEAN;
		double by = mean ? layout->count[field->kind] : 1, *to = data;
		for (uint32_t i = 0; i < dumps; i++)
			to[i] = (double)tile->sums[i][at] * (double)field->scale / by;
		return;
	}
	uint64_t *to = data;
	for (uint32_t i = 0; i < dumps; i++)
		to[i] = tile->sums[i][at] * field->scale;
}

/* Writes the rows of one tile into the table, from its row `row` on. */
static void write_tile(const struct sx_mali_decoder *decoder, const struct tile *tile,
		       struct sx_table *table, size_t row)
{
	const struct mali_layout *layout = &decoder->layout;
	const uint8_t *data = tile->data;
	uint32_t dumps = tile->dumps;
	for (uint32_t i = 0; i < decoder->field_count; i++) {
		const struct mali_field *field = &decoder->fields[i];
		uint8_t *column = table_data(table, field->column);
		if (column && from_sums(field)) {
			write_sums(layout, field, tile, column + row * sizeof(uint64_t));
			continue;
		}
		for (uint32_t k = 0; k < dumps; k++) {
			struct dump dump = {.data = data + k * layout->dump_bytes};
			set_field(decoder, field, &dump, table, row + k);
		}
	}
	for (uint32_t k = 0; k < dumps; k++) {
		struct dump dump = {.data = data + k * layout->dump_bytes};
		if (tile->odd[k].any)
			set_row(decoder, &dump, table, row + k);
	}
}

/* Makes the rows valid beforehand; odd ones are set again. */
static enum sx_status begin_rows(const struct sx_mali_decoder *decoder, struct sx_table *table,
				 size_t count, size_t *first, struct sx_error *err)
{
	enum sx_status status = sx_table_add_rows(table, count, first, err);
	for (uint32_t i = 0; status == SX_OK && i < decoder->field_count; i++)
		status = table_fill_quality(table, decoder->fields[i].column,
					    (struct row_span){*first, count}, 0, err);
	return status;
}

enum sx_status sx_mali_decode(const struct sx_mali_decoder *decoder, const uint8_t *data,
			      size_t size, struct sx_table *table, struct sx_error *err)
{
	const struct mali_layout *layout = &decoder->layout;
	size_t dumps = size / layout->dump_bytes, row;
	if (sx_table_column_count(table) != decoder->column_count)
		return error_set(err, SX_ERR_USAGE, "the table is not of this Mali decoder");
	enum sx_status status = begin_rows(decoder, table, dumps, &row, err);
	if (status != SX_OK)
		return status;
	struct tile tile;
	for (size_t done = 0; done < dumps; done += TILE) {
		uint32_t now = dumps - done < TILE ? (uint32_t)(dumps - done) : TILE;
		const uint8_t *at = data + done * layout->dump_bytes;
		for (uint32_t i = 0; i < now; i++)
			reduce_dump(layout, at + i * layout->dump_bytes, tile.sums[i],
				    &tile.odd[i]);
		tile.data = at;
		tile.dumps = now;
		write_tile(decoder, &tile, table, row + done);
	}
	status = sx_table_add_rows(table, 0, NULL, err); /* fails when a value got no memory */
	size_t rest = size % layout->dump_bytes;
	if (status || !rest)
		return status;
	error_set(err, SX_INCOMPLETE, "%zu bytes after dump %zu are no whole dump", rest, dumps);
	error_because(err, "a dump has %zu bytes: %u blocks of %u values", layout->dump_bytes,
		      layout->blocks, layout->slots);
	error_try(err, "check l2_slices, shader_core_mask and the width of values (u32 or u64)");
	return SX_INCOMPLETE;
}

static enum sx_status check_raw(const struct mali_layout *layout, const struct raw_sample *sample,
				struct sx_error *err)
{
	const uint8_t *data = sample->data;
	if (sample->kind != RAW_MALI || sample->size < MALI_RAW_HEAD ||
	    little_u32(data) != MALI_RAW_MAGIC) {
		error_set(err, SX_INCOMPLETE, "a raw sample is no Mali dump");
		return SX_INCOMPLETE;
	}
	size_t states = (layout->blocks + 7u) / 8 * 8;
	if (little_u32(data + MALI_RAW_WIDTH) == layout->value_bytes &&
	    little_u32(data + 12) == layout->slots && little_u32(data + 16) == layout->slices &&
	    little_u32(data + 20) == layout->blocks && little_u64(data + 24) == layout->core_mask &&
	    sample->size == MALI_RAW_HEAD + states + layout->dump_bytes)
		return SX_OK;
	error_set(err, SX_INCOMPLETE, "a Mali dump has another layout than its device");
	error_because(err, "it has %u blocks of %u values, %u of %u were expected",
		      (unsigned)little_u32(data + 20), (unsigned)little_u32(data + 12),
		      layout->blocks, layout->slots);
	error_try(err, "report this with the output of sextant doctor");
	return SX_INCOMPLETE;
}

enum sx_status mali_decode_sample(const struct sx_mali_decoder *decoder,
				  const struct raw_sample *sample, struct sx_table *table,
				  struct sx_error *err)
{
	const struct mali_layout *layout = &decoder->layout;
	size_t row;
	enum sx_status status = check_raw(layout, sample, err);
	if (status == SX_OK)
		status = begin_rows(decoder, table, 1, &row, err);
	if (status != SX_OK)
		return status;
	struct dump dump = {.states = sample->data + MALI_RAW_HEAD};
	dump.data = dump.states + (layout->blocks + 7u) / 8 * 8;
	if (little_u32(sample->data + 4) & MALI_RAW_FAILED)
		dump.quality |= SX_QUALITY_GAP;
	if (sample->flags & RAW_STRETCHED)
		dump.quality |= SX_QUALITY_STRETCHED;
	if (sample->flags & RAW_LOST)
		dump.quality |= SX_QUALITY_LOST;
	set_row(decoder, &dump, table, row);
	sx_table_set_time(table, row, sample->begin_ns, sample->end_ns);
	return SX_OK;
}
