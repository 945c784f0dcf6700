/* Metric sets on a fake xe kernel: every chip's, media units, what is refused, configurations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/xe_oa/uapi.h"
#include "unit/source/heard.h"
#include "unit/source/xe_stream.h"

#if __has_include(<drm/xe_drm.h>)
#include <drm/xe_drm.h>
#elif __has_include(<libdrm/xe_drm.h>)
#include <libdrm/xe_drm.h>
#endif
#ifdef DRM_IOCTL_XE_OBSERVATION
#define HAVE_DRM 1
#endif

#define BMG_RENDER_BASIC "f05e23fc-913d-4ab9-ba9a-43beb059a18c"

struct chip {
	uint32_t device_id, version;
	const char *catalog;
};

static const struct chip chips[] = {
    {0xe20b, 2000, "intel-bmg"},    {0x64a0, 2000, "intel-lnl"},    {0xb080, 3000, "intel-ptl"},
    {0x56a0, 1255, "intel-acmgt3"}, {0x9a49, 1200, "intel-tglgt2"}, {0x7d55, 1270, "intel-mtlgt3"},
};

/* Every set of every chipset that xe drives goes into the driver's lists, on its unit. */
static void test_every_set(void **state)
{
	unsigned by_type[4] = {0};
	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
		struct fake_xe fake;
		struct sx_error err = {0};
		struct source *source;
		struct sx_catalog *catalog;
		uint32_t count;
		fake_xe_init(&fake);
		fake_xe_become(&fake, chips[i].device_id, chips[i].version);
		struct source_host host = host_of(&fake);
		assert_int_equal(source_xe_oa.open(&host, "xe", &source, &err), SX_OK);
		const char *name = source_describe(source)->catalog;
		assert_string_equal(name, chips[i].catalog);
		assert_int_equal(sx_catalog_open(context, name, &catalog, &err), SX_OK);
		const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
		unsigned counted = 0;
		for (uint32_t g = 0; g < count; g++) {
			struct source_request request = {.catalog = catalog, .set = groups[g].name};
			enum sx_status status = source_xe_oa.start(source, &request, &err);
			if (status == SX_ERR_UNSUPPORTED &&
			    strstr(err.because, "without a register"))
				continue; /* none for these XeCores */
			if (status)
				print_error("%s %s: %s: %s\n", name, groups[g].name, err.message,
					    err.because);
			assert_int_equal(status, SX_OK);
			by_type[fake.units[fake.unit].type]++;
			counted++;
			assert_int_equal(source_xe_oa.stop(source, &err), SX_OK);
		}
		assert_true(counted * 10 >= count * 5);
		source_xe_oa.close(source);
		sx_catalog_unref(catalog);
		assert_int_equal(fake.open_fds, 0);
		assert_int_equal(fake_xe_config_count(&fake), 0);
	}
	/* Render sets, both SCMIs' and Meteor Lake's media sets, and Panther Lake's of the SAG. */
	assert_true(by_type[XE_OA_UNIT_OAG] > 100 && by_type[XE_OA_UNIT_OAM] >= 4);
	assert_int_equal(by_type[XE_OA_UNIT_OAM_SAG], 1);
}

/* Media sets are counted where their registers are; a kernel that lists no such unit says so. */
static void test_media_units(void **state)
{
	static const struct {
		uint32_t device_id, version;
		const char *set;
		uint64_t unit;
	} cases[] = {{0xe20b, 2000, "MediaSet1", 3},
		     {0xe20b, 2000, "MediaSet2", 2},
		     {0x64a0, 2000, "MediaSet1", 2},
		     {0xb080, 3000, "MediaSet1", 1},
		     {0x7d55, 1270, "MediaSet1", 1}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_xe fake;
		struct stream s;
		fake_xe_init(&fake);
		fake_xe_become(&fake, cases[i].device_id, cases[i].version);
		begin(&s, &fake, cases[i].set, 1000000);
		assert_int_equal(fake.unit, cases[i].unit);
		run(&s, 100000000);
		size_t rows = sx_table_row_count(s.table);
		assert_true(rows > 80);
		assert_int_equal(sum(s.table, "GPU_CLOCK"),
				 sum(s.table, "GPU_TIME") * fake.clock_hz / fake.oa_hz);
		/* Times too, also of the unit without an engine of its own. */
		assert_in_range(sx_table_end_ns(s.table)[rows - 1], fake.now_ns - 8000000,
				fake.now_ns);
		end(&s);
	}
	struct fake_xe fake;
	struct stream s;
	struct source *source = NULL;
	struct sx_error err = {0};
	struct source_request request = {.set = "MediaSet1"};
	fake_xe_init(&fake);
	fake.told_media_hz = 38400000;
	begin(&s, &fake, "MediaSet2", 1000000);
	run(&s, 20000000);
	assert_int_equal(s.notes, 1);
	assert_non_null(strstr(s.note, "--const GpuTimestampFrequency=38400000"));
	end(&s);
	fake_xe_init(&fake);
	fake.unit_count = 1;
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.because, "lists 1 OA unit"));
	source_xe_oa.close(source);
	assert_int_equal(fake_xe_config_count(&fake), 0);
}

