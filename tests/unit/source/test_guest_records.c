/* What records of a channel hold: commands that were only counted, labels, values of drivers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/source/guest_channel_rig.h"
#include "wire/counted.h"
#include "wire/run.h"

static struct wire_record *write_counted(struct wire_stream *stream, uint32_t count)
{
	struct wire_record *record = (struct wire_record *)(stream + 1) + stream->head % RING;
	*record = (struct wire_record){
	    .kind = WIRE_COUNTED, .frame = 7, .index = 7, .begin_ns = 1000, .end_ns = 5000};
	for (uint32_t i = 0; i < count; i++)
		wire_counted_add(record, &(struct wire_counted){.kind = i % WIRE_COMMAND_KINDS,
								.items_known = true,
								.label = 8 + i,
								.items = 100 + i,
								.groups = i,
								.bytes = 1000 + i});
	stream->head++;
	return record;
}

static void check_counted(const struct wire_record *record, uint32_t i)
{
	static const uint8_t counts[] = {WIRE_CL_LAUNCHES, WIRE_CL_READS, WIRE_CL_WRITES,
					 WIRE_CL_COPIES};
	static const uint8_t amounts[] = {WIRE_CL_WORK_ITEMS, WIRE_CL_READ_BYTES,
					  WIRE_CL_WRITE_BYTES, WIRE_CL_COPY_BYTES};
	unsigned kind = i % WIRE_COMMAND_KINDS;
	assert_int_equal(record->kind, WIRE_KERNEL);
	assert_int_equal(record->frame, 7 + i);
	assert_int_equal(record->index, 7 + i);
	assert_int_equal(record->label, 8 + i);
	assert_in_range(record->begin_ns, 1000, 5000);
	assert_int_equal(record->end_ns, record->begin_ns);
	for (unsigned k = 0; k < 4; k++) {
		uint64_t amount = (kind == 0 ? 100 : 1000) + i;
		assert_int_equal(record->states[counts[k]], WIRE_VALID);
		assert_int_equal(record->values[counts[k]], k == kind);
		assert_int_equal(record->states[amounts[k]], WIRE_VALID);
		assert_int_equal(record->values[amounts[k]], k == kind ? amount : 0);
	}
	assert_int_equal(record->states[WIRE_CL_WORK_GROUPS],
			 kind == 0 ? WIRE_NOT_COLLECTED : WIRE_VALID);
	assert_int_equal(record->states[WIRE_CL_KERNEL_TIME], WIRE_SPARED);
	assert_int_equal(record->states[WIRE_CL_QUEUED], WIRE_SPARED);
}

static void test_commands_that_were_only_counted(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 2), *other = open_stream(f, 1);
	write_counted(stream, WIRE_COUNTED_MOST);
	stream->lost = 2;
	stream->serial = 1;
	stream->state = WIRE_CLOSED;
	other->serial = 2; /* its record comes behind all of them */
	write_record(other, 1);
	((struct wire_record *)(other + 1))->end_ns = UINT64_MAX - 1;
	for (uint32_t i = 0; i < WIRE_COUNTED_MOST; i++) {
		assert_true(next(f));
		assert_true(i == WIRE_COUNTED_MOST - 1 || channel_in_use(&f->channel));
		assert_int_equal(f->lost, i == 0 ? 2 : 0);
		check_counted(&f->sample.record, i);
	}
	while (next(f))
		assert_int_equal(f->sample.record.kind, WIRE_FRAME);
	assert_int_equal(stream->state, WIRE_FREE);
	finish(f);
}

static void test_counted_commands_that_make_no_sense(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 0);
	write_counted(stream, 3)->values[WIRE_COUNTED_WORDS] |= UINT64_C(0xff) << 32;
	write_counted(stream, 2)->group_count = UINT32_MAX;
	write_counted(stream, 2)->begin_ns = UINT64_MAX;
	write_counted(stream, 0);
	write_record(stream, 9);
	for (uint32_t i = 0; i < 3; i += 2) { /* one of three is of no kind */
		assert_true(next(f));
		check_counted(&f->sample.record, i);
	}
	assert_true(next(f));
	assert_int_equal(f->sample.record.frame, 9);
	assert_false(next(f));
	assert_true(f->contexts.items[0].broken >= 3);
	finish(f);
}

