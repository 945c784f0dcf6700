/* Samples of kbase that come late, are too many or lie, and clocks that drift and jump. */
#include "unit/source/kbase_bench.h"

static void overrun_is_stretched(void **state)
{
	struct bench b;
	fake_kbase_init(&b.fake);
	open_bench(&b);
	start_bench(&b, 1000000);
	fake_kbase_advance(&b.fake, 100 * 1000000); /* no read for 100 periods */
	for (int i = 0; i < 31; i++)
		assert_int_equal(read_one(&b, 10), SX_OK);
	fake_kbase_advance(&b.fake, 1000000);
	assert_int_equal(read_one(&b, 10), SX_OK);
	for (size_t row = 0; row < 32; row++) {
		bool stretched = row == 31;
		check_row(&b, row);
		assert_int_equal(quality(&b, "MaliGPUCyclesGPUActive", row),
				 stretched ? SX_QUALITY_STRETCHED : 0);
	}
	assert_int_equal(sx_table_begin_ns(b.table)[31], sx_table_end_ns(b.table)[30]);
	drain_bench(&b);
	close_bench(&b);
}

/* A stop with a full ring: the driver would drop the last sample, and with it the end of the run.
 */
static void a_full_ring_is_stopped_whole(void **state)
{
	struct bench b;
	fake_kbase_init(&b.fake);
	open_bench(&b);
	start_bench(&b, 1000000);
	uint64_t begin = b.fake.begin_ns;
	fake_kbase_advance(&b.fake, 200 * 1000000 + 12345);
	assert_int_equal(b.fake.used, FAKE_RING - 1);
	drain_bench(&b);
	size_t rows = sx_table_row_count(b.table);
	assert_int_equal(rows, FAKE_RING);
	for (size_t row = 0; row < rows; row++)
		check_row(&b, row);
	uint64_t covered = sx_table_end_ns(b.table)[rows - 1] - sx_table_begin_ns(b.table)[0];
	assert_true(covered >= 200 * 1000000 + 12345 && b.fake.now_ns - begin >= covered);
	close_bench(&b);
}

static void samples_that_point_nowhere(void **state)
{
	struct bench b;
	fake_kbase_init(&b.fake);
	b.fake.bad_offset = UINT32_MAX - 3;
	open_bench(&b);
	start_bench(&b, 10000000);
	struct raw_sample raw;
	struct sx_error err = {0};
	enum sx_status status = SX_OK;
	for (int i = 0; i < 20 && status != SX_ERR_UNSUPPORTED; i++)
		status = source_kbase.read(b.source, 100, &raw, &err);
	assert_int_equal(status, SX_ERR_UNSUPPORTED); /* all of them: the driver is at fault */
	assert_false(b.fake.held);
	close_bench(&b);
	/* A single one loses only itself; it is counted, and reported once. */
	fake_kbase_init(&b.fake);
	b.fake.bad_offset = UINT32_MAX - 3;
	b.fake.bad_sample = 3;
	open_bench(&b);
	start_bench(&b, 10000000);
	uint64_t lost = 0;
	unsigned notes = 0, samples = 0;
	while (samples < 5) {
		status = source_kbase.read(b.source, 100, &raw, &err);
		notes += status == SX_OK && raw.kind == RAW_NOTE;
		samples += status == SX_OK && raw.kind == RAW_MALI;
		lost += status == SX_OK ? raw.lost : 0;
		assert_true(status == SX_OK || status == SX_AGAIN);
	}
	assert_int_equal(lost, 1);
	assert_int_equal(notes, 1);
	drain_bench(&b);
	close_bench(&b);
}

/* Samples that the ring had no room for, and those that we asked for too late, are counted. */
static void late_samples_are_counted(void **state)
{
	static const uint16_t minors[] = {24, 12}; /* its own timer; ours */
	for (size_t i = 0; i < 2; i++) {
		struct bench b;
		struct raw_sample raw;
		uint64_t lost = 0, samples = 0;
		fake_kbase_init(&b.fake);
		b.fake.version.minor = minors[i];
		b.fake.state = 0;
		open_bench(&b);
		start_bench(&b, 1000000);
		fake_kbase_advance(&b.fake, 100 * 1000000);
		while (samples + lost < 110) {
			if (source_kbase.read(b.source, 5, &raw, NULL) != SX_OK)
				continue;
			samples++;
			lost += raw.lost;
		}
		assert_in_range(lost, i ? 97 : 66, i ? 101 : 70);
		drain_bench(&b);
		close_bench(&b);
	}
}

/* The clocks drift by 100 parts in a million: no sample is longer or shorter than it was. */
static void drifting_clocks(void **state)
{
	struct bench b;
	fake_kbase_init(&b.fake);
	b.fake.drift = 1e-4;
	open_bench(&b);
	start_bench(&b, 10000000);
	while (sx_table_row_count(b.table) < 500)
		assert_int_equal(read_one(&b, 100), SX_OK);
	const uint64_t *begin = sx_table_begin_ns(b.table), *end = sx_table_end_ns(b.table);
	for (size_t row = 1; row < 500; row++) {
		/* 10 ms, longer by 1 us; by the offset alone one in a second was 100 us longer. */
		assert_int_equal(begin[row], end[row - 1]);
		assert_in_range(end[row] - begin[row], 10000000, 10002500);
	}
	uint64_t raw_end = UINT64_C(5010000000) + 499 * UINT64_C(10000000);
	int64_t true_end = (int64_t)raw_end + b.fake.offset_ns + (int64_t)((double)raw_end * 1e-4);
	assert_true(llabs((int64_t)end[499] - true_end) < 1000);
	drain_bench(&b);
	close_bench(&b);
}

/* Our clock jumps by 3 s against the driver's: reported once, and correct from then on. */
static void a_clock_that_jumps(void **state)
{
	struct bench b;
	struct raw_sample raw = {0};
	struct sx_error err;
	unsigned notes = 0, broken = 0;
	fake_kbase_init(&b.fake);
	open_bench(&b);
	start_bench(&b, 10000000);
	while (sx_table_row_count(b.table) < 300)
		assert_int_equal(read_one(&b, 100), SX_OK);
	b.fake.offset_ns += 3000000000;
	for (int i = 0; i < 300; i++) {
		assert_int_equal(source_kbase.read(b.source, 100, &raw, &err), SX_OK);
		broken += raw.kind != RAW_NOTE && raw.flags & RAW_BROKEN;
		if (raw.kind != RAW_NOTE)
			continue;
		notes++;
		assert_non_null(strstr((const char *)raw.data, "jumped by 3000 ms"));
	}
	assert_int_equal(notes, 1);
	assert_int_equal(broken, 1);
	int64_t off = (int64_t)(raw.end_ns - (b.fake.now_ns + (uint64_t)b.fake.offset_ns));
	assert_true(off <= 0 && off > -20000000);
	drain_bench(&b);
	close_bench(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(overrun_is_stretched),
	    cmocka_unit_test(a_full_ring_is_stopped_whole),
	    cmocka_unit_test(samples_that_point_nowhere),
	    cmocka_unit_test(late_samples_are_counted),
	    cmocka_unit_test(drifting_clocks),
	    cmocka_unit_test(a_clock_that_jumps),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
