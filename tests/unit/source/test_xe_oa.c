/* The Xe OA source on a fake kernel: what it finds, opens, reads, and how it fails and cleans up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "source/xe_oa/uapi.h"
#include "unit/source/heard.h"
#include "unit/source/recorded.h"
#include "unit/source/xe_stream.h"

#define BMG_RENDER_BASIC "f05e23fc-913d-4ab9-ba9a-43beb059a18c"

static void test_probe(void **state)
{
	struct fake_xe fake;
	fake_xe_init(&fake);
	struct found f = probe(&fake);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.state, SX_DEVICE_READY);
	assert_string_equal(f.id, "xe:card0");
	assert_string_equal(f.catalog, "intel-bmg");
	fake.has_metrics = false;
	f = probe(&fake);
	assert_int_equal(f.obstacle, SX_ERR_UNSUPPORTED);
	assert_non_null(strstr(f.because, "no OA metrics"));
	fake.has_metrics = true;
	fake.device_id = 0xe204; /* there are no sets for it */
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.because, "no catalog"));
	assert_non_null(strstr(f.remedy, "--for intel-bmg"));
	fake.other_driver = true;
	f = probe(&fake);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.state, SX_DEVICE_ABSENT);
	assert_non_null(strstr(f.because, "driven by xe"));
	assert_int_equal(fake.open_fds, 0);
}

/* Who asks the driver learns whether a stream would open, and none is opened for it. */
static void test_attempt(void **state)
{
	static const struct {
		uint32_t device, version;
	} chips[] = {
	    {0x9a49, 1200}, {0x56a0, 1255}, {0x7d55, 1270}, {0xe20b, 2000}, {0xb080, 3000}};
	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
		struct fake_xe fake;
		struct found f = {0};
		fake_xe_init(&fake);
		fake_xe_become(&fake, chips[i].device, chips[i].version);
		struct source_host host = host_of(&fake);
		host.ask_drivers = true;
		source_xe_oa.probe(&host, found_take, &f);
		assert_int_equal(f.state, SX_DEVICE_READY);
		fake.held = true;
		source_xe_oa.probe(&host, found_take, &f);
		assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
		assert_int_equal(f.obstacle, SX_ERR_BUSY);
		assert_non_null(strstr(f.because, "another process"));
		assert_int_equal(probe(&fake).state, SX_DEVICE_READY); /* which makes no call */
		assert_false(fake.active.used);
		assert_int_equal(fake.open_fds, 0);
	}
}

