/* Dumps of a Mali, and what they hold. */
#ifndef UNIT_DECODE_MALI_DUMPS_H
#define UNIT_DECODE_MALI_DUMPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/metric.h>
#include "decode/decode.h"
#include "decode/mali/mali.h"
#include "unit/context.h"

/* A device and the value that a test puts at a place: distinct for each block, slot and dump. */
struct device {
	const char *catalog;
	uint32_t width, slots, slices;
	uint64_t cores;
};

static const struct device devices[] = {
    {"mali-g310", 4, 64, 1, 0x1},
    {"mali-g310", 4, 64, 1, 0x7},
    {"mali-g310", 8, 64, 2, 0xd},
    {"mali-g625", 4, 128, 2, 0x1},
    {"mali-g625", 8, 128, 1, 0x3f},
    {"mali-g625", 4, 128, 4, 0x3d},
    {"mali-g625", 8, 128, 2, UINT64_C(0x8000000000000001)},
};
#define DEVICES (sizeof(devices) / sizeof(devices[0]))

static inline uint32_t block_count(const struct device *d)
{
	return 2 + d->slices + 64 - (uint32_t)__builtin_clzll(d->cores);
}

static inline size_t dump_bytes(const struct device *d)
{
	return (size_t)block_count(d) * d->slots * d->width;
}

static inline uint64_t known(uint32_t dump, uint32_t block, uint32_t slot)
{
	return (uint64_t)dump * 1000003 + block * 10007 + slot * 101 + 7;
}

static inline void put(const struct device *d, uint8_t *dump, uint32_t block, uint32_t slot,
		       uint64_t value)
{
	uint8_t *at = dump + ((size_t)block * d->slots + slot) * d->width;
	for (uint32_t i = 0; i < d->width; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* Absent cores and header slots hold garbage, which must not be read as counts. */
static inline uint8_t *make_dumps(const struct device *d, uint32_t count)
{
	uint8_t *data = malloc(dump_bytes(d) * count);
	assert_non_null(data);
	memset(data, 0xa5, dump_bytes(d) * count);
	for (uint32_t n = 0; n < count; n++)
		for (uint32_t b = 0; b < block_count(d); b++) {
			uint32_t core = b - 2 - d->slices;
			if (b >= 2 + d->slices && !(d->cores >> core & 1))
				continue;
			for (uint32_t s = 3; s < d->slots; s++)
				put(d, data + n * dump_bytes(d), b, s, known(n, b, s));
			put(d, data + n * dump_bytes(d), b, MALI_SLOT_ENABLE,
			    d->slots == 64 ? 0xffff : 0xffffffff);
		}
	return data;
}

static inline struct sx_catalog *open_catalog(const struct device *d)
{
	struct sx_catalog *catalog = NULL;
	assert_int_equal(sx_catalog_open(context, d->catalog, &catalog, NULL), SX_OK);
	return catalog;
}

struct run {
	struct sx_catalog *catalog;
	struct sx_mali_decoder *decoder;
	struct sx_table *table;
};

static inline uint8_t quality(const struct run *run, const char *name, size_t row)
{
	uint32_t column = sx_table_find(run->table, name);
	assert_int_not_equal(column, SX_NONE);
	struct sx_vector v = sx_table_vector(run->table, column);
	return v.quality ? v.quality[row] : 0;
}

#endif
