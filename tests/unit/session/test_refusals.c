/*
 * What each source refuses, as a session and so the command says it: the kind of the refusal, from
 * which the exit status comes, its cause, and what to do.
 */
#include <sextant/session.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "devices/cpu.h"
#include "devices/i915_oa.h"
#include "devices/kbase.h"
#include "devices/machine.h"
#include "session/session.h"
#include "unit/context.h"

static void stand_still(void *device, uint64_t ns)
{
}

static void expect(const struct sx_sys *base, const char *device, enum sx_status status,
		   const char *because, const char *remedy)
{
	const char *const devices[] = {device};
	struct sx_session_options options = {
	    .devices = devices, .device_count = 1, .interval_ns = 10000000};
	struct sx_session *session = NULL;
	struct sx_error err = {0};
	struct machine machine;
	machine_init_advance(&machine, base, NULL, stand_still);
	enum sx_status is = session_create_on(&machine.sys, context, &options, &session, &err);
	if (!is)
		is = sx_session_start(session, NULL, NULL, &err);
	sx_session_destroy(session);
	if (is != status || err.status != status || !strstr(err.because, because) ||
	    !strstr(err.remedy, remedy))
		fail_msg("%s: status %d: %s; %s; %s", device, is, err.message, err.because,
			 err.remedy);
	assert_true(err.message[0] && err.because[0] && err.remedy[0]);
}

static void i915_refuses(void **state)
{
	struct fake_i915 fake;
	fake_i915_init(&fake);
	fake.no_cards = true;
	expect(&fake.sys, "i915", SX_ERR_NOT_FOUND, "driven by i915", "sextant");
	fake.no_cards = false;
	fake.paranoid = true;
	fake.capable = false;
	expect(&fake.sys, "i915", SX_ERR_PERMISSION, "paranoid", "sysctl");
	fake.paranoid = false;
	fake.has_metrics = false;
	expect(&fake.sys, "i915", SX_ERR_UNSUPPORTED, "OA metrics", "kernel of 4.17");
	fake.has_metrics = true;
	fake.no_render_node = fake.no_card_node = true;
	expect(&fake.sys, "i915", SX_ERR_PERMISSION, "", "usermod");
	fake.no_render_node = fake.no_card_node = false;
	fake.open_errno = EBUSY;
	expect(&fake.sys, "i915", SX_ERR_BUSY, "", "");
	fake.open_errno = EACCES;
	/* The sysctl is 0 already. */
	expect(&fake.sys, "i915", SX_ERR_PERMISSION, "security policy", "outside of containers");
	fake.open_errno = ENODEV;
	expect(&fake.sys, "i915", SX_ERR_UNSUPPORTED, "", "");
	fake_i915_finish(&fake);
}

static void kbase_refuses(void **state)
{
	static const struct {
		int error;
		enum sx_status status;
		const char *remedy;
	} cases[] = {{EACCES, SX_ERR_PERMISSION, "chmod"},
		     {EPERM, SX_ERR_PERMISSION, "chmod"},
		     {EBUSY, SX_ERR_BUSY, "fuser"},
		     {ENOENT, SX_ERR_NOT_FOUND, "sextant"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_kbase fake;
		fake_kbase_init(&fake);
		fake.open_errno = cases[i].error;
		expect(&fake.sys, "kbase", cases[i].status, "", cases[i].remedy);
		fake_kbase_finish(&fake);
	}
	/* A GPU that no catalog describes. */
	struct fake_kbase fake;
	fake_kbase_init(&fake);
	fake.gpu_id = 0xffff0000;
	expect(&fake.sys, "kbase", SX_ERR_UNSUPPORTED, "0xffff0000", "--for");
	fake_kbase_finish(&fake);
}

static ssize_t no_files(void *user, const char *path, char *buf, size_t size)
{
	errno = *(int *)user;
	return -1;
}

static void cpu_refuses(void **state)
{
	struct fake_cpu fake;
	int why = ENOENT;
	fake_cpu_init(&fake);
	const struct sx_sys sys = {
	    .user = &why, .read_file = no_files, .clock_gettime = fake.sys.clock_gettime};
	expect(&sys, "cpu", SX_ERR_UNSUPPORTED, "/proc/stat", "mount");
	why = EACCES;
	expect(&sys, "cpu", SX_ERR_PERMISSION, "/proc/stat", "");
}

static void what_nobody_knows(void **state)
{
	struct fake_cpu fake;
	fake_cpu_init(&fake);
	expect(&fake.sys, "panthor", SX_ERR_NOT_FOUND, "panthor", "sextant");
	expect(&fake.sys, "cpux", SX_ERR_NOT_FOUND, "", "cpu");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(i915_refuses),
	    cmocka_unit_test(kbase_refuses),
	    cmocka_unit_test(cpu_refuses),
	    cmocka_unit_test(what_nobody_knows),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
