/* Mali dumps with known contents, for 1, 3 and 6 cores, holes included; every wrong reduction
 * shows. */
#include "unit/decode/mali_dumps.h"

static struct sx_mali_options options_of(const struct device *d)
{
	return (struct sx_mali_options){
	    .value_bytes = d->width, .l2_slices = d->slices, .core_mask = d->cores};
}

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
	d = &devices[4]; /* 64-bit values with a sum that does not fit */
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
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