#define RUN_FLAGS (WIRE_CPU_KNOWN | WIRE_SWAPPED | WIRE_COMPUTED)

/* `count` frames of 10, 20, 30 ... ns, in which the process worked half of the time. */
static struct wire_record *write_run(struct wire_stream *stream, uint64_t frame, uint32_t count)
{
	struct wire_record *record = (struct wire_record *)(stream + 1) + stream->head % RING;
	*record = (struct wire_record){.kind = WIRE_RUN,
				       .flags = RUN_FLAGS,
				       .frame = frame,
				       .begin_ns = 1000,
				       .cpu_begin_ns = 500,
				       .cpu_end_ns = 500 + 5 * count * (count + 1) / 2,
				       .width = 640};
	record->states[WIRE_OCCLUSION] = WIRE_SPARED;
	for (uint32_t i = 0; i < count; i++)
		wire_run_add(record, &(struct wire_record){.end_ns = 10 * (i + 1),
							   .draws = i + 7,
							   .dispatches = i / 2});
	stream->head++;
	return record;
}

static void check_run(const struct wire_record *record, uint64_t frame, uint32_t i)
{
	assert_int_equal(record->kind, WIRE_FRAME);
	assert_int_equal(record->flags, RUN_FLAGS);
	assert_int_equal(record->dispatches, i / 2);
	assert_int_equal(record->frame, frame + i);
	assert_int_equal(record->begin_ns, 1000 + 10 * i * (i + 1) / 2);
	assert_int_equal(record->end_ns, record->begin_ns + 10 * (i + 1));
	assert_int_equal(record->cpu_begin_ns, 500 + (record->begin_ns - 1000) / 2);
	assert_int_equal(record->cpu_end_ns, 500 + (record->end_ns - 1000) / 2);
	assert_int_equal(record->width, 640);
	assert_int_equal(record->draws, i + 7);
	assert_int_equal(record->index, 0);
	for (unsigned k = 0; k < WIRE_COUNTER_ROOM; k++) {
		assert_int_equal(record->values[k], 0);
		assert_int_equal(record->states[k],
				 k == WIRE_OCCLUSION ? WIRE_SPARED : WIRE_NOT_COLLECTED);
	}
}

/* Many frames come in one record, and each is a sample. */
static void test_runs_of_frames(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 2);
	write_run(stream, 3, WIRE_RUN_MOST);
	stream->lost = 4;
	write_record(stream, 3 + WIRE_RUN_MOST);
	wire_run_end(write_run(stream, 90, 1)); /* a record as any other */
	wire_run_end(write_run(stream, 91, 2));
	stream->state = WIRE_CLOSED;
	for (uint32_t i = 0; i < WIRE_RUN_MOST; i++) {
		assert_true(next(f));
		assert_int_equal(f->lost, i == 0 ? 4 : 0);
		check_run(&f->sample.record, 3, i);
	}
	assert_true(next(f));
	assert_int_equal(f->sample.record.frame, 3 + WIRE_RUN_MOST);
	assert_true(next(f));
	check_run(&f->sample.record, 90, 0);
	for (uint32_t i = 0; i < 2; i++) {
		assert_true(next(f));
		check_run(&f->sample.record, 91, i);
	}
	assert_false(next(f));
	assert_int_equal(stream->state, WIRE_FREE);
	assert_int_equal(f->contexts.items[0].frames, WIRE_RUN_MOST + 4);
	assert_int_equal(f->contexts.items[0].broken, 0);
	finish(f);
}

