/* The CPU source where something is missing, refused or fails. */
#include "unit/source/cpu_bench.h"

/* Without perf events a process still has its CPU clock and its faults. */
static void test_process_without_perf(void **state)
{
	struct fake_cpu fake;
	struct values v;
	char notes[2048] = "";
	fake_cpu_init(&fake);
	fake.no_perf = true;
	struct source *source = open_cpu(&fake);
	fake.ends_ns = fake.now_ns + NS_PER_S / 2;
	fake.reaped = true;
	start(source, &(struct source_request){.interval_ns = NS_PER_S / 10, .pid = FAKE_CPU_PID});
	assert_int_equal(next(source, &v, notes, sizeof(notes)), SX_OK);
	expect(source, &v, "TaskClock", 8 * NS_PER_S / 100);
	expect(source, &v, "PageFaults", 10);
	expect(source, &v, "MajorFaults", 1);
	expect_none(source, &v, "Cycles");
	expect_none(source, &v, "ContextSwitches");
	assert_non_null(strstr(notes, "Cycles"));
	assert_non_null(strstr(notes, "perf_event_paranoid is 3"));
	assert_null(strstr(notes, "TaskClock"));
	for (int i = 0; i < 4; i++)
		assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	assert_int_equal(next(source, &v, NULL, 0), SX_END);
	finish(&fake, source);
}

/* Where the kernel's part is forbidden, a false 0 is worse than nothing. */
static void test_user_only(void **state)
{
	struct fake_cpu fake;
	struct values v;
	char notes[2048] = "";
	fake_cpu_init(&fake);
	fake.no_kernel = true;
	struct source *source = open_cpu(&fake);
	start(source, &(struct source_request){.interval_ns = NS_PER_S, .pid = FAKE_CPU_PID});
	assert_int_equal(next(source, &v, notes, sizeof(notes)), SX_OK);
	expect(source, &v, "Cycles", 2 * FAKE_CPU_HZ);
	expect(source, &v, "TaskClock", 8 * NS_PER_S / 10);
	expect_none(source, &v, "ContextSwitches");
	expect_none(source, &v, "Migrations");
	expect_none(source, &v, "ClusterCycles[0]");
	assert_non_null(strstr(notes, "user mode alone"));
	finish(&fake, source);
}

static void test_no_pmu(void **state)
{
	struct fake_cpu fake;
	struct values v;
	char notes[2048] = "";
	fake_cpu_init(&fake);
	fake.no_pmu = fake.no_cpufreq = true;
	struct source *source = open_cpu(&fake);
	assert_string_equal(source_describe(source)->facts.driver, "Linux 6.1.0-fake, no PMU");
	start(source, &(struct source_request){.interval_ns = NS_PER_S});
	assert_int_equal(next(source, &v, notes, sizeof(notes)), SX_OK);
	expect_none(source, &v, "Cycles");
	expect_none(source, &v, "ClusterInstructions[0]");
	expect_none(source, &v, "ClusterFrequency[0]");
	expect(source, &v, "UserTime", NS_PER_S);
	expect(source, &v, "Migrations", 4 * NS_PER_S);
	assert_string_equal(notes,
			    "not collected: Cycles, Instructions, CacheReferences, CacheMisses, "
			    "Branches, BranchMisses, RefCycles, StalledFrontend, StalledBackend, "
			    "ClusterCycles, ClusterInstructions: the device or driver has no such "
			    "counter (usual in virtual machines and containers)\n");
	/* Rows say the same as the note. */
	const struct source_desc *desc = source_describe(source);
	assert_string_equal(desc->whys[index_of(source, "Cycles")],
			    "the device or driver has no such counter (usual in virtual machines "
			    "and containers)");
	assert_null(desc->whys[index_of(source, "UserTime")]);
	finish(&fake, source);
}

static void test_refusals(void **state)
{
	struct fake_cpu fake;
	struct source *source;
	struct sx_error err = {0};
	struct raw_sample raw;
	static const char *const wrong[] = {
	    "Cycle",	       "Cycles[0]",	  "ClusterCycles",    "ClusterCycles[1]",
	    "ClusterCycles[0", "ClusterCycles[]", "ClusterCycles[-0]"};
	fake_cpu_init(&fake);
	assert_int_equal(
	    source_cpu.open(&(struct source_host){.sys = &fake.sys}, "cpu7", &source, &err),
	    SX_ERR_NOT_FOUND);
	source = open_cpu(&fake);
	assert_int_equal(source_cpu.read(source, 0, &raw, &err), SX_ERR_USAGE);
	struct source_request request = {.counters = wrong,
					 .counter_count = sizeof(wrong) / sizeof(wrong[0])};
	assert_int_equal(source_cpu.start(source, &request, &err), SX_OK);
	assert_int_equal(source_describe(source)->counter_count, 0);
	assert_int_equal(source_cpu.stop(source, &err), SX_OK);
	assert_int_equal(source_cpu.start(source, &(struct source_request){.set = "x"}, &err),
			 SX_ERR_NOT_FOUND);
	assert_int_equal(source_cpu.start(source, &(struct source_request){.interval_ns = 5}, &err),
			 SX_ERR_USAGE);
	assert_int_equal(source_cpu.start(source, &(struct source_request){.pid = 77}, &err),
			 SX_ERR_NOT_FOUND);
	assert_non_null(strstr(err.message, "77"));
	source_cpu.close(source);
	assert_int_equal(fake.open_fds, 0);
}

