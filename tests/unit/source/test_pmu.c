/* The PMU source over a fake kernel: encoding, scales, groups, rights, mappings, every fault. */
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
#include "devices/pmu.h"
#include "source/pmu/pmu.h"
#include "unit/context.h"

#define NS_PER_S UINT64_C(1000000000)
#define VALUES	 64

struct values {
	uint32_t count;
	uint64_t value[VALUES];
	uint8_t quality[VALUES];
};

static struct source *open_with(struct fake_pmu *fake, const char *catalog, const char *const *maps,
				uint32_t count)
{
	struct source *source = NULL;
	struct sx_error err = {0};
	struct source_host host = {.sys = &fake->sys,
				   .catalogs = context,
				   .catalog = catalog,
				   .maps = maps,
				   .map_count = count};
	if (source_pmu.open(&host, "pmu", &source, &err))
		fail_msg("%s: %s", err.message, err.because);
	return source;
}

static struct source *open_on(struct fake_pmu *fake, const char *catalog, const char *map)
{
	return open_with(fake, catalog, &map, map != NULL);
}

static void start(struct source *source, const char *const *names, uint32_t count, pid_t pid)
{
	struct sx_error err = {0};
	struct source_request request = {
	    .counters = names, .counter_count = count, .pid = pid, .interval_ns = NS_PER_S};
	if (source_pmu.start(source, &request, &err))
		fail_msg("%s: %s", err.message, err.because);
}

/* The next sample; notes go to `note` (NULL: none may come). */
static void next(struct source *source, struct values *out, char note[1024])
{
	struct raw_sample raw;
	struct sx_error err = {0};
	assert_int_equal(source_pmu.read(source, 10000, &raw, &err), SX_OK);
	if (raw.kind == RAW_NOTE) {
		assert_non_null(note);
		snprintf(note, 1024, "%.*s", (int)raw.size, (const char *)raw.data);
		assert_int_equal(source_pmu.read(source, 10000, &raw, &err), SX_OK);
	}
	out->count = source_describe(source)->counter_count;
	assert_int_equal(raw.size, out->count * 9);
	assert_int_equal(raw.end_ns - raw.begin_ns, NS_PER_S);
	for (uint32_t i = 0; i < out->count; i++) {
		out->value[i] = 0;
		for (uint32_t b = 8; b-- > 0;)
			out->value[i] = out->value[i] << 8 | raw.data[i * 8 + b];
		out->quality[i] = raw.data[out->count * 8 + i];
	}
}

static void finish(struct fake_pmu *fake, struct source *source)
{
	assert_int_equal(source_pmu.stop(source, NULL), SX_OK);
	source_pmu.close(source);
	assert_int_equal(fake->open_fds, 0);
	assert_false(fake->misused);
}

static void expect_code(struct fake_pmu *fake, const char *terms, uint64_t config, uint64_t config1)
{
	struct pmu_code code;
	struct sx_error err = {0};
	struct pmu_device device = {.name = "cpu", .type = 4};
	if (pmu_encode(&fake->sys, &device, terms, &code, &err))
		fail_msg("%s: %s: %s", terms, err.message, err.because);
	assert_int_equal(code.config[0], config);
	assert_int_equal(code.config[1], config1);
}

static void refuse_code(struct fake_pmu *fake, const char *terms, enum sx_status status)
{
	struct pmu_code code;
	struct sx_error err = {0};
	struct pmu_device device = {.name = "cpu", .type = 4};
	enum sx_status got = pmu_encode(&fake->sys, &device, terms, &code, &err);
	if (got != status)
		fail_msg("%s: status %d instead of %d (%s)", terms, got, status, err.because);
	assert_true(err.message[0] && err.because[0] && err.remedy[0]);
}