/* Frames of three threads, a record of each: they come by their ends, not record by record. */
static void test_runs_of_several_contexts(void **state)
{
	struct fixture *f = start();
	uint64_t last_ns = 0;
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct wire_record *record = write_run(open_stream(f, i), 0, WIRE_RUN_MOST);
		record->begin_ns += i;
		record->end_ns = record->begin_ns + 10;
	}
	for (uint32_t i = 0; i < 3 * WIRE_RUN_MOST; i++) {
		assert_true(next(f));
		assert_true(f->sample.record.end_ns > last_ns);
		assert_int_equal(f->sample.context, i % 3);
		last_ns = f->sample.record.end_ns;
	}
	assert_false(next(f));
	finish(f);
}

/* The program ended while frames were added: those that are there count, with their lengths. */
static void test_a_run_that_was_a_draft(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 0);
	write_run(stream, 5, 3);
	write_run(stream, 8, 2)->cpu_end_ns = 0; /* it was not known yet */
	stream->drafted = stream->head;
	stream->head = 0;
	assert_false(next(f));
	f->channel.ended = true;
	for (uint32_t i = 0; i < 3; i++) {
		assert_true(next(f));
		check_run(&f->sample.record, 5, i);
	}
	for (uint32_t i = 0; i < 2; i++) {
		assert_true(next(f));
		assert_int_equal(f->sample.record.flags, RUN_FLAGS & ~WIRE_CPU_KNOWN);
		assert_int_equal(f->sample.record.cpu_end_ns, 0);
		assert_int_equal(f->sample.record.end_ns, i ? 1030 : 1010);
	}
	assert_false(next(f));
	finish(f);
}

static void test_runs_that_make_no_sense(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 0);
	write_run(stream, 3, 2)->index = UINT32_MAX;
	write_run(stream, 3, 2)->begin_ns = UINT64_MAX - 5;
	write_run(stream, 3, 2)->cpu_end_ns = 1;
	write_run(stream, 3, 0);
	write_run(stream, 3, 2)->states[3] = WIRE_VALID; /* what has no value is none */
	for (uint32_t i = 0; i < 2; i++) {
		assert_true(next(f));
		check_run(&f->sample.record, 3, i);
	}
	assert_false(next(f));
	assert_true(f->contexts.items[0].broken >= 3);
	finish(f);
}

/* Parts of 6 ns, a beginning each 10 ns, in which the process worked half of the time. */
static struct wire_record *write_parts(struct wire_stream *stream, uint32_t first, uint32_t count)
{
	struct wire_record *record = (struct wire_record *)(stream + 1) + stream->head % RING;
	*record = (struct wire_record){.kind = WIRE_PARTS,
				       .of = WIRE_DRAW,
				       .flags = WIRE_CPU_KNOWN,
				       .frame = 9,
				       .group_count = first,
				       .begin_ns = 1000,
				       .end_ns = 1006,
				       .cpu_begin_ns = 500,
				       .cpu_end_ns = 500 + (10 * (count - 1) + 6) / 2};
	record->states[WIRE_OCCLUSION] = WIRE_SPARED;
	for (uint32_t i = 0; i < count; i++) {
		struct wire_record part = {.label = 8 * i + 8, .draws = i + 1};
		part.begin_ns = 1000 + 10 * i;
		part.end_ns = part.begin_ns + 6;
		wire_parts_add(record, &part);
	}
	stream->head++;
	return record;
}

static void check_part(const struct wire_record *record, uint32_t first, uint32_t i)
{
	assert_int_equal(record->kind, WIRE_DRAW);
	assert_int_equal(record->of, 0);
	assert_int_equal(record->frame, 9);
	assert_int_equal(record->index, first + i);
	assert_int_equal(record->group_count, 0);
	assert_int_equal(record->label, 8 * i + 8);
	assert_int_equal(record->draws, i + 1);
	assert_int_equal(record->begin_ns, 1000 + 10 * i);
	assert_int_equal(record->end_ns, 1006 + 10 * i);
	assert_int_equal(record->cpu_begin_ns, 500 + 5 * i);
	assert_int_equal(record->cpu_end_ns, 503 + 5 * i);
	for (unsigned k = 0; k < WIRE_COUNTER_ROOM; k++) {
		assert_int_equal(record->values[k], 0);
		assert_int_equal(record->states[k],
				 k == WIRE_OCCLUSION ? WIRE_SPARED : WIRE_NOT_COLLECTED);
	}
}

