/*
 * Payloads of records. Reading checks every count against the bytes that are left before memory is
 * allocated.
 */
#include <stdlib.h>
#include <string.h>

#include "base/device_texts.h"
#include "capture/format/chunk.h"

static void put_each_property(struct bytes *out, const struct sx_capture_property *properties,
			      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		bytes_string(out, properties[i].name);
		bytes_string(out, properties[i].value);
	}
}

/* Texts that are kept go first, each once. */
static void put_device_properties(struct bytes *out, const struct sx_capture_device *device)
{
#define KEPT(text) {#text, sx_capture_property(device, #text) ? NULL : device->facts.text},
	struct sx_capture_property kept[] = {DEVICE_TEXTS_KEPT(KEPT)};
#undef KEPT
	uint32_t count = 0;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (kept[i].value)
			kept[count++] = kept[i];
	bytes_u32(out, device->property_count + count);
	put_each_property(out, kept, count);
	put_each_property(out, device->properties, device->property_count);
}

void payload_put_head(struct bytes *out, uint64_t created_ns,
		      const struct sx_capture_property *properties, uint32_t count)
{
	bytes_u64(out, created_ns);
	bytes_u32(out, count);
	put_each_property(out, properties, count);
}

static void put_column(struct bytes *out, const struct sx_column *column, uint8_t bits)
{
	bytes_string(out, column->name);
	bytes_string(out, column->unit);
	bytes_u8(out, column->type == SX_F64);
	bytes_u8(out, (uint8_t)column->over_time);
	bytes_u8(out, bits);
	bytes_string(out, column->why);
}

void payload_put_device(struct bytes *out, const struct sx_capture_device *device)
{
	bytes_string(out, device->catalog);
	bytes_u64(out, device->catalog_hash);
	bytes_string(out, device->facts.source);
	bytes_string(out, device->facts.name);
	bytes_string(out, device->facts.driver);
	bytes_u8(out, (uint8_t)device->kind);
	bytes_u8(out, (uint8_t)(device->facts.simulated | device->encloses_work << 1));
	bytes_string(out, device->facts.clock ? device->facts.clock : "monotonic");
	bytes_u64(out, device->clock_error_ns);
	bytes_u64(out, device->interval_ns);
	bytes_u32(out, device->facts.constant_count);
	for (uint32_t i = 0; i < device->facts.constant_count; i++) {
		bytes_string(out, device->facts.constants[i].name);
		bytes_f64(out, device->facts.constants[i].value);
	}
	bytes_u32(out, device->column_count);
	for (uint32_t i = 0; i < device->column_count; i++)
		put_column(out, &device->columns[i], device->bits ? device->bits[i] : 64);
	put_device_properties(out, device);
}

void payload_put_mark(struct bytes *out, const struct sx_capture_mark *mark)
{
	bytes_u64(out, mark->begin_ns);
	bytes_u64(out, mark->end_ns);
	bytes_u64(out, mark->lost);
	bytes_u8(out, mark->by_writer);
	bytes_string(out, mark->text);
}

void payload_put_clocks(struct bytes *out, const struct sx_capture_clock *clocks, uint32_t count)
{
	bytes_u32(out, count);
	for (uint32_t i = 0; i < count; i++) {
		bytes_string(out, clocks[i].name);
		bytes_u64(out, clocks[i].value_ns);
		bytes_u64(out, clocks[i].error_ns);
	}
}

void payload_put_index(struct bytes *out, const struct entry *entries, size_t count)
{
	bytes_u32(out, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		bytes_u64(out, entries[i].offset);
		bytes_u8(out, entries[i].type);
		bytes_u16(out, entries[i].device);
		bytes_u32(out, entries[i].sequence);
		bytes_u32(out, entries[i].rows);
		bytes_u64(out, entries[i].begin_ns);
		bytes_u64(out, entries[i].end_ns);
	}
}

/* The smallest sizes of repeated parts, which bound what a count may claim. */
enum { PROPERTY_MIN = 4, CONSTANT_MIN = 10, COLUMN_MIN = 9, CLOCK_MIN = 18 };

static uint32_t get_count(struct cursor *cursor, size_t item_min)
{
	uint32_t count = cursor_u32(cursor);
	if (count > cursor_left(cursor) / item_min)
		cursor->failed = true;
	return cursor->failed ? 0 : count;
}

static void *get_array(struct cursor *cursor, struct arena *arena, uint32_t count, size_t size)
{
	void *array = arena_alloc(arena, (count ? count : 1) * size);
	if (!array)
		cursor->failed = cursor->no_memory = true;
	return array;
}

static const struct sx_capture_property *get_properties(struct cursor *in, struct arena *arena,
							uint32_t *count)
{
	*count = get_count(in, PROPERTY_MIN);
	struct sx_capture_property *list = get_array(in, arena, *count, sizeof(*list));
	for (uint32_t i = 0; i < *count && !in->failed; i++) {
		list[i].name = cursor_string(in, arena);
		list[i].value = cursor_string(in, arena);
	}
	return list;
}

static enum sx_status outcome(const struct cursor *cursor)
{
	if (cursor->no_memory)
		return SX_ERR_NO_MEMORY;
	return cursor->failed ? SX_ERR_BAD_INPUT : SX_OK;
}

enum sx_status payload_get_head(const uint8_t *data, size_t size, struct arena *arena,
				struct sx_capture_info *out)
{
	struct cursor in = {.at = data, .end = data + size};
	uint64_t created_ns = cursor_u64(&in);
	uint32_t count;
	const struct sx_capture_property *properties = get_properties(&in, arena, &count);
	if (in.failed)
		return outcome(&in);
	out->created_ns = created_ns;
	out->properties = properties;
	out->property_count = count;
	return SX_OK;
}

