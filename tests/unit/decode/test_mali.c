/* Mali dumps with known contents, for 1, 3 and 6 cores, holes included; every wrong reduction
 * shows. */
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

static uint32_t block_count(const struct device *d)
{
	return 2 + d->slices + 64 - (uint32_t)__builtin_clzll(d->cores);
}

static size_t dump_bytes(const struct device *d)
{
	return (size_t)block_count(d) * d->slots * d->width;
}

static uint64_t known(uint32_t dump, uint32_t block, uint32_t slot)
{
	return (uint64_t)dump * 1000003 + block * 10007 + slot * 101 + 7;
}

static void put(const struct device *d, uint8_t *dump, uint32_t block, uint32_t slot,
		uint64_t value)
{
	uint8_t *at = dump + ((size_t)block * d->slots + slot) * d->width;
	for (uint32_t i = 0; i < d->width; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* Absent cores and header slots hold garbage, which must not be read as counts. */
static uint8_t *make_dumps(const struct device *d, uint32_t count)
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

static struct sx_catalog *open_catalog(const struct device *d)
{
	struct sx_catalog *catalog = NULL;
	assert_int_equal(sx_catalog_open(context, d->catalog, &catalog, NULL), SX_OK);
	return catalog;
}

static struct sx_mali_options options_of(const struct device *d)
{
	return (struct sx_mali_options){
	    .value_bytes = d->width, .l2_slices = d->slices, .core_mask = d->cores};
}

struct run {
	struct sx_catalog *catalog;
	struct sx_mali_decoder *decoder;
	struct sx_table *table;
};

static struct run start(const struct device *d, struct sx_mali_options options)
{
	struct run run = {.catalog = open_catalog(d)};
	assert_int_equal(sx_mali_decoder_create(run.catalog, &options, &run.decoder, NULL), SX_OK);
	assert_int_equal(sx_mali_table_create(run.decoder, &run.table, NULL), SX_OK);
	assert_int_equal(mali_dump_size(run.decoder), dump_bytes(d));
	return run;
}

static void finish(struct run *run)
{
	sx_table_destroy(run->table);
	sx_mali_decoder_destroy(run->decoder);
	sx_catalog_unref(run->catalog);
}

/* The reduction by another way: a loop over blocks of the dump. */
static double expected(const struct device *d, const char *block, uint32_t slot, double scale,
		       bool mean, uint32_t dump)
{
	if (!strcmp(block, "front-end"))
		return (double)known(dump, 0, slot) * scale;
	if (!strcmp(block, "tiler"))
		return (double)known(dump, 1, slot) * scale;
	bool core = !strcmp(block, "shader-core");
	double sum = 0, present = 0;
	for (uint32_t i = 0; i < (core ? 64 : d->slices); i++) {
		if (core && !(d->cores >> i & 1))
			continue;
		sum += (double)known(dump, 2 + (core ? d->slices : 0) + i, slot);
		present++;
	}
	return sum * scale / (mean ? present : 1);
}

static void check_all(const struct device *d, const struct run *run, uint32_t dumps, bool summed)
{
	uint32_t counters, checked = 0;
	const struct sx_counter_info *info = sx_catalog_counters(run->catalog, &counters);
	const struct sx_block_info *blocks = sx_catalog_blocks(run->catalog, &(uint32_t){0});
	for (uint32_t i = 0; i < counters; i++) {
		const char *block = blocks[info[i].block].name;
		uint32_t column = sx_table_find(run->table, info[i].name);
		if (!strcmp(block, "cpu-cluster")) {
			assert_int_equal(column, SX_NONE);
			continue;
		}
		assert_int_not_equal(column, SX_NONE);
		assert_null(sx_table_vector(run->table, column).quality);
		bool mean = !strcmp(d->catalog, "mali-g310") && !strcmp(block, "shader-core");
		for (uint32_t n = 0; n < dumps; n++)
			assert_true(sx_table_get(run->table, column, n) ==
				    expected(d, block, info[i].slot, (double)info[i].scale,
					     mean && !summed, n));
		checked++;
	}
	assert_int_equal(checked, !strcmp(d->catalog, "mali-g310") ? 156 : 209);
}

static void known_contents(void **state)
{
	for (size_t i = 0; i < DEVICES; i++) {
		const struct device *d = &devices[i];
		uint8_t *data = make_dumps(d, 37);
		struct run run = start(d, options_of(d));
		assert_int_equal(
		    sx_mali_decode(run.decoder, data, 37 * dump_bytes(d), run.table, NULL), SX_OK);
		assert_int_equal(sx_table_row_count(run.table), 37);
		check_all(d, &run, 37, false);
		finish(&run);
		free(data);
	}
}

/* The other variant sums cores, and both differ from what a wrong reduction gives. */
static void summed_variant(void **state)
{
	const struct device *d = &devices[2];
	uint8_t *data = make_dumps(d, 2);
	struct sx_mali_options options = options_of(d);
	options.variant = "summed";
	struct run run = start(d, options);
	assert_int_equal(sx_mali_decode(run.decoder, data, 2 * dump_bytes(d), run.table, NULL),
			 SX_OK);
	check_all(d, &run, 2, true);
	uint32_t column = sx_table_find(run.table, "MaliCoreCyclesAnyActive");
	assert_true(sx_table_get(run.table, column, 0) !=
		    expected(d, "shader-core", 53, 1, true, 0));
	finish(&run);
	options.variant = "median";
	struct sx_mali_decoder *none = NULL;
	struct sx_catalog *catalog = open_catalog(d);
	assert_int_equal(sx_mali_decoder_create(catalog, &options, &none, NULL), SX_ERR_NOT_FOUND);
	sx_catalog_unref(catalog);
	free(data);
}

/* Each kind of wrong reduction gives another number than the right one, for the devices above. */
static void wrong_reductions_differ(void **state)
{
	const struct device *d = &devices[5];
	uint8_t *data = make_dumps(d, 1);
	struct run run = start(d, options_of(d));
	assert_int_equal(sx_mali_decode(run.decoder, data, dump_bytes(d), run.table, NULL), SX_OK);
	uint32_t column = sx_table_find(run.table, "MaliShaderThreadsAllFragmentThreads");
	double got = sx_table_get(run.table, column, 0), sum = 0, holes = 0, last = 0;
	for (uint32_t i = 0; i < 6; i++) {
		double value = (double)known(0, 6 + i, 69);
		holes += value;
		if (d->cores >> i & 1)
			sum += value, last = value;
	}
	assert_true(got == 4 * sum);	 /* cores summed, slot 69 in fours */
	assert_true(got != sum);	 /* scale forgotten */
	assert_true(got != 4 * sum / 5); /* averaged */
	assert_true(got != 4 * sum / 6); /* averaged over holes too */
	assert_true(got != 4 * holes);	 /* holes read as cores */
	assert_true(got != 4 * last);	 /* one core for all */
	column = sx_table_find(run.table, "MaliExternalBusBeatsReadBeats");
	got = sx_table_get(run.table, column, 0);
	assert_true(
	    got == (double)(known(0, 2, 32) + known(0, 3, 32) + known(0, 4, 32) + known(0, 5, 32)));
	assert_true(got != (double)known(0, 2, 32)); /* first slice for all */
	finish(&run);
	free(data);
}

static void instances_and_imbalance(void **state)
{
	const struct device *d = &devices[5]; /* cores 0, 2, 3, 4, 5 */
	uint8_t *data = make_dumps(d, 1);
	struct sx_mali_options options = options_of(d);
	options.instances = true;
	struct run run = start(d, options);
	assert_int_equal(sx_mali_decode(run.decoder, data, dump_bytes(d), run.table, NULL), SX_OK);
	uint32_t column = sx_table_find(run.table, "MaliShaderCoreCyclesAnyWorkloadActive[1]");
	assert_true(sx_table_get(run.table, column, 0) == (double)known(0, 6 + 2, 53));
	assert_int_equal(sx_table_find(run.table, "MaliShaderCoreCyclesAnyWorkloadActive[5]"),
			 SX_NONE);
	assert_int_equal(sx_table_find(run.table, "MaliGPUCyclesGPUActive[0]"), SX_NONE);
	column = sx_table_find(run.table, "MaliExternalBusBeatsReadBeats[3]");
	assert_true(sx_table_get(run.table, column, 0) == (double)known(0, 5, 32));
	double sum = 0;
	for (uint32_t i = 0; i < 6; i++)
		sum += d->cores >> i & 1 ? (double)known(0, 6 + i, 26) : 0;
	column = sx_table_find(run.table, "shader_core_imbalance");
	assert_true(fabs(sx_table_get(run.table, column, 0) - (double)known(0, 11, 26) * 5 / sum) <
		    1e-12);
	assert_int_not_equal(sx_table_find(run.table, "memory_imbalance"), SX_NONE);
	finish(&run);
	free(data);
}

/* Rows of instances: each core and slice by itself, what has no instances repeated. */
static void rows_by_instance(void **state)
{
	const struct device *d = &devices[5]; /* cores 0, 2, 3, 4, 5; four slices */
	uint8_t *data = make_dumps(d, 2);
	struct sx_mali_options options = options_of(d);
	options.instances = true;
	struct run run = start(d, options);
	struct sx_table *rows = NULL;
	assert_int_equal(sx_mali_decode(run.decoder, data, 2 * dump_bytes(d), run.table, NULL),
			 SX_OK);
	assert_int_equal(sx_table_by_instance(run.table, run.catalog, &rows, NULL), SX_OK);
	assert_int_equal(sx_table_row_count(rows), 10);
	static const uint32_t cores[] = {0, 2, 3, 4, 5};
	uint32_t core = sx_table_find(rows, "MaliShaderThreadsAllFragmentThreads");
	uint32_t slice = sx_table_find(rows, "MaliExternalBusBeatsReadBeats");
	uint32_t whole = sx_table_find(rows, "MaliGPUCyclesGPUActive");
	uint32_t one = sx_table_find(rows, "MaliConstantsShaderCoreCount");
	for (uint32_t row = 0; row < 10; row++) {
		uint32_t i = row % 5, dump = row / 5;
		assert_int_equal(sx_table_label(rows, SX_LABEL_INSTANCE, row), i);
		assert_true(sx_table_get(rows, core, row) ==
			    4.0 * (double)known(dump, 6 + cores[i], 69));
		assert_true(sx_table_get(rows, whole, row) == (double)known(dump, 0, 4));
		assert_true(sx_table_get(rows, one, row) == 1);
		if (i < 4)
			assert_true(sx_table_get(rows, slice, row) ==
				    (double)known(dump, 2 + i, 32));
		else
			assert_true(isnan(sx_table_get(rows, slice, row)));
	}
	sx_table_destroy(rows);
	finish(&run);
	run = start(d, options_of(d));
	assert_int_equal(sx_table_by_instance(run.table, run.catalog, &rows, NULL),
			 SX_ERR_NOT_FOUND);
	assert_null(rows);
	finish(&run);
	free(data);
}

static uint8_t quality(const struct run *run, const char *name, size_t row)
{
	uint32_t column = sx_table_find(run->table, name);
	assert_int_not_equal(column, SX_NONE);
	struct sx_vector v = sx_table_vector(run->table, column);
	return v.quality ? v.quality[row] : 0;
}

static void groups_that_were_off(void **state)
{
	const struct device *d = &devices[5];
	uint8_t *data = make_dumps(d, 3), *second = data + dump_bytes(d);
	put(d, second, 0, MALI_SLOT_ENABLE, ~(1u << 1));      /* front-end slots 4 to 7 */
	put(d, second, 8, MALI_SLOT_ENABLE, ~(1u << 31) - 1); /* core 2: slots 124.. and 0..3 */
	put(d, second, 3, MALI_SLOT_ENABLE, ~(1u << 8));      /* slice 1: slots 32 to 35 */
	struct run run = start(d, options_of(d));
	assert_int_equal(sx_mali_decode(run.decoder, data, 3 * dump_bytes(d), run.table, NULL),
			 SX_OK);
	assert_int_equal(quality(&run, "MaliGPUCyclesGPUActive", 1), SX_QUALITY_NOT_COLLECTED);
	assert_true(
	    isnan(sx_table_get(run.table, sx_table_find(run.table, "MaliGPUCyclesGPUActive"), 1)));
	assert_int_equal(quality(&run, "MaliCSFCyclesMCUActive", 1), SX_QUALITY_NOT_COLLECTED);
	assert_int_equal(quality(&run, "MaliGPUCyclesGPUInterruptActive", 1), 0);
	assert_int_equal(quality(&run, "MaliExternalBusBeatsReadBeats", 1),
			 SX_QUALITY_NOT_COLLECTED);
	assert_int_equal(quality(&run, "MaliALUIssuesSlot1Issues", 1), 0);
	for (size_t row = 0; row < 3; row += 2) {
		assert_int_equal(quality(&run, "MaliGPUCyclesGPUActive", row), 0);
		assert_int_equal(quality(&run, "MaliExternalBusBeatsReadBeats", row), 0);
	}
	finish(&run);
	free(data);
}

static void counters_at_their_highest(void **state)
{
	const struct device *d = &devices[3];
	uint8_t *data = make_dumps(d, 1);
	put(d, data, 0, 4, UINT32_MAX);
	struct run run = start(d, options_of(d));
	assert_int_equal(sx_mali_decode(run.decoder, data, dump_bytes(d), run.table, NULL), SX_OK);
	assert_int_equal(quality(&run, "MaliGPUCyclesGPUActive", 0), SX_QUALITY_WRAPPED);
	assert_true(sx_table_get(run.table, 0, 0) == UINT32_MAX);
	assert_int_equal(quality(&run, "MaliCSFCyclesMCUActive", 0), 0);
	finish(&run);
	free(data);
	d = &devices[4]; /* 64-bit values whose sum does not fit */
	data = make_dumps(d, 1);
	for (uint32_t core = 0; core < 6; core++)
		put(d, data, 3 + core, 53, UINT64_MAX / 2);
	run = start(d, options_of(d));
	assert_int_equal(sx_mali_decode(run.decoder, data, dump_bytes(d), run.table, NULL), SX_OK);
	assert_int_equal(quality(&run, "MaliShaderCoreCyclesAnyWorkloadActive", 0),
			 SX_QUALITY_WRAPPED);
	assert_int_equal(quality(&run, "MaliShaderCoreL2ReadsFragmentL2ReadBeats", 0), 0);
	finish(&run);
	free(data);
}

static void truncated_and_impossible(void **state)
{
	const struct device *d = &devices[4];
	uint8_t *data = make_dumps(d, 2);
	struct run run = start(d, options_of(d));
	struct sx_error err = {0};
	assert_int_equal(sx_mali_decode(run.decoder, data, 2 * dump_bytes(d) - 1, run.table, &err),
			 SX_INCOMPLETE);
	assert_int_equal(sx_table_row_count(run.table), 1);
	assert_non_null(strstr(err.remedy, "shader_core_mask"));
	assert_int_equal(sx_mali_decode(run.decoder, data, 0, run.table, NULL), SX_OK);
	static const struct sx_mali_options wrong[] = {
	    {.value_bytes = 2, .l2_slices = 1, .core_mask = 1},
	    {.value_bytes = 4, .l2_slices = 0, .core_mask = 1},
	    {.value_bytes = 4, .l2_slices = 65, .core_mask = 1},
	    {.value_bytes = 4, .l2_slices = 1, .core_mask = 0},
	};
	struct sx_mali_decoder *none = NULL;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(sx_mali_decoder_create(run.catalog, &wrong[i], &none, NULL),
				 SX_ERR_USAGE);
	const char *const names[] = {"MaliGPUActiveCy", "NoSuchCounter"};
	struct sx_mali_options some = options_of(d);
	some.counters = names;
	some.counter_count = 2;
	assert_int_equal(sx_mali_decoder_create(run.catalog, &some, &none, NULL), SX_ERR_NOT_FOUND);
	finish(&run);
	some.counter_count = 1;
	run = start(d, some);
	assert_int_equal(sx_table_column_count(run.table), 1);
	assert_string_equal(sx_table_column(run.table, 0)->name, "MaliGPUCyclesGPUActive");
	finish(&run);
	free(data);
}

/* A raw sample of a source, with the state of each block. */
struct raw {
	struct raw_sample sample;
	uint8_t *bytes, *states, *dump;
};

static void put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static struct raw make_raw(const struct device *d)
{
	uint32_t blocks = block_count(d);
	size_t head = MALI_RAW_HEAD + (blocks + 7) / 8 * 8, size = head + dump_bytes(d);
	uint8_t *dump = make_dumps(d, 1);
	struct raw raw = {.bytes = calloc(1, size)};
	assert_non_null(raw.bytes);
	const uint32_t words[] = {
	    MALI_RAW_MAGIC, 0,	    d->width,		d->slots,
	    d->slices,	    blocks, (uint32_t)d->cores, (uint32_t)(d->cores >> 32)};
	for (uint32_t i = 0; i < 8; i++)
		put32(raw.bytes + 4 * i, words[i]);
	raw.states = raw.bytes + MALI_RAW_HEAD;
	memset(raw.states, MALI_STATE_ON | MALI_STATE_AVAILABLE | MALI_STATE_NORMAL, blocks);
	raw.dump = raw.bytes + head;
	memcpy(raw.dump, dump, dump_bytes(d));
	free(dump);
	raw.sample = (struct raw_sample){
	    .kind = RAW_MALI, .begin_ns = 1000, .end_ns = 2000, .data = raw.bytes, .size = size};
	return raw;
}

struct stream {
	struct run run;
	struct decoder *decoder;
};

static struct stream open_stream(const struct device *d)
{
	const struct decoder_ops *ops = decode_find(RAW_MALI);
	assert_non_null(ops);
	const struct sx_constant_value constants[] = {{"MaliConstantsL2SliceCount", d->slices},
						      {"shader_core_mask", (double)d->cores}};
	struct stream stream = {.run.catalog = open_catalog(d)};
	struct decoder_setup setup = {
	    .catalog = stream.run.catalog, .constants = constants, .constant_count = 2};
	assert_int_equal(ops->create(&setup, &stream.decoder, NULL), SX_OK);
	assert_int_equal(decoder_table(stream.decoder, &stream.run.table, NULL), SX_OK);
	return stream;
}

static void close_stream(struct stream *stream)
{
	stream->decoder->ops->destroy(stream->decoder);
	sx_table_destroy(stream->run.table);
	sx_catalog_unref(stream->run.catalog);
}

static enum sx_status feed(struct stream *stream, const struct raw *raw)
{
	struct sx_error err;
	return stream->decoder->ops->feed(stream->decoder, &raw->sample, stream->run.table, &err);
}

static void states_of_blocks(void **state)
{
	const struct device *d = &devices[5];
	struct raw raw = make_raw(d);
	struct stream stream = open_stream(d);
	const struct run *run = &stream.run;
	const char *core = "MaliShaderCoreCyclesAnyWorkloadActive";
	uint32_t column = sx_table_find(run->table, core);
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(run, core, 0), 0);
	assert_int_equal(sx_table_begin_ns(run->table)[0], 1000);
	assert_int_equal(sx_table_end_ns(run->table)[0], 2000);
	raw.states[8] = MALI_STATE_OFF; /* one core slept: it did no work, the total stands */
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(run, core, 1), 0);
	assert_true(sx_table_get(run->table, column, 1) ==
		    sx_table_get(run->table, column, 0) - (double)known(0, 8, 53));
	memset(raw.states + 6, MALI_STATE_OFF, 6); /* all cores slept: a gap, not zero */
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(run, core, 2), SX_QUALITY_GAP);
	assert_int_equal(quality(run, "MaliGPUCyclesGPUActive", 2), 0);
	memset(raw.states, MALI_STATE_ON | MALI_STATE_PROTECTED, 12);
	assert_int_equal(feed(&stream, &raw), SX_OK); /* protected throughout */
	assert_int_equal(quality(run, core, 3), SX_QUALITY_GAP);
	assert_true(isnan(sx_table_get(run->table, column, 3)));
	memset(raw.states, MALI_STATE_ON | MALI_STATE_PROTECTED | MALI_STATE_NORMAL, 12);
	assert_int_equal(feed(&stream, &raw), SX_OK); /* for a part of it */
	assert_int_equal(quality(run, core, 4), SX_QUALITY_LOST);
	memset(raw.states, 0, 12); /* old drivers do not tell */
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(run, core, 5), 0);
	close_stream(&stream);
	free(raw.bytes);
}

