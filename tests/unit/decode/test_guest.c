/* Environment of children, and the decoder of what a program's channel holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/no_data.h"
#include "decode/decode.h"
#include "source/guest/inject.h"
#include "table/fill.h"
#include "wire/channel.h"

static void check_preload(const char *before, const char *after)
{
	struct library_environment env = {0};
	if (before)
		setenv("LD_PRELOAD", before, 1);
	else
		unsetenv("LD_PRELOAD");
	assert_int_equal(library_environment_make(&env, "/a/libsextant-gl.so", "SEXTANT_CHANNEL",
						  "/run/x/channel", NULL),
			 SX_OK);
	unsetenv("LD_PRELOAD");
	assert_string_equal(env.items[0], after);
	assert_string_equal(env.items[1], "SEXTANT_CHANNEL=/run/x/channel");
	assert_memory_equal(env.items[2], "ASAN_OPTIONS=verify_asan_link_order=0", 37);
	assert_null(env.items[3]);
	library_environment_finish(&env);
}

/* What the user says to a sanitizer comes last, and so has the last word. */
static void check_sanitizer(const char *before, const char *after)
{
	const char *set = getenv("ASAN_OPTIONS");
	char *kept = set ? strdup(set) : NULL;
	if (before)
		setenv("ASAN_OPTIONS", before, 1);
	else
		unsetenv("ASAN_OPTIONS");
	char *text = library_sanitizer();
	assert_string_equal(text, after);
	free(text);
	if (kept)
		setenv("ASAN_OPTIONS", kept, 1);
	free(kept);
}

static void test_environment_keeps_what_is_there(void **state)
{
	check_preload(NULL, "LD_PRELOAD=/a/libsextant-gl.so");
	check_preload("", "LD_PRELOAD=/a/libsextant-gl.so");
	check_preload("libx.so", "LD_PRELOAD=/a/libsextant-gl.so:libx.so");
	check_preload("libx.so /a/libsextant-gl.so", "LD_PRELOAD=libx.so /a/libsextant-gl.so");
	check_preload("/a/libsextant-gl.so.1",
		      "LD_PRELOAD=/a/libsextant-gl.so:/a/libsextant-gl.so.1");
	check_sanitizer(NULL, "ASAN_OPTIONS=verify_asan_link_order=0");
	check_sanitizer("detect_leaks=0", "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0");
}

static void test_library_that_is_missing_or_unusable(void **state)
{
	char path[256];
	struct sx_error err = {0};
	setenv("SEXTANT_PRELOAD_DIR", "/nowhere", 1);
	assert_int_equal(library_find(sys_real(), path, sizeof(path), &err), SX_ERR_NOT_FOUND);
	assert_non_null(strstr(err.because, "/nowhere"));
	unsetenv("SEXTANT_PRELOAD_DIR");
}

/* A sample as the source hands it on, with a label behind it. */
struct labelled {
	struct wire_sample head;
	char label[8];
};

static struct labelled frame(uint32_t context)
{
	struct labelled sample = {.head = {.context = context,
					   .process = 1,
					   .pid = 42,
					   .name = "game",
					   .label_length = 6},
				  .label = "shadow"};
	sample.head.record = (struct wire_record){.kind = WIRE_FRAME,
						  .frame = 7,
						  .begin_ns = 1000,
						  .end_ns = 3000,
						  .cpu_begin_ns = 100,
						  .cpu_end_ns = 600,
						  .flags = WIRE_SIZE_KNOWN | WIRE_CPU_KNOWN,
						  .width = 800,
						  .height = 600,
						  .draws = 12};
	for (int i = 0; i < WIRE_COUNTERS; i++) {
		sample.head.record.values[i] = 100 + (uint64_t)i;
		sample.head.record.states[i] = WIRE_VALID;
	}
	return sample;
}

#define FRAME_SIZE (sizeof(struct wire_sample) + 6)

struct fixture {
	struct decoder *decoder;
	struct sx_table *table;
};

