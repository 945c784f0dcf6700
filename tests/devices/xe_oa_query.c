/* What the fake xe card answers to queries. */
#include "xe_oa.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"

#define MEDIA_GT 1

/* Returns the whole result, or its size. */
static int answer(const struct fake_xe *f, struct xe_device_query *query, const void *data,
		  size_t size)
{
	if (f->cut == 1 && query->query != XE_QUERY_ENGINE_CYCLES)
		size -= 1;
	if (query->size == 0) {
		query->size = (uint32_t)size;
		return 0;
	}
	if (query->size != size)
		return fake_refuse(EINVAL);
	memcpy((void *)(uintptr_t)query->data, data, size);
	return 0;
}

static int query_units(const struct fake_xe *f, struct xe_device_query *query)
{
	uint8_t out[1024];
	struct xe_query_oa_units head = {.count = f->unit_count + (f->cut == 2 ? 9 : 0)};
	size_t at = sizeof(head);
	memcpy(out, &head, sizeof(head));
	for (uint32_t i = 0; i < f->unit_count; i++) {
		const struct fake_xe_unit *u = &f->units[i];
		struct xe_oa_unit unit = {
		    .id = i,
		    .type = u->type,
		    .capabilities = XE_OA_CAP_BASE | XE_OA_CAP_SYNCS,
		    .timestamp_hz = u->gt_id && f->told_media_hz ? f->told_media_hz : f->oa_hz,
		    .engine_count = u->engine_count};
		if (!f->old_caps) {
			unit.capabilities |= XE_OA_CAP_BUFFER_SIZE | XE_OA_CAP_WAIT_REPORTS |
					     XE_OA_CAP_OAM | XE_OA_CAP_GT_ID;
			unit.gt_id = u->gt_id;
		}
		memcpy(out + at, &unit, sizeof(unit));
		at += sizeof(unit);
		memcpy(out + at, u->engines, u->engine_count * sizeof(u->engines[0]));
		at += u->engine_count * sizeof(u->engines[0]);
	}
	return answer(f, query, out, at);
}

static int query_gts(const struct fake_xe *f, struct xe_device_query *query)
{
	struct {
		struct xe_query_gt_list head;
		struct xe_gt gts[2];
	} out = {.head.count = f->version >= 1270 ? 2 : 1};
	size_t size = sizeof(out.head) + out.head.count * sizeof(out.gts[0]);
	out.gts[0] =
	    (struct xe_gt){.type = XE_GT_MAIN, .reference_clock = (uint32_t)f->reference_hz};
	out.gts[1] = (struct xe_gt){
	    .type = XE_GT_MEDIA, .gt_id = MEDIA_GT, .reference_clock = (uint32_t)f->reference_hz};
	out.head.count += f->cut == 2;
	return answer(f, query, &out, size);
}

static size_t put_mask(uint8_t *out, uint16_t gt_id, uint16_t type, uint64_t mask, uint32_t bytes)
{
	struct xe_topology_mask head = {.gt_id = gt_id, .type = type, .bytes = bytes};
	memcpy(out, &head, sizeof(head));
	for (uint32_t i = 0; i < bytes; i++)
		out[sizeof(head) + i] = (uint8_t)(i < 8 ? mask >> 8 * i : 0);
	return sizeof(head) + bytes;
}

static int query_topology(const struct fake_xe *f, struct xe_device_query *query)
{
	uint8_t out[512];
	if (f->topology_errno)
		return fake_refuse(f->topology_errno);
	bool simd16 = f->version >= 2000 || f->version == 1260;
	size_t at = put_mask(out, 0, XE_TOPO_DSS_GEOMETRY, f->cores, 8);
	at += put_mask(out + at, 0, XE_TOPO_DSS_COMPUTE, f->cores, 8);
	at += put_mask(out + at, 0, XE_TOPO_L3_BANK, 0xff, 8);
	at += put_mask(out + at, 0, simd16 ? XE_TOPO_SIMD16_EU_PER_DSS : XE_TOPO_EU_PER_DSS, f->eus,
		       f->cut == 2 ? 200 : 2);
	if (f->version >= 1270) {
		at += put_mask(out + at, MEDIA_GT, XE_TOPO_DSS_GEOMETRY, 0, 8);
		at += put_mask(out + at, MEDIA_GT, XE_TOPO_DSS_COMPUTE, 0, 8);
	}
	return answer(f, query, out, f->cut == 2 ? at - 150 : at);
}

static int query_engines(const struct fake_xe *f, struct xe_device_query *query)
{
	static const struct xe_engine list[] = {
	    {XE_ENGINE_RENDER, 0, 0, 0},
	    {XE_ENGINE_COMPUTE, 0, 0, 0},
	    {XE_ENGINE_COPY, 0, 0, 0},
	    {XE_ENGINE_COPY, 1, 0, 0},
	    {XE_ENGINE_VIDEO_DECODE, 0, MEDIA_GT, 0},
	};
	struct {
		struct xe_query_engines head;
		struct xe_query_engine engines[5];
	} out = {.head.count = f->cut == 2 ? 500 : 5};
	for (size_t i = 0; i < 5; i++)
		out.engines[i].instance = list[i];
	return answer(f, query, &out, sizeof(out));
}

static int query_config(const struct fake_xe *f, struct xe_device_query *query)
{
	struct {
		struct xe_query_config head;
		uint64_t words[5];
	} out = {{5, 0}, {f->device_id | 4u << 16, 0, 4096, 48, 2}};
	return answer(f, query, &out, sizeof(out));
}

static bool has_engine(const struct fake_xe *f, const struct xe_engine *engine)
{
	for (uint32_t i = 0; i < f->unit_count; i++)
		for (uint32_t n = 0; n < f->units[i].engine_count; n++)
			if (memcmp(&f->units[i].engines[n], engine, 6) == 0)
				return true;
	return false;
}

static int query_cycles(struct fake_xe *f, struct xe_device_query *query)
{
	struct xe_engine_cycles *io = (struct xe_engine_cycles *)(uintptr_t)query->data;
	if (query->size == 0) {
		query->size = sizeof(*io);
		return 0;
	}
	if (query->size != sizeof(*io) || io->clock != CLOCK_MONOTONIC ||
	    !has_engine(f, &io->engine))
		return fake_refuse(EINVAL);
	uint64_t width = f->version >= 2000 ? UINT64_MAX : 0xfffffffff;
	io->cpu_ns = f->now_ns;
	io->took_ns = 400;
	io->cycles = fake_xe_ticks(f, f->now_ns + 200) / (f->oa_hz / f->reference_hz) & width;
	io->width = f->version >= 2000 ? 64 : 36;
	f->now_ns += 400;
	return 0;
}

int fake_xe_query(struct fake_xe *f, struct xe_device_query *query)
{
	if (query->extensions || query->reserved[0] || query->reserved[1])
		return fake_refuse(EINVAL);
	switch (query->query) {
	case XE_QUERY_ENGINES:
		return query_engines(f, query);
	case XE_QUERY_CONFIG:
		return query_config(f, query);
	case XE_QUERY_GT_LIST:
		return query_gts(f, query);
	case XE_QUERY_GT_TOPOLOGY:
		return query_topology(f, query);
	case XE_QUERY_ENGINE_CYCLES:
		return query_cycles(f, query);
	case XE_QUERY_OA_UNITS:
		return query_units(f, query);
	default:
		return fake_refuse(EINVAL);
	}
}
