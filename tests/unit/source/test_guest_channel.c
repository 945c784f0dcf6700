/* The channel's reader over memory that this file writes, well and badly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/source/guest_channel_rig.h"

static void test_records_arrive_in_order(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 5);
	for (uint64_t frame = 0; frame < 5000; frame++) {
		write_record(stream, frame);
		if (frame == 4000)
			stream->lost = 3;
		assert_true(next(f));
		assert_int_equal(f->sample.record.frame, frame);
		assert_int_equal(f->lost, frame == 4000 ? 3 : 0);
	}
	assert_false(next(f));
	assert_int_equal(f->contexts.count, 1);
	assert_int_equal(f->contexts.items[0].frames, 5000);
	assert_int_equal(f->contexts.items[0].lost, 3);
	assert_string_equal(f->contexts.items[0].renderer, "soft?[31m");
	assert_int_equal(f->sample.pid, 42);
	assert_int_equal(f->sample.process, 3);
	assert_string_equal(f->sample.name, "game");
	finish(f);
}

static void test_closed_streams_are_freed_when_drained(void **state)
{
	struct fixture *f = start();
	for (unsigned life = 0; life < 3; life++) {
		struct wire_stream *stream = open_stream(f, 0);
		write_record(stream, 1);
		write_record(stream, 2);
		stream->state = WIRE_CLOSED;
		assert_true(next(f));
		assert_int_equal(stream->state, WIRE_CLOSED);
		assert_true(next(f));
		assert_false(next(f));
		assert_int_equal(stream->state, WIRE_FREE);
		assert_int_equal(f->sample.context, life);
	}
	assert_true(f->contexts.items[2].closed);
	finish(f);
}

/*
 * The fourth context has the stream of the first, which is gone, in front of the third's; the two
 * are met at once.
 */
static void test_contexts_are_read_as_they_were_made(void **state)
{
	static const unsigned streams[] = {1, 0, 2, 1};
	struct fixture *f = start();
	unsigned rows = 0;
	for (unsigned i = 0; i < 4; i++) {
		struct wire_stream *stream = open_stream(f, streams[i]);
		stream->serial = i + 1;
		write_record(stream, 1);
		stream->state = WIRE_CLOSED;
		while (i != 2 && next(f))
			assert_int_equal(f->sample.context, rows++);
	}
	assert_int_equal(rows, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(f->contexts.items[i].serial, i + 1);
	finish(f);
}

static void write_frame(struct wire_stream *stream, uint64_t end_ns)
{
	write_record(stream, end_ns);
	((struct wire_record *)(stream + 1))[(stream->head - 1) % RING].end_ns = end_ns;
}

/* The next record is there, but its results are not. */
static void draft_frame(struct wire_stream *stream, uint64_t end_ns)
{
	((struct wire_record *)(stream + 1))[stream->head % RING] =
	    (struct wire_record){.kind = WIRE_FRAME, .frame = end_ns, .end_ns = end_ns};
	stream->drafted = stream->head + 1;
}

/* Three threads' contexts, each of which hands over many frames at once. */
static void test_samples_come_by_their_ends(void **state)
{
	struct fixture *f = start();
	struct wire_stream *streams[3];
	uint64_t last_ns = 0;
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		streams[i] = open_stream(f, 2 * i);
	for (unsigned batch = 0; batch < 3; batch++) {
		for (unsigned i = 0; i < 3; i++)
			for (uint64_t k = 0; k < 200; k++)
				write_frame(streams[i], 1000 + 600 * batch + 3 * k + i);
		for (unsigned k = 0; k < 600; k++) {
			assert_true(next(f));
			assert_true(f->sample.record.end_ns > last_ns);
			last_ns = f->sample.record.end_ns;
		}
		assert_false(next(f));
	}
	finish(f);
}

/* An earlier sample that has no results yet is waited for, but not for long, nor for garbage. */
static void test_samples_wait_for_earlier_ones(void **state)
{
	struct fixture *f = start();
	struct wire_stream *early = open_stream(f, 0), *late = open_stream(f, 1);
	(void)state;
	f->channel.now_ns = UINT64_C(1000000000);
	uint64_t now_ns = f->channel.now_ns;
	write_frame(early, now_ns - 3000);
	write_frame(late, now_ns - 1000);
	assert_true(next(f));
	assert_int_equal(f->sample.record.end_ns, now_ns - 3000);
	draft_frame(early, now_ns - 2000);
	assert_false(next(f));
	write_frame(early, now_ns - 2000);
	assert_true(next(f));
	assert_int_equal(f->sample.record.end_ns, now_ns - 2000);
	assert_true(next(f));
	assert_int_equal(f->sample.record.end_ns, now_ns - 1000);
	static const int64_t not_waited_for[] = {-1000000000, 5000};
	for (int i = 0; i < 2; i++) {
		draft_frame(early, now_ns + (uint64_t)not_waited_for[i]);
		write_frame(late, now_ns + 9000);
		assert_true(next(f));
	}
	assert_false(next(f));
	draft_frame(early, now_ns - 500);
	for (unsigned k = 0; k < RING / 2 + 1; k++)
		write_frame(late, now_ns);
	assert_true(next(f)); /* its ring would be full soon */
	assert_false(next(f));
	f->channel.now_ns = 0;
	assert_true(next(f));
	finish(f);
}

static void test_impossible_heads_are_skipped(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 63);
	write_record(stream, 8);
	assert_true(next(f));
	stream->head = UINT64_MAX / 2;
	stream->tail = 77;
	assert_false(next(f));
	assert_false(next(f));
	assert_int_equal(f->contexts.items[0].broken, 1);
	assert_int_equal(stream->tail, 1); /* the library sees how much room there is */
	stream->head = 1;		   /* and writes behind its last record */
	write_record(stream, 9);
	assert_true(next(f));
	assert_int_equal(f->sample.record.frame, 9);
	assert_int_equal(f->contexts.items[0].broken, 1);
	stream->head += RING + 5; /* run over: so many are lost */
	assert_false(next(f));
	assert_int_equal(f->contexts.items[0].broken, 1 + RING + 5);
	finish(f);
}

