/* The recorder's own records: version, device, topology, correlation; read and written. */
#include "wire/oa/oa.h"
#include "base/error.h"

#include <string.h>

#define VERSION_PAYLOAD 8

/* Copies a fixed field that ought to end in NUL; cuts it when it does not. */
static void copy_field(char *out, size_t size, const uint8_t *from)
{
	memcpy(out, from, size);
	out[size - 1] = '\0';
}

enum sx_status oa_device_read(const uint8_t *payload, size_t size, struct sx_oa_device *device,
			      struct sx_error *err)
{
	if (size < OA_DEVICE_PAYLOAD) {
		error_set(err, SX_ERR_BAD_INPUT, "device record is too short");
		error_because(err, "it has %zu bytes, %d are needed", size, OA_DEVICE_PAYLOAD);
		return SX_ERR_BAD_INPUT;
	}
	device->timestamp_hz = little_u64(payload);
	device->device_id = little_u32(payload + 8);
	device->revision = little_u32(payload + 12);
	device->gt_min_hz = little_u32(payload + 16);
	device->gt_max_hz = little_u32(payload + 20);
	device->engine_class = little_u32(payload + 24);
	device->engine_instance = little_u32(payload + 28);
	copy_field(device->set, sizeof(device->set), payload + 36);
	copy_field(device->uuid, sizeof(device->uuid), payload + 292);
	const char *generation = sx_oa_generation(device->device_id);
	uint32_t format = little_u32(payload + 32);
	device->format = oa_format_of(device->device_id, format);
	if (device->format)
		return SX_OK;
	error_set(err, SX_ERR_UNSUPPORTED, "recording has OA report format %u", format);
	error_because(err, "device 0x%04x, %s, has none of that number", device->device_id,
		      generation ? generation : "unknown");
	error_try(err, "a recording that is not damaged");
	return SX_ERR_UNSUPPORTED;
}

/* A record's head; NULL when it does not fit. Returns where its payload goes. */
static uint8_t *begin_record(uint8_t *out, size_t cap, uint32_t type, size_t size)
{
	if (size > cap || size > UINT16_MAX)
		return NULL;
	memset(out, 0, size);
	little_put_u32(out, type);
	out[6] = (uint8_t)size;
	out[7] = (uint8_t)(size >> 8);
	return out + OA_RECORD_HEADER;
}

size_t oa_write_version(uint8_t *out, size_t cap)
{
	size_t size = OA_RECORD_HEADER + VERSION_PAYLOAD;
	uint8_t *payload = begin_record(out, cap, OA_RECORD_VERSION, size);
	if (!payload)
		return 0;
	little_put_u32(payload, 1);
	return size;
}

size_t oa_write_device(uint8_t *out, size_t cap, const struct sx_oa_device *device)
{
	size_t size = OA_RECORD_HEADER + OA_DEVICE_PAYLOAD;
	uint8_t *payload = begin_record(out, cap, OA_RECORD_DEVICE, size);
	if (!payload)
		return 0;
	little_put_u64(payload, device->timestamp_hz);
	little_put_u32(payload + 8, device->device_id);
	little_put_u32(payload + 12, device->revision);
	little_put_u32(payload + 16, device->gt_min_hz);
	little_put_u32(payload + 20, device->gt_max_hz);
	little_put_u32(payload + 24, device->engine_class);
	little_put_u32(payload + 28, device->engine_instance);
	little_put_u32(payload + 32, oa_format_number(device->format));
	memcpy(payload + 36, device->set, strnlen(device->set, sizeof(device->set) - 1));
	memcpy(payload + 292, device->uuid, strnlen(device->uuid, sizeof(device->uuid) - 1));
	return size;
}

size_t oa_write_topology(uint8_t *out, size_t cap, const struct sx_oa_device *device)
{
	if (cap < OA_RECORD_HEADER)
		return 0;
	size_t body = oa_topology_write(out + OA_RECORD_HEADER, cap - OA_RECORD_HEADER, device);
	size_t size = OA_RECORD_HEADER + ((body + 7) & ~(size_t)7);
	uint8_t *payload = body ? begin_record(out, cap, OA_RECORD_TOPOLOGY, size) : NULL;
	if (!payload)
		return 0;
	oa_topology_write(payload, cap - OA_RECORD_HEADER, device);
	return size;
}

size_t oa_write_correlation(uint8_t *out, size_t cap, uint64_t cpu_ns, uint64_t gpu_ticks)
{
	size_t size = OA_RECORD_HEADER + 16;
	uint8_t *payload = begin_record(out, cap, OA_RECORD_CORRELATION, size);
	if (!payload)
		return 0;
	little_put_u64(payload, cpu_ns);
	little_put_u64(payload + 8, gpu_ticks);
	return size;
}

size_t oa_write_sample(uint8_t *out, size_t cap, const uint8_t *report, size_t size)
{
	uint8_t *payload = begin_record(out, cap, OA_RECORD_SAMPLE, OA_RECORD_HEADER + size);
	if (!payload)
		return 0;
	memcpy(payload, report, size);
	return OA_RECORD_HEADER + size;
}