/* Draws and groups of a frame, several in one record. */
static void test_runs_of_parts(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 0);
	write_parts(stream, 4, WIRE_PARTS_MOST);
	wire_run_end(write_parts(stream, 7, 1)); /* a record as any other */
	for (uint32_t i = 0; i < WIRE_PARTS_MOST; i++) {
		assert_true(next(f));
		check_part(&f->sample.record, 4, i);
	}
	assert_true(next(f));
	check_part(&f->sample.record, 7, 0);
	assert_false(next(f));
	assert_int_equal(f->contexts.items[0].broken, 0);
	finish(f);
}

/* Draws that were added up, and dispatches that were: each record is of one kind. */
static void test_parts_that_are_several(void **state)
{
	for (unsigned computed = 0; computed < 2; computed++) {
		struct fixture *f = start();
		struct wire_stream *stream = open_stream(f, 0);
		struct wire_record *record = write_parts(stream, 0, 2);
		record->flags |= WIRE_SEVERAL | (computed ? WIRE_COMPUTED : 0);
		record->values[0] = 8 | UINT64_C(5000000) << 32;
		assert_int_equal(wire_parts_more(record, 0), 4999999);
		record->values[2] = 16 | UINT64_C(1) << 32;
		assert_int_equal(wire_parts_more(record, 1), 0);
		for (unsigned i = 0; i < 2; i++) {
			uint32_t calls = i == 0 ? 5000000 : 1;
			assert_true(next(f));
			assert_int_equal(f->sample.record.draws, calls);
			assert_int_equal(f->sample.record.dispatches, computed ? calls : 0);
		}
		assert_false(next(f));
		finish(f);
	}
}

/* A draw that dispatches has its kind above its number, and is one all the same. */
static void test_a_part_that_computes(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 0);
	struct wire_record *record = write_parts(stream, 0, 1);
	record->flags |= WIRE_COMPUTED;
	record->index = 0;
	wire_parts_add(
	    record, &(struct wire_record){
			.begin_ns = 1000, .end_ns = 1006, .label = 8, .draws = 1, .dispatches = 1});
	assert_int_equal(wire_parts_more(record, 0), 0);
	assert_true(next(f));
	assert_int_equal(f->sample.record.draws, 1);
	assert_int_equal(f->sample.record.dispatches, 1);
	finish(f);
}

static void test_parts_that_make_no_sense(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 0);
	write_parts(stream, 0, 2)->index = UINT32_MAX;
	write_parts(stream, 0, 2)->begin_ns = UINT64_MAX - 5;
	write_parts(stream, 0, 2)->cpu_end_ns = 1;
	write_parts(stream, 0, 2)->of = WIRE_PARTS;
	write_parts(stream, 0, 0);
	write_parts(stream, 0, 3)->values[1] = UINT64_MAX; /* behind the last one */
	for (uint32_t i = 1; i < 3; i++) {
		assert_true(next(f));
		check_part(&f->sample.record, 0, i);
	}
	assert_false(next(f));
	assert_true(f->contexts.items[0].broken >= 5);
	finish(f);
}

static uint32_t put_label(struct fixture *f, uint32_t id, uint32_t parent, const char *text)
{
	struct wire_label label = {.parent = parent, .length = (uint32_t)strlen(text)};
	memcpy(wire_labels(f->channel.memory) + id, &label, sizeof(label));
	memcpy(wire_labels(f->channel.memory) + id + sizeof(label), text, label.length);
	return id;
}

static void check_label(struct fixture *f, uint32_t id, size_t size, const char *expected)
{
	char path[256];
	memset(path, '#', sizeof(path));
	assert_int_equal(channel_label(&f->channel, id, path, size), strlen(expected));
	assert_string_equal(path, expected);
}

