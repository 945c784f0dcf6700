/* The kbase source over its fake: opened, started, read, ended. */
#ifndef UNIT_SOURCE_KBASE_BENCH_H
#define UNIT_SOURCE_KBASE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/decode.h"
#include "devices/kbase.h"
#include "source/mali/mali.h"
#include "source/source.h"
#include "unit/context.h"

/* An opened device with a decoder and the table that its samples go to. */
struct bench {
	struct fake_kbase fake;
	struct source *source;
	const struct source_desc *desc;
	struct sx_catalog *catalog;
	struct decoder *decoder;
	struct sx_table *table;
};

static inline void open_bench(struct bench *b)
{
	assert_int_equal(
	    source_kbase.open(&(struct source_host){.sys = &b->fake.sys, .catalogs = context},
			      "mali0", &b->source, NULL),
	    SX_OK);
	b->desc = source_describe(b->source);
	assert_int_equal(sx_catalog_open(context, b->desc->catalog, &b->catalog, NULL), SX_OK);
	struct sx_constant_value constants[8];
	for (uint32_t i = 0; i < b->desc->facts.constant_count; i++)
		constants[i] = b->desc->facts.constants[i];
	struct decoder_setup setup = {.catalog = b->catalog,
				      .constants = constants,
				      .constant_count = b->desc->facts.constant_count};
	const struct decoder_ops *ops = decode_find(source_kbase.raw);
	assert_int_equal(ops->create(&setup, &b->decoder, NULL), SX_OK);
	assert_int_equal(decoder_table(b->decoder, &b->table, NULL), SX_OK);
}

static inline void start_bench(struct bench *b, uint64_t interval_ns)
{
	struct source_request request = {.interval_ns = interval_ns};
	assert_int_equal(source_kbase.start(b->source, &request, NULL), SX_OK);
}

static inline enum sx_status read_one(struct bench *b, int timeout_ms)
{
	struct raw_sample raw;
	struct sx_error err = {0};
	enum sx_status status = source_kbase.read(b->source, timeout_ms, &raw, &err);
	if (status == SX_OK)
		assert_int_equal(b->decoder->ops->feed(b->decoder, &raw, b->table, &err), SX_OK);
	return status;
}

/* Stops and reads what is left. */
static inline void drain_bench(struct bench *b)
{
	assert_int_equal(source_kbase.stop(b->source, NULL), SX_OK);
	enum sx_status status;
	int reads = 0;
	while ((status = read_one(b, 0)) == SX_OK)
		assert_true(++reads < 100);
	assert_int_equal(status, SX_END);
}

static inline void close_bench(struct bench *b)
{
	source_kbase.close(b->source);
	b->decoder->ops->destroy(b->decoder);
	sx_table_destroy(b->table);
	sx_catalog_unref(b->catalog);
	assert_true(fake_kbase_clean(&b->fake));
	fake_kbase_finish(&b->fake);
}

/* What a counter of the fake must read over a row: its rate times the row's length. */
static inline double expected(const struct bench *b, const struct sx_counter_info *info,
			      enum mali_kind kind, size_t row)
{
	uint64_t us = (sx_table_end_ns(b->table)[row] - sx_table_begin_ns(b->table)[row]) / 1000;
	uint64_t sum = 0, present = 0;
	uint32_t count = kind == MALI_CORE ? 64 : kind == MALI_MEMORY ? b->fake.slices : 1;
	for (uint32_t i = 0; i < count; i++) {
		if (kind == MALI_CORE && !(b->fake.core_mask >> i & 1))
			continue;
		sum += us * fake_kbase_rate(kind, i, info->slot);
		present++;
	}
	double value = (double)sum * (double)info->scale;
	return info->reduce == SX_REDUCE_MEAN ? value / (double)present : value;
}

static inline void check_row(const struct bench *b, size_t row)
{
	uint32_t counters, blocks, checked = 0;
	const struct sx_counter_info *info = sx_catalog_counters(b->catalog, &counters);
	const struct sx_block_info *block = sx_catalog_blocks(b->catalog, &blocks);
	for (uint32_t i = 0; i < counters; i++) {
		uint32_t column = sx_table_find(b->table, info[i].name);
		if (column == SX_NONE)
			continue;
		double got = sx_table_get(b->table, column, row);
		assert_true(got ==
			    expected(b, &info[i], (enum mali_kind)block[info[i].block].code, row));
		checked++;
	}
	assert_true(checked > 150);
}

static inline uint8_t quality(const struct bench *b, const char *name, size_t row)
{
	uint32_t column = sx_table_find(b->table, name);
	assert_int_not_equal(column, SX_NONE);
	struct sx_vector v = sx_table_vector(b->table, column);
	return v.quality ? v.quality[row] : 0;
}

#endif
