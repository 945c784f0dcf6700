/* The CPU source over a fake machine: values, degradation, the end of a process, every fault. */
#include "unit/source/cpu_bench.h"

/* One second of the whole machine: 2 CPUs of 400, then 2 of 1024. */
static void test_machine(void **state)
{
	struct fake_cpu fake;
	struct values v;
	fake_cpu_init(&fake);
	fake.capacities = true;
	struct source *source = open_cpu(&fake);
	const struct source_desc *desc = source_describe(source);
	assert_string_equal(desc->facts.name, "Fake CPU 9000");
	assert_string_equal(desc->facts.driver, "Linux 6.1.0-fake");
	assert_int_equal(desc->facts.constants[0].value, 4);
	assert_int_equal(desc->facts.constants[1].value, 2);
	start(source, &(struct source_request){.interval_ns = NS_PER_S});
	/* Nine hardware events and two of each cluster report how long they were counted. */
	assert_int_equal(desc->counter_count, 28 + 2 * 6 + 9 + 2 * 2);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(next(source, &v, NULL, 0), SX_OK);
		assert_int_equal(v.begin_ns, (1000 + (uint64_t)i) * NS_PER_S);
		assert_int_equal(v.end_ns, v.begin_ns + NS_PER_S);
		assert_int_equal(v.flags, 0);
		expect(source, &v, "UserTime", NS_PER_S);	/* 10 + 20 + 30 + 40 ticks */
		expect(source, &v, "SystemTime", NS_PER_S / 5); /* 4 * 5 ticks */
		expect(source, &v, "IdleTime", 28 * NS_PER_S / 10);
		expect(source, &v, "TaskClock", 12 * NS_PER_S / 10);
		expect(source, &v, "StealTime", 0);
		expect(source, &v, "Interrupts", 1000);
		expect(source, &v, "ContextSwitches", 500);
		expect(source, &v, "ProcessesStarted", 7);
		expect(source, &v, "PageFaults", 2000);
		expect(source, &v, "MajorFaults", 3);
		expect(source, &v, "Runnable", 3);
		expect(source, &v, "Blocked", 1);
		expect(source, &v, "ClusterTime[0]", 2 * NS_PER_S);
		expect(source, &v, "ClusterUserTime[0]", 7 * NS_PER_S / 10); /* CPUs 2 and 3 */
		expect(source, &v, "ClusterBusyTime[0]", 8 * NS_PER_S / 10);
		expect(source, &v, "ClusterBusyTime[1]", 4 * NS_PER_S / 10);
		expect(source, &v, "ClusterFrequency[0]", UINT64_C(3500000000));
		expect(source, &v, "ClusterFrequency[1]", UINT64_C(1500000000));
		expect(source, &v, "Cycles", 4 * FAKE_CPU_HZ);
		expect(source, &v, "Instructions", 4 * (FAKE_CPU_HZ / 2));
		expect(source, &v, "ClusterCycles[1]", 2 * FAKE_CPU_HZ);
		expect(source, &v, "Migrations", 4 * NS_PER_S);
	}
	finish(&fake, source);
}

/* Core types come from the PMUs where there are several; the weaker name sorts first. */
static void test_hybrid(void **state)
{
	struct fake_cpu fake;
	struct values v;
	const char *const names[] = {"ClusterCycles[0]", "ClusterUserTime[0]", "Cycles"};
	struct source_request request = {
	    .counters = names, .counter_count = 3, .interval_ns = NS_PER_S};
	fake_cpu_init(&fake);
	fake.hybrid = true;
	struct source *source = open_cpu(&fake);
	start(source, &request);
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	assert_int_equal(v.count, 3 + 2); /* and how long the two events were counted */
	expect(source, &v, "ClusterCycles[0]", 2 * FAKE_CPU_HZ);
	expect(source, &v, "ClusterUserTime[0]", 3 * NS_PER_S / 10); /* CPUs 0 and 1 */
	expect(source, &v, "Cycles", 4 * FAKE_CPU_HZ);
	assert_int_equal(source_cpu.stop(source, NULL), SX_OK);
	assert_int_equal(fake.open_fds, 0);
	/* Two threads, half of the time on either core type: each PMU's count adds up once. */
	request.pid = FAKE_CPU_PID;
	start(source, &request);
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	expect(source, &v, "Cycles", 2 * FAKE_CPU_HZ);
	expect(source, &v, "ClusterCycles[0]", 2 * FAKE_CPU_HZ);
	finish(&fake, source);
}