/* Before Linux 7.3 the driver's own switch alone opens it; from then on perf's as well. */
static void test_rights(void **state)
{
	static const struct {
		const char *kernel;
		bool paranoid, capable;
		int perf;
		bool allowed;
		const char *because; /* a part of it */
	} cases[] = {
	    {"7.2.9\n", true, false, 2, false, "observation_paranoid is 1 and CAP_PERFMON"},
	    {"7.2.9\n", true, false, 0, false, "helps from Linux 7.3 on"},
	    {"7.2.9\n", true, true, 2, true, ""},
	    {"7.2.9\n", false, false, 2, true, ""},
	    {"7.3.0-rc1\n", true, false, 1, false, "kernel.perf_event_paranoid above 0"},
	    {"7.3.0-rc1\n", true, false, 0, true, ""},
	    {"7.10.1\n", true, false, -1, true, ""},
	    {"6.12.48\n", true, false, -1, false, "helps from Linux 7.3 on"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_xe fake;
		struct source *source = NULL;
		struct sx_error err = {0};
		struct source_request request = {.set = "RenderBasic"};
		fake_xe_init(&fake);
		fake.kernel = cases[i].kernel;
		fake.paranoid = cases[i].paranoid;
		fake.capable = cases[i].capable;
		fake.perf_paranoid = cases[i].perf;
		struct found f = probe(&fake);
		assert_int_equal(f.state == SX_DEVICE_READY, cases[i].allowed);
		assert_non_null(strstr(f.because, cases[i].because));
		/* The prediction equals what the kernel does. */
		enum sx_status status = open_start(&fake, &source, &request, &err);
		assert_int_equal(status, cases[i].allowed ? SX_OK : SX_ERR_PERMISSION);
		if (status) {
			assert_int_equal(f.obstacle, SX_ERR_PERMISSION);
			assert_non_null(strstr(f.remedy, "sysctl dev.xe.observation_paranoid=0"));
			assert_non_null(strstr(err.remedy, "observation_paranoid=0"));
		}
		source_xe_oa.close(source);
		assert_int_equal(fake.open_fds, 0);
		assert_int_equal(fake_xe_config_count(&fake), 0);
	}
}

static void test_describe(void **state)
{
	struct fake_xe fake;
	struct source *source;
	struct sx_error err = {0};
	fake_xe_init(&fake);
	struct source_host host = host_of(&fake);
	fake.no_render_node = true;
	static const char *const names[] = {"xe",	"xe_oa", "xe-oa",
					    "xe:card0", "card0", "renderD128"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(source_xe_oa.open(&host, names[i], &source, &err), SX_OK);
		const struct source_desc *desc = source_describe(source);
		assert_string_equal(desc->catalog, "intel-bmg");
		assert_string_equal(desc->facts.name, "Intel Battlemage (Xe2) 0xe20b");
		assert_true(constant(desc, "XeCoreTotalCount") == 8);
		assert_true(constant(desc, "EuCoresTotalCount") == 64);
		assert_true(constant(desc, "GtXeCore7") == 1 && constant(desc, "GtXeCore8") == 0);
		assert_true(constant(desc, "GpuTimestampFrequency") == 19200000);
		assert_true(constant(desc, "GpuMaxFrequency") == 2850e6);
		assert_true(constant(desc, "L3BankTotalCount") == 8);
		assert_true(constant(desc, "CopyEngineTotalCount") == 2);
		assert_true(constant(desc, "ComputeEngineTotalCount") == 1);
		source_xe_oa.close(source);
	}
	assert_int_equal(source_xe_oa.open(&host, "xe:card1", &source, &err), SX_ERR_NOT_FOUND);
	/* Answers that do not fit their size. */
	for (uint8_t cut = 1; cut <= 2; cut++) {
		fake.cut = cut;
		assert_int_equal(source_xe_oa.open(&host, "xe", &source, &err), SX_ERR_UNSUPPORTED);
		assert_non_null(strstr(err.message, "makes no sense"));
	}
	fake.cut = 0;
	fake.unit_count = 0;
	assert_int_equal(source_xe_oa.open(&host, "xe", &source, &err), SX_ERR_UNSUPPORTED);
	fake.no_card_node = true;
	assert_int_equal(source_xe_oa.open(&host, "xe", &source, &err), SX_ERR_PERMISSION);
	assert_non_null(strstr(err.remedy, "usermod"));
	assert_int_equal(fake.open_fds, 0);
}

static size_t marked(const struct sx_table *t, uint8_t quality)
{
	size_t n = 0;
	const uint8_t *of = sx_table_vector(t, sx_table_find(t, "GPU_CLOCK")).quality;
	for (size_t i = 0; of && i < sx_table_row_count(t); i++)
		n += of[i] == quality;
	return n;
}

/* Sums are those of the model, times those of the clock; nothing blocks, nothing is inherited. */
static void test_stream(void **state)
{
	struct fake_xe fake;
	struct stream s;
	fake_xe_init(&fake);
	begin(&s, &fake, "RenderBasic", 1000000);
	assert_true(fake.nonblocking && fake.cloexec && fake.enabled && fake.disabled_at_open);
	assert_int_equal(fake.exponent, 13);
	assert_int_equal(fake.unit, 0);
	assert_int_equal(fake.format, XE_FORMAT(XE_FMT_PEC, 1, 1, 0));
	assert_false(fake.properties & 1 << XE_PROP_BUFFER_SIZE);
	assert_string_equal(fake.active.uuid, BMG_RENDER_BASIC);
	uint64_t begin_ns = fake.now_ns;
	run(&s, 1000000000);
	size_t rows = sx_table_row_count(s.table);
	assert_in_range(rows, 1150, 1172);
	uint64_t ticks = sum(s.table, "GPU_TIME"), clocks = sum(s.table, "GPU_CLOCK");
	assert_int_equal(ticks, rows * 16384);
	assert_int_equal(clocks, ticks * 125);
	assert_in_range(sum(s.table, "PEC32"), clocks * 8 / 10 - 1, clocks * 8 / 10 + 1);
	assert_in_range(sum(s.table, "PEC7"), clocks * 8 / 64 - 1, clocks * 8 / 64 + 1);
	assert_in_range(sx_table_begin_ns(s.table)[0], begin_ns, begin_ns + 3000000);
	assert_in_range(sx_table_end_ns(s.table)[rows - 1], fake.now_ns - 8000000, fake.now_ns);
	assert_in_range(sx_table_label(s.table, SX_LABEL_CONTEXT, 0), 5, 6);
	assert_int_equal(s.lost, 0);
	assert_int_equal(marked(s.table, SX_QUALITY_LOST), 0);
	end(&s);
}

/* Each loss bit does what it means: a report lost, sums that begin anew, a note. */
static void test_losses(void **state)
{
	static const struct {
		uint32_t bits;
		unsigned rows_marked, restarts, notes;
		const char *note;
	} cases[] = {
	    {XE_STATUS_REPORT_LOST, 1, 0, 0, ""},
	    {XE_STATUS_BUFFER_OVERFLOW, 0, 1, 0, ""},
	    {XE_STATUS_COUNTER_OVERFLOW, 0, 0, 1, "shorter --interval"},
	    {XE_STATUS_TRIGGERS_FULL, 1, 0, 1, "periodic ones are complete"},
	    {XE_STATUS_REPORT_LOST | XE_STATUS_BUFFER_OVERFLOW, 0, 1, 0, ""},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_xe fake;
		struct stream s;
		fake_xe_init(&fake);
		begin(&s, &fake, "RenderBasic", 10000000);
		run(&s, 100000000);
		fake.lose = cases[i].bits;
		run(&s, 200000000);
		assert_true(s.lost >= 1);
		assert_int_equal(fake.restarts, cases[i].restarts);
		assert_int_equal(s.notes, cases[i].notes);
		assert_non_null(strstr(s.note, cases[i].note));
		assert_in_range(marked(s.table, SX_QUALITY_LOST), cases[i].rows_marked,
				cases[i].rows_marked + 1);
		/* No interval reaches over counters that began anew: all rates are the model's. */
		uint64_t clocks = sum(s.table, "GPU_CLOCK");
		assert_int_equal(clocks, sum(s.table, "GPU_TIME") * 125);
		assert_in_range(sum(s.table, "PEC32"), clocks * 8 / 10 - 9, clocks * 8 / 10 + 9);
		end(&s);
	}
}

/* A sleeping reader: the buffer overflows, and its contents are not used. */
static void test_overflow(void **state)
{
	struct fake_xe fake;
	struct stream s;
	fake_xe_init(&fake);
	begin(&s, &fake, "RenderBasic", 100000);
	run(&s, 50000000);
	fake.now_ns += UINT64_C(10000000000);
	run(&s, 50000000);
	assert_int_equal(fake.restarts, 1);
	assert_true(s.lost > 50000);
	uint64_t clocks = sum(s.table, "GPU_CLOCK");
	assert_int_equal(clocks, sum(s.table, "GPU_TIME") * 125);
	end(&s);
}

/* Periods at which the usual buffer lasts less than half a second get a larger one. */
static void test_buffer(void **state)
{
	struct fake_xe fake;
	struct stream s;
	fake_xe_init(&fake);
	begin(&s, &fake, "RenderBasic", 10000);
	assert_int_equal(fake.buffer_bytes, 64 << 20);
	end(&s);
	fake_xe_init(&fake);
	fake.old_caps = true; /* a kernel that refuses the property */
	begin(&s, &fake, "RenderBasic", 10000);
	assert_false(fake.properties & 1 << XE_PROP_BUFFER_SIZE);
	end(&s);
}

/* The device goes: the stream does not say so, but we do, within seconds. */
static void test_gone(void **state)
{
	for (int kind = FAKE_XE_SILENT; kind <= FAKE_XE_NOISY; kind++) {
		struct fake_xe fake;
		struct stream s;
		struct sx_error err = {0};
		enum sx_status status = SX_OK;
		fake_xe_init(&fake);
		begin(&s, &fake, "RenderBasic", 10000000);
		run(&s, 100000000);
		fake.gone = (enum fake_xe_gone)kind;
		uint64_t from = fake.now_ns;
		while (status != SX_ERR_DEVICE_LOST && fake.now_ns < from + 5000000000)
			status = step(&s, &err);
		assert_int_equal(status, SX_ERR_DEVICE_LOST);
		assert_true(fake.now_ns < from + UINT64_C(2000000000));
		assert_non_null(strstr(err.remedy, "dmesg"));
		size_t rows = sx_table_row_count(s.table);
		assert_in_range(rows, 11, 16); /* earlier samples are valid */
		assert_int_equal(source_xe_oa.stop(s.source, &err), SX_OK);
		assert_int_equal(step(&s, &err), SX_END);
		fake.configs[0].used = false; /* it went with the driver */
		end(&s);
	}
}

/* What the kernel had when the stream was stopped is read, then the unit is free. */
static void test_read_after_stop(void **state)
{
	struct fake_xe fake;
	struct stream s;
	struct sx_error err = {0};
	enum sx_status status;
	fake_xe_init(&fake);
	begin(&s, &fake, "RenderBasic", 1000000);
	run(&s, 20000000);
	size_t before = sx_table_row_count(s.table);
	fake.now_ns += 200000000;
	assert_int_equal(source_xe_oa.stop(s.source, &err), SX_OK);
	assert_int_equal(fake_xe_config_count(&fake), 0);
	fake.now_ns += 200000000; /* nothing more is counted */
	while ((status = step(&s, &err)) == SX_OK)
		;
	assert_int_equal(status, SX_END);
	assert_in_range(sx_table_row_count(s.table) - before, 225, 245);
	assert_false(fake.stream);
	assert_int_equal(step(&s, &err), SX_END);
	struct source_request request = {.set = "ComputeBasic"};
	assert_int_equal(source_xe_oa.start(s.source, &request, &err), SX_OK);
	end(&s);
	/* A loss right at the end is reported, too. */
	fake_xe_init(&fake);
	begin(&s, &fake, "RenderBasic", 1000000);
	run(&s, 20000000);
	assert_int_equal(source_xe_oa.stop(s.source, &err), SX_OK);
	while (step(&s, &err) == SX_OK)
		fake.lose = fake.next_ticks >= fake.end_ticks - 16384 ? XE_STATUS_REPORT_LOST : 0;
	end(&s);
}

/* The k-th call fails, for every k: an error or none, but nothing stays behind. */
static void test_fault_sweep(void **state)
{
	static const int errors[] = {EIO, ENODEV, EACCES, ENOMEM, EINTR};
	unsigned refused = 0, survived = 0;
	for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++)
		for (unsigned k = 1;; k++) {
			struct fake_xe fake;
			struct source *source = NULL;
			struct sx_error err = {0};
			struct raw_sample raw;
			struct source_request request = {.set = "TestOa", .interval_ns = 10000000};
			fake_xe_init(&fake);
			fake.fail_at = k;
			fake.fail_errno = errors[e];
			probe(&fake);
			enum sx_status status = open_start(&fake, &source, &request, &err);
			for (int i = 0; i < 4 && (!status || status == SX_AGAIN); i++) {
				fake.lose = i == 2 ? XE_STATUS_BUFFER_OVERFLOW : 0;
				status = source_xe_oa.read(source, 50, &raw, &err);
			}
			source_xe_oa.close(source);
			if (status && status != SX_AGAIN) {
				refused++;
				assert_true(err.message[0] != '\0');
			} else {
				survived++;
			}
			assert_int_equal(fake.open_fds, 0);
			assert_int_equal(fake_xe_config_count(&fake), 0);
			if (fake.calls < k)
				break;
		}
	assert_true(refused > 20);
	assert_true(survived > 20);
}

