/* What the kbase source says of a device, and whether catalogs know it; on a fake driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devices/kbase.h"
#include "source/mali/mali.h"
#include "unit/context.h"
#include "unit/source/found.h"

static struct found probe(struct fake_kbase *fake)
{
	struct found f = {0};
	source_kbase.probe(&(struct source_host){.sys = &fake->sys, .catalogs = context},
			   found_take, &f);
	assert_int_equal(f.count, 1);
	assert_true(fake_kbase_clean(fake));
	return f;
}

static void probing_tells_why(void **state)
{
	struct fake_kbase fake;
	fake_kbase_init(&fake);
	struct found f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_READY);
	assert_string_equal(f.name, "Arm Mali-G625");
	/* the 64-bit form of the same */
	fake.gpu_id = UINT64_C(13) << 56 | UINT64_C(1) << 32 | UINT64_C(0xf0000000);
	assert_int_equal(probe(&fake).state, SX_DEVICE_READY);
	fake.gpu_id = 0xc0030000;
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.because, "architecture 12, product 3"));
	assert_non_null(strstr(f.remedy, "-d mali0 --for mali-g620"));
	fake_kbase_init(&fake);
	fake.open_errno = EACCES;
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.remedy, "/dev/mali0"));
	fake.open_errno = ENOENT;
	assert_int_equal(probe(&fake).state, SX_DEVICE_ABSENT);
	fake.open_errno = 0;
	fake.no_char_device = true;
	assert_int_equal(probe(&fake).state, SX_DEVICE_ABSENT);
	fake_kbase_init(&fake);
	fake.version = (struct kbase_version){0, 0};
	assert_int_equal(probe(&fake).state, SX_DEVICE_UNUSABLE);
	fake.version = (struct kbase_version){1, 9}; /* neither reader serves a G625 */
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.because, "1.9"));
	fake_kbase_init(&fake);
	fake.missing_props = true;
	assert_int_equal(probe(&fake).state, SX_DEVICE_UNUSABLE);
	fake_kbase_init(&fake);
	fake.csf = false;
	fake.version = (struct kbase_version){11, 40};
	fake.gpu_id = 0x90090000; /* an unknown Job Manager Mali */
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.because, "architecture 9"));
}

/* An unknown Mali is read as a whole, for a catalog that the user names. */
static void unknown_product_can_be_read(void **state)
{
	struct fake_kbase fake;
	struct source *source = NULL;
	struct raw_sample raw;
	struct source_request request = {.counters = (const char *const[]){"MaliGPUActiveCy"},
					 .counter_count = 1};
	fake_kbase_init(&fake);
	fake.gpu_id = 0xc0030000;
	assert_int_equal(
	    source_kbase.open(&(struct source_host){.sys = &fake.sys}, "mali0", &source, NULL),
	    SX_OK);
	assert_null(source_describe(source)->catalog);
	assert_int_equal(source_kbase.start(source, &request, NULL), SX_OK);
	assert_int_equal(fake.masks[MALI_CORE][1], UINT64_MAX);
	assert_int_equal(source_kbase.read(source, 100, &raw, NULL), SX_OK);
	source_kbase.close(source);
	assert_true(fake_kbase_clean(&fake));
	fake_kbase_finish(&fake);
}

/* Only an attempt shows whether the driver counts; devices and sessions make none. */
static void doctor_tries_the_reader(void **state)
{
	static const int errors[] = {EBUSY, ENOMEM, EACCES, EINVAL};
	static const char *const causes[] = {"clients", "memory", "only some programs", "request"};
	for (size_t i = 0; i < 4; i++) {
		struct fake_kbase fake;
		struct found f = {0};
		fake_kbase_init(&fake);
		fake.setup_errno = errors[i];
		assert_int_equal(probe(&fake).state, SX_DEVICE_READY);
		source_kbase.probe(&(struct source_host){.sys = &fake.sys,
							 .catalogs = context,
							 .ask_drivers = true},
				   found_take, &f);
		assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
		assert_non_null(strstr(f.because, causes[i]));
		assert_true(f.remedy[0]);
		fake.setup_errno = 0;
		source_kbase.probe(&(struct source_host){.sys = &fake.sys,
							 .catalogs = context,
							 .ask_drivers = true},
				   found_take, &f);
		assert_int_equal(f.state, SX_DEVICE_READY);
		assert_true(fake_kbase_clean(&fake));
		fake_kbase_finish(&fake);
	}
}

/* Ids of both forms and of Midgard are found by the catalogs' heads. */
static void catalogs_recognise_devices(void **state)
{
	static const struct {
		uint64_t gpu_id;
		const char *catalog;
	} known[] = {{0xa0040000, "mali-g310"},
		     {0xd0010000, "mali-g625"},
		     {0xa0070000, "mali-g610"},
		     {UINT64_C(14) << 56 | 0xf0000000, "mali-g1-ultra"}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct mali_id id = {0};
		struct mali_model_info model;
		mali_id_decode(known[i].gpu_id, &id);
		assert_true(mali_id_find(context, &id, "kbase", &model));
		assert_string_equal(model.catalog, known[i].catalog);
		assert_true(mali_id_find(context, &id, "panthor", &model));
		assert_false(mali_id_find(context, &id, "nouveau", &model));
	}
	struct mali_id midgard = {0};
	struct mali_model_info model;
	mali_id_decode(0x08800000, &midgard);
	assert_true(mali_id_find(context, &midgard, "kbase", &model));
	assert_string_equal(model.catalog, "mali-t880");
	mali_id_decode(0x69560000, &midgard);
	assert_true(mali_id_find(context, &midgard, "kbase", &model));
	assert_string_equal(model.catalog, "mali-t600");
}

/* The caller's catalogs are searched, not those of a context of the source's own. */
static void added_catalogs_recognise_devices(void **state)
{
	char folder[] = "/tmp/sextant-kbase-XXXXXX", path[64];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/mali-g999.yaml", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("sextant-catalog: 1\nname: mali-g999\ntitle: Arm Mali-G999\nvendor: Arm\nkind: gpu\n"
	      "dialect: standard\nnotation: infix\nmatch:\n"
	      "  - {driver: kbase, key: arch_product, value: \"14.9\"}\n"
	      "blocks:\n  - {name: front-end, title: GPU, slots: 128, slot-bits: 32, code: 0}\n"
	      "counters:\n  - {name: MaliGPUActiveCy, block: front-end, slot: 4, bits: 32, "
	      "reduce: single, unit: cycles, description: Cycles with work.}\n",
	      file);
	fclose(file);
	struct sx_context *other = context;
	assert_int_equal(
	    sx_context_create(&(struct sx_context_options){.catalog_path = folder}, &context, NULL),
	    SX_OK);
	struct fake_kbase fake;
	fake_kbase_init(&fake);
	fake.gpu_id = 0xe0090000;
	struct found f = probe(&fake);
	sx_context_destroy(context);
	context = other;
	assert_int_equal(f.state, SX_DEVICE_READY);
	assert_string_equal(f.name, "Arm Mali-G999");
	assert_int_equal(probe(&fake).state, SX_DEVICE_UNUSABLE);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(probing_tells_why),
	    cmocka_unit_test(doctor_tries_the_reader),
	    cmocka_unit_test(unknown_product_can_be_read),
	    cmocka_unit_test(catalogs_recognise_devices),
	    cmocka_unit_test(added_catalogs_recognise_devices),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
