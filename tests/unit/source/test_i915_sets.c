/* Configurations of the i915 OA source on a fake kernel: sets, generations, counters of a user. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "source/i915_oa/uapi.h"
#include "unit/source/i915_stream.h"

#define RENDER_BASIC "b541bd57-0e0f-4154-b4c0-5858010a2bf7"

/* A set that is in the kernel already is used, and stays, when its registers are ours. */
static void test_existing_config(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	fake_i915_init(&fake);
	/* Another process of ours put it there. */
	struct source *source = open_fake(&fake);
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
	struct fake_i915_config *there = fake.active;
	assert_string_equal(there->uuid, RENDER_BASIC);
	fake.stream = 0;
	fake.fds[3] = fake.fds[4] = false;
	struct source *other = open_fake(&fake);
	assert_int_equal(start(other, "RenderBasic", 0, &err), SX_OK);
	assert_ptr_equal(fake.active, there);
	source_i915_oa.close(other);
	assert_int_equal(fake_i915_config_count(&fake), 1);
	fake.fds[3] = fake.fds[4] = true;
	source_i915_oa.close(source);
	assert_int_equal(fake_i915_config_count(&fake), 0);
}

/* Half a program under the published uuid is refused, and so is an unreadable one. */
static void test_foreign_config(void **state)
{
	(void)state;
	for (int blind = 0; blind < 2; blind++) {
		struct fake_i915 fake;
		struct sx_error err = {0};
		fake_i915_init(&fake);
		fake.no_config_query = blind;
		fake_i915_add_foreign(&fake, RENDER_BASIC, 17);
		struct source *source = open_fake(&fake);
		assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
		assert_int_not_equal(fake.active->id, 17);
		assert_string_not_equal(fake.active->uuid, RENDER_BASIC);
		assert_int_equal(fake.active->counts[0], 107);
		/* Recordings have the set's own uuid in any case. */
		assert_string_equal(((struct oa_source *)source)->config.uuid, RENDER_BASIC);
		source_i915_oa.close(source);
		assert_int_equal(fake_i915_config_count(&fake), 1);
		assert_true(fake.configs[0].used && fake.configs[0].id == 17);
		fake_i915_finish(&fake);
	}
}

/* Another process removes the configuration before our OPEN: it is added again, once or twice. */
static void test_removed_meanwhile(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	fake_i915_init(&fake);
	struct source *source = open_fake(&fake);
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
	struct oa_source *s = (struct oa_source *)source;
	s->config.added = false; /* as if another process had added it */
	assert_int_equal(source_i915_oa.stop(source, &err), SX_OK);
	assert_int_equal(fake_i915_config_count(&fake), 1);
	fake.vanish = 1;
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
	assert_true(s->config.added);
	/* And one that we added; there is no end of it where it happens each time. */
	fake.vanish = 1;
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
	fake.vanish = 9;
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_ERR_BUSY);
	assert_int_equal(err.status, SX_ERR_BUSY);
	fake.vanish = 0;
	source_i915_oa.close(source);
	assert_int_equal(fake_i915_config_count(&fake), 0);
	assert_int_equal(fake.open_fds, 0);
}

/* The kernel gives a removed one's id to the next: what is opened by it is not ours to measure. */
static void test_taken_over(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	fake_i915_init(&fake);
	fake.vanish = 1;
	fake.takes_over = true;
	struct source *source = open_fake(&fake);
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
	assert_string_not_equal(fake.active->uuid, "01234567-0123-0123-0123-012345678901");
	source_i915_oa.close(source);
	assert_int_equal(fake_i915_config_count(&fake), 1); /* the other process' */
	assert_int_equal(fake.open_fds, 0);
	fake_i915_finish(&fake);
}

/* Every set can be added; on GT3 all programs that apply are joined. */
static void test_every_set(void **state)
{
	(void)state;
	static const struct {
		const char *set;
		uint32_t gt2, gt3, boolean, flex;
	} sets[] = {{"RenderBasic", 107, 219, 5, 7},	  {"ComputeBasic", 85, 182, 5, 7},
		    {"ComputeExtended", 300, 648, 21, 7}, {"TestOa", 14, 14, 22, 0},
		    {"VMEPipe", 87, 87, 17, 2},		  {"GpuBusyness", 39, 39, 7, 0}};
	for (int gt3 = 0; gt3 < 2; gt3++)
		for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
			struct fake_i915 fake;
			struct sx_error err = {0};
			fake_i915_init(&fake);
			if (gt3) {
				fake.device.slice_mask = 3;
				fake.device.subslice_mask[1] = 7;
				for (int n = 0; n < 3; n++)
					fake.device.eu_mask[1][n] = 0xff;
			}
			struct source *source = open_fake(&fake);
			assert_int_equal(start(source, sets[i].set, 0, &err), SX_OK);
			assert_int_equal(fake.active->counts[0], gt3 ? sets[i].gt3 : sets[i].gt2);
			assert_int_equal(fake.active->counts[1], sets[i].boolean);
			assert_int_equal(fake.active->counts[2], sets[i].flex);
			source_i915_oa.close(source);
			assert_int_equal(fake_i915_config_count(&fake), 0);
		}
}