static void test_process(void **state)
{
	struct fake_cpu fake;
	struct values v;
	fake_cpu_init(&fake);
	struct source *source = open_cpu(&fake);
	fake.ends_ns = fake.now_ns + NS_PER_S + NS_PER_S / 2;
	start(source, &(struct source_request){.interval_ns = NS_PER_S, .pid = FAKE_CPU_PID});
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	expect(source, &v, "TaskClock", 8 * NS_PER_S / 10);
	expect(source, &v, "Cycles", 2 * FAKE_CPU_HZ);
	expect(source, &v, "UserTime", NS_PER_S);
	/* The end comes within the second interval: the rest is delivered at once, then no more. */
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	assert_int_equal(v.end_ns - v.begin_ns, NS_PER_S / 2);
	expect(source, &v, "Cycles", FAKE_CPU_HZ);
	assert_int_equal(next(source, &v, NULL, 0), SX_END);
	assert_int_equal(next(source, &v, NULL, 0), SX_END);
	finish(&fake, source);
}

/* Every thread of a running process is counted, or the reason is reported. */
static void test_many_threads(void **state)
{
	static const char *const names[] = {"Cycles"};
	const struct source_request request = {
	    .interval_ns = NS_PER_S, .pid = FAKE_CPU_PID, .counters = names, .counter_count = 1};
	for (int i = 0; i < 2; i++) {
		struct fake_cpu fake;
		struct values v;
		char notes[2048] = "";
		fake_cpu_init(&fake);
		fake.threads = i ? 3000 : 1500; /* 3000 are more than may be open at once */
		struct source *source = open_cpu(&fake);
		start(source, &request);
		assert_int_equal(next(source, &v, notes, sizeof(notes)), SX_OK);
		if (i == 0)
			expect(source, &v, "Cycles", 1500 * FAKE_CPU_HZ);
		else
			expect_none(source, &v, "Cycles");
		assert_true(!strstr(notes, "too many open files") == !i);
		finish(&fake, source);
	}
}

static void test_multiplexed(void **state)
{
	struct fake_cpu fake;
	struct values v;
	const char *const names[] = {"Cycles"};
	fake_cpu_init(&fake);
	fake.multiplexed = true;
	struct source *source = open_cpu(&fake);
	start(source, &(struct source_request){
			  .counters = names, .counter_count = 1, .interval_ns = NS_PER_S});
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	assert_int_equal(v.quality[0], SX_QUALITY_MULTIPLEXED);
	assert_int_equal(v.value[0], 4 * FAKE_CPU_HZ);
	assert_int_equal(v.count, 2);
	assert_string_equal(source_describe(source)->counters[1], "Cycles@time");
	assert_int_equal(v.quality[1], SX_QUALITY_VALID);
	assert_int_equal(v.value[1], (v.end_ns - v.begin_ns) / 2);
	finish(&fake, source);
}

/* Nine events, six counters: the default set counts all the time, and says what it leaves out. */
static void test_default_set_fits(void **state)
{
	static const char *const fit[] = {"Cycles",	 "Instructions", "CacheReferences",
					  "CacheMisses", "Branches",	 "BranchMisses"};
	static const char *const left[] = {"RefCycles", "StalledFrontend", "StalledBackend"};
	for (int process = 0; process < 2; process++) {
		struct fake_cpu fake;
		struct values v;
		char notes[2048] = "";
		fake_cpu_init(&fake);
		fake.counters = 6;
		struct source *source = open_cpu(&fake);
		struct source_request request = {.interval_ns = NS_PER_S,
						 .pid = process ? FAKE_CPU_PID : 0};
		start(source, &request);
		assert_int_equal(next(source, &v, notes, sizeof(notes)), SX_OK);
		for (size_t i = 0; i < 6; i++) {
			uint32_t at = index_of(source, fit[i]);
			assert_int_equal(v.quality[at], SX_QUALITY_VALID);
		}
		/* Two threads, or four CPUs, each at half of FAKE_CPU_HZ. */
		expect(source, &v, "Instructions", FAKE_CPU_HZ / 2 * (process ? 2 : 4));
		for (size_t i = 0; i < 3; i++)
			expect_none(source, &v, left[i]);
		assert_non_null(strstr(notes, "its PMU is full"));
		assert_non_null(strstr(notes, "StalledBackend"));
		if (!process)
			expect(source, &v, "ClusterCycles[0]", FAKE_CPU_HZ * 4);
		finish(&fake, source);
	}
}

