/* Writing payloads, field by field as docs/capture-format.md lists them. */
#include "capture/format/payload.h"

static void put_each_property(struct bytes *out, const struct sx_capture_property *properties,
			      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		bytes_string(out, properties[i].name);
		bytes_string(out, properties[i].value);
	}
}

/* The set goes first, once. */
static void put_device_properties(struct bytes *out, const struct sx_capture_device *device)
{
	bool has = device->facts.set && !sx_capture_property(device, "set");
	bytes_u32(out, device->property_count + has);
	if (has) {
		bytes_string(out, "set");
		bytes_string(out, device->facts.set);
	}
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