/* One card of a generation, with its parts. */
static void become(struct fake_i915 *fake, uint32_t device_id)
{
	fake_i915_init(fake);
	fake->perf_revision = 7;
	fake->device.device_id = device_id;
	if (device_id >> 8 != 0x7d)
		return;
	fake->device.timestamp_hz = 38400000;
	fake->device.max_slices = 1;
	fake->device.max_subslices = 32;
	fake->device.max_eus = 16;
	fake->device.subslice_mask[0] = 0xff;
	for (int n = 0; n < 8; n++)
		fake->device.eu_mask[0][n] = 0xffff;
}

struct chip {
	uint32_t device_id;
	const char *catalog;
	enum sx_oa_format format;
};

/* Starts every set of a chip's catalog; returns how many went to the media unit. */
static unsigned start_every_set(struct fake_i915 *fake, struct source *source,
				const struct chip *chip, struct sx_catalog *catalog)
{
	unsigned media = 0;
	uint32_t count;
	struct sx_error err = {0};
	const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
	for (uint32_t g = 0; g < count; g++) {
		struct source_request request = {.catalog = catalog, .set = groups[g].name};
		enum sx_status status = source_i915_oa.start(source, &request, &err);
		if (status == SX_ERR_UNSUPPORTED && !groups[g].program_count)
			continue;
		if (status)
			print_error("%s %s: %s: %s\n", chip->catalog, groups[g].name, err.message,
				    err.because);
		assert_int_equal(status, SX_OK);
		media += fake->media;
		if (!fake->media)
			assert_int_equal(fake->format, chip->format);
		assert_int_equal(source_i915_oa.stop(source, &err), SX_OK);
	}
	return media;
}

/* Every set of every generation goes into the kernel's lists, in its format, on its unit. */
static void test_every_generation(void **state)
{
	(void)state;
	static const struct chip chips[] = {{0x0412, "intel-hsw", SX_OA_A45_B8_C8},
					    {0x22b1, "intel-chv", SX_OA_A32U40_A4U32_B8_C8},
					    {0x1912, "intel-sklgt2", SX_OA_A32U40_A4U32_B8_C8},
					    {0x1926, "intel-sklgt3", SX_OA_A32U40_A4U32_B8_C8},
					    {0x5a84, "intel-bxt", SX_OA_A32U40_A4U32_B8_C8},
					    {0x5912, "intel-kblgt2", SX_OA_A32U40_A4U32_B8_C8},
					    {0x3184, "intel-glk", SX_OA_A32U40_A4U32_B8_C8},
					    {0x3e92, "intel-cflgt2", SX_OA_A32U40_A4U32_B8_C8},
					    {0x8a52, "intel-icl", SX_OA_A32U40_A4U32_B8_C8},
					    {0x4571, "intel-ehl", SX_OA_A32U40_A4U32_B8_C8},
					    {0x9a49, "intel-tglgt2", SX_OA_A32U40_A4U32_B8_C8},
					    {0x4c8a, "intel-rkl", SX_OA_A32U40_A4U32_B8_C8},
					    {0x4905, "intel-dg1", SX_OA_A32U40_A4U32_B8_C8},
					    {0x4680, "intel-adl", SX_OA_A32U40_A4U32_B8_C8},
					    {0x7d55, "intel-mtlgt3", SX_OA_A24U40_A14U32_B8_C8}};
	struct sx_context *context;
	unsigned media = 0;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
		struct fake_i915 fake;
		struct sx_error err = {0};
		struct sx_catalog *catalog;
		struct source *source;
		become(&fake, chips[i].device_id);
		struct source_host host = {.sys = &fake.sys, .catalogs = context};
		assert_int_equal(source_i915_oa.open(&host, "card0", &source, &err), SX_OK);
		assert_string_equal(source_describe(source)->catalog, chips[i].catalog);
		assert_int_equal(sx_catalog_open(context, chips[i].catalog, &catalog, &err), SX_OK);
		media += start_every_set(&fake, source, &chips[i], catalog);
		source_i915_oa.close(source);
		sx_catalog_unref(catalog);
		assert_int_equal(fake.open_fds, 0);
		assert_int_equal(fake_i915_config_count(&fake), 0);
		fake_i915_finish(&fake);
	}
	assert_true(media > 0);
	sx_context_destroy(context);
}

struct streamed {
	uint32_t device_id;
	const char *set;
	bool old_param;
};

/* What the rows of 200 ms say: time, clock, and times of the CPU's clock. */
static void check_rows_of(const struct fake_i915 *fake, const struct sx_table *table,
			  uint64_t begin_ns)
{
	size_t rows = sx_table_row_count(table);
	assert_true(rows > 50);
	uint64_t step = UINT64_C(2) << fake->exponent;
	assert_int_equal(sum(table, "GPU_TIME"), rows * step);
	if (sx_table_find(table, "GPU_CLOCK") != SX_NONE)
		assert_int_equal(sum(table, "GPU_CLOCK"),
				 rows * step * (800000000 / fake->device.timestamp_hz));
	assert_in_range(sx_table_begin_ns(table)[0], begin_ns, begin_ns + 3000000);
	assert_in_range(sx_table_end_ns(table)[rows - 1], fake->now_ns - 20000000, fake->now_ns);
}