/* Formats put values where they say; the last word on a field holds. */
static void events_are_encoded(void **state)
{
	struct fake_pmu fake;
	fake_pmu_init(&fake);
	fake_pmu_core(&fake, 4);
	fake_pmu_file(&fake, "cpu/events/open", "event=0x20,umask=?");
	fake_pmu_file(&fake, "cpu/events/alias", "a,umask=2");
	fake_pmu_file(&fake, "cpu/format/odd", "config9:0-7");
	fake_pmu_file(&fake, "cpu/format/torn", "config:0-");
	fake_pmu_file(&fake, "cpu/format/high", "config:60-70");
	fake_pmu_file(&fake, "cpu/format/whole", "config2:0-63");
	expect_code(&fake, "a", 0x110, 0);
	expect_code(&fake, "event=0x3c,umask=7", 0x73c, 0);
	expect_code(&fake, "a,umask=0x5", 0x510, 0);
	expect_code(&fake, "event=1,wide=0xab", 1, 0xa0b);
	expect_code(&fake, "config=0x123,config1=5", 0x123, 5);
	expect_code(&fake, "open,umask=3", 0x320, 0);
	refuse_code(&fake, "open", SX_ERR_USAGE);
	refuse_code(&fake, "nothing", SX_ERR_NOT_FOUND);
	refuse_code(&fake, "nothing=1", SX_ERR_NOT_FOUND);
	refuse_code(&fake, "umask=256", SX_ERR_BAD_INPUT);
	refuse_code(&fake, "wide=256", SX_ERR_BAD_INPUT);
	refuse_code(&fake, "umask=", SX_ERR_BAD_INPUT);
	refuse_code(&fake, "umask=-1", SX_ERR_BAD_INPUT);
	refuse_code(&fake, "umask=99999999999999999999", SX_ERR_BAD_INPUT);
	refuse_code(&fake, "", SX_ERR_BAD_INPUT);
	refuse_code(&fake, "../type", SX_ERR_BAD_INPUT);
	refuse_code(&fake, "alias", SX_ERR_BAD_INPUT);
	refuse_code(&fake, "odd", SX_ERR_BAD_INPUT);
	refuse_code(&fake, "torn", SX_ERR_BAD_INPUT);
	refuse_code(&fake, "high", SX_ERR_BAD_INPUT);
	expect_code(&fake, "whole=0xffffffffffffffff", 0, 0);
	/* One that is longer than can be read: its head would be another event. */
	char text[300];
	snprintf(text, sizeof(text), "event=0x20,umask=1,%0270d", 0);
	fake_pmu_file(&fake, "cpu/events/endless", text);
	snprintf(text, sizeof(text), "config:0-7,%0270d", 0);
	fake_pmu_file(&fake, "cpu/format/endless", text);
	refuse_code(&fake, "endless", SX_ERR_BAD_INPUT);
	refuse_code(&fake, "endless=1", SX_ERR_BAD_INPUT);
}

