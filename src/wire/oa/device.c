/* The recorder's own records: version, device, topology, correlation; read and written. */
#include "wire/oa/oa.h"
#include "base/error.h"

#include <string.h>

#define VERSION_PAYLOAD 8
#define TOPOLOGY_HEAD	16

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
	device->timestamp_hz = oa_u64(payload);
	device->device_id = oa_u32(payload + 8);
	device->revision = oa_u32(payload + 12);
	device->gt_min_hz = oa_u32(payload + 16);
	device->gt_max_hz = oa_u32(payload + 20);
	device->engine_class = oa_u32(payload + 24);
	device->engine_instance = oa_u32(payload + 28);
	copy_field(device->set, sizeof(device->set), payload + 36);
	copy_field(device->uuid, sizeof(device->uuid), payload + 292);
	const char *generation = sx_oa_generation(device->device_id);
	if (generation && !oa_is_broadwell(device->device_id)) {
		error_set(err, SX_ERR_UNSUPPORTED, "recording of device 0x%04x, a %s",
			  device->device_id, generation);
		error_because(err, "only the reports and metric sets of Broadwell are known");
		error_try(err, "the tools of that GPU, such as i915-perf-reader");
		return SX_ERR_UNSUPPORTED;
	}
	uint32_t format = oa_u32(payload + 32);
	if (format > 64 || !sx_oa_format_size((enum sx_oa_format)format)) {
		error_set(err, SX_ERR_UNSUPPORTED, "recording has OA report format %u", format);
		error_because(err, "device 0x%04x is not a Broadwell, or the record is damaged",
			      device->device_id);
		error_try(err, "record on Gen8, whose formats are 7 to 10");
		return SX_ERR_UNSUPPORTED;
	}
	device->format = (enum sx_oa_format)format;
	return SX_OK;
}

static uint32_t mask_bits(const uint8_t *bytes, uint32_t bits)
{
	uint32_t mask = 0;
	for (uint32_t i = 0; i < bits; i++)
		mask |= (uint32_t)(bytes[i / 8] >> (i % 8) & 1) << i;
	return mask;
}

static enum sx_status bad_topology(struct sx_error *err, const char *why)
{
	error_set(err, SX_ERR_BAD_INPUT, "topology record is damaged");
	error_because(err, "%s", why);
	return SX_ERR_BAD_INPUT;
}

struct topology {
	uint32_t slices, subslices, eus;
	uint32_t subslice_offset, subslice_stride, eu_offset, eu_stride;
};

static uint32_t u16(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

/* Reads the head and checks that everything it points to lies within `size` bytes of data. */
static const char *topology_head(const uint8_t *p, size_t size, struct topology *out)
{
	*out = (struct topology){u16(p + 2),  u16(p + 4),  u16(p + 6), u16(p + 8),
				 u16(p + 10), u16(p + 12), u16(p + 14)};
	if (!out->slices || out->slices > SX_OA_SLICES_MAX || !out->subslices ||
	    out->subslices > SX_OA_SUBSLICES_MAX || !out->eus || out->eus > 32)
		return "its dimensions are impossible";
	if (out->subslice_stride < (out->subslices + 7) / 8 ||
	    out->eu_stride < (out->eus + 7) / 8 ||
	    out->subslice_offset + out->subslice_stride * out->slices > size ||
	    out->eu_offset + out->eu_stride * out->slices * out->subslices > size)
		return "it points behind its end";
	return NULL;
}

enum sx_status sx_oa_read_topology(const uint8_t *payload, size_t size, struct sx_oa_device *device,
				   struct sx_error *err)
{
	struct topology head;
	if (size < TOPOLOGY_HEAD + 1)
		return bad_topology(err, "it is too short");
	const uint8_t *data = payload + TOPOLOGY_HEAD;
	const char *why = topology_head(payload, size - TOPOLOGY_HEAD, &head);
	if (why)
		return bad_topology(err, why);
	device->max_slices = head.slices;
	device->max_subslices = head.subslices;
	device->max_eus = head.eus;
	device->slice_mask = mask_bits(data, head.slices);
	for (uint32_t s = 0; s < head.slices; s++) {
		device->subslice_mask[s] = mask_bits(
		    data + head.subslice_offset + s * head.subslice_stride, head.subslices);
		for (uint32_t n = 0; n < head.subslices; n++)
			device->eu_mask[s][n] = mask_bits(
			    data + head.eu_offset + (s * head.subslices + n) * head.eu_stride,
			    head.eus);
	}
	return SX_OK;
}

size_t oa_topology_write(uint8_t *out, size_t cap, const struct sx_oa_device *device)
{
	uint32_t slices = device->max_slices, subslices = device->max_subslices;
	uint32_t eu_stride = (device->max_eus + 7) / 8, eu_offset = 1 + slices;
	size_t size = TOPOLOGY_HEAD + eu_offset + (size_t)slices * subslices * eu_stride;
	if (size > cap || slices > SX_OA_SLICES_MAX || subslices > SX_OA_SUBSLICES_MAX)
		return 0;
	memset(out, 0, size);
	const uint32_t head[8] = {0, slices, subslices, device->max_eus,
				  1, 1,	     eu_offset, eu_stride};
	for (size_t i = 0; i < 8; i++) {
		out[2 * i] = (uint8_t)head[i];
		out[2 * i + 1] = (uint8_t)(head[i] >> 8);
	}
	uint8_t *data = out + TOPOLOGY_HEAD;
	data[0] = (uint8_t)device->slice_mask;
	for (uint32_t s = 0; s < slices; s++) {
		data[1 + s] = (uint8_t)device->subslice_mask[s];
		for (uint32_t n = 0; n < subslices; n++)
			for (uint32_t i = 0; i < eu_stride; i++)
				data[eu_offset + (s * subslices + n) * eu_stride + i] =
				    (uint8_t)(device->eu_mask[s][n] >> 8 * i);
	}
	return size;
}

void oa_device_count(const struct sx_oa_device *device, uint32_t *eus, uint32_t *slices,
		     uint32_t *subslices)
{
	*eus = *slices = *subslices = 0;
	for (uint32_t s = 0; s < SX_OA_SLICES_MAX; s++) {
		if (!(device->slice_mask >> s & 1))
			continue;
		++*slices;
		for (uint32_t n = 0; n < SX_OA_SUBSLICES_MAX; n++) {
			if (!(device->subslice_mask[s] >> n & 1))
				continue;
			++*subslices;
			*eus += (uint32_t)__builtin_popcount(device->eu_mask[s][n]);
		}
	}
}

/* Gen8 packs three bits a slice. */
static uint32_t packed_subslices(const struct sx_oa_device *device)
{
	uint32_t mask = 0;
	for (uint32_t s = 0; s < SX_OA_SLICES_MAX; s++)
		if (device->slice_mask >> s & 1)
			mask |= (device->subslice_mask[s] & 7u) << 3 * s;
	return mask;
}

uint32_t sx_oa_device_constants(const struct sx_oa_device *device,
				struct sx_oa_constant out[SX_OA_CONSTANTS_MAX])
{
	uint32_t eus, slices, subslices, count = 0;
	oa_device_count(device, &eus, &slices, &subslices);
	const struct sx_oa_constant all[] = {
	    {"GpuTimestampFrequency", (double)device->timestamp_hz},
	    {"GpuMinFrequency", device->gt_min_hz},
	    {"GpuMaxFrequency", device->gt_max_hz},
	    {"EuCoresTotalCount", eus},
	    {"EuSlicesTotalCount", slices},
	    {"EuSubslicesTotalCount", subslices},
	    {"SliceMask", device->slice_mask},
	    {"SubsliceMask", packed_subslices(device)},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].value > 0)
			out[count++] = all[i];
	return count;
}

