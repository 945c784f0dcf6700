/* Building OA reports and recordings for tests; header-only, so that each test stays one file. */
#ifndef TESTS_OA_BUILD_H
#define TESTS_OA_BUILD_H

#include <sextant/oa.h>

#include <stdlib.h>
#include <string.h>

#include "wire/oa/oa.h"

struct oa_file {
	uint8_t *data;
	size_t size, cap;
};

static inline uint8_t *oa_more(struct oa_file *file, size_t size)
{
	if (file->size + size > file->cap) {
		file->cap = 2 * (file->size + size);
		file->data = realloc(file->data, file->cap);
	}
	if (!file->data)
		abort();
	memset(file->data + file->size, 0, size);
	file->size += size;
	return file->data + file->size - size;
}

static inline void oa_le32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* A 256-byte report: A[i] = a + i, B[i] = b + i, C[i] = c + i. */
static inline void oa_report(uint8_t r[256], uint32_t reason, uint32_t time, uint32_t context,
			     bool valid, uint32_t clock, uint64_t a, uint32_t b, uint32_t c)
{
	memset(r, 0, 256);
	oa_le32(r, reason << 19 | (valid ? 1u << 25 : 0));
	oa_le32(r + 4, time);
	oa_le32(r + 8, context);
	oa_le32(r + 12, clock);
	for (uint32_t i = 0; i < 36; i++) {
		oa_le32(r + 16 + 4 * i, (uint32_t)(a + i));
		if (i < 32)
			r[160 + i] = (uint8_t)((a + i) >> 32);
	}
	for (uint32_t i = 0; i < 8; i++) {
		oa_le32(r + 192 + 4 * i, b + i);
		oa_le32(r + 224 + 4 * i, c + i);
	}
}

static inline void oa_record(struct oa_file *file, uint32_t type, uint32_t size)
{
	uint8_t *p = oa_more(file, size < 8 ? 8 : size);
	oa_le32(p, type);
	p[6] = (uint8_t)size;
	p[7] = (uint8_t)(size >> 8);
}

static inline void oa_sample(struct oa_file *file, const uint8_t r[256])
{
	oa_write_sample(oa_more(file, 264), 264, r, 256);
}

static inline void oa_pair(struct oa_file *file, uint64_t ns, uint64_t ticks)
{
	oa_write_correlation(oa_more(file, 24), 24, ns, ticks);
}

static inline struct sx_oa_device oa_gt2(void)
{
	struct sx_oa_device d = {.timestamp_hz = 12500000,
				 .device_id = 0x1616,
				 .gt_min_hz = 300000000,
				 .gt_max_hz = 900000000,
				 .format = SX_OA_A32U40_A4U32_B8_C8,
				 .set = "RenderBasic",
				 .uuid = "b541bd57-0e0f-4154-b4c0-5858010a2bf7",
				 .max_slices = 3,
				 .max_subslices = 3,
				 .max_eus = 8,
				 .slice_mask = 1,
				 .subslice_mask = {7},
				 .eu_mask = {{0xff, 0xff, 0xff}}};
	return d;
}

/* Version, device and topology. */
static inline void oa_begin(struct oa_file *file, const struct sx_oa_device *device)
{
	uint8_t buf[512];
	size_t n = oa_write_version(buf, sizeof(buf));
	memcpy(oa_more(file, n), buf, n);
	n = oa_write_device(buf, sizeof(buf), device);
	memcpy(oa_more(file, n), buf, n);
	n = oa_write_topology(buf, sizeof(buf), device);
	memcpy(oa_more(file, n), buf, n);
}

#endif
