/* The enabled parts of a GPU: reads and writes the kernel's answer, and derives constants. */
#include "wire/oa/oa.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define TOPOLOGY_HEAD 16
#define CORES_A_SLICE 4 /* XeCores of a slice, from graphics version 12.55 on */

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
		return "it points past its end";
	return NULL;
}

enum sx_status oa_topology_read(const uint8_t *payload, size_t size, struct sx_oa_device *device,
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

static void write_mask(uint8_t *out, uint32_t bytes, uint32_t mask)
{
	for (uint32_t i = 0; i < bytes && i < 4; i++)
		out[i] = (uint8_t)(mask >> 8 * i);
}

size_t oa_topology_write(uint8_t *out, size_t cap, const struct sx_oa_device *device)
{
	uint32_t slices = device->max_slices, subslices = device->max_subslices;
	uint32_t stride = (subslices + 7) / 8, eu_stride = (device->max_eus + 7) / 8;
	uint32_t eu_offset = 1 + slices * stride;
	size_t size = TOPOLOGY_HEAD + eu_offset + (size_t)slices * subslices * eu_stride;
	if (size > cap || slices > SX_OA_SLICES_MAX || subslices > SX_OA_SUBSLICES_MAX)
		return 0;
	memset(out, 0, size);
	const uint32_t head[8] = {0, slices, subslices, device->max_eus,
				  1, stride, eu_offset, eu_stride};
	for (size_t i = 0; i < 8; i++) {
		out[2 * i] = (uint8_t)head[i];
		out[2 * i + 1] = (uint8_t)(head[i] >> 8);
	}
	uint8_t *data = out + TOPOLOGY_HEAD;
	data[0] = (uint8_t)device->slice_mask;
	for (uint32_t s = 0; s < slices; s++) {
		write_mask(data + 1 + s * stride, stride, device->subslice_mask[s]);
		for (uint32_t n = 0; n < subslices; n++)
			write_mask(data + eu_offset + (s * subslices + n) * eu_stride, eu_stride,
				   device->eu_mask[s][n]);
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

static void add(struct sx_oa_constants *list, const char *name, double value)
{
	if (list->count == SX_OA_CONSTANTS_MAX)
		return;
	char *to = list->names[list->count];
	snprintf(to, sizeof(list->names[0]), "%s", name);
	list->items[list->count++] = (struct sx_constant_value){to, value};
}

/* The same value under every name that a generation has for it. */
static void add_all(struct sx_oa_constants *list, const char *const *names, double value)
{
	for (; *names; names++)
		add(list, *names, value);
}

/* What is unknown is 0, and left out. */
static void add_known(struct sx_oa_constants *list, const char *name, double value)
{
	if (value > 0)
		add(list, name, value);
}

/* The parts that are enabled, as conditions ask for them. */
struct parts {
	uint64_t slices;		      /* bit mask */
	uint64_t subslices;		      /* as $SubsliceMask packs them */
	uint32_t cores[SX_OA_SLICES_MAX * 4]; /* of each slice: bit mask */
	uint32_t slice_max, each;	      /* dimensions of `cores` */
	uint64_t all;			      /* XeCores one behind another */
};

/* From 12.55 on the kernel reports one slice with all XeCores; sets count them in fours. */
static void regroup(const struct sx_oa_device *device, struct parts *out)
{
	out->each = CORES_A_SLICE;
	out->slice_max = SX_OA_SLICES_MAX * 2;
	for (uint32_t s = 0; s < SX_OA_SLICES_MAX && s * device->max_subslices < 64; s++)
		out->all |= (uint64_t)(device->slice_mask >> s & 1 ? device->subslice_mask[s] : 0)
			    << s * device->max_subslices;
	for (uint32_t s = 0; s < out->slice_max; s++) {
		out->cores[s] = (uint32_t)(out->all >> s * CORES_A_SLICE & 15);
		out->slices |= (uint64_t)(out->cores[s] != 0) << s;
	}
	out->subslices = out->all;
}

/* Three bits a slice up to Gen10, eight from Gen11 on. */
static void pack(const struct sx_oa_device *device, uint32_t bits, struct parts *out)
{
	out->each = bits;
	out->slice_max = SX_OA_SLICES_MAX;
	out->slices = device->slice_mask;
	for (uint32_t s = 0; s < SX_OA_SLICES_MAX; s++) {
		if (!(device->slice_mask >> s & 1))
			continue;
		out->cores[s] = device->subslice_mask[s] & ((1u << bits) - 1);
		if (s * bits < 64)
			out->subslices |= (uint64_t)out->cores[s] << s * bits;
	}
}

/* One bit a slice and a core, under the names that sets use. */
static void add_bits(struct sx_oa_constants *list, const struct parts *parts, bool cores_alone)
{
	char name[40];
	for (uint32_t s = 0; s < parts->slice_max; s++) {
		snprintf(name, sizeof(name), "GtSlice%u", s);
		add(list, name, (double)(parts->slices >> s & 1));
		for (uint32_t n = 0; n < parts->each; n++) {
			const char *part = cores_alone ? "XeCore" : "DualSubslice";
			snprintf(name, sizeof(name), "GtSlice%u%s%u", s, part, n);
			add(list, name, parts->cores[s] >> n & 1);
		}
	}
	for (uint32_t n = 0; cores_alone && n < 64; n++) {
		snprintf(name, sizeof(name), "GtXeCore%u", n);
		add(list, name, (double)(parts->all >> n & 1));
	}
}

static void add_topology(struct sx_oa_constants *list, const struct sx_oa_device *device,
			 uint32_t version)
{
	static const char *const eu_names[] = {"EuCoresTotalCount", "VectorEngineTotalCount", NULL};
	static const char *const slice_names[] = {"EuSlicesTotalCount", "SliceTotalCount", NULL};
	static const char *const subslice_names[] = {
	    "EuSubslicesTotalCount", "EuDualSubslicesTotalCount", "XeCoreTotalCount", NULL};
	static const char *const slice_masks[] = {"SliceMask", "GtSliceMask", NULL};
	static const char *const subslice_masks[] = {
	    "SubsliceMask",	  "DualSubsliceMask", "XeCoreMask", "GtSubsliceMask",
	    "GtDualSubsliceMask", "GtXeCoreMask",     NULL};
	struct parts parts = {.slices = 0};
	uint32_t eus, slices, subslices;
	oa_device_count(device, &eus, &slices, &subslices);
	if (!eus)
		return; /* no topology */
	if (version >= 1255)
		regroup(device, &parts);
	else
		pack(device, version >= 1100 ? 8 : 3, &parts);
	slices = version >= 1255 ? (uint32_t)__builtin_popcountll(parts.slices) : slices;
	uint64_t half = (UINT64_C(1) << device->max_subslices / 2) - 1;
	add_all(list, eu_names, eus);
	add_all(list, slice_names, slices);
	add_all(list, subslice_names, subslices);
	add(list, "EuDualSubslicesSlice0123Count", __builtin_popcountll(parts.subslices & half));
	add_all(list, slice_masks, (double)parts.slices);
	add_all(list, subslice_masks, (double)parts.subslices);
	add_known(list, "VectorEnginePerXeCoreCount", subslices ? eus / subslices : 0);
	if (version >= 1100)
		add_bits(list, &parts, version >= 1255);
}

void sx_oa_device_constants(const struct sx_oa_device *device, struct sx_oa_constants *list)
{
	const struct oa_platform *platform = oa_platform(device->device_id);
	list->count = 0;
	add_known(list, "GpuTimestampFrequency", (double)device->timestamp_hz);
	add_known(list, "GpuMinFrequency", device->gt_min_hz);
	add_known(list, "GpuMaxFrequency", device->gt_max_hz);
	add_topology(list, device, platform ? platform->version : 800);
	if (platform) {
		add(list, "EuThreadsCount", platform->threads);
		add(list, "VectorEngineThreadsCount", platform->threads);
		add(list, "SkuRevisionId", device->revision);
	}
}
