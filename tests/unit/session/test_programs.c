/* Rows of programs beside those of their device: of the same reading, in a table of their own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "session/session.h"
#include "unit/context.h"
#include "unit/session/rig.h"

#define SAMPLES 3

/* What a session gave, and how much it read for it. */
struct run {
	struct rig rig;
	struct sx_session *session;
	const struct sx_session_device *device;
	unsigned long links, folders, files;
};

static void run_machine(struct run *r, const char *device, bool programs, enum sx_sample_kind per)
{
	struct sx_error err = {0};
	const struct sx_session_options options = {.devices = &device,
						   .device_count = 1,
						   .interval_ns = 500 * NS_PER_MS,
						   .programs = programs,
						   .per = per};
	const struct sx_session_limits limits = {.duration_ns = SAMPLES * 500 * NS_PER_MS};
	if (session_create_on(&r->rig.machine.sys, context, &options, &r->session, &err) ||
	    sx_session_run(r->session, NULL, &limits, &err))
		fail_msg("%s: %s", err.message, err.because);
	r->links = r->rig.tree.links_read;
	r->folders = r->rig.tree.folders_listed;
	r->files = r->rig.tree.files_read;
	uint32_t count;
	r->device = sx_session_devices(r->session, &count);
	assert_int_equal(count, 1);
}

static void end_machine(struct run *r)
{
	sx_session_destroy(r->session);
	rig_finish(&r->rig);
}

static void assert_same(const struct sx_table *a, size_t row, const struct sx_table *b,
			size_t other)
{
	assert_int_equal(sx_table_column_count(a), sx_table_column_count(b));
	for (uint32_t i = 0; i < sx_table_column_count(a); i++) {
		double x = sx_table_get(a, i, row), y = sx_table_get(b, i, other);
		if (x != y && !(isnan(x) && isnan(y)))
			fail_msg("%s: %g, not %g", sx_table_column(a, i)->name, x, y);
	}
	assert_int_equal(sx_table_end_ns(a)[row], sx_table_end_ns(b)[other]);
}

static const char *label(const struct sx_table *rows, size_t row)
{
	return sx_table_string(rows, sx_table_label(rows, SX_LABEL_PROCESS, row));
}

/* The card's rows are those without programs, and programs' those of --per process. */
static void a_card_and_its_programs(void **state)
{
	static struct run card, each, both;
	rig_begin_tree(&card.rig, NULL);
	rig_begin_tree(&each.rig, NULL);
	rig_begin_tree(&both.rig, NULL);
	run_machine(&card, "drm", false, SX_SAMPLE_TIME);
	run_machine(&each, "drm", false, SX_SAMPLE_PROCESS);
	run_machine(&both, "drm", true, SX_SAMPLE_TIME);
	const struct sx_table *own = both.device->raw, *programs = both.device->programs;
	assert_null(card.device->programs);
	assert_int_equal(sx_table_row_count(own), SAMPLES);
	assert_int_equal(both.device->samples, SAMPLES);
	for (size_t i = 0; i < SAMPLES; i++) {
		assert_same(own, i, card.device->raw, i);
		assert_int_equal(sx_table_label(own, SX_LABEL_PROCESS, i), SX_LABEL_ABSENT);
	}
	assert_true(sx_table_row_count(programs) >= 2 * SAMPLES);
	assert_int_equal(sx_table_row_count(programs), sx_table_row_count(each.device->raw));
	for (size_t i = 0; i < sx_table_row_count(programs); i++) {
		assert_same(programs, i, each.device->raw, i);
		assert_string_equal(label(programs, i), label(each.device->raw, i));
	}
	/* One reading of /proc serves both. */
	assert_int_equal(both.links, card.links);
	assert_int_equal(both.folders, card.folders);
	assert_int_equal(both.files, card.files);
	sx_session_drop_rows(both.session);
	assert_int_equal(sx_table_row_count(programs), 0);
	end_machine(&card);
	end_machine(&each);
	end_machine(&both);
}

static void a_gpu_of_nvml_and_its_programs(void **state)
{
	static struct run each, both;
	rig_begin_nvml(&both.rig);
	run_machine(&both, "nvml", true, SX_SAMPLE_TIME);
	const struct sx_table *own = both.device->raw, *programs = both.device->programs;
	uint32_t busy = sx_table_find(own, "GpuUtilization");
	uint32_t memory = sx_table_find(own, "ProgramMemory");
	assert_int_equal(sx_table_row_count(own), SAMPLES);
	assert_true(sx_table_get(own, busy, 0) == 80);
	assert_int_equal(sx_table_row_count(programs), 3 * SAMPLES);
	for (size_t i = 0; i < 3; i++) {
		bool first = strstr(label(programs, i), "(100)") != NULL;
		assert_true(isnan(sx_table_get(programs, busy, i)));
		if (first)
			assert_true(sx_table_get(programs, memory, i) == 1 << 20);
	}
	sx_session_destroy(both.session);
	rig_begin_nvml(&each.rig);
	run_machine(&each, "nvml", false, SX_SAMPLE_PROCESS);
	assert_int_equal(sx_table_row_count(each.device->raw), 3 * SAMPLES);
	sx_session_destroy(each.session);
}

/* What a device is, and what its source says of it, is known while it runs. */
static void facts_are_known_while_it_runs(void **state)
{
	static struct run r;
	struct sx_error err = {0};
	uint32_t count;
	const char *device = "drm";
	const struct sx_session_options options = {
	    .devices = &device, .device_count = 1, .interval_ns = 500 * NS_PER_MS};
	rig_begin_tree(&r.rig, "at 1600ms\ngone /sys/devices/pci0000:00/0000:00:08.1\n");
	assert_int_equal(session_create_on(&r.rig.machine.sys, context, &options, &r.session, &err),
			 SX_OK);
	assert_int_equal(sx_session_start(r.session, NULL, &(struct sx_session_limits){0}, &err),
			 SX_OK);
	const struct sx_session_device *d = sx_session_devices(r.session, &count);
	while (sx_session_poll(r.session, 100, &err) == SX_AGAIN)
		;
	assert_non_null(d->facts.name);
	assert_non_null(strstr(d->facts.name, "1002"));
	assert_null(d->run.failure);
	while (sx_session_poll(r.session, 100, &err) != SX_END)
		;
	assert_non_null(d->run.failure);
	assert_string_equal(d->run.failure->message, "card0 is gone");
	sx_session_finish(r.session, &err);
	end_machine(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_card_and_its_programs),
	    cmocka_unit_test(a_gpu_of_nvml_and_its_programs),
	    cmocka_unit_test(facts_are_known_while_it_runs),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
