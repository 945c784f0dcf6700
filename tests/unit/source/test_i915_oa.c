/* The i915 OA source on a fake kernel: what it finds, opens, reads, and how it fails and cleans up.
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

#include "source/i915_oa/uapi.h"
#include "unit/source/found.h"
#include "unit/source/i915_stream.h"

#if __has_include(<libdrm/i915_drm.h>)
#include <libdrm/i915_drm.h>
#define HAVE_DRM 1
#endif

static struct found probe(struct fake_i915 *fake)
{
	struct found found = {0};
	source_i915_oa.probe(&(struct source_host){.sys = &fake->sys}, found_take, &found);
	return found;
}

/* The same, with the driver asked. */
static struct found ask(struct fake_i915 *fake)
{
	struct found found = {0};
	source_i915_oa.probe(&(struct source_host){.sys = &fake->sys, .ask_drivers = true},
			     found_take, &found);
	return found;
}

static void test_probe(void **state)
{
	(void)state;
	struct fake_i915 fake;
	fake_i915_init(&fake);
	struct found f = probe(&fake);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.state, SX_DEVICE_READY);
	assert_string_equal(f.id, "i915:card0");
	fake.paranoid = true;
	assert_int_equal(probe(&fake).state, SX_DEVICE_READY);
	fake.capable = false;
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.because, "paranoid"));
	assert_non_null(strstr(f.remedy, "sysctl"));
	fake.has_metrics = false;
	assert_non_null(strstr(probe(&fake).because, "no OA metrics"));
	fake.has_metrics = true;
	fake.capable = true;
	fake.device.device_id = 0x1902; /* Skylake GT1: no sets of it were ever published */
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.because, "no catalog"));
	fake.no_cards = true;
	f = probe(&fake);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.state, SX_DEVICE_ABSENT);
	assert_non_null(strstr(f.because, "no card"));
	assert_int_equal(fake.open_fds, 0);
}

/* Who asks the driver learns whether a stream would open, and none is opened for it. */
static void test_attempt(void **state)
{
	(void)state;
	struct fake_i915 fake;
	fake_i915_init(&fake);
	fake.max_rate_hz = 1; /* of one who may open, at any rate */
	fake.capable = false;
	assert_int_equal(ask(&fake).state, SX_DEVICE_READY);
	fake.held = true;
	struct found f = ask(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_int_equal(f.obstacle, SX_ERR_BUSY);
	assert_non_null(strstr(f.because, "another process"));
	assert_non_null(strstr(f.remedy, "end the other profiler"));
	assert_int_equal(probe(&fake).state, SX_DEVICE_READY); /* which makes no call */
	fake.held = false;
	fake.topology_errno = EINVAL;
	assert_non_null(strstr(ask(&fake).remedy, "4.17"));
	fake.no_render_node = fake.no_card_node = true;
	assert_non_null(strstr(ask(&fake).because, "cannot open /dev/dri/renderD128"));
	assert_int_equal(fake.opened_ns, 0);
	assert_int_equal(fake.open_fds, 0);
}

static void test_describe(void **state)
{
	(void)state;
	struct fake_i915 fake;
	fake_i915_init(&fake);
	for (int params = 0; params < 2; params++) {
		fake.frequency_params = params;
		struct source *source = open_fake(&fake);
		const struct source_desc *desc = source_describe(source);
		assert_string_equal(desc->catalog, "intel-bdw");
		assert_true(desc->facts.constant_count > 8);
		double eus = 0, hz = 0, max_hz = 0;
		for (uint32_t i = 0; i < desc->facts.constant_count; i++) {
			if (strcmp(desc->facts.constants[i].name, "EuCoresTotalCount") == 0)
				eus = desc->facts.constants[i].value;
			if (strcmp(desc->facts.constants[i].name, "GpuTimestampFrequency") == 0)
				hz = desc->facts.constants[i].value;
			if (strcmp(desc->facts.constants[i].name, "GpuMaxFrequency") == 0)
				max_hz = desc->facts.constants[i].value;
		}
		/* What the hardware can, not what a user allowed it. */
		assert_int_equal((int)max_hz, 900000000);
		assert_int_equal((int)eus, 24);
		assert_int_equal((int)hz, 12500000);
		source_i915_oa.close(source);
	}
	assert_int_equal(fake.open_fds, 0);
}

static void test_exponent(void **state)
{
	(void)state;
	struct oa_card card = {.device = {.timestamp_hz = 12500000}, .max_rate_hz = 100000};
	const struct {
		uint64_t ns;
		uint32_t exponent;
	} cases[] = {{1000000, 13},    {10000000, 16},	  {81920, 9}, {100000000, 19},
		     {1000000000, 22}, {60000000000, 23}, {1, 6}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(oa_exponent(&card, cases[i].ns), cases[i].exponent);
	card.privileged = true;
	assert_int_equal(oa_exponent(&card, 1), 0);
	assert_int_equal(oa_period_ns(12500000, 0), 160);
	assert_int_equal(oa_period_ns(12500000, 6), 10240);
	assert_int_equal(oa_period_ns(12000000, 0), 167);
}

static void test_refusals(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	struct source *none = NULL;
	fake_i915_init(&fake);
	struct source *source = open_fake(&fake);
	assert_int_equal(start(source, "NoSuchSet", 0, &err), SX_ERR_NOT_FOUND);
	fake.paranoid = true;
	fake.capable = false;
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_ERR_PERMISSION);
	assert_non_null(strstr(err.remedy, "paranoid"));
	/* A container's capability is in the files, and does not count. */
	fake.open_errno = EACCES;
	((struct oa_source *)source)->card.privileged = true;
	fake.paranoid = ((struct oa_source *)source)->card.paranoid = false;
	assert_int_equal(start(source, "RenderBasic", 160, &err), SX_ERR_PERMISSION);
	assert_non_null(strstr(err.because, "oa_max_sample_rate is 100000"));
	assert_non_null(strstr(err.remedy, "--interval"));
	fake.open_errno = 0;
	fake.stream = 9; /* another process has it */
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_ERR_BUSY);
	assert_int_equal(fake_i915_config_count(&fake), 0);
	fake.stream = 0;
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
	fake.read_errno = EIO;
	struct raw_sample raw;
	assert_int_equal(source_i915_oa.read(source, 100, &raw, &err), SX_ERR_DEVICE_LOST);
	source_i915_oa.close(source);
	assert_int_equal(open_named(&fake, "i915:card7", &none, &err), SX_ERR_NOT_FOUND);
	assert_int_equal(open_named(&fake, "renderD129", &none, &err), SX_ERR_NOT_FOUND);
	assert_int_equal(fake.open_fds, 0);
}