static void stretched_failed_and_foreign(void **state)
{
	const struct device *d = &devices[4];
	struct raw raw = make_raw(d);
	struct stream stream = open_stream(d);
	raw.sample.flags = RAW_STRETCHED | RAW_LOST;
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(&stream.run, "MaliGPUCyclesGPUActive", 0),
			 SX_QUALITY_STRETCHED | SX_QUALITY_LOST);
	put32(raw.bytes + 4, MALI_RAW_FAILED);
	raw.sample.flags = 0;
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(&stream.run, "MaliGPUCyclesGPUActive", 1), SX_QUALITY_GAP);
	for (size_t size = 0; size < MALI_RAW_HEAD + 16; size++) {
		struct raw cut = raw;
		cut.sample.size = size;
		assert_int_equal(feed(&stream, &cut), SX_INCOMPLETE);
	}
	for (uint32_t word = 0; word < 8; word++) {
		if (word == 1)
			continue; /* flags may be anything */
		raw.bytes[4 * word] ^= 0x40;
		assert_int_equal(feed(&stream, &raw), SX_INCOMPLETE);
		raw.bytes[4 * word] ^= 0x40;
	}
	assert_int_equal(sx_table_row_count(stream.run.table), 2);
	close_stream(&stream);
	free(raw.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(known_contents),
	    cmocka_unit_test(summed_variant),
	    cmocka_unit_test(wrong_reductions_differ),
	    cmocka_unit_test(instances_and_imbalance),
	    cmocka_unit_test(rows_by_instance),
	    cmocka_unit_test(groups_that_were_off),
	    cmocka_unit_test(counters_at_their_highest),
	    cmocka_unit_test(truncated_and_impossible),
	    cmocka_unit_test(states_of_blocks),
	    cmocka_unit_test(stretched_failed_and_foreign),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