static struct fixture start_with(const char *const *values, uint32_t value_count)
{
	struct fixture f;
	struct decoder_setup setup = {.values = values, .value_count = value_count};
	const struct decoder_ops *ops = decode_find(RAW_GUEST);
	assert_non_null(ops);
	assert_int_equal(ops->create(&setup, &f.decoder, NULL), SX_OK);
	assert_int_equal(f.decoder->kind, SX_SAMPLE_FRAME);
	assert_int_equal(decoder_table(f.decoder, &f.table, NULL), SX_OK);
	return f;
}

static struct fixture start(void)
{
	return start_with(NULL, 0);
}

static enum sx_status feed(struct fixture *f, const struct labelled *sample, size_t size,
			   uint32_t flags)
{
	struct raw_sample raw = {
	    .kind = RAW_GUEST, .flags = flags, .data = (const uint8_t *)sample, .size = size};
	return f->decoder->ops->feed(f->decoder, &raw, f->table, NULL);
}

static void finish(struct fixture *f)
{
	f->decoder->ops->destroy(f->decoder);
	sx_table_destroy(f->table);
}

static double get(struct fixture *f, const char *name, size_t row)
{
	return sx_table_get(f->table, sx_table_find(f->table, name), row);
}

static void test_frames_become_rows(void **state)
{
	struct fixture f = start();
	struct labelled sample = frame(2);
	assert_int_equal(feed(&f, &sample, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(sx_table_row_count(f.table), 1);
	assert_true(get(&f, "D3DGPUTime", 0) == 100);
	assert_true(get(&f, "OverflowPred_S3", 0) == 128);
	assert_true(get(&f, "PrimsWritten_S1", 0) == 120);
	assert_true(get(&f, "Frames", 0) == 1);
	assert_true(get(&f, "DrawCalls", 0) == 12);
	assert_true(get(&f, "FrameTime", 0) == 2000);
	assert_true(get(&f, "CPUTime", 0) == 500);
	assert_true(get(&f, "FramebufferWidth", 0) == 800);
	assert_int_equal(sx_table_label(f.table, SX_LABEL_FRAME, 0), 7);
	assert_int_equal(sx_table_label(f.table, SX_LABEL_CONTEXT, 0), 2);
	assert_string_equal(sx_table_string(f.table, sx_table_label(f.table, SX_LABEL_GROUP, 0)),
			    "shadow");
	assert_string_equal(sx_table_string(f.table, sx_table_label(f.table, SX_LABEL_PROCESS, 0)),
			    "game (42)");
	finish(&f);
}

static void test_missing_values_say_why(void **state)
{
	struct fixture f = start();
	struct labelled sample = frame(0);
	uint32_t hs = sx_table_find(f.table, "HSInvocations");
	uint32_t occlusion = sx_table_find(f.table, "Occlusion");
	sample.head.record.states[WIRE_HS_INVOCATIONS] = WIRE_NOT_COLLECTED;
	sample.head.why[WIRE_HS_INVOCATIONS] = WIRE_WHY_ZERO_BITS;
	sample.head.record.states[WIRE_OCCLUSION] = WIRE_DISTURBED;
	sample.head.record.states[WIRE_C_PRIMITIVES] = 200;
	sample.head.record.flags = 0;
	assert_int_equal(feed(&f, &sample, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(table_quality(f.table, hs)[0], SX_QUALITY_NOT_COLLECTED);
	assert_string_equal(sx_table_column(f.table, hs)->why, no_data_text(NO_DATA_NO_COUNTER));
	assert_int_equal(table_quality(f.table, occlusion)[0], SX_QUALITY_DISTURBED);
	assert_true(get(&f, "FramebufferWidth", 0) != get(&f, "FramebufferWidth", 0));
	assert_true(get(&f, "CPrimitives", 0) != get(&f, "CPrimitives", 0));
	/* A value from another context: the column is no longer empty as a whole. */
	sample = frame(1);
	assert_int_equal(feed(&f, &sample, FRAME_SIZE, RAW_LOST), SX_OK);
	assert_null(sx_table_column(f.table, hs)->why);
	assert_int_equal(table_quality(f.table, hs)[1], SX_QUALITY_LOST);
	/* Why the other sample has none is kept, and more reasons join it. */
	assert_string_equal(table_reason(f.table, hs, SX_QUALITY_NOT_COLLECTED),
			    no_data_text(NO_DATA_NO_COUNTER));
	sample.head.record.states[WIRE_HS_INVOCATIONS] = WIRE_NOT_COLLECTED;
	sample.head.why[WIRE_HS_INVOCATIONS] = WIRE_WHY_REFUSED;
	sample.head.record.states[WIRE_OCCLUSION] = WIRE_DISJOINT;
	for (int i = 0; i < 2; i++)
		assert_int_equal(feed(&f, &sample, FRAME_SIZE, 0), SX_OK);
	assert_string_equal(table_reason(f.table, hs, SX_QUALITY_NOT_COLLECTED),
			    "the device or driver has no such counter; the driver refuses to count "
			    "it");
	assert_null(table_reason(f.table, hs, SX_QUALITY_GAP));
	assert_string_equal(table_reason(f.table, occlusion, SX_QUALITY_GAP),
			    no_data_text(NO_DATA_DISJOINT));
	finish(&f);
}

/* Nothing was counted in it, which does not say that nothing was done. */
static void test_work_that_was_spared_is_a_row(void **state)
{
	struct fixture f = start();
	struct labelled spared = frame(0), idle = frame(0);
	spared.head.record.kind = WIRE_TIME;
	memset(spared.head.record.values, 0, sizeof(spared.head.record.values));
	memset(spared.head.record.states, WIRE_SPARED, sizeof(spared.head.record.states));
	idle.head.record = spared.head.record;
	idle.head.record.draws = 0;
	assert_int_equal(feed(&f, &spared, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(feed(&f, &idle, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(sx_table_row_count(f.table), 1);
	assert_true(get(&f, "DrawCalls", 0) == 12);
	finish(&f);
}

/* What a program draws after its last frame is a sample; tidying up is none, counted or not. */
static void test_the_rest_counts_where_something_was_drawn(void **state)
{
	struct fixture f = start();
	struct labelled drew = frame(0), idle = frame(1), after = frame(2);
	drew.head.record.kind = idle.head.record.kind = after.head.record.kind = WIRE_TIME;
	drew.head.record.flags |= WIRE_LAST;
	idle.head.record.flags |= WIRE_LAST;
	after.head.record.flags |= WIRE_LAST;
	memset(idle.head.record.values, 0, sizeof(idle.head.record.values));
	idle.head.record.draws = 0;
	assert_int_equal(feed(&f, &drew, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(feed(&f, &idle, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(sx_table_row_count(f.table), 1);
	assert_true(get(&f, "Frames", 0) == 0);
	assert_string_equal(sx_table_string(f.table, sx_table_label(f.table, SX_LABEL_REASON, 0)),
			    "no swap");
	struct labelled swapped = frame(2);
	assert_int_equal(feed(&f, &swapped, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(feed(&f, &after, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(sx_table_row_count(f.table), 3);
	idle.head = swapped.head;
	idle.head.record.kind = WIRE_TIME;
	idle.head.record.flags |= WIRE_LAST;
	idle.head.record.draws = 0;
	memset(idle.head.record.values, 0, sizeof(idle.head.record.values));
	assert_int_equal(feed(&f, &idle, FRAME_SIZE, 0), SX_OK);
	memset(idle.head.record.states, 0, sizeof(idle.head.record.states));
	assert_int_equal(feed(&f, &idle, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(sx_table_row_count(f.table), 3);
	finish(&f);
}

/* What a swap ends after such work counts as a frame, but is not all of it; others' frames are. */
static void test_the_rest_of_a_frame_is_no_picture(void **state)
{
	struct fixture f = start();
	struct labelled whole = frame(0), cut = frame(0), other = frame(1);
	cut.head.record.kind = WIRE_TIME;
	assert_int_equal(feed(&f, &cut, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(feed(&f, &whole, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(feed(&f, &other, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(feed(&f, &whole, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(sx_table_row_count(f.table), 4);
	assert_string_equal(sx_table_string(f.table, sx_table_label(f.table, SX_LABEL_REASON, 1)),
			    "rest of a frame");
	for (size_t row = 1; row < 4; row++) {
		assert_true(get(&f, "Frames", row) == 1);
		assert_true(get(&f, "presented", row) == (row != 1));
		assert_int_equal(isnan(get(&f, "FramebufferWidth", row)), row == 1);
	}
	finish(&f);
}

/* Frames with more GPU time than elapsed time were rendered later: the value is a part. */
static void test_work_that_goes_on_after_the_last_frame_counts(void **state)
{
	struct fixture f = start();
	for (uint32_t context = 0; context < 3; context++) {
		struct labelled swapped = frame(context), after = frame(context);
		memset(after.head.record.values, 0, sizeof(after.head.record.values));
		after.head.record.kind = WIRE_TIME;
		after.head.record.draws = 0;
		if (context != 1) /* it waits in a glFinish, without anything that is counted */
			after.head.record.flags |= WIRE_LAST;
		if (context == 0) /* the frame took 2000 ns */
			swapped.head.record.values[WIRE_GPU_TIME] = 2001;
		if (context == 1)
			after.head.record.values[WIRE_GPU_TIME] = UINT64_C(100000000);
		assert_int_equal(feed(&f, &swapped, FRAME_SIZE, 0), SX_OK);
		assert_int_equal(feed(&f, &after, FRAME_SIZE, 0), SX_OK);
	}
	assert_int_equal(sx_table_row_count(f.table), 5);
	assert_true(get(&f, "Frames", 1) == 0 && get(&f, "Frames", 3) == 0);
	assert_true(get(&f, "FrameTime", 1) == 2000);
	finish(&f);
}

static void test_cpu_time_counts_once_for_each_process(void **state)
{
	struct fixture f = start();
	struct labelled one = frame(0), two = frame(1), other = frame(2);
	two.head.record.cpu_begin_ns = 300; /* overlaps the first by 300 */
	two.head.record.cpu_end_ns = 1000;
	other.head.process = 0;
	assert_int_equal(feed(&f, &one, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(feed(&f, &two, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(feed(&f, &one, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(feed(&f, &other, FRAME_SIZE, 0), SX_OK);
	assert_true(get(&f, "CPUTime", 0) == 500);
	assert_true(get(&f, "CPUTime", 1) == 400);
	assert_true(get(&f, "CPUTime", 2) == 0);
	assert_true(get(&f, "CPUTime", 3) == 500);
	one.head.record.flags = 0; /* no CPU clock in a sandbox: no data, not 0 */
	assert_int_equal(feed(&f, &one, FRAME_SIZE, 0), SX_OK);
	assert_true(get(&f, "CPUTime", 4) != get(&f, "CPUTime", 4));
	finish(&f);
}

/* Contexts hand over their samples in any order: one that ends late may come first. */
static void test_cpu_time_counts_once_in_any_order(void **state)
{
	struct fixture f = start();
	struct labelled late = frame(0), early = frame(1), all = frame(2);
	late.head.record.cpu_begin_ns = 900;
	late.head.record.cpu_end_ns = 1000;
	early.head.record.cpu_begin_ns = 100;
	early.head.record.cpu_end_ns = 950;
	all.head.record.cpu_begin_ns = 50;
	all.head.record.cpu_end_ns = 1010;
	assert_int_equal(feed(&f, &late, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(feed(&f, &early, FRAME_SIZE, 0), SX_OK);
	assert_int_equal(feed(&f, &all, FRAME_SIZE, 0), SX_OK);
	assert_true(get(&f, "CPUTime", 0) == 100);
	assert_true(get(&f, "CPUTime", 1) == 800);
	assert_true(get(&f, "CPUTime", 2) == 60);
	finish(&f);
}

static void test_nonsense_is_left_out(void **state)
{
	struct fixture f = start();
	struct labelled sample = frame(0);
	assert_int_equal(feed(&f, &sample, FRAME_SIZE - 1, 0), SX_INCOMPLETE);
	assert_int_equal(feed(&f, &sample, 0, 0), SX_INCOMPLETE);
	sample.head.context = UINT32_MAX;
	assert_int_equal(feed(&f, &sample, FRAME_SIZE, 0), SX_INCOMPLETE);
	sample.head.context = 3;
	sample.head.process = UINT32_MAX;
	assert_int_equal(feed(&f, &sample, FRAME_SIZE, 0), SX_INCOMPLETE);
	sample.head.process = 0;
	memset(sample.head.name, 'x', sizeof(sample.head.name));
	memset(sample.head.why, 0xff, sizeof(sample.head.why));
	assert_int_equal(feed(&f, &sample, FRAME_SIZE, 0), SX_OK);
	sample.head.record.end_ns = 1;
	assert_int_equal(feed(&f, &sample, FRAME_SIZE, 0), SX_INCOMPLETE);
	sample.head.record.kind = 99;
	assert_int_equal(feed(&f, &sample, FRAME_SIZE, 0), SX_INCOMPLETE);
	assert_int_equal(sx_table_row_count(f.table), 1);
	finish(&f);
}

static struct wire_value driver_value(double number)
{
	struct wire_value value = {.state = WIRE_VALID};
	memcpy(&value.bits, &number, sizeof(number));
	return value;
}

/* Values of the driver's counters follow the label, which may end anywhere. */
static void test_values_of_the_driver(void **state)
{
	static const char *const names[] = {"hw.cycles", "hw.hit_ratio", "hw.locked", "hw.more"};
	struct fixture f = start_with(names, 4);
	struct {
		struct labelled sample;
		struct wire_value values[3];
	} all = {.sample = frame(0)};
	const struct wire_value values[3] = {
	    driver_value(1e15),
	    driver_value(0.25),
	    {.state = WIRE_NOT_COLLECTED, .bits = WIRE_WHY_LOCKED}};
	all.sample.head.driver_count = 3;
	memcpy(all.sample.label + 6, values, sizeof(values));
	assert_int_equal(feed(&f, &all.sample, FRAME_SIZE + sizeof(values), 0), SX_OK);
	assert_true(get(&f, "hw.cycles", 0) == 1e15);
	assert_true(get(&f, "hw.hit_ratio", 0) == 0.25);
	uint32_t locked = sx_table_find(f.table, "hw.locked");
	assert_int_equal(table_quality(f.table, locked)[0], SX_QUALITY_NOT_COLLECTED);
	assert_string_equal(sx_table_column(f.table, locked)->why, no_data_text(NO_DATA_IN_USE));
	/* One that the program sent nothing of. */
	uint32_t more = sx_table_find(f.table, "hw.more");
	assert_int_equal(table_quality(f.table, more)[0], SX_QUALITY_NOT_COLLECTED);
	/* Sizes that do not agree, and numbers that are none. */
	assert_int_equal(feed(&f, &all.sample, FRAME_SIZE + sizeof(values) - 1, 0), SX_INCOMPLETE);
	all.sample.head.driver_count = UINT32_MAX;
	assert_int_equal(feed(&f, &all.sample, FRAME_SIZE + sizeof(values), 0), SX_INCOMPLETE);
	all.sample.head.driver_count = 3;
	struct wire_value bad = driver_value(NAN);
	memcpy(all.sample.label + 6, &bad, sizeof(bad));
	assert_int_equal(feed(&f, &all.sample, FRAME_SIZE + sizeof(values), 0), SX_OK);
	assert_int_equal(table_quality(f.table, sx_table_find(f.table, "hw.cycles"))[1],
			 SX_QUALITY_GAP);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_environment_keeps_what_is_there),
	    cmocka_unit_test(test_library_that_is_missing_or_unusable),
	    cmocka_unit_test(test_frames_become_rows),
	    cmocka_unit_test(test_values_of_the_driver),
	    cmocka_unit_test(test_missing_values_say_why),
	    cmocka_unit_test(test_the_rest_counts_where_something_was_drawn),
	    cmocka_unit_test(test_work_that_was_spared_is_a_row),
	    cmocka_unit_test(test_the_rest_of_a_frame_is_no_picture),
	    cmocka_unit_test(test_work_that_goes_on_after_the_last_frame_counts),
	    cmocka_unit_test(test_cpu_time_counts_once_for_each_process),
	    cmocka_unit_test(test_cpu_time_counts_once_in_any_order),
	    cmocka_unit_test(test_nonsense_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