/* Every name of the one card, by whichever of its nodes may be opened. */
static void test_names_and_nodes(void **state)
{
	(void)state;
	static const char *const names[] = {"i915:card0", "card0",	"i915",		  "i915-oa",
					    "i915_oa",	  "renderD128", "i915:renderD128"};
	struct fake_i915 fake;
	struct sx_error err = {0};
	struct source *source;
	fake_i915_init(&fake);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(open_named(&fake, names[i], &source, &err), SX_OK);
		source_i915_oa.close(source);
	}
	const struct sx_device device = {.id = "i915:card0",
					 .source = "i915_oa",
					 .catalog = "intel-bdw",
					 .name = "HD 5500 (GT2)"};
	assert_true(sx_device_means(&device, "I915:Card0") &&
		    sx_device_means(&device, "INTEL-BDW") && sx_device_means(&device, "hd 5500") &&
		    sx_device_means(&device, "HD 5500 (gt2)"));
	assert_false(sx_device_means(&device, "HD") || sx_device_means(&device, "HD 5500 (GT"));
	assert_true(sx_device_means(&device, "i915") && sx_device_means(&device, "card0") &&
		    sx_device_means(&device, "i915:card0") && sx_device_means(&device, "i915-oa") &&
		    sx_device_means(&device, "i915_oa") && sx_device_means(&device, "intel-bdw"));
	assert_false(sx_device_means(&device, "card") || sx_device_means(&device, "i91") ||
		     sx_device_means(&device, ""));
	fake.no_card_node = true;
	assert_int_equal(open_named(&fake, "i915", &source, &err), SX_OK);
	source_i915_oa.close(source);
	fake.no_card_node = false;
	fake.no_render_node = true;
	assert_int_equal(open_named(&fake, "i915", &source, &err), SX_OK);
	source_i915_oa.close(source);
	fake.no_card_node = true;
	assert_int_equal(open_named(&fake, "i915", &source, &err), SX_ERR_PERMISSION);
	assert_non_null(strstr(err.message, "renderD128"));
	assert_non_null(strstr(err.remedy, "render"));
	assert_int_equal(fake.open_fds, 0);
}