static void get_constants(struct cursor *in, struct arena *arena, struct sx_capture_device *out)
{
	uint32_t count = get_count(in, CONSTANT_MIN);
	struct sx_constant_value *constants = get_array(in, arena, count, sizeof(*constants));
	for (uint32_t i = 0; i < count && !in->failed; i++) {
		constants[i].name = cursor_string(in, arena);
		constants[i].value = cursor_f64(in);
	}
	out->facts.constants = constants;
	out->facts.constant_count = count;
}

static void get_column(struct cursor *in, struct arena *arena, struct sx_column *column,
		       uint8_t *bits)
{
	column->name = cursor_string(in, arena);
	column->unit = cursor_string(in, arena);
	uint8_t type = cursor_u8(in), over_time = cursor_u8(in);
	*bits = cursor_u8(in);
	const char *why = cursor_string(in, arena);
	if (type > 1 || over_time > SX_REDUCE_RATIO || *bits < 1 || *bits > 64)
		in->failed = true;
	column->type = type ? SX_F64 : SX_U64;
	column->over_time = (enum sx_reduce)over_time;
	column->why = *why ? why : NULL;
}

static void get_columns(struct cursor *in, struct arena *arena, struct sx_capture_device *out)
{
	uint32_t count = get_count(in, COLUMN_MIN);
	if (count > CAPTURE_COLUMNS_MAX)
		in->failed = true;
	if (in->failed)
		return;
	struct sx_column *columns = get_array(in, arena, count, sizeof(*columns));
	uint8_t *bits = get_array(in, arena, count, 1);
	for (uint32_t i = 0; i < count && !in->failed; i++)
		get_column(in, arena, &columns[i], &bits[i]);
	out->columns = columns;
	out->bits = bits;
	out->column_count = count;
}

const char *sx_capture_property(const struct sx_capture_device *device, const char *name)
{
	for (uint32_t i = 0; i < device->property_count; i++)
		if (strcmp(device->properties[i].name, name) == 0)
			return device->properties[i].value;
	return NULL;
}

enum sx_status payload_get_device(const uint8_t *data, size_t size, struct arena *arena,
				  struct sx_capture_device *out)
{
	struct cursor in = {.at = data, .end = data + size};
	*out = (struct sx_capture_device){0};
	out->catalog = cursor_string(&in, arena);
	out->catalog_hash = cursor_u64(&in);
	out->facts.source = cursor_string(&in, arena);
	out->facts.name = cursor_string(&in, arena);
	out->facts.driver = cursor_string(&in, arena);
	uint8_t kind = cursor_u8(&in), flags = cursor_u8(&in);
	out->kind = (enum sx_sample_kind)kind;
	out->facts.simulated = flags & 1;
	out->encloses_work = flags >> 1 & 1;
	out->facts.clock = cursor_string(&in, arena);
	out->clock_error_ns = cursor_u64(&in);
	out->interval_ns = cursor_u64(&in);
	get_constants(&in, arena, out);
	get_columns(&in, arena, out);
	if (!in.failed && cursor_left(&in)) /* since version 1.1 */
		out->properties = get_properties(&in, arena, &out->property_count);
#define KEPT(text) out->facts.text = in.failed ? NULL : sx_capture_property(out, #text);
	DEVICE_TEXTS_KEPT(KEPT)
#undef KEPT
	in.failed |= kind >= SX_SAMPLE_KINDS;
	return outcome(&in);
}

enum sx_status payload_get_mark(const uint8_t *data, size_t size, struct arena *arena,
				struct sx_capture_mark *out)
{
	struct cursor in = {.at = data, .end = data + size};
	out->begin_ns = cursor_u64(&in);
	out->end_ns = cursor_u64(&in);
	out->lost = cursor_u64(&in);
	out->by_writer = cursor_u8(&in) == 1;
	out->text = cursor_string(&in, arena);
	return outcome(&in);
}

enum sx_status payload_get_clocks(const uint8_t *data, size_t size, struct arena *arena,
				  struct sx_capture_clock *out, uint32_t *count)
{
	struct cursor in = {.at = data, .end = data + size};
	*count = get_count(&in, CLOCK_MIN);
	if (*count > CAPTURE_CLOCKS_MAX)
		return SX_ERR_BAD_INPUT;
	for (uint32_t i = 0; i < *count && !in.failed; i++) {
		out[i].name = cursor_string(&in, arena);
		out[i].value_ns = cursor_u64(&in);
		out[i].error_ns = cursor_u64(&in);
	}
	return outcome(&in);
}

enum sx_status payload_get_index(const uint8_t *data, size_t size, struct entry **entries,
				 size_t *count)
{
	struct cursor in = {.at = data, .end = data + size};
	uint32_t n = get_count(&in, CAPTURE_ENTRY_SIZE);
	if (in.failed)
		return SX_ERR_BAD_INPUT;
	struct entry *list = calloc(n ? n : 1, sizeof(*list));
	if (!list)
		return SX_ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n; i++) {
		list[i].offset = cursor_u64(&in);
		list[i].type = cursor_u8(&in);
		list[i].device = cursor_u16(&in);
		list[i].sequence = cursor_u32(&in);
		list[i].rows = cursor_u32(&in);
		list[i].begin_ns = cursor_u64(&in);
		list[i].end_ns = cursor_u64(&in);
	}
	*entries = list;
	*count = n;
	return SX_OK;
}