/* Named events are counted, multiplexed if needed, with a note; a ratio's events are one group. */
static void test_named_counters_take_turns(void **state)
{
	static const char *const names[] = {"Instructions", "Cycles",	      "CacheReferences",
					    "CacheMisses",  "StalledBackend", "RefCycles",
					    "Branches",	    "BranchMisses"};
	struct fake_cpu fake;
	struct values v;
	char notes[2048] = "";
	fake_cpu_init(&fake);
	fake.counters = 6;
	struct source *source = open_cpu(&fake);
	struct source_request request = {
	    .interval_ns = NS_PER_S, .pid = FAKE_CPU_PID, .counters = names, .counter_count = 8};
	start(source, &request);
	for (int fd = 0; fd < FAKE_CPU_FDS; fd++)
		if (fake.fds[fd].open && fake.fds[fd].config == 1 /* Instructions */)
			assert_int_equal(fake.fds[fake.fds[fd].leader].config, 0 /* Cycles */);
	assert_int_equal(next(source, &v, notes, sizeof(notes)), SX_OK);
	assert_non_null(strstr(notes, "take turns in 2 groups"));
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(v.quality[i], SX_QUALITY_MULTIPLEXED);
	finish(&fake, source);
}

/* A CPU that goes away takes nothing from what the others did. */
static void test_hotplug(void **state)
{
	struct fake_cpu fake;
	struct values v;
	const char *const names[] = {"UserTime", "ClusterTime[0]"};
	fake_cpu_init(&fake);
	struct source *source = open_cpu(&fake);
	start(source, &(struct source_request){
			  .counters = names, .counter_count = 2, .interval_ns = NS_PER_S});
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	expect(source, &v, "UserTime", NS_PER_S);
	fake.cpu3_offline = true;
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	expect(source, &v, "UserTime", 6 * NS_PER_S / 10);
	expect(source, &v, "ClusterTime[0]", 3 * NS_PER_S);
	finish(&fake, source);
}

/* Late reads give one longer sample that says so, and the grid of times stays. */
static void test_pace(void **state)
{
	struct fake_cpu fake;
	struct values v;
	struct raw_sample raw;
	const char *const names[] = {"UserTime"};
	fake_cpu_init(&fake);
	struct source *source = open_cpu(&fake);
	start(source, &(struct source_request){
			  .counters = names, .counter_count = 1, .interval_ns = NS_PER_S});
	assert_int_equal(source_cpu.read(source, 0, &raw, NULL), SX_AGAIN);
	assert_int_equal(source_cpu.read(source, 10, &raw, NULL), SX_AGAIN);
	assert_int_equal(fake.now_ns, 1000 * NS_PER_S + 10000000);
	fake.now_ns += 2 * NS_PER_S;
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	assert_int_equal(v.flags, RAW_STRETCHED);
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	assert_int_equal(v.end_ns, 1003 * NS_PER_S);
	finish(&fake, source);
}

/* What lies between the last sample and stop() is delivered behind it. */
static void test_rest(void **state)
{
	struct fake_cpu fake;
	struct values v;
	const char *const names[] = {"UserTime", "Cycles"};
	struct source_request request = {
	    .counters = names, .counter_count = 2, .interval_ns = NS_PER_S};
	fake_cpu_init(&fake);
	struct source *source = open_cpu(&fake);
	start(source, &request);
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	fake.now_ns += NS_PER_S / 2;
	assert_int_equal(source_cpu.stop(source, NULL), SX_OK);
	assert_int_equal(fake.open_fds, 0);
	fake.now_ns += 10 * NS_PER_S;
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	assert_int_equal(v.end_ns - v.begin_ns, NS_PER_S / 2);
	expect(source, &v, "UserTime", NS_PER_S / 2);
	expect(source, &v, "Cycles", 2 * FAKE_CPU_HZ);
	assert_int_equal(next(source, &v, NULL, 0), SX_END);
	/* It may be started again; the shortest rest counts, or totals would lack it. */
	start(source, &request);
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	fake.now_ns += NS_PER_S / 10;
	assert_int_equal(source_cpu.stop(source, NULL), SX_OK);
	assert_int_equal(next(source, &v, NULL, 0), SX_OK);
	assert_int_equal(v.end_ns - v.begin_ns, NS_PER_S / 10);
	assert_int_equal(next(source, &v, NULL, 0), SX_END);
	source_cpu.close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_machine),
	    cmocka_unit_test(test_hybrid),
	    cmocka_unit_test(test_process),
	    cmocka_unit_test(test_many_threads),
	    cmocka_unit_test(test_multiplexed),
	    cmocka_unit_test(test_default_set_fits),
	    cmocka_unit_test(test_named_counters_take_turns),
	    cmocka_unit_test(test_hotplug),
	    cmocka_unit_test(test_pace),
	    cmocka_unit_test(test_rest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