/* The topology's item has a negative errno where its length would be. */
static void test_topology_refused(void **state)
{
	(void)state;
	static const struct {
		int why;
		enum sx_status status;
		const char *remedy;
	} cases[] = {{EINVAL, SX_ERR_UNSUPPORTED, "kernel of 4.17"},
		     {ENODEV, SX_ERR_UNSUPPORTED, "kernel of 4.17"},
		     {EACCES, SX_ERR_PERMISSION, "render"},
		     {EFAULT, SX_ERR_IO, "dmesg"}};
	struct fake_i915 fake;
	fake_i915_init(&fake);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sx_error err = {0};
		struct source *none = NULL;
		fake.topology_errno = cases[i].why;
		assert_int_equal(open_named(&fake, "i915", &none, &err), cases[i].status);
		assert_int_equal(err.status, cases[i].status);
		assert_non_null(strstr(err.remedy, cases[i].remedy));
	}
	assert_int_equal(fake.open_fds, 0);
}

/* What the kernel does not say with an errno is found out, and named. */
static void test_named_refusals(void **state)
{
	(void)state;
	static const struct {
		int add, open;
		enum sx_status status;
		const char *because;
	} cases[] = {
	    {ENOMEM, 0, SX_ERR_NO_MEMORY, "register writes"},
	    {I915_ENOTSUPP, 0, SX_ERR_UNSUPPORTED, "no perf interface"},
	    {0, ENOMEM, SX_ERR_NO_MEMORY, "16 MiB"},
	    {0, I915_ENOTSUPP, SX_ERR_UNSUPPORTED, "no perf interface"},
	    {0, ENODEV, SX_ERR_UNSUPPORTED, "no OA unit"},
	    {0, EINVAL, SX_ERR_UNSUPPORTED, "A32u40_A4u32_B8_C8 or metric set RenderBasic"},
	    {0, EACCES, SX_ERR_PERMISSION, "a security policy"},
	    {0, EBUSY, SX_ERR_BUSY, "another process"}};
	struct fake_i915 fake;
	fake_i915_init(&fake);
	struct source *source = open_fake(&fake);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sx_error err = {0};
		fake.add_errno = cases[i].add;
		fake.open_errno = cases[i].open;
		assert_int_equal(start(source, "RenderBasic", 0, &err), cases[i].status);
		assert_int_equal(err.status, cases[i].status);
		assert_non_null(strstr(err.because, cases[i].because));
		assert_true(err.remedy[0] != '\0');
		assert_int_equal(fake_i915_config_count(&fake), 0);
	}
	fake.add_errno = fake.open_errno = 0;
	/* One register of some hundred writes. */
	static const uint32_t registers[] = {0x9888, 0x2770, 0xe458, 0x0d04};
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		struct sx_error err = {0};
		char name[16];
		snprintf(name, sizeof(name), "0x%x", registers[i]);
		fake.refused_register = registers[i];
		enum sx_status status = start(source, "ComputeExtended", 0, &err);
		if (status == SX_OK)
			continue; /* the set leaves it alone */
		assert_int_equal(status, SX_ERR_UNSUPPORTED);
		assert_non_null(strstr(err.because, name));
		assert_int_equal(fake_i915_config_count(&fake), 0);
	}
	fake.refused_register = 0;
	source_i915_oa.close(source);
	assert_int_equal(fake.open_fds, 0);
}

/* The k-th call fails, for every k: an error or none, but nothing stays behind. */
static void test_fault_sweep(void **state)
{
	(void)state;
	static const int errors[] = {EIO, ENODEV, EACCES, ENOMEM, EINTR};
	unsigned refused = 0, survived = 0;
	for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++)
		for (unsigned k = 1;; k++) {
			struct fake_i915 fake;
			struct source *source = NULL;
			struct sx_error err = {0};
			struct raw_sample raw;
			fake_i915_init(&fake);
			fake.fail_at = k;
			fake.fail_errno = errors[e];
			probe(&fake);
			enum sx_status status = source_i915_oa.open(
			    &(struct source_host){.sys = &fake.sys}, "i915:card0", &source, &err);
			if (!status) {
				status = start(source, "TestOa", 10000000, &err);
				for (int i = 0; i < 4 && (!status || status == SX_AGAIN); i++)
					status = source_i915_oa.read(source, 50, &raw, &err);
				source_i915_oa.close(source);
			}
			if (status && status != SX_AGAIN) {
				refused++;
				assert_true(err.message[0] != '\0');
			} else {
				survived++;
			}
			assert_int_equal(fake.open_fds, 0);
			assert_int_equal(fake_i915_config_count(&fake), 0);
			if (fake.calls < k)
				break;
		}
	assert_true(refused > 20);
	assert_true(survived > 20);
}

