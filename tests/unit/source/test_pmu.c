/* The PMU source over a fake kernel: encoding, scales, groups, rights, mappings, every fault. */
#include "unit/source/found.h"
#include "unit/source/pmu_bench.h"

/* What is below a unit in one sample is not lost: 3 samples of 1/3 are 1. */
static void fractions_add_up(void **state)
{
	static const char *const names[] = {"thirds"};
	struct fake_pmu fake;
	struct values v;
	uint64_t sum = 0;
	fake_pmu_init(&fake);
	fake_pmu_rate(&fake, 9, 4, 1);
	struct source *source = open_on(&fake, NULL, "thirds=0.34 bytes * msr/smi/");
	start(source, names, 1, 0);
	for (int i = 0; i < 50; i++) {
		next(source, &v, NULL);
		sum += v.value[0];
	}
	assert_int_equal(sum, 34); /* 50 s, two CPUs, 0.34 each */
	finish(&fake, source);
}

/* Counters that begin again, numbers without room, and a mask of CPUs that is none. */
static void a_hostile_kernel(void **state)
{
	static const char *const names[] = {"tsc", "huge"};
	struct fake_pmu fake;
	struct values v;
	char note[1024];
	fake_pmu_init(&fake);
	fake_pmu_rate(&fake, 9, 4, UINT64_C(1) << 62);
	static const char *const maps[] = {"tsc=msr/tsc/", "huge=64 bytes * msr/smi/"};
	struct source *source = open_with(&fake, NULL, maps, 2);
	start(source, names, 2, 0);
	next(source, &v, NULL);
	assert_int_equal(v.quality[0], SX_QUALITY_VALID);
	assert_int_equal(v.quality[1], SX_QUALITY_NOT_COLLECTED);
	uint64_t usual = v.value[0];
	next(source, &v, NULL);
	for (int fd = 3; fd < FAKE_PMU_FDS; fd++)
		fake.fds[fd].since_ns = fake.now_ns;
	next(source, &v, NULL);
	assert_int_equal(v.quality[0], SX_QUALITY_NOT_COLLECTED);
	next(source, &v, NULL);
	assert_int_equal(v.quality[0], SX_QUALITY_VALID);
	assert_int_equal(v.value[0], usual);
	finish(&fake, source);

	fake_pmu_init(&fake);
	fake_pmu_add(
	    &fake,
	    &(struct fake_pmu_type){
		.name = "odd", .type = 77, .shared = true, .configs = 0xff, .cpus = "0,\x01;1"});
	fake_pmu_add(&fake, &(struct fake_pmu_type){.name = "\x1b[31mred", .type = 78});
	struct pmu_list list = {0};
	assert_int_equal(pmu_list_read(&fake.sys, &list, NULL), SX_OK);
	for (uint32_t i = 0; i < list.count; i++)
		assert_null(strchr(list.items[i].name, '\x1b'));
	pmu_list_finish(&list);
	static const char *const odd[] = {"tsc=odd/config=1/", "huge=msr/smi/"};
	source = open_with(&fake, NULL, odd, 2);
	start(source, names, 2, 0);
	next(source, &v, note);
	assert_int_equal(v.quality[0], SX_QUALITY_NOT_COLLECTED);
	assert_int_equal(v.quality[1], SX_QUALITY_VALID);
	finish(&fake, source);
}

/* Counters of one PMU run together; where it has fewer, they take turns, and each says so. */
static void groups_take_turns(void **state)
{
	static const char *const names[] = {"cpu/a/", "cpu/b/", "cpu/c/", "cpu/d/", "cpu/e/"};
	struct fake_pmu fake;
	struct values v;
	char note[1024] = "";
	fake_pmu_init(&fake);
	fake_pmu_core(&fake, 2);
	struct source_host host = {
	    .sys = &fake.sys, .catalogs = context, .maps = names, .map_count = 5};
	struct source *source = NULL;
	struct sx_error err = {0};
	assert_int_equal(source_pmu.open(&host, "pmu", &source, &err), SX_OK);
	start(source, names, 2, 0); /* a and b fit */
	next(source, &v, NULL);
	assert_int_equal(v.quality[0], SX_QUALITY_VALID);
	assert_int_equal(v.value[1], 2 * 2000000);
	assert_int_equal(fake.open_fds, 4);
	assert_int_equal(source_pmu.stop(source, NULL), SX_OK);
	start(source, names, 5, 0);
	next(source, &v, note);
	assert_non_null(strstr(note, "take turns in 3 groups"));
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(v.quality[i], SX_QUALITY_MULTIPLEXED);
		assert_true(v.value[i] > 2 * 1000000 * (i + 1) - 8 &&
			    v.value[i] < 2 * 1000000 * (i + 1) + 8);
	}
	finish(&fake, source);
}