static struct lines selftest(struct fake_xe *fake, enum sx_status expected)
{
	struct source *source;
	struct sx_error err = {0};
	struct lines lines = {0};
	struct source_host host = host_of(fake);
	assert_int_equal(source_xe_oa.open(&host, "xe", &source, &err), SX_OK);
	assert_int_equal(source_xe_oa.selftest(source, &(struct note_sink){hear, &lines}, &err),
			 expected);
	source_xe_oa.close(source);
	assert_int_equal(fake->open_fds, 0);
	return lines;
}

static void test_selftest(void **state)
{
	struct fake_xe fake;
	fake_xe_init(&fake);
	struct lines lines = selftest(&fake, SX_OK);
	assert_int_equal(lines.ok, 8);
	assert_int_equal(lines.failed, 0);
	fake.wrong_core = true;
	assert_int_equal(selftest(&fake, SX_INCOMPLETE).failed, 1);
	fake.wrong_core = false;
	fake.clock_drift = 0.01;
	assert_int_equal(selftest(&fake, SX_INCOMPLETE).failed, 1);
	fake.clock_drift = 0;
	fake.clock_hz = 4000000000;
	assert_true(selftest(&fake, SX_INCOMPLETE).failed >= 2);
	/* Arc: by B counters, as through i915. */
	fake_xe_init(&fake);
	fake_xe_become(&fake, 0x56a0, 1255);
	lines = selftest(&fake, SX_OK);
	assert_int_equal(lines.ok, 14);
}