/* The generations before Xe2: clocks that run twice as fast as the engines' timestamps. */
static void test_streams_of_generations(void **state)
{
	for (size_t i = 3; i < sizeof(chips) / sizeof(chips[0]); i++) {
		struct fake_xe fake;
		struct stream s;
		fake_xe_init(&fake);
		fake_xe_become(&fake, chips[i].device_id, chips[i].version);
		fake.old_caps = i == 3;
		begin(&s, &fake, "RenderBasic", 1000000);
		uint64_t begin_ns = fake.now_ns;
		run(&s, 200000000);
		size_t rows = sx_table_row_count(s.table);
		assert_true(rows > 150);
		assert_int_equal(sum(s.table, "GPU_TIME"), rows * (UINT64_C(2) << fake.exponent));
		assert_in_range(sx_table_begin_ns(s.table)[0], begin_ns, begin_ns + 3000000);
		assert_in_range(sx_table_end_ns(s.table)[rows - 1], fake.now_ns - 8000000,
				fake.now_ns);
		end(&s);
	}
	/* Ponte Vecchio: its sets' format is none of the driver's, which is said. */
	struct fake_xe fake;
	struct source *source = NULL;
	struct sx_error err = {0};
	struct source_request request = {.set = "ComputeBasic"};
	fake_xe_init(&fake);
	fake_xe_become(&fake, 0x0bd5, 1260);
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.because, "A32u40_A4u32_B8_C8"));
	source_xe_oa.close(source);
}

static void test_refusals(void **state)
{
	static const struct {
		int open_errno;
		enum sx_status status;
		const char *because;
	} cases[] = {{EBUSY, SX_ERR_BUSY, "serves one at a time"},
		     {ENODEV, SX_ERR_UNSUPPORTED, "no OA unit"},
		     {ETIMEDOUT, SX_ERR_IO, "does not wake up"},
		     {ENOMEM, SX_ERR_NO_MEMORY, "no memory for the OA buffer"},
		     {EINVAL, SX_ERR_UNSUPPORTED, "refuses report format"},
		     {EACCES, SX_ERR_PERMISSION, "CAP_PERFMON of a container"}};
	struct fake_xe fake;
	struct sx_error err = {0};
	struct source *source;
	struct source_request request = {.set = "RenderBasic"};
	fake_xe_init(&fake);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		source = NULL;
		fake.open_errno = cases[i].open_errno;
		assert_int_equal(open_start(&fake, &source, &request, &err), cases[i].status);
		assert_int_equal(err.status, cases[i].status);
		assert_non_null(strstr(err.because, cases[i].because));
		source_xe_oa.close(source);
	}
	fake.open_errno = 0;
	source = NULL;
	fake.refused_register = 0x13360; /* by bisection, out of some two hundred */
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.because, "register 0x13360"));
	source_xe_oa.close(source);
	fake.refused_register = 0;
	source = NULL;
	request.set = "RenderBsic";
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_NOT_FOUND);
	source_xe_oa.close(source);
	assert_int_equal(fake.open_fds, 0);
	assert_int_equal(fake_xe_config_count(&fake), 0);
}

/* A uuid that is taken proves nothing; one that the writes make does. */
static void test_configs(void **state)
{
	struct fake_xe fake;
	struct stream s;
	struct source *source = NULL;
	struct sx_error err = {0};
	struct source_request request = {.set = "RenderBasic"};
	fake_xe_init(&fake);
	fake_xe_add_foreign(&fake, BMG_RENDER_BASIC, 900);
	begin(&s, &fake, "RenderBasic", 1000000);
	assert_string_not_equal(fake.active.uuid, BMG_RENDER_BASIC);
	assert_int_equal(fake_xe_config_count(&fake), 2);
	/* Recordings have the published one: the writes are those of the set. */
	assert_string_equal(source_describe(s.source)->properties[2].value, BMG_RENDER_BASIC);
	/* A second user: its unit is taken, but its configuration is found again, and left there.
	 */
	fake.fds[FAKE_XE_CARD_FD] = false;
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_BUSY);
	fake.fds[FAKE_XE_CARD_FD] = true;
	assert_int_equal(fake_xe_config_count(&fake), 2);
	fake.fds[FAKE_XE_CARD_FD] = true;
	source_xe_oa.close(source);
	fake.fds[FAKE_XE_CARD_FD] = true;
	fake.configs[0].used = false;
	end(&s);
	/* Another process removes it between ADD_CONFIG and OPEN. */
	fake_xe_init(&fake);
	fake.vanish = 1;
	begin(&s, &fake, "RenderBasic", 1000000);
	end(&s);
	fake.vanish = 9;
	source = NULL;
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_BUSY);
	assert_int_equal(err.status, SX_ERR_BUSY);
	source_xe_oa.close(source);
	assert_int_equal(fake.open_fds, 0);
}

