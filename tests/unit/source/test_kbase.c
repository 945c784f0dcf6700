/* The kbase source against a fake driver: values, times, each known defect, and every call failing.
 */
#include "unit/source/kbase_bench.h"

/* Opens, reads five samples, stops; all rows must hold what the fake counted, without a gap. */
static void run_whole(struct bench *b, uint64_t interval_ns)
{
	open_bench(b);
	start_bench(b, interval_ns);
	for (int i = 0; i < 5; i++)
		assert_int_equal(read_one(b, 1000), SX_OK);
	drain_bench(b);
	size_t rows = sx_table_row_count(b->table);
	assert_true(rows >= 5);
	for (size_t row = 0; row < rows; row++) {
		check_row(b, row);
		if (row)
			assert_int_equal(sx_table_begin_ns(b->table)[row],
					 sx_table_end_ns(b->table)[row - 1]);
	}
}

static void healthy(void **state)
{
	struct bench b;
	fake_kbase_init(&b.fake);
	run_whole(&b, 10000000);
	assert_string_equal(b.desc->catalog, "mali-g625");
	assert_string_equal(b.desc->facts.driver, "kbase CSF 1.24 (kinstr)");
	assert_int_equal(b.desc->facts.constant_count, 5);
	assert_string_equal(b.desc->facts.constants[0].name, "MaliConstantsBusWidthBits");
	assert_true(b.desc->facts.constants[0].value == 128);
	assert_true(b.desc->facts.constants[1].value == 2 && b.desc->facts.constants[2].value == 6);
	assert_string_equal(b.desc->facts.constants[4].name, "gpu_max_clock_hz");
	assert_true(b.desc->facts.constants[4].value == 850e6);
	/* The timer runs on multiples of the period: the first sample is short, and says so. */
	const uint64_t *begin = sx_table_begin_ns(b.table), *end = sx_table_end_ns(b.table);
	assert_true(end[0] - begin[0] < 10000000 && end[1] - begin[1] == 10000000);
	/* Timestamps are of our clock, within the reported error. */
	uint64_t raw_end = UINT64_C(5010000000);
	int64_t off = (int64_t)(end[0] - raw_end) - b.fake.offset_ns;
	assert_true(b.desc->clock_error_ns > 0 && (uint64_t)llabs(off) <= b.desc->clock_error_ns);
	close_bench(&b);
}

static void only_what_is_asked_for(void **state)
{
	struct bench b;
	fake_kbase_init(&b.fake);
	open_bench(&b);
	const char *const names[] = {"MaliGPUActiveCy", "MaliShaderCoreCyclesAnyWorkloadActive[2]",
				     "NobodyKnowsThis"};
	struct source_request request = {
	    .counters = names, .counter_count = 3, .catalog = b.catalog};
	assert_int_equal(source_kbase.start(b.source, &request, NULL), SX_OK);
	assert_int_equal(b.fake.masks[MALI_FRONT_END][0], 0xf0);
	assert_int_equal(b.fake.masks[MALI_TILER][0] | b.fake.masks[MALI_MEMORY][0], 0);
	assert_int_equal(b.fake.masks[MALI_CORE][0] >> 52, 0xf);
	assert_int_equal(read_one(&b, 1000), SX_OK);
	assert_int_equal(quality(&b, "MaliGPUCyclesGPUActive", 0), 0);
	assert_int_equal(quality(&b, "MaliCSFCyclesMCUActive", 0), 0); /* a neighbour */
	assert_int_equal(quality(&b, "MaliGPUTasksMainPhaseTasks", 0), SX_QUALITY_NOT_COLLECTED);
	assert_int_equal(quality(&b, "MaliExternalBusBeatsReadBeats", 0), SX_QUALITY_NOT_COLLECTED);
	drain_bench(&b);
	close_bench(&b);
}

/* Versions and layouts that must all give the same right values. */
static void every_reader_and_shape(void **state)
{
	for (uint32_t shape = 0; shape < 64; shape++) {
		struct bench b;
		fake_kbase_init(&b.fake);
		b.fake.enum_stride = shape & 1 ? 40 : 32;
		b.fake.meta_size = shape & 1 ? 64 : 48;
		b.fake.no_sentinel = shape & 2;
		b.fake.extra_blocks = shape & 2;
		b.fake.physical_cores = shape & 4;
		b.fake.core_mask = shape & 8 ? 0x3d : 0x7;
		b.fake.empty_stop_sample = shape & 16;
		b.fake.drops_stop_sample = shape & 32;
		run_whole(&b, 5000000);
		close_bench(&b);
	}
}