/* The share of the time in which events that take turns were counted is a counter of its own. */
static void the_share_is_told(void **state)
{
	static const char *const names[] = {"CountedShare", "cpu/a/", "cpu/b/", "cpu/c/"};
	struct fake_pmu fake;
	struct values v;
	char note[1024] = "";
	for (uint32_t counters = 2; counters <= 3; counters++) {
		fake_pmu_init(&fake);
		fake_pmu_core(&fake, counters);
		struct source_host host = {
		    .sys = &fake.sys, .catalogs = context, .maps = names + 1, .map_count = 3};
		struct source *source = NULL;
		assert_int_equal(source_pmu.open(&host, "pmu", &source, NULL), SX_OK);
		start(source, names, 4, 0);
		next(source, &v, note);
		assert_int_equal(v.value[0], counters == 2 ? 50 : 100);
		assert_int_equal(v.quality[0], SX_QUALITY_VALID);
		finish(&fake, source);
	}
}

/* Software events of different kinds share a group, which starts when it is complete. */
static void members_of_a_group_all_run(void **state)
{
	static const char *const names[] = {"CpuClock", "PageFaults", "TaskClock"};
	struct fake_pmu fake;
	struct values v;
	fake_pmu_init(&fake);
	struct source *source = open_on(&fake, NULL, NULL);
	start(source, names, 3, 0);
	next(source, &v, NULL);
	assert_int_equal(v.quality[1], SX_QUALITY_VALID);
	assert_int_equal(v.value[1], 4000);
	finish(&fake, source);
}

/* A program's own events are its threads'; a memory controller is the machine's all the same. */
static void of_a_program(void **state)
{
	static const char *const names[] = {"PageFaults", "MemoryReadBytes"};
	struct fake_pmu fake;
	struct values v;
	struct raw_sample raw;
	fake_pmu_init(&fake);
	fake_pmu_uncore(&fake);
	fake_pmu_rate(&fake, 20, 0x304, 1000);
	fake_pmu_rate(&fake, 21, 0x304, 1000);
	fake.ends_ns = fake.now_ns + NS_PER_S * 5 / 2;
	struct source *source = open_on(&fake, NULL, NULL);
	start(source, names, 2, FAKE_PMU_PID);
	next(source, &v, NULL);
	assert_int_equal(v.value[0], 2 * 2000); /* of two threads */
	assert_int_equal(v.value[1], 2 * 64000);
	next(source, &v, NULL);
	/* The rest of it, and the end. */
	assert_int_equal(source_pmu.read(source, 10000, &raw, NULL), SX_OK);
	assert_true(raw.end_ns - raw.begin_ns < NS_PER_S);
	assert_int_equal(source_pmu.read(source, 10000, &raw, NULL), SX_END);
	finish(&fake, source);
}

/* Without rights for the machine its counters are missing, with the way out; a program's stay. */
static void without_rights(void **state)
{
	static const char *const names[] = {"PageFaults", "MemoryReadBytes", "ContextSwitches",
					    "Tsc"};
	struct fake_pmu fake;
	struct values v;
	char note[1024] = "";
	fake_pmu_init(&fake);
	fake_pmu_uncore(&fake);
	fake.paranoid = 2;
	struct source *source = open_on(&fake, NULL, NULL);
	start(source, names, 4, FAKE_PMU_PID);
	next(source, &v, note);
	assert_int_equal(v.quality[0], SX_QUALITY_VALID);
	assert_int_equal(v.quality[3],
			 SX_QUALITY_NOT_COLLECTED); /* the kernel's part cannot be left out */
	assert_int_equal(v.quality[1], SX_QUALITY_NOT_COLLECTED);
	assert_int_equal(v.quality[2], SX_QUALITY_NOT_COLLECTED); /* the kernel's alone */
	assert_non_null(strstr(note, "perf_event_paranoid is 2"));
	assert_non_null(strstr(note, "MemoryReadBytes"));
	const struct source_desc *desc = source_describe(source);
	assert_null(desc->whys[0]);
	assert_non_null(strstr(desc->whys[1], "perf_event_paranoid is 2"));
	assert_non_null(strstr(desc->whys[3], "perf_event_paranoid is 2"));
	finish(&fake, source);
}

