/* What describes events to the PMU source: terms, feeds, maps, quantities and added counters. */
#include "unit/source/pmu_bench.h"

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
	assert_int_equal(source_pmu.selftest(source, &(struct note_sink){gather, &r}, &err), SX_OK);
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
	assert_int_equal(source_pmu.selftest(source, &(struct note_sink){gather, &r}, &err),
			 SX_INCOMPLETE);
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
	    cmocka_unit_test(maps),
	    cmocka_unit_test(added_counters),
	    cmocka_unit_test(every_event_is_tried),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
