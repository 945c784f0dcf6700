/* The CPU source over a fake machine: values, degradation, the end of a process, every fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <sextant/context.h>
#include <sextant/expr.h>
#include "devices/cpu.h"
#include "source/cpu/cpu.h"

#define NS_PER_S UINT64_C(1000000000)
#define VALUES	 64

/* One sample, unpacked. */
struct values {
	uint32_t count;
	uint64_t value[VALUES];
	uint8_t quality[VALUES];
	uint64_t begin_ns, end_ns;
	uint32_t flags;
};

static struct source *open_cpu(struct fake_cpu *fake)
{
	struct sx_error err = {0};
	struct source *source = NULL;
	assert_int_equal(
	    source_cpu.open(&(struct source_host){.sys = &fake->sys}, "cpu", &source, &err), SX_OK);
	return source;
}

static void start(struct source *source, const struct source_request *request)
{
	struct sx_error err = {0};
	enum sx_status status = source_cpu.start(source, request, &err);
	if (status != SX_OK)
		print_error("%s: %s\n", err.message, err.because);
	assert_int_equal(status, SX_OK);
}

static void unpack(struct source *source, const struct raw_sample *raw, struct values *out)
{
	const struct source_desc *desc = source_describe(source);
	*out = (struct values){.count = desc->counter_count,
			       .begin_ns = raw->begin_ns,
			       .end_ns = raw->end_ns,
			       .flags = raw->flags};
	assert_int_equal(raw->kind, RAW_VALUES);
	assert_true(out->count <= VALUES);
	assert_int_equal(raw->size, out->count * 9);
	for (uint32_t i = 0; i < out->count; i++) {
		for (int b = 7; b >= 0; b--)
			out->value[i] = out->value[i] << 8 | raw->data[i * 8 + (uint32_t)b];
		out->quality[i] = raw->data[out->count * 8 + i];
	}
}

/* The next sample that is not a note; notes are gathered in `notes` (may be NULL). */
static enum sx_status next(struct source *source, struct values *out, char *notes, size_t size)
{
	struct raw_sample raw;
	struct sx_error err = {0};
	for (;;) {
		enum sx_status status = source_cpu.read(source, 100000, &raw, &err);
		if (status != SX_OK)
			return status;
		if (raw.kind != RAW_NOTE) {
			unpack(source, &raw, out);
			return SX_OK;
		}
		if (notes)
			snprintf(notes + strlen(notes), size - strlen(notes), "%.*s\n",
				 (int)raw.size, (const char *)raw.data);
	}
}

static uint32_t index_of(struct source *source, const char *name)
{
	const struct source_desc *desc = source_describe(source);
	for (uint32_t i = 0; i < desc->counter_count; i++)
		if (strcmp(desc->counters[i], name) == 0)
			return i;
	fail_msg("%s is not delivered", name);
	return 0;
}

static void expect(struct source *source, const struct values *v, const char *name, uint64_t value)
{
	uint32_t i = index_of(source, name);
	if (v->value[i] != value || v->quality[i] != SX_QUALITY_VALID)
		fail_msg("%s: %lu (quality %u) instead of %lu", name, v->value[i], v->quality[i],
			 value);
}

static void expect_none(struct source *source, const struct values *v, const char *name)
{
	uint32_t i = index_of(source, name);
	if (v->quality[i] != SX_QUALITY_NOT_COLLECTED)
		fail_msg("%s: %lu (quality %u) although nobody counts it", name, v->value[i],
			 v->quality[i]);
}

static void finish(struct fake_cpu *fake, struct source *source)
{
	assert_int_equal(source_cpu.stop(source, NULL), SX_OK);
	source_cpu.close(source);
	assert_int_equal(fake->open_fds, 0);
}

/* One second of the whole machine: 2 CPUs of 400, then 2 of 1024. */
static void test_machine(void **state)
{
	struct fake_cpu fake;
	struct values v;
	fake_cpu_init(&fake);
	fake.capacities = true;
	struct source *source = open_cpu(&fake);
	const struct source_desc *desc = source_describe(source);
	assert_string_equal(desc->name, "Fake CPU 9000");
	assert_string_equal(desc->driver, "Linux 6.1.0-fake");
	assert_int_equal(desc->constants[0].value, 4);
	assert_int_equal(desc->constants[1].value, 2);
	start(source, &(struct source_request){.interval_ns = NS_PER_S});
	/* Nine hardware events and two of each cluster tell how long they were counted. */
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

/* Every thread of a process that runs already is counted, or the reason is told. */
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
	assert_string_equal(source_describe(source)->driver, "Linux 6.1.0-fake, no PMU");
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
			    "ClusterCycles, ClusterInstructions: no PMU here offers them (usual in "
			    "virtual machines and containers)\n");
	finish(&fake, source);
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
		assert_non_null(strstr(notes, "no room"));
		assert_non_null(strstr(notes, "StalledBackend"));
		if (!process)
			expect(source, &v, "ClusterCycles[0]", FAKE_CPU_HZ * 4);
		finish(&fake, source);
	}
}

/* What is named is counted, in turns where it must, and that is told; a ratio stays together. */
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
	    cmocka_unit_test(test_machine),
	    cmocka_unit_test(test_hybrid),
	    cmocka_unit_test(test_process),
	    cmocka_unit_test(test_many_threads),
	    cmocka_unit_test(test_process_without_perf),
	    cmocka_unit_test(test_user_only),
	    cmocka_unit_test(test_no_pmu),
	    cmocka_unit_test(test_multiplexed),
	    cmocka_unit_test(test_default_set_fits),
	    cmocka_unit_test(test_named_counters_take_turns),
	    cmocka_unit_test(test_hotplug),
	    cmocka_unit_test(test_pace),
	    cmocka_unit_test(test_rest),
	    cmocka_unit_test(test_refusals),
	    cmocka_unit_test(test_probe),
	    cmocka_unit_test(test_faults),
	    cmocka_unit_test(test_catalog),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