static void manual_where_the_timer_is_broken(void **state)
{
	for (uint16_t minor = 10; minor <= 18; minor++) {
		struct bench b;
		fake_kbase_init(&b.fake);
		b.fake.version.minor = minor;
		b.fake.state = 0; /* such versions do not report it */
		run_whole(&b, 2000000);
		assert_int_equal(b.fake.periodic, minor == 17);
		uint64_t took = sx_table_end_ns(b.table)[3] - sx_table_begin_ns(b.table)[3];
		assert_true(took >= 2000000 && took < 4000000);
		close_bench(&b);
	}
}

static void vinstr_on_old_drivers(void **state)
{
	static const uint32_t buffers[] = {32, 16, 4, 1};
	for (size_t i = 0; i < 4; i++) {
		struct bench b;
		fake_kbase_init(&b.fake);
		b.fake.gpu_id = 0xa0040000;
		b.fake.slots = 64;
		b.fake.slices = 1;
		b.fake.core_mask = 0xd;
		b.fake.version.minor = i & 1 ? 8 : 12;
		b.fake.max_buffers = buffers[i];
		run_whole(&b, 10000000);
		assert_true(b.fake.vinstr);
		assert_int_equal(b.fake.buffers, buffers[i]);
		assert_string_equal(b.desc->catalog, "mali-g310");
		close_bench(&b);
	}
	struct bench b;
	fake_kbase_init(&b.fake);
	b.fake.gpu_id = 0xa0040000;
	b.fake.slots = 64;
	b.fake.version.minor = 12;
	b.fake.max_buffers = 0;
	open_bench(&b);
	struct source_request request = {0};
	assert_int_equal(source_kbase.start(b.source, &request, NULL), SX_ERR_NO_MEMORY);
	close_bench(&b);
}

static void periods_that_would_be_changed(void **state)
{
	static const uint64_t wrong[] = {1, 99999, UINT64_C(4294967296), UINT64_MAX};
	struct bench b;
	fake_kbase_init(&b.fake);
	open_bench(&b);
	for (size_t i = 0; i < 4; i++) {
		struct source_request request = {.interval_ns = wrong[i]};
		struct sx_error err = {0};
		assert_int_equal(source_kbase.start(b.source, &request, &err), SX_ERR_USAGE);
		assert_non_null(strstr(err.because, "4.29 s"));
	}
	start_bench(&b, UINT64_C(4294967295));
	drain_bench(&b);
	start_bench(&b, 100000); /* a second start begins anew */
	assert_int_equal(read_one(&b, 10), SX_OK);
	drain_bench(&b);
	close_bench(&b);
}

static void protected_off_and_failed(void **state)
{
	static const struct {
		uint32_t state, flags;
		uint16_t minor;
		uint8_t quality;
	} cases[] = {
	    {MALI_STATE_ON | MALI_STATE_PROTECTED, 0, 24, SX_QUALITY_GAP},
	    {MALI_STATE_OFF, 0, 24, SX_QUALITY_GAP},
	    {MALI_STATE_ON | MALI_STATE_UNAVAILABLE, 0, 24, SX_QUALITY_GAP},
	    {MALI_STATE_ON | MALI_STATE_PROTECTED | MALI_STATE_NORMAL, 0, 24, SX_QUALITY_LOST},
	    {MALI_STATE_OFF, 0, 22, 0}, /* not valid before 1.23 */
	    {MALI_STATE_ON, KBASE_SAMPLE_ERROR, 24, SX_QUALITY_GAP},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b;
		fake_kbase_init(&b.fake);
		b.fake.state = cases[i].state;
		b.fake.error_flag = cases[i].flags;
		b.fake.version.minor = cases[i].minor;
		open_bench(&b);
		start_bench(&b, 10000000);
		assert_int_equal(read_one(&b, 100), SX_OK);
		assert_int_equal(quality(&b, "MaliGPUCyclesGPUActive", 0), cases[i].quality);
		assert_int_equal(quality(&b, "MaliShaderCoreCyclesAnyWorkloadActive", 0),
				 cases[i].quality);
		drain_bench(&b);
		close_bench(&b);
	}
}