/* A program that overwrites its channel loses only damaged records, and there is a note. */
static void test_what_was_written_over(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 0);
	write_record(stream, 1);
	assert_true(next(f));
	stream->state = stream->generation = UINT32_MAX;
	stream->lost = stream->head = stream->tail = UINT64_MAX;
	assert_false(next(f));
	stream->head = 1;
	write_record(stream, 2);
	assert_true(next(f));
	assert_int_equal(f->sample.record.frame, 2);
	assert_int_equal(f->lost, 0);
	assert_int_equal(f->contexts.items[0].lost, 0);
	assert_int_equal(f->contexts.items[0].broken, 2); /* its head, and its loss */
	write_record(stream, 3);
	stream->state = WIRE_CLOSED;
	assert_true(next(f));
	assert_int_equal(f->sample.record.frame, 3);
	assert_false(next(f));
	assert_int_equal(stream->state, WIRE_FREE);
	assert_int_equal(f->contexts.count, 1);
	finish(f);
}

static void test_what_is_lost_behind_the_last_record(void **state)
{
	struct fixture *f = start();
	struct wire_stream *stream = open_stream(f, 0);
	write_record(stream, 1);
	assert_true(next(f));
	stream->lost = 5;
	assert_false(next(f));
	assert_int_equal(f->contexts.late, 0); /* a record may yet come */
	stream->state = WIRE_CLOSED;
	assert_false(next(f));
	assert_int_equal(f->contexts.late, 5);
	assert_int_equal(f->contexts.items[0].lost, 5);
	finish(f);
}

static void test_names_that_are_none(void **state)
{
	char out[16];
	channel_copy_text(out, "Intel\302\256 UHD", sizeof(out));
	assert_string_equal(out, "Intel\302\256 UHD");
	channel_copy_text(out, "gr\303\266\303\237e\033\302", sizeof(out)); /* cut */
	assert_string_equal(out, "gr\303\266\303\237e??");
	channel_copy_text(out, "\346\227\245\346\234\254\350\252\236\302\233", sizeof(out));
	assert_string_equal(out, "\346\227\245\346\234\254\350\252\236??");
	channel_copy_text(out, "\377\377\377\377\377\377a", sizeof(out));
	assert_string_equal(out, "");
}

static void test_contexts_beyond_the_limit_are_counted(void **state)
{
	struct fixture *f = start();
	for (unsigned life = 0; life < CHANNEL_CONTEXTS_MAX + 10; life++) {
		struct wire_stream *stream = open_stream(f, 0);
		write_record(stream, 1);
		stream->state = WIRE_CLOSED;
		assert_int_equal(next(f), life < CHANNEL_CONTEXTS_MAX);
		assert_false(next(f));
		assert_int_equal(stream->state, WIRE_FREE); /* its place is not kept from others */
	}
	assert_int_equal(f->contexts.count, CHANNEL_CONTEXTS_MAX);
	assert_int_equal(f->contexts.beyond, 10);
	finish(f);
}