static void found(void *user, const struct sx_device *device)
{
	struct sx_device *out = user;
	assert_string_equal(device->id, "cpu");
	assert_string_equal(device->name, "Fake CPU 9000");
	out->state = device->state;
	out->because = device->because;
	out->remedy = device->remedy;
}

static void test_probe(void **state)
{
	struct fake_cpu fake;
	struct sx_device device = {.id = NULL};
	fake_cpu_init(&fake);
	source_cpu.probe(&(struct source_host){.sys = &fake.sys}, found, &device);
	assert_int_equal(device.state, SX_DEVICE_READY);
	assert_null(device.because);
	fake.no_proc = true;
	source_cpu.probe(&(struct source_host){.sys = &fake.sys}, found, &device);
	assert_int_equal(device.state, SX_DEVICE_UNUSABLE);
	assert_non_null(device.because);
	assert_non_null(device.remedy);
	assert_int_equal(fake.open_fds, 0);
}

/* What one run gives, all samples: false when it ended in an error. */
static bool run_once(struct fake_cpu *fake, pid_t pid, struct values *out, uint32_t samples)
{
	struct source *source = NULL;
	struct sx_error err = {0};
	struct source_request request = {.interval_ns = NS_PER_S, .pid = pid};
	bool good = source_cpu.open(&(struct source_host){.sys = &fake->sys}, "cpu", &source,
				    &err) == SX_OK;
	enum sx_status status = good ? source_cpu.start(source, &request, &err) : SX_ERR_IO;
	good = status == SX_OK;
	for (uint32_t i = 0; good && i < samples; i++) {
		status = next(source, &out[i], NULL, 0);
		good = status == SX_OK || status == SX_AGAIN;
	}
	if (source) {
		source_cpu.stop(source, NULL);
		source_cpu.close(source);
	}
	assert_int_equal(fake->open_fds, 0);
	return good;
}

/*
 * The k-th system call fails, for every k: no crash, no descriptor left open, and each value is
 * either what it was without the fault or not there.
 */
static void sweep(pid_t pid, int error, bool hybrid)
{
	struct fake_cpu fake;
	struct values good[2], bad[2];
	fake_cpu_init(&fake);
	fake.hybrid = hybrid;
	fake.capacities = true;
	assert_true(run_once(&fake, pid, good, 2));
	int calls = fake.calls;
	assert_true(calls > 50);
	for (int k = 1; k <= calls; k++) {
		memset(bad, 0, sizeof(bad));
		fake_cpu_init(&fake);
		fake.hybrid = hybrid;
		fake.capacities = true;
		fake.fail_at = k;
		fake.fail_errno = error;
		if (!run_once(&fake, pid, bad, 2))
			continue;
		for (uint32_t s = 0; s < 2; s++)
			for (uint32_t i = 0; i < bad[s].count; i++)
				if (bad[s].quality[i] == SX_QUALITY_VALID &&
				    bad[s].end_ns == good[s].end_ns &&
				    bad[s].value[i] != good[s].value[i])
					fail_msg("call %d, sample %u, value %u: %lu, not %lu", k, s,
						 i, bad[s].value[i], good[s].value[i]);
	}
}

static void test_faults(void **state)
{
	sweep(0, EIO, false);
	sweep(0, EMFILE, true);
	sweep(FAKE_CPU_PID, EACCES, false);
	sweep(FAKE_CPU_PID, EINTR, true);
}

/* The source's counters are the catalog's, in its order. */
static void test_catalog(void **state)
{
	struct sx_context *context;
	struct sx_catalog *catalog;
	uint32_t count;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(context, "cpu", &catalog, NULL), SX_OK);
	const struct sx_counter_info *infos = sx_catalog_counters(catalog, &count);
	assert_int_equal(count, CPU_COUNTER_COUNT);
	for (uint32_t i = 0; i < count; i++) {
		assert_string_equal(infos[i].name, cpu_counter_defs[i].name);
		assert_int_equal(infos[i].reduce == SX_REDUCE_EACH, i >= CPU_FIRST_CLUSTER_COUNTER);
		assert_int_equal(infos[i].over_time == SX_REDUCE_MEAN, cpu_counter_defs[i].gauge);
	}
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_process_without_perf),
	    cmocka_unit_test(test_user_only),
	    cmocka_unit_test(test_no_pmu),
	    cmocka_unit_test(test_refusals),
	    cmocka_unit_test(test_probe),
	    cmocka_unit_test(test_faults),
	    cmocka_unit_test(test_catalog),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