static void check_stream(struct sx_context *context, const struct streamed *chip)
{
	struct fake_i915 fake;
	struct sx_error err = {0};
	struct raw_sample raw;
	become(&fake, chip->device_id);
	fake.old_clock_param = chip->old_param;
	struct source_host host = {.sys = &fake.sys, .catalogs = context};
	struct stream s = {.source = NULL};
	assert_int_equal(source_i915_oa.open(&host, "card0", &s.source, &err), SX_OK);
	struct oa_source *card = (struct oa_source *)s.source;
	struct sx_catalog *catalog;
	assert_int_equal(sx_catalog_open(context, card->card.catalog.name, &catalog, &err), SX_OK);
	if (sx_catalog_find_group(catalog, chip->set) == SX_NONE) {
		print_error("no set %s in %s\n", chip->set, card->card.catalog.name);
		fail();
	}
	struct source_request request = {
	    .catalog = catalog, .set = chip->set, .interval_ns = 1000000};
	assert_int_equal(source_i915_oa.start(s.source, &request, &err), SX_OK);
	struct sx_constant_value constants[] = {
	    {"GpuTimestampFrequency", (double)card->card.device.timestamp_hz},
	    {"GpuMaxFrequency", 900000000}};
	struct decoder_setup setup = {
	    .catalog = catalog, .set = chip->set, .constants = constants, .constant_count = 2};
	assert_int_equal(decode_i915_oa.create(&setup, &s.decoder, &err), SX_OK);
	assert_int_equal(decoder_table(s.decoder, &s.table, &err), SX_OK);
	uint64_t begin_ns = fake.now_ns;
	while (fake.now_ns < begin_ns + 200000000)
		if (source_i915_oa.read(s.source, 100, &raw, &err) == SX_OK)
			assert_int_equal(decode_i915_oa.feed(s.decoder, &raw, s.table, &err),
					 SX_OK);
	check_rows_of(&fake, s.table, begin_ns);
	decode_i915_oa.destroy(s.decoder);
	sx_table_destroy(s.table);
	source_i915_oa.close(s.source);
	sx_catalog_unref(catalog);
	fake_i915_finish(&fake);
}

/* A stream of each kind of report, to rows: time, clock, context, and times of the CPU's clock. */
static void test_streams_of_generations(void **state)
{
	(void)state;
	static const struct streamed chips[] = {
	    {0x0412, "RenderBasic", false}, {0x1912, "RenderBasic", false},
	    {0x9a49, "RenderBasic", false}, {0x7d55, "RenderBasic", false},
	    {0x7d55, "RenderBasic", true},  {0x7d55, "MediaSet1", false}};
	struct sx_context *context;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++)
		check_stream(context, &chips[i]);
	sx_context_destroy(context);
}

static void test_user_counter(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	const char *names[] = {"A14=eu(fpu0-active, coarse=ps, fine=ternary)"};
	struct source_request request = {
	    .set = "RenderBasic", .definitions = names, .definition_count = 1};
	fake_i915_init(&fake);
	struct source *source = open_fake(&fake);
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_OK);
	assert_int_equal(fake.active->flex[3], 0x00250014); /* A13 stays, A14 is ours */
	assert_string_not_equal(fake.active->uuid, "b541bd57-0e0f-4154-b4c0-5858010a2bf7");
	names[0] = "A12=eu(fpu0-active)"; /* RenderBasic reads A12 */
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_ERR_USAGE);
	assert_non_null(strstr(err.because, "coarse=vs")); /* what A12 is there */
	assert_non_null(strstr(err.remedy, "A14"));
	assert_null(strstr(err.remedy, "A12"));
	names[0] = "A7=eu(eu-active)"; /* the set's own event */
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_OK);
	/* One definition twice is one; a second one is refused before anything is added. */
	const char *twice[] = {"A14=eu(fpu0-active)", "A14 = eu(0)", "A14=eu(fpu1-active)"};
	request.definitions = twice;
	request.definition_count = 2;
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_OK);
	assert_int_equal(fake.active->flex[3], 0x00000014);
	request.definition_count = 3;
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_ERR_USAGE);
	assert_non_null(strstr(err.message, "A14 is defined twice"));
	request.definitions = names;
	request.definition_count = 1;
	names[0] = "A14=eu(nothing)";
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_ERR_NOT_FOUND);
	source_i915_oa.close(source);
	assert_int_equal(fake_i915_config_count(&fake), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_existing_config),
	    cmocka_unit_test(test_foreign_config),
	    cmocka_unit_test(test_removed_meanwhile),
	    cmocka_unit_test(test_taken_over),
	    cmocka_unit_test(test_every_set),
	    cmocka_unit_test(test_every_generation),
	    cmocka_unit_test(test_streams_of_generations),
	    cmocka_unit_test(test_user_counter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