/* Queues that come one after the other, more than there are numbers: each is read. */
static void test_numbers_of_queues_that_are_gone(void **state)
{
	struct fixture *f = start();
	for (uint32_t i = 0; i < CHANNEL_CONTEXTS_MAX + 100; i++) {
		struct wire_stream *stream = open_stream(f, 0);
		stream->api = WIRE_OPENCL;
		stream->serial = i + 1;
		stream->lost = i == 0;
		write_record(stream, 1);
		stream->state = WIRE_CLOSED;
		assert_true(next(f));
		assert_int_equal(f->sample.context, i % CHANNEL_CONTEXTS_MAX);
		assert_false(next(f));
	}
	assert_int_equal(f->contexts.beyond, 0);
	assert_int_equal(f->contexts.items[0].lost, 1); /* it is known still */
	assert_int_equal(f->contexts.items[0].serial, CHANNEL_CONTEXTS_MAX + 1);
	finish(f);
}

/* A known context keeps its number; for a new one there is no number, with a note. */
static void test_numbers_of_queues_that_are_there(void **state)
{
	struct fixture *f = start();
	for (uint32_t i = 0; i < CHANNEL_CONTEXTS_MAX + 1; i++) {
		struct wire_stream *stream = open_stream(f, i % WIRE_STREAMS);
		stream->api = WIRE_OPENGL;
		stream->serial = i + 1;
		write_record(stream, 1);
		stream->state = WIRE_CLOSED;
		assert_int_equal(next(f), i < CHANNEL_CONTEXTS_MAX);
		next(f);
	}
	assert_int_equal(f->contexts.beyond, 1);
	finish(f);
}

/* With any contents of the channel the reader ends and stays inside (sanitizers check). */
static void test_garbage_is_survived(void **state)
{
	struct fixture *f = start();
	unsigned seed = 12345;
	for (int round = 0; round < 300; round++) {
		for (unsigned i = 0; i < 4; i++) {
			uint8_t *head = (uint8_t *)stream_of(f, i);
			for (size_t k = 0; k < 900; k++) {
				seed = seed * 1103515245u + 12345u;
				head[k] = (uint8_t)(seed >> 16);
			}
			stream_of(f, i)->state = (seed >> 8) % 5;
			if (round % 3 == 0)
				stream_of(f, i)->head = stream_of(f, i)->tail + 5;
		}
		for (int n = 0; n < 3000 && next(f); n++)
			assert_true(f->sample.context < f->contexts.count);
	}
	finish(f);
}

/* What 64 contexts of a process hold at most, with a sample for each draw. */
static void test_many_contexts_do_not_take_a_long_ring_each(void **state)
{
	struct fixture f = {0};
	uint32_t ring = 16384;
	f.channel.memory = calloc(1, WIRE_BYTES(ring));
	assert_non_null(f.channel.memory);
	assert_in_range(WIRE_BYTES(ring), 1, UINT64_C(112) << 20);
	for (unsigned i = 0; i < WIRE_STREAMS; i++) {
		uint8_t *begin = (uint8_t *)wire_stream_at(f.channel.memory, ring, i);
		uint8_t *end = begin + WIRE_STREAM_STRIDE(wire_ring(ring, i));
		uint8_t *limit = (uint8_t *)f.channel.memory + WIRE_BYTES(ring);
		uint8_t *next = i + 1 < WIRE_STREAMS
				    ? (uint8_t *)wire_stream_at(f.channel.memory, ring, i + 1)
				    : limit;
		assert_ptr_equal(end, next);
		assert_int_equal(wire_ring(ring, i), i < WIRE_LONG_RINGS ? ring : WIRE_SHORT_RING);
		assert_int_equal(wire_ring(64, i), 64);
	}
	free(f.channel.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_many_contexts_do_not_take_a_long_ring_each),
	    cmocka_unit_test(test_records_arrive_in_order),
	    cmocka_unit_test(test_samples_come_by_their_ends),
	    cmocka_unit_test(test_samples_wait_for_earlier_ones),
	    cmocka_unit_test(test_closed_streams_are_freed_when_drained),
	    cmocka_unit_test(test_contexts_are_read_as_they_were_made),
	    cmocka_unit_test(test_impossible_heads_are_skipped),
	    cmocka_unit_test(test_what_was_written_over),
	    cmocka_unit_test(test_what_is_lost_behind_the_last_record),
	    cmocka_unit_test(test_names_that_are_none),
	    cmocka_unit_test(test_contexts_beyond_the_limit_are_counted),
	    cmocka_unit_test(test_numbers_of_queues_that_are_gone),
	    cmocka_unit_test(test_numbers_of_queues_that_are_there),
	    cmocka_unit_test(test_garbage_is_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