/* A record's head; NULL when it does not fit. Returns where its payload goes. */
static uint8_t *begin_record(uint8_t *out, size_t cap, uint32_t type, size_t size)
{
	if (size > cap || size > UINT16_MAX)
		return NULL;
	memset(out, 0, size);
	oa_put32(out, type);
	out[6] = (uint8_t)size;
	out[7] = (uint8_t)(size >> 8);
	return out + OA_RECORD_HEADER;
}

size_t sx_oa_write_version(uint8_t *out, size_t cap)
{
	size_t size = OA_RECORD_HEADER + VERSION_PAYLOAD;
	uint8_t *payload = begin_record(out, cap, OA_RECORD_VERSION, size);
	if (!payload)
		return 0;
	oa_put32(payload, 1);
	return size;
}

size_t sx_oa_write_device(uint8_t *out, size_t cap, const struct sx_oa_device *device)
{
	size_t size = OA_RECORD_HEADER + OA_DEVICE_PAYLOAD;
	uint8_t *payload = begin_record(out, cap, OA_RECORD_DEVICE, size);
	if (!payload)
		return 0;
	oa_put64(payload, device->timestamp_hz);
	oa_put32(payload + 8, device->device_id);
	oa_put32(payload + 12, device->revision);
	oa_put32(payload + 16, device->gt_min_hz);
	oa_put32(payload + 20, device->gt_max_hz);
	oa_put32(payload + 24, device->engine_class);
	oa_put32(payload + 28, device->engine_instance);
	oa_put32(payload + 32, (uint32_t)device->format);
	memcpy(payload + 36, device->set, strnlen(device->set, sizeof(device->set) - 1));
	memcpy(payload + 292, device->uuid, strnlen(device->uuid, sizeof(device->uuid) - 1));
	return size;
}

size_t sx_oa_write_topology(uint8_t *out, size_t cap, const struct sx_oa_device *device)
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

size_t sx_oa_write_correlation(uint8_t *out, size_t cap, uint64_t cpu_ns, uint64_t gpu_ticks)
{
	size_t size = OA_RECORD_HEADER + 16;
	uint8_t *payload = begin_record(out, cap, OA_RECORD_CORRELATION, size);
	if (!payload)
		return 0;
	oa_put64(payload, cpu_ns);
	oa_put64(payload + 8, gpu_ticks);
	return size;
}

size_t sx_oa_write_sample(uint8_t *out, size_t cap, const uint8_t *report, size_t size)
{
	uint8_t *payload = begin_record(out, cap, OA_RECORD_SAMPLE, OA_RECORD_HEADER + size);
	if (!payload)
		return 0;
	memcpy(payload, report, size);
	return OA_RECORD_HEADER + size;
}