/* A device that goes: why and when, then the end; and everything is given back. */
static void a_device_that_goes(void **state)
{
	static const int errors[] = {ENODEV, EIO};
	for (int shape = 0; shape < 6; shape++) {
		struct bench b;
		struct raw_sample raw;
		struct sx_error err = {0};
		fake_kbase_init(&b.fake);
		b.fake.version.minor = shape / 2 == 0 ? 24 : 12;
		if (shape / 2 == 2) {
			b.fake.gpu_id = 0xa0040000;
			b.fake.slots = 64;
		}
		b.fake.state = 0;
		open_bench(&b);
		start_bench(&b, 10000000);
		for (int i = 0; i < 10; i++)
			read_one(&b, 100);
		b.fake.gone = errors[shape % 2];
		enum sx_status status;
		while ((status = source_kbase.read(b.source, 100, &raw, &err)) == SX_AGAIN)
			;
		assert_int_equal(status, SX_ERR_DEVICE_LOST);
		assert_non_null(strstr(err.message, "lost after 0."));
		assert_true(err.because[0] && strstr(err.remedy, "dmesg"));
		assert_int_equal(source_kbase.stop(b.source, &err), SX_OK);
		assert_int_equal(source_kbase.read(b.source, 0, &raw, &err), SX_END);
		close_bench(&b);
	}
}

/* A mask that no double holds: every core is there, numbered without the holes. */
static void wide_core_masks(void **state)
{
	static const uint64_t masks[] = {UINT64_C(0x8000000000000001), UINT64_MAX,
					 UINT64_C(0x4010000000000003)};
	for (size_t i = 0; i < 6; i++) {
		struct bench b;
		fake_kbase_init(&b.fake);
		b.fake.core_mask = masks[i / 2];
		b.fake.physical_cores = i & 1;
		open_bench(&b);
		start_bench(&b, 10000000);
		assert_int_equal(read_one(&b, 100), SX_OK);
		assert_int_equal(quality(&b, "MaliShaderCoreCyclesAnyWorkloadActive", 0), 0);
		check_row(&b, 0);
		drain_bench(&b);
		close_bench(&b);
	}
}

/* One session; every outcome is fine, but nothing may leak, hang or be left running. */
static bool whole_session(struct fake_kbase *fake)
{
	struct source *source = NULL;
	struct source_request request = {.interval_ns = 1000000};
	struct raw_sample raw;
	struct sx_error err = {0};
	if (source_kbase.open(&(struct source_host){.sys = &fake->sys}, "mali0", &source, &err) !=
	    SX_OK) {
		assert_true(err.message[0]);
		return false;
	}
	bool good = source_kbase.start(source, &request, &err) == SX_OK;
	for (int i = 0; good && i < 3; i++) {
		enum sx_status status = source_kbase.read(source, 5, &raw, &err);
		good = status == SX_OK || status == SX_AGAIN;
		if (status != SX_OK && status != SX_AGAIN)
			assert_true(err.message[0]);
	}
	if (source_kbase.stop(source, &err) == SX_OK)
		for (int i = 0; i < 100 && source_kbase.read(source, 0, &raw, &err) == SX_OK; i++)
			assert_true(i < 99);
	source_kbase.close(source);
	return good;
}

static void every_call_fails(void **state)
{
	static const int errors[] = {EIO, ENOMEM, ENODEV, EINTR, EBUSY, EPERM, EINVAL, EAGAIN};
	for (int shape = 0; shape < 3; shape++)
		for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
			unsigned calls = 0, k = 0;
			do {
				struct fake_kbase fake;
				fake_kbase_init(&fake);
				fake.version.minor = shape == 1 ? 12 : 24;
				if (shape == 2) {
					fake.version.minor = 12;
					fake.gpu_id = 0xa0040000;
					fake.slots = 64;
				}
				fake.fail_at = k;
				fake.fail_errno = errors[e];
				bool good = whole_session(&fake);
				if (k == 0) {
					assert_true(good);
					calls = fake.calls;
				}
				/* A signal costs nothing, also while identifying. */
				bool interrupted = errors[e] == EINTR;
				if (!good && interrupted)
					print_message("call %u of %u, shape %d\n", k, calls, shape);
				assert_true(good || !interrupted);
				assert_true(fake_kbase_clean(&fake));
				fake_kbase_finish(&fake);
			} while (k++ < calls);
			assert_true(calls > 20);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(healthy),
	    cmocka_unit_test(only_what_is_asked_for),
	    cmocka_unit_test(every_reader_and_shape),
	    cmocka_unit_test(manual_where_the_timer_is_broken),
	    cmocka_unit_test(vinstr_on_old_drivers),
	    cmocka_unit_test(periods_that_would_be_changed),
	    cmocka_unit_test(protected_off_and_failed),
	    cmocka_unit_test(a_device_that_goes),
	    cmocka_unit_test(wide_core_masks),
	    cmocka_unit_test(every_call_fails),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