static void test_selftest(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	struct lines lines = {0};
	const struct note_sink to = {hear, &lines};
	fake_i915_init(&fake);
	struct source *source = open_fake(&fake);
	assert_int_equal(source_i915_oa.selftest(source, &to, &err), SX_OK);
	assert_int_equal(lines.failed, 0);
	assert_int_equal(lines.ok, 14);
	fake.wrong_ratio = true;
	assert_int_equal(source_i915_oa.selftest(source, &to, &err), SX_INCOMPLETE);
	assert_int_equal(lines.failed, 1);
	fake.wrong_ratio = false;
	fake.clock_hz = 2000000000;
	assert_int_equal(source_i915_oa.selftest(source, &to, &err), SX_INCOMPLETE);
	fake.clock_hz = 800000000;
	/* The driver reports a timestamp frequency that is not the hardware's. */
	lines = (struct lines){0};
	fake.clock_drift = 0.01;
	assert_int_equal(source_i915_oa.selftest(source, &to, &err), SX_INCOMPLETE);
	assert_int_equal(lines.failed, 1);
	fake.clock_drift = 0;
	/* A loss is a failure. */
	lines = (struct lines){0};
	fake.lose_report = true;
	assert_int_equal(source_i915_oa.selftest(source, &to, &err), SX_INCOMPLETE);
	assert_int_equal(lines.failed, 1);
	source_i915_oa.close(source);
	assert_int_equal(fake.open_fds, 0);
}

/* Our copy of the kernel's interface against libdrm's header. */
static void test_uapi(void **state)
{
	(void)state;
#ifdef HAVE_DRM
	assert_int_equal(I915_PERF_OPEN, DRM_IOCTL_I915_PERF_OPEN);
	assert_int_equal(I915_PERF_ADD_CONFIG, DRM_IOCTL_I915_PERF_ADD_CONFIG);
	assert_int_equal(I915_PERF_REMOVE_CONFIG, DRM_IOCTL_I915_PERF_REMOVE_CONFIG);
	assert_int_equal(I915_QUERY, DRM_IOCTL_I915_QUERY);
	assert_int_equal(I915_GETPARAM, DRM_IOCTL_I915_GETPARAM);
	assert_int_equal(I915_REG_READ, DRM_IOCTL_I915_REG_READ);
	assert_int_equal(I915_STREAM_ENABLE, I915_PERF_IOCTL_ENABLE);
	assert_int_equal(sizeof(struct i915_perf_open), sizeof(struct drm_i915_perf_open_param));
	assert_int_equal(sizeof(struct i915_perf_config), sizeof(struct drm_i915_perf_oa_config));
	assert_int_equal(offsetof(struct i915_perf_config, mux),
			 offsetof(struct drm_i915_perf_oa_config, mux_regs_ptr));
	assert_int_equal(offsetof(struct i915_perf_config, flex),
			 offsetof(struct drm_i915_perf_oa_config, flex_regs_ptr));
	assert_int_equal(sizeof(struct i915_query_item), sizeof(struct drm_i915_query_item));
	assert_int_equal(sizeof(struct i915_query_config) - sizeof(struct i915_perf_config),
			 sizeof(struct drm_i915_query_perf_config));
	assert_int_equal(offsetof(struct i915_query_config, flags),
			 offsetof(struct drm_i915_query_perf_config, flags));
	assert_int_equal(I915_QUERY_PERF_CONFIG, DRM_I915_QUERY_PERF_CONFIG);
	assert_int_equal(I915_CONFIG_DATA_BY_UUID, DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID);
	assert_int_equal(offsetof(struct i915_query_item, data),
			 offsetof(struct drm_i915_query_item, data_ptr));
	assert_int_equal(I915_PROP_POLL_PERIOD, DRM_I915_PERF_PROP_POLL_OA_PERIOD);
	assert_int_equal(I915_PROP_EXPONENT, DRM_I915_PERF_PROP_OA_EXPONENT);
	assert_int_equal(SX_OA_A32U40_A4U32_B8_C8, I915_OA_FORMAT_A32u40_A4u32_B8_C8);
	assert_int_equal(SX_OA_C4_B8, I915_OA_FORMAT_C4_B8);
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_probe),	   cmocka_unit_test(test_attempt),
	    cmocka_unit_test(test_describe),	   cmocka_unit_test(test_exponent),
	    cmocka_unit_test(test_refusals),	   cmocka_unit_test(test_names_and_nodes),
	    cmocka_unit_test(test_named_refusals), cmocka_unit_test(test_topology_refused),
	    cmocka_unit_test(test_fault_sweep),	   cmocka_unit_test(test_selftest),
	    cmocka_unit_test(test_uapi),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