/* Our copy of the kernel's interface against its header. */
static void test_uapi(void **state)
{
#ifdef HAVE_DRM
	assert_int_equal(XE_DEVICE_QUERY, DRM_IOCTL_XE_DEVICE_QUERY);
	assert_int_equal(XE_OBSERVATION, DRM_IOCTL_XE_OBSERVATION);
	assert_int_equal(XE_STREAM_ENABLE, DRM_XE_OBSERVATION_IOCTL_ENABLE);
	assert_int_equal(XE_STREAM_DISABLE, DRM_XE_OBSERVATION_IOCTL_DISABLE);
	assert_int_equal(XE_STREAM_STATUS, DRM_XE_OBSERVATION_IOCTL_STATUS);
	assert_int_equal(XE_STREAM_INFO, DRM_XE_OBSERVATION_IOCTL_INFO);
	assert_int_equal(XE_QUERY_GT_TOPOLOGY, DRM_XE_DEVICE_QUERY_GT_TOPOLOGY);
	assert_int_equal(XE_QUERY_ENGINE_CYCLES, DRM_XE_DEVICE_QUERY_ENGINE_CYCLES);
	assert_int_equal(XE_QUERY_OA_UNITS, DRM_XE_DEVICE_QUERY_OA_UNITS);
	assert_int_equal(XE_OBSERVE_REMOVE_CONFIG, DRM_XE_OBSERVATION_OP_REMOVE_CONFIG);
	assert_int_equal(XE_PROP_UNIT, DRM_XE_OA_PROPERTY_OA_UNIT_ID);
	assert_int_equal(XE_PROP_EXPONENT, DRM_XE_OA_PROPERTY_OA_PERIOD_EXPONENT);
	assert_int_equal(XE_PROP_NO_PREEMPT, DRM_XE_OA_PROPERTY_NO_PREEMPT);
	assert_int_equal(XE_FMT_PEC, DRM_XE_OA_FMT_TYPE_PEC);
	assert_int_equal(XE_STATUS_TRIGGERS_FULL, DRM_XE_OASTATUS_MMIO_TRG_Q_FULL);
	assert_int_equal(sizeof(struct xe_device_query), sizeof(struct drm_xe_device_query));
	assert_int_equal(sizeof(struct xe_gt), sizeof(struct drm_xe_gt));
	assert_int_equal(offsetof(struct xe_gt, reference_clock),
			 offsetof(struct drm_xe_gt, reference_clock));
	assert_int_equal(sizeof(struct xe_query_engine), sizeof(struct drm_xe_engine));
	assert_int_equal(sizeof(struct xe_oa_unit), sizeof(struct drm_xe_oa_unit));
	assert_int_equal(offsetof(struct xe_oa_unit, engine_count),
			 offsetof(struct drm_xe_oa_unit, num_engines));
	assert_int_equal(sizeof(struct xe_query_oa_units), sizeof(struct drm_xe_query_oa_units));
	assert_int_equal(sizeof(struct xe_topology_mask),
			 sizeof(struct drm_xe_query_topology_mask));
	assert_int_equal(sizeof(struct xe_engine_cycles),
			 sizeof(struct drm_xe_query_engine_cycles));
	assert_int_equal(offsetof(struct xe_engine_cycles, cpu_ns),
			 offsetof(struct drm_xe_query_engine_cycles, cpu_timestamp));
	assert_int_equal(sizeof(struct xe_observation), sizeof(struct drm_xe_observation_param));
	assert_int_equal(sizeof(struct xe_set_property), sizeof(struct drm_xe_ext_set_property));
	assert_int_equal(offsetof(struct xe_set_property, value),
			 offsetof(struct drm_xe_ext_set_property, value));
	assert_int_equal(sizeof(struct xe_oa_config), sizeof(struct drm_xe_oa_config));
	assert_int_equal(offsetof(struct xe_oa_config, registers),
			 offsetof(struct drm_xe_oa_config, regs_ptr));
	assert_int_equal(sizeof(struct xe_stream_status), sizeof(struct drm_xe_oa_stream_status));
	assert_int_equal(sizeof(struct xe_stream_info), sizeof(struct drm_xe_oa_stream_info));
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_set),
	    cmocka_unit_test(test_media_units),
	    cmocka_unit_test(test_streams_of_generations),
	    cmocka_unit_test(test_refusals),
	    cmocka_unit_test(test_configs),
	    cmocka_unit_test(test_uapi),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