static void texts_of_feeds(void **state)
{
	static const char *const good[] = {"msr/tsc/", "64 bytes * amd_umc_*/event=0x0a/",
					   "1000000 cycles * i915*/actual-frequency/",
					   "skl::INST_RETIRED:ANY"};
	static const char *const bad[] = {"",
					  "msr/tsc",
					  "/tsc/",
					  "msr//",
					  "msr/tsc/x",
					  "64 msr/tsc/",
					  "64 bytes msr/tsc/",
					  "64 miles * msr/tsc/",
					  "0 bytes * a/b/",
					  "1e999 bytes * a/b/"};
	struct pmu_feed feed;
	struct sx_error err;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(pmu_feed_parse(good[i], &feed, &err), SX_OK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (pmu_feed_parse(bad[i], &feed, &err) != SX_ERR_BAD_INPUT)
			fail_msg("\"%s\" passes", bad[i]);
	static const char *const sums[] = {"a/b/ + ", " + a/b/", "a/b/ +  + c/d/"};
	assert_int_equal(pmu_feed_check("a/b/ + 64 bytes * c/d/ + e/f/", &err), SX_OK);
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (pmu_feed_check(sums[i], &err) != SX_ERR_BAD_INPUT)
			fail_msg("\"%s\" passes", sums[i]);
}

/* No catalog of the library says something that cannot be meant. */
static void feeds_of_all_catalogs(void **state)
{
	size_t names, fed = 0;
	const char *const *name = sx_catalog_names(context, &names);
	for (size_t n = 0; n < names; n++) {
		struct sx_catalog *catalog;
		struct sx_error err = {0};
		uint32_t count;
		assert_int_equal(sx_catalog_open(context, name[n], &catalog, NULL), SX_OK);
		const struct sx_counter_info *c = sx_catalog_counters(catalog, &count);
		for (uint32_t i = 0; i < count; i++)
			for (uint32_t f = 0; f < c[i].from.count; f++, fed++)
				if (pmu_feed_check(c[i].from.items[f], &err))
					fail_msg("%s: %s: %s", name[n], c[i].name, err.because);
		sx_catalog_unref(catalog);
	}
	assert_true(fed > 40);
}

/* Scales and units of the kernel: 2^-32 J and 64 bytes a count; fractions are carried over. */
static void quantities(void **state)
{
	static const char *const names[] = {"EnergyPackage", "MemoryReadBytes", "Tsc"};
	struct fake_pmu fake;
	struct values v;
	fake_pmu_init(&fake);
	fake_pmu_uncore(&fake);
	fake_pmu_rate(&fake, 12, 2, 42949672961); /* 10 J and a 2^-32 */
	fake_pmu_rate(&fake, 20, 0x304, 100000000);
	fake_pmu_rate(&fake, 21, 0x304, 50000000);
	struct source *source = open_on(&fake, NULL, NULL);
	start(source, names, 3, 0);
	for (int i = 0; i < 3; i++) {
		next(source, &v, NULL);
		assert_int_equal(v.value[0], 10000000);
		assert_int_equal(v.value[1], UINT64_C(150000000) * 64);
		assert_int_equal(v.value[2], UINT64_C(2600000000) * 2); /* both CPUs */
		for (int k = 0; k < 3; k++)
			assert_int_equal(v.quality[k], SX_QUALITY_VALID);
	}
	finish(&fake, source);
}

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

struct found {
	struct sx_device device;
	char because[512], remedy[512], name[256];
	int count;
};

static void note_device(void *user, const struct sx_device *device)
{
	struct found *f = user;
	f->device = *device;
	f->count++;
	snprintf(f->name, sizeof(f->name), "%s", device->name ? device->name : "");
	snprintf(f->because, sizeof(f->because), "%s", device->because ? device->because : "");
	snprintf(f->remedy, sizeof(f->remedy), "%s", device->remedy ? device->remedy : "");
}

static void what_doctor_says(void **state)
{
	struct fake_pmu fake;
	struct found f = {.count = 0};
	struct source_host host = {.sys = &fake.sys, .catalogs = context};
	fake_pmu_init(&fake);
	fake_pmu_uncore(&fake);
	source_pmu.probe(&host, note_device, &f);
	assert_int_equal(f.device.state, SX_DEVICE_READY);
	assert_string_equal(f.name, "msr, power, software, uncore_imc (3)");
	assert_string_equal(f.because, "");
	fake.paranoid = 2;
	source_pmu.probe(&host, note_device, &f);
	assert_int_equal(f.device.state, SX_DEVICE_READY);
	assert_non_null(strstr(f.because, "kernel.perf_event_paranoid is 2"));
	assert_non_null(strstr(f.remedy, "sysctl kernel.perf_event_paranoid=0"));
	fake.no_tree = true;
	source_pmu.probe(&host, note_device, &f);
	assert_int_equal(f.device.state, SX_DEVICE_ABSENT);
	assert_int_equal(f.count, 3);
	assert_int_equal(fake.open_fds, 0);
}

/* A PMU whose folder cannot be read takes the others nothing but sums that it is part of. */
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
	source_pmu.probe(&host, note_device, &f);
	assert_int_equal(f.device.state, SX_DEVICE_READY);
	assert_string_equal(f.name, "msr, power, software, uncore_imc (2)");
	assert_string_equal(f.because, "PMU uncore_imc_1 cannot be read: Permission denied");
	assert_string_equal(f.remedy, "sextant doctor as root");
	struct source *source = open_on(&fake, NULL, NULL);
	start(source, names, 3, 0);
	next(source, &v, note);
	assert_int_equal(v.value[0], 10000000);
	assert_int_equal(v.quality[1], SX_QUALITY_NOT_COLLECTED);
	assert_int_equal(v.value[2], UINT64_C(2600000000) * 2);
	assert_non_null(strstr(note, "not collected: MemoryReadBytes: PMU uncore_imc_1 cannot be"));
	finish(&fake, source);
	/* What nobody asked for is told all the same. */
	source = open_on(&fake, NULL, NULL);
	start(source, names, 1, 0);
	note[0] = '\0';
	next(source, &v, note);
	assert_string_equal(note, "PMU uncore_imc_1 cannot be read: Permission denied");
	finish(&fake, source);
	fake.shut = "";
	source_pmu.probe(&host, note_device, &f);
	assert_int_equal(f.device.state, SX_DEVICE_UNUSABLE);
	assert_int_equal(f.device.obstacle, SX_ERR_PERMISSION);
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
	assert_non_null(strstr(note, "Disp_Reqs: no PMU tells the display's requests apart"));
	finish(&fake, source);
}