/* What is recorded is a recording: device, set and topology in it, every time between two pairs. */
static void test_recording(void **state)
{
	struct fake_xe fake;
	struct sx_raw_recording recording = {.device = "xe:card0",
					     .set = "ComputeBasic",
					     .interval_ns = 1000000,
					     .duration_ns = 500000000};
	fake_xe_init(&fake);
	struct source_host host = host_of(&fake);
	uint64_t begin_ns = fake.now_ns;
	struct sx_oa_decoder *d = recorded_total(&host, &recording);
	assert_int_equal(fake.open_fds, 0);
	assert_int_equal(fake_xe_config_count(&fake), 0);
	const struct sx_table *t = sx_oa_decoder_rows(d);
	const struct sx_oa_device *device = sx_oa_decoder_device(d);
	assert_string_equal(device->set, "ComputeBasic");
	assert_int_equal(device->device_id, 0xe20b);
	assert_int_equal(device->format, SX_OA_PEC64U64);
	assert_int_equal(device->subslice_mask[0], 0xff);
	assert_int_equal(device->eu_mask[0][7], 0xff);
	assert_in_range(sum(t, "GPU_TIME"), 9300000, 9620000);
	assert_int_equal(sum(t, "GPU_CLOCK"), sum(t, "GPU_TIME") * 125);
	assert_in_range(sx_table_begin_ns(t)[0], begin_ns, begin_ns + 3000000);
	assert_in_range(sx_table_end_ns(t)[0], begin_ns + 480000000, fake.now_ns);
	sx_oa_decoder_destroy(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_probe),	cmocka_unit_test(test_attempt),
	    cmocka_unit_test(test_rights),	cmocka_unit_test(test_describe),
	    cmocka_unit_test(test_stream),	cmocka_unit_test(test_losses),
	    cmocka_unit_test(test_overflow),	cmocka_unit_test(test_buffer),
	    cmocka_unit_test(test_gone),	cmocka_unit_test(test_read_after_stop),
	    cmocka_unit_test(test_fault_sweep), cmocka_unit_test(test_selftest),
	    cmocka_unit_test(test_recording),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
