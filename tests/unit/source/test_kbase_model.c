/* The modelled GPU behind the fake kbase driver: the same work by both readers, and the self-test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "devices/kbase.h"
#include "source/mali_model/model.h"
#include "source/source.h"

/* A GPU model that the fake driver reads block by block. */
struct chip {
	struct sx_context *context;
	struct sx_catalog *catalog;
	struct model_gpu gpu;
	struct model_map map;
	struct mali_raw raw; /* the counts of the interval below */
	uint64_t begin_ns, end_ns;
	bool bent; /* one counter lies */
	bool idle; /* nothing is counted */
};

static void count(void *user, enum mali_kind kind, uint32_t index, uint64_t begin_ns,
		  uint64_t end_ns, uint64_t *values, uint32_t slots)
{
	struct chip *chip = user;
	if (chip->begin_ns != begin_ns || chip->end_ns != end_ns) {
		struct model_work work;
		model_run(&chip->gpu, begin_ns, end_ns, &work);
		model_fill(&chip->gpu, &work, &chip->map, &chip->raw);
		chip->begin_ns = begin_ns;
		chip->end_ns = end_ns;
	}
	if (chip->idle)
		return;
	uint32_t block = mali_raw_block(&chip->raw, kind, index);
	assert_int_not_equal(block, UINT32_MAX);
	for (uint32_t slot = MALI_HEADER_SLOTS; slot < slots; slot++)
		values[slot] = mali_raw_get(&chip->raw, block, slot);
	if (chip->bent && kind == MALI_CORE && index == 2)
		values[26] = values[53] * 2; /* executes longer than it is active */
}

static void make_chip(struct chip *chip, struct fake_kbase *fake, bool big)
{
	*chip = (struct chip){.gpu = {.clock_hz = 800e6,
				      .target_fps = 60,
				      .width = 1280,
				      .height = 720,
				      .slices = big ? 2 : 1,
				      .bus_bits = 128,
				      .core_mask = big ? 0x3d : 0x5,
				      .dual_issue = big,
				      .task_pixels = big ? 4096 : 1024,
				      .geometry_threads = big ? 16 : 4,
				      .varying_slots = big ? 4 : 2}};
	fake_kbase_init(fake);
	fake->gpu_id = big ? 0xd0010000 : 0xa0040000;
	fake->slots = big ? 128 : 64;
	fake->slices = chip->gpu.slices;
	fake->core_mask = chip->gpu.core_mask;
	fake->count = count;
	fake->user = chip;
	assert_int_equal(sx_context_create(NULL, &chip->context, NULL), SX_OK);
	assert_int_equal(
	    sx_catalog_open(chip->context, big ? "mali-g625" : "mali-g310", &chip->catalog, NULL),
	    SX_OK);
	assert_true(model_map_init(&chip->map, chip->catalog));
	assert_true(mali_raw_init(&chip->raw, 8, fake->slots, fake->slices, fake->core_mask));
}

static void break_chip(struct chip *chip, struct fake_kbase *fake)
{
	assert_true(fake_kbase_clean(fake));
	fake_kbase_finish(fake);
	mali_raw_finish(&chip->raw);
	sx_catalog_unref(chip->catalog);
	sx_context_destroy(chip->context);
}

static void count_line(void *user, const char *line)
{
	print_message("%s\n", line);
	++*(uint32_t *)user;
}

static enum sx_status test_chip(bool big, uint16_t minor, bool bent, bool idle, uint32_t *lines,
				struct sx_error *err)
{
	struct fake_kbase fake;
	struct chip chip;
	struct source *source = NULL;
	make_chip(&chip, &fake, big);
	fake.version.minor = minor;
	chip.bent = bent;
	chip.idle = idle;
	assert_int_equal(
	    source_kbase.open(&(struct source_host){.sys = &fake.sys, .catalogs = chip.context},
			      "mali0", &source, NULL),
	    SX_OK);
	enum sx_status status =
	    source_kbase.selftest(source, &(struct note_sink){count_line, lines}, err);
	source_kbase.close(source);
	break_chip(&chip, &fake);
	return status;
}

static void healthy_hardware_passes(void **state)
{
	static const struct {
		bool big;
		uint16_t minor;
	} cases[] = {{true, 24}, {true, 12}, {false, 24}, {false, 12}}; /* the last by vinstr */
	for (size_t i = 0; i < 4; i++) {
		struct sx_error err = {0};
		uint32_t lines = 0;
		assert_int_equal(
		    test_chip(cases[i].big, cases[i].minor, false, false, &lines, &err), SX_OK);
		assert_int_equal(lines, 1); /* the summary */
	}
}

static void a_lying_counter_is_found(void **state)
{
	struct sx_error err = {0};
	uint32_t lines = 0;
	assert_int_equal(test_chip(true, 24, true, false, &lines, &err), SX_INCOMPLETE);
	assert_int_equal(lines, 2); /* the finding, once, and the summary */
	assert_non_null(strstr(err.message, "contradict"));
}

static void an_idle_gpu_proves_nothing(void **state)
{
	struct sx_error err = {0};
	uint32_t lines = 0;
	assert_int_equal(test_chip(true, 24, false, true, &lines, &err), SX_INCOMPLETE);
	assert_non_null(strstr(err.message, "nothing to check"));
	assert_non_null(strstr(err.because, "idle"));
	assert_non_null(strstr(err.remedy, "draws"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(healthy_hardware_passes),
	    cmocka_unit_test(a_lying_counter_is_found),
	    cmocka_unit_test(an_idle_gpu_proves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