static void what_doctor_says(void **state)
{
	struct fake_pmu fake;
	struct found f = {.count = 0};
	struct source_host host = {.sys = &fake.sys, .catalogs = context};
	fake_pmu_init(&fake);
	fake_pmu_uncore(&fake);
	source_pmu.probe(&host, found_take, &f);
	assert_int_equal(f.state, SX_DEVICE_READY);
	assert_string_equal(f.name, "msr, power, software, uncore_imc (3)");
	assert_string_equal(f.because, "");
	fake.paranoid = 2;
	source_pmu.probe(&host, found_take, &f);
	assert_int_equal(f.state, SX_DEVICE_READY);
	assert_non_null(strstr(f.because, "kernel.perf_event_paranoid is 2"));
	assert_non_null(strstr(f.remedy, "sysctl kernel.perf_event_paranoid=0"));
	fake.no_tree = true;
	source_pmu.probe(&host, found_take, &f);
	assert_int_equal(f.state, SX_DEVICE_ABSENT);
	assert_int_equal(f.count, 3);
	assert_int_equal(fake.open_fds, 0);
}

/* A PMU with an unreadable folder: the others lose only sums that it is part of. */
static void one_is_shut(void **state)
{
	static const char *const names[] = {"EnergyPackage", "MemoryReadBytes", "Tsc"};
	struct fake_pmu fake;
	struct values v;
	struct found f = {.count = 0};
	struct source_host host = {.sys = &fake.sys, .catalogs = context};
	char note[1024] = "";
	fake_pmu_init(&fake);
	fake_pmu_uncore(&fake);
	fake_pmu_rate(&fake, 12, 2, 42949672961);
	fake_pmu_rate(&fake, 20, 0x304, 100000000);
	fake.shut = "uncore_imc_1/";
	source_pmu.probe(&host, found_take, &f);
	assert_int_equal(f.state, SX_DEVICE_READY);
	assert_string_equal(f.name, "msr, power, software, uncore_imc (2)");
	assert_string_equal(f.because, "PMU uncore_imc_1 cannot be read: Permission denied");
	assert_string_equal(f.remedy, "sextant doctor as root");
	struct source *source = open_on(&fake, NULL, NULL);
	start(source, names, 3, 0);
	next(source, &v, note);
	assert_int_equal(v.value[0], 10000000);
	assert_int_equal(v.quality[1], SX_QUALITY_NOT_COLLECTED);
	assert_int_equal(v.value[2], UINT64_C(2600000000) * 2);
	assert_non_null(strstr(
	    note, "not collected: MemoryReadBytes: this user may not read it (PMU uncore_imc_1: "));
	finish(&fake, source);
	/* Problems of events that were not selected are reported, too. */
	source = open_on(&fake, NULL, NULL);
	start(source, names, 1, 0);
	note[0] = '\0';
	next(source, &v, note);
	assert_string_equal(note, "PMU uncore_imc_1 cannot be read: Permission denied");
	finish(&fake, source);
	fake.shut = "";
	source_pmu.probe(&host, found_take, &f);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_int_equal(f.obstacle, SX_ERR_PERMISSION);
	assert_int_equal(fake.open_fds, 0);
}

/* Merrifield's counters from a server's channels: 64-byte bursts are two requests of 32. */
static void merrifield(void **state)
{
	static const char *const names[] = {"DDR_Chan0-Read32B", "DDR_Chan1-Write32B", "GFX_Reqs",
					    "Disp_Reqs"};
	struct fake_pmu fake;
	struct values v;
	char note[1024] = "";
	fake_pmu_init(&fake);
	fake_pmu_uncore(&fake);
	fake_pmu_rate(&fake, 20, 0x304, 1000000);
	fake_pmu_rate(&fake, 21, 0xc04, 300000);
	fake_pmu_rate(&fake, 22, 3, 70000);
	struct source *source = open_on(&fake, "intel-merrifield", NULL);
	start(source, names, 4, 0);
	next(source, &v, note);
	assert_int_equal(v.value[0], 2000000);
	assert_int_equal(v.value[1], 600000);
	assert_int_equal(v.value[2], 70000);
	assert_int_equal(v.quality[3], SX_QUALITY_NOT_COLLECTED);
	assert_non_null(strstr(
	    note,
	    "Disp_Reqs: the device or driver has no such counter (no PMU tells the display's "));
	finish(&fake, source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fractions_add_up),
	    cmocka_unit_test(a_hostile_kernel),
	    cmocka_unit_test(groups_take_turns),
	    cmocka_unit_test(the_share_is_told),
	    cmocka_unit_test(members_of_a_group_all_run),
	    cmocka_unit_test(of_a_program),
	    cmocka_unit_test(without_rights),
	    cmocka_unit_test(what_doctor_says),
	    cmocka_unit_test(one_is_shut),
	    cmocka_unit_test(merrifield),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