/* What the user maps goes before the catalog; what measures something else is refused. */
static void maps(void **state)
{
	static const char *const names[] = {"MemoryReadBytes"};
	struct fake_pmu fake;
	struct values v;
	struct sx_error err = {0};
	fake_pmu_init(&fake);
	fake_pmu_uncore(&fake);
	fake_pmu_rate(&fake, 22, 5, 10);
	struct source *source = open_on(&fake, NULL, "MemoryReadBytes=uncore_imc/io_requests/");
	start(source, names, 1, 0);
	next(source, &v, NULL);
	assert_int_equal(v.value[0], 640);
	finish(&fake, source);
	source = open_on(&fake, NULL, "MemoryReadBytes=power/energy-pkg/");
	struct source_request request = {.counters = names, .counter_count = 1};
	assert_int_equal(source_pmu.start(source, &request, &err), SX_ERR_BAD_INPUT);
	assert_non_null(strstr(err.because, "uJ"));
	finish(&fake, source);
	source = open_on(&fake, NULL, "MemoryReadBytes=uncore_cha_*/x/");
	assert_int_equal(source_pmu.start(source, &request, &err), SX_ERR_NOT_FOUND);
	finish(&fake, source);
	static const char *const bad[] = {"=msr/tsc/", "a b=msr/tsc/", "cpu/event 1/", "x=msr/"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct source_host host = {
		    .sys = &fake.sys, .catalogs = context, .maps = &bad[i], .map_count = 1};
		assert_true(source_pmu.open(&host, "pmu", &source, &err) != SX_OK);
		assert_true(err.message[0] && err.because[0] && err.remedy[0]);
	}
	/* A catalog that PMUs feed nothing of. */
	struct source_host other = {.sys = &fake.sys, .catalogs = context, .catalog = "opengl"};
	assert_int_equal(source_pmu.open(&other, "pmu", &source, &err), SX_ERR_USAGE);
}

/* The session's catalog knows the counters that were added, and is the same otherwise. */
static void added_counters(void **state)
{
	struct fake_pmu fake;
	struct sx_catalog *plain;
	uint32_t count;
	fake_pmu_init(&fake);
	fake_pmu_uncore(&fake);
	struct source *source = open_on(&fake, NULL, "joules=power/energy-gpu/");
	struct sx_catalog *own = source_describe(source)->own;
	assert_int_equal(sx_catalog_open(context, "pmu", &plain, NULL), SX_OK);
	assert_string_equal(sx_catalog_info(own)->name, "pmu");
	assert_string_equal(sx_catalog_info(own)->title, sx_catalog_info(plain)->title);
	assert_int_equal(sx_catalog_info(own)->hash, sx_catalog_info(plain)->hash);
	uint32_t at = sx_catalog_find_counter(own, "joules", SX_NONE, NULL);
	assert_true(at != SX_NONE);
	assert_string_equal(sx_catalog_counters(own, &count)[at].unit, "uJ");
	assert_int_equal(sx_catalog_find_counter(plain, "joules", SX_NONE, NULL), SX_NONE);
	assert_true(sx_catalog_find_metric(own, "package_power", SX_NONE, NULL) != SX_NONE);
	sx_catalog_unref(plain);
	source_pmu.close(source);
}

struct report {
	char text[8192];
};

static void gather(void *user, const char *line)
{
	struct report *r = user;
	size_t used = strlen(r->text);
	snprintf(r->text + used, sizeof(r->text) - used, "%s\n", line);
}

/* Every event has its line; what cannot be read as an event is wrong, what is forbidden is not. */
static void every_event_is_tried(void **state)
{
	struct fake_pmu fake;
	struct report r = {.text = ""};
	struct sx_error err = {0};
	fake_pmu_init(&fake);
	fake_pmu_uncore(&fake);
	fake_pmu_rate(&fake, 12, 2, 1000000);
	struct source *source = open_on(&fake, NULL, NULL);
	assert_int_equal(source_pmu.selftest(source, gather, &r, &err), SX_OK);
	assert_non_null(
	    strstr(r.text, "power/energy-pkg/: 20000 in 20 ms, 2.32831e-10 Joules each"));
	assert_non_null(strstr(r.text, "uncore_imc_1/cas_count_write/: "));
	assert_null(strstr(r.text, ".scale"));
	assert_non_null(strstr(r.text, "6 PMUs, 12 events, 12 counted, 0 wrong"));
	source_pmu.close(source);
	fake_pmu_file(&fake, "power/events/torn", "event=");
	fake.paranoid = 2;
	source = open_on(&fake, NULL, NULL);
	r.text[0] = '\0';
	assert_int_equal(source_pmu.selftest(source, gather, &r, &err), SX_INCOMPLETE);
	assert_true(err.because[0] && err.remedy[0]);
	assert_non_null(strstr(r.text, "power/torn/: WRONG: it is no number"));
	assert_non_null(strstr(r.text, "power/energy-pkg/: not counted: Permission denied"));
	source_pmu.close(source);
	assert_int_equal(fake.open_fds, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(events_are_encoded),
	    cmocka_unit_test(texts_of_feeds),
	    cmocka_unit_test(feeds_of_all_catalogs),
	    cmocka_unit_test(quantities),
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
	    cmocka_unit_test(maps),
	    cmocka_unit_test(added_counters),
	    cmocka_unit_test(every_event_is_tried),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