static void test_label_paths(void **state)
{
	struct fixture *f = start();
	put_label(f, 8, 0, "Schatten \xc3\xa4");
	put_label(f, 64, 8, "cascade\n1");
	put_label(f, 128, 64, "\xff\xc0\x80\xed\xa0\x80\xf0\x9f\x98\x80\xe2\x82");
	put_label(f, 256, 256, "own parent");
	put_label(f, 320, 400, "child before parent");
	put_label(f, 400, 0, "late");
	check_label(f, 0, 256, "");
	check_label(f, 8, 256, "Schatten \xc3\xa4");
	check_label(f, 8, 11, "Schatten "); /* cut before a character, not in it */
	check_label(f, 64, 256, "Schatten \xc3\xa4/cascade?1");
	check_label(f, 128, 256, "Schatten \xc3\xa4/cascade?1/??????\xf0\x9f\x98\x80??");
	check_label(f, 256, 256, "own parent");
	check_label(f, 320, 256, "child before parent");
	put_label(f, 512, 8, "A/B\\");
	check_label(f, 512, 256, "Schatten \xc3\xa4/A\\/B\\\\");
	check_label(f, 512, 14, "Schatten \xc3\xa4/A"); /* a backslash never alone */
	check_label(f, 512, 15, "Schatten \xc3\xa4/A");
	check_label(f, 64, 1, "");
	check_label(f, WIRE_LABEL_BYTES - 4, 256, "");
	check_label(f, UINT32_MAX, 256, "");
	((struct wire_label *)(void *)(wire_labels(f->channel.memory) + 8))->length = UINT32_MAX;
	check_label(f, 8, 256, "");
	check_label(f, 64, 256, "cascade?1");
	finish(f);
}

static void write_values(struct wire_stream *stream, uint32_t first, uint32_t count)
{
	struct wire_record *ring = (struct wire_record *)(stream + 1);
	ring[stream->head++ % RING] = (struct wire_record){
	    .kind = WIRE_DRIVER_VALUES, .index = first, .group_count = count, .values = {7}};
}

/* Values that have a hole, are too many, or have no sample: none of them reaches another sample. */
static void test_values_that_make_no_sense(void **state)
{
	static const struct {
		uint32_t first[4], count[4];
		uint64_t broken;
		uint32_t left;
	} cases[] = {
	    {{0}, {5}, 0, 5},
	    {{1}, {5}, 1, 0},
	    {{0}, {49}, 1, 0},
	    {{0}, {UINT32_MAX}, 1, 0},
	    {{0, 48, 96}, {48, 48, 48}, 1, 0},
	    {{0, 48, 96}, {48, 48, 32}, 0, 128},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = start();
		struct wire_stream *stream = open_stream(f, 0);
		for (unsigned k = 0; k < 4 && cases[i].count[k]; k++)
			write_values(stream, cases[i].first[k], cases[i].count[k]);
		write_record(stream, 1);
		assert_true(next(f));
		assert_int_equal(f->sample.driver_count, cases[i].left);
		assert_int_equal(f->contexts.items[0].broken, cases[i].broken);
		write_record(stream, 2);
		assert_true(next(f));
		assert_int_equal(f->sample.driver_count, 0);
		write_values(stream, 0, 3); /* and the program is killed */
		assert_false(next(f));
		finish(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_commands_that_were_only_counted),
	    cmocka_unit_test(test_counted_commands_that_make_no_sense),
	    cmocka_unit_test(test_runs_of_frames),
	    cmocka_unit_test(test_runs_of_several_contexts),
	    cmocka_unit_test(test_a_run_that_was_a_draft),
	    cmocka_unit_test(test_runs_that_make_no_sense),
	    cmocka_unit_test(test_runs_of_parts),
	    cmocka_unit_test(test_parts_that_are_several),
	    cmocka_unit_test(test_a_part_that_computes),
	    cmocka_unit_test(test_parts_that_make_no_sense),
	    cmocka_unit_test(test_label_paths),
	    cmocka_unit_test(test_values_that_make_no_sense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
