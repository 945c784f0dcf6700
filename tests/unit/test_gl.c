/* The GL channel's reader, the environment of children, and the decoder; the writer is this file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "decode/decode.h"
#include "source/guest/channel.h"
#include "source/guest/library.h"

static struct gl_wire_stream *stream_of(struct gl_channel *channel, unsigned index)
{
	return (void *)(channel->memory + sizeof(struct gl_wire_header) +
			index * GL_WIRE_STREAM_STRIDE);
}

static void open_stream(struct gl_wire_stream *stream)
{
	stream->generation++;
	stream->head = stream->tail = stream->lost = 0;
	stream->pid = 42;
	memcpy(stream->renderer, "soft\x1b[31m", 9);
	stream->state = GL_WIRE_OPEN;
}

static void write_record(struct gl_wire_stream *stream, uint64_t frame)
{
	struct gl_wire_record *ring = (struct gl_wire_record *)(stream + 1);
	ring[stream->head % GL_WIRE_RING_RECORDS] = (struct gl_wire_record){
	    .kind = GL_WIRE_FRAME, .frame = frame, .begin_ns = 10, .end_ns = 20};
	stream->head++;
}

static void test_records_arrive_in_order(void **state)
{
	struct gl_channel channel;
	struct gl_wire_sample sample;
	uint64_t lost;
	assert_int_equal(gl_channel_open(&channel, sys_real(), NULL), SX_OK);
	assert_false(gl_channel_next(&channel, &sample, &lost));
	struct gl_wire_stream *stream = stream_of(&channel, 5);
	open_stream(stream);
	for (uint64_t frame = 0; frame < 5000; frame++) {
		write_record(stream, frame);
		if (frame == 4000)
			stream->lost = 3;
		assert_true(gl_channel_next(&channel, &sample, &lost));
		assert_int_equal(sample.record.frame, frame);
		assert_int_equal(lost, frame == 4000 ? 3 : 0);
	}
	assert_false(gl_channel_next(&channel, &sample, &lost));
	assert_int_equal(channel.context_count, 1);
	assert_int_equal(channel.contexts[0].frames, 5000);
	assert_int_equal(channel.contexts[0].lost, 3);
	assert_string_equal(channel.contexts[0].renderer, "soft?[31m");
	gl_channel_close(&channel);
}

static void test_closed_streams_are_freed_when_drained(void **state)
{
	struct gl_channel channel;
	struct gl_wire_sample sample;
	uint64_t lost;
	assert_int_equal(gl_channel_open(&channel, sys_real(), NULL), SX_OK);
	struct gl_wire_stream *stream = stream_of(&channel, 0);
	for (unsigned life = 0; life < 3; life++) {
		open_stream(stream);
		write_record(stream, 1);
		write_record(stream, 2);
		stream->state = GL_WIRE_CLOSED;
		assert_true(gl_channel_next(&channel, &sample, &lost));
		assert_int_equal(stream->state, GL_WIRE_CLOSED);
		assert_true(gl_channel_next(&channel, &sample, &lost));
		assert_false(gl_channel_next(&channel, &sample, &lost));
		assert_int_equal(stream->state, GL_WIRE_FREE);
		assert_int_equal(sample.stream, life);
	}
	assert_true(channel.contexts[2].closed);
	gl_channel_close(&channel);
}

static void test_impossible_heads_are_skipped(void **state)
{
	struct gl_channel channel;
	struct gl_wire_sample sample;
	uint64_t lost;
	assert_int_equal(gl_channel_open(&channel, sys_real(), NULL), SX_OK);
	struct gl_wire_stream *stream = stream_of(&channel, 63);
	open_stream(stream);
	stream->head = UINT64_MAX / 2;
	assert_false(gl_channel_next(&channel, &sample, &lost));
	assert_int_equal(channel.contexts[0].broken, 1);
	write_record(stream, 9);
	assert_true(gl_channel_next(&channel, &sample, &lost));
	assert_int_equal(sample.record.frame, 9);
	gl_channel_close(&channel);
}

/* Whatever stands in the channel, the reader ends and stays inside it (sanitisers look on). */
static void test_garbage_is_survived(void **state)
{
	struct gl_channel channel;
	struct gl_wire_sample sample;
	uint64_t lost;
	unsigned seed = 12345;
	assert_int_equal(gl_channel_open(&channel, sys_real(), NULL), SX_OK);
	for (int round = 0; round < 300; round++) {
		for (unsigned i = 0; i < 4; i++) {
			uint8_t *head = (uint8_t *)stream_of(&channel, i);
			for (size_t k = 0; k < 800; k++) {
				seed = seed * 1103515245u + 12345u;
				head[k] = (uint8_t)(seed >> 16);
			}
			stream_of(&channel, i)->state = (seed >> 8) % 5;
			if (round % 3 == 0)
				stream_of(&channel, i)->head = stream_of(&channel, i)->tail + 5;
		}
		for (int n = 0; n < 3000 && gl_channel_next(&channel, &sample, &lost); n++)
			assert_true(sample.stream < channel.context_count);
	}
	gl_channel_close(&channel);
}

static int fail_memory_file(void *user, const char *name, size_t size)
{
	errno = EMFILE;
	return -1;
}

static void *fail_mmap(void *user, size_t size, int prot, int flags, int fd, off_t offset)
{
	errno = ENOMEM;
	return MAP_FAILED;
}

static void test_failures_are_told(void **state)
{
	struct gl_channel channel;
	struct sx_error err = {0};
	struct sx_sys sys = *sys_real();
	sys.memory_file = fail_memory_file;
	assert_int_not_equal(gl_channel_open(&channel, &sys, &err), SX_OK);
	assert_int_equal(err.sys_errno, EMFILE);
	sys = *sys_real();
	sys.mmap = fail_mmap;
	assert_int_not_equal(gl_channel_open(&channel, &sys, &err), SX_OK);
	assert_int_equal(err.sys_errno, ENOMEM);
	gl_channel_close(&channel);
}

static void check_preload(const char *before, const char *after)
{
	struct gl_environment env = {0};
	if (before)
		setenv("LD_PRELOAD", before, 1);
	else
		unsetenv("LD_PRELOAD");
	assert_int_equal(gl_environment_make(&env, "/a/libsextant-gl.so", "/proc/1/fd/3", NULL),
			 SX_OK);
	unsetenv("LD_PRELOAD");
	assert_string_equal(env.items[0], after);
	assert_string_equal(env.items[1], "SEXTANT_GL_CHANNEL=/proc/1/fd/3");
	assert_null(env.items[2]);
	gl_environment_finish(&env);
}

static void test_environment_keeps_what_is_there(void **state)
{
	check_preload(NULL, "LD_PRELOAD=/a/libsextant-gl.so");
	check_preload("", "LD_PRELOAD=/a/libsextant-gl.so");
	check_preload("libx.so", "LD_PRELOAD=/a/libsextant-gl.so:libx.so");
	check_preload("libx.so /a/libsextant-gl.so", "LD_PRELOAD=libx.so /a/libsextant-gl.so");
	check_preload("/a/libsextant-gl.so.1",
		      "LD_PRELOAD=/a/libsextant-gl.so:/a/libsextant-gl.so.1");
}

static void test_library_that_is_missing_or_unusable(void **state)
{
	char path[256];
	struct sx_error err = {0};
	setenv("SEXTANT_PRELOAD_DIR", "/nowhere", 1);
	assert_int_equal(gl_find_library(sys_real(), path, sizeof(path), &err), SX_ERR_NOT_FOUND);
	assert_non_null(strstr(err.because, "/nowhere"));
	unsetenv("SEXTANT_PRELOAD_DIR");
}

static struct gl_wire_sample frame(uint32_t stream)
{
	struct gl_wire_sample sample = {.stream = stream};
	sample.record = (struct gl_wire_record){.kind = GL_WIRE_FRAME,
						.frame = 7,
						.begin_ns = 1000,
						.end_ns = 3000,
						.cpu_ns = 500,
						.flags = GL_WIRE_SIZE_KNOWN,
						.width = 800,
						.height = 600,
						.group = "shadow"};
	for (int i = 0; i < GL_WIRE_COUNTERS; i++) {
		sample.record.values[i] = 100 + (uint64_t)i;
		sample.record.states[i] = GL_WIRE_VALID;
	}
	return sample;
}

struct fixture {
	struct decoder *decoder;
	struct sx_table *table;
};

static struct fixture start(void)
{
	struct fixture f;
	struct decoder_setup setup = {0};
	uint32_t count;
	enum sx_sample_kind kind;
	const struct decoder_ops *ops = decode_find(RAW_GL);
	assert_non_null(ops);
	assert_int_equal(ops->create(&setup, &f.decoder, NULL), SX_OK);
	const struct sx_column *columns = ops->columns(f.decoder, &count, &kind);
	assert_int_equal(kind, SX_SAMPLE_FRAME);
	assert_int_equal(sx_table_create(columns, count, kind, &f.table, NULL), SX_OK);
	return f;
}

static enum sx_status feed(struct fixture *f, const struct gl_wire_sample *sample, size_t size,
			   uint32_t flags)
{
	struct raw_sample raw = {
	    .kind = RAW_GL, .flags = flags, .data = (const uint8_t *)sample, .size = size};
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
	struct gl_wire_sample sample = frame(2);
	assert_int_equal(feed(&f, &sample, sizeof(sample), 0), SX_OK);
	assert_int_equal(sx_table_row_count(f.table), 1);
	assert_true(get(&f, "D3DGPUTime", 0) == 100);
	assert_true(get(&f, "OverflowPred_S3", 0) == 128);
	assert_true(get(&f, "PrimsWritten_S1", 0) == 120);
	assert_true(get(&f, "Frames", 0) == 1);
	assert_true(get(&f, "FrameTime", 0) == 2000);
	assert_true(get(&f, "CPUTime", 0) == 500);
	assert_true(get(&f, "FramebufferWidth", 0) == 800);
	assert_int_equal(sx_table_label(f.table, SX_LABEL_FRAME, 0), 7);
	assert_int_equal(sx_table_label(f.table, SX_LABEL_CONTEXT, 0), 2);
	assert_string_equal(sx_table_string(f.table, sx_table_label(f.table, SX_LABEL_GROUP, 0)),
			    "shadow");
	finish(&f);
}

static void test_missing_values_say_why(void **state)
{
	struct fixture f = start();
	struct gl_wire_sample sample = frame(0);
	uint32_t hs = sx_table_find(f.table, "HSInvocations");
	uint32_t occlusion = sx_table_find(f.table, "Occlusion");
	sample.record.states[GL_WIRE_HS_INVOCATIONS] = GL_WIRE_NOT_COLLECTED;
	sample.why[GL_WIRE_HS_INVOCATIONS] = GL_WIRE_WHY_ZERO_BITS;
	sample.record.states[GL_WIRE_OCCLUSION] = GL_WIRE_DISTURBED;
	sample.record.states[GL_WIRE_C_PRIMITIVES] = 200;
	sample.record.flags = 0;
	assert_int_equal(feed(&f, &sample, sizeof(sample), 0), SX_OK);
	assert_int_equal(sx_table_quality(f.table, hs)[0], SX_QUALITY_NOT_COLLECTED);
	assert_non_null(strstr(sx_table_column(f.table, hs)->why, "0 bits"));
	assert_int_equal(sx_table_quality(f.table, occlusion)[0], SX_QUALITY_DISTURBED);
	assert_true(get(&f, "FramebufferWidth", 0) != get(&f, "FramebufferWidth", 0));
	assert_true(get(&f, "CPrimitives", 0) != get(&f, "CPrimitives", 0));
	/* A value from another context: the column is no longer empty as a whole. */
	sample = frame(1);
	assert_int_equal(feed(&f, &sample, sizeof(sample), RAW_LOST), SX_OK);
	assert_null(sx_table_column(f.table, hs)->why);
	assert_int_equal(sx_table_quality(f.table, hs)[1], SX_QUALITY_LOST);
	finish(&f);
}

static void test_rest_counts_only_without_frames(void **state)
{
	struct fixture f = start();
	struct gl_wire_sample drew = frame(0), idle = frame(1), after = frame(2);
	drew.record.kind = idle.record.kind = after.record.kind = GL_WIRE_REST;
	memset(idle.record.values, 0, sizeof(idle.record.values));
	assert_int_equal(feed(&f, &drew, sizeof(drew), 0), SX_OK);
	assert_int_equal(feed(&f, &idle, sizeof(idle), 0), SX_OK);
	assert_int_equal(sx_table_row_count(f.table), 1);
	assert_true(get(&f, "Frames", 0) == 0);
	assert_string_equal(sx_table_string(f.table, sx_table_label(f.table, SX_LABEL_REASON, 0)),
			    "no swap");
	struct gl_wire_sample swapped = frame(2);
	assert_int_equal(feed(&f, &swapped, sizeof(swapped), 0), SX_OK);
	assert_int_equal(feed(&f, &after, sizeof(after), 0), SX_OK);
	assert_int_equal(sx_table_row_count(f.table), 2);
	finish(&f);
}

static void test_nonsense_is_left_out(void **state)
{
	struct fixture f = start();
	struct gl_wire_sample sample = frame(UINT32_MAX);
	assert_int_equal(feed(&f, &sample, sizeof(sample) - 1, 0), SX_INCOMPLETE);
	assert_int_equal(feed(&f, &sample, 0, 0), SX_INCOMPLETE);
	memset(sample.record.group, 'x', sizeof(sample.record.group));
	memset(sample.why, 0xff, sizeof(sample.why));
	assert_int_equal(feed(&f, &sample, sizeof(sample), 0), SX_OK);
	sample.record.end_ns = 1;
	assert_int_equal(feed(&f, &sample, sizeof(sample), 0), SX_INCOMPLETE);
	sample.record.kind = 99;
	assert_int_equal(feed(&f, &sample, sizeof(sample), 0), SX_INCOMPLETE);
	assert_int_equal(sx_table_row_count(f.table), 1);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_records_arrive_in_order),
	    cmocka_unit_test(test_closed_streams_are_freed_when_drained),
	    cmocka_unit_test(test_impossible_heads_are_skipped),
	    cmocka_unit_test(test_garbage_is_survived),
	    cmocka_unit_test(test_failures_are_told),
	    cmocka_unit_test(test_environment_keeps_what_is_there),
	    cmocka_unit_test(test_library_that_is_missing_or_unusable),
	    cmocka_unit_test(test_frames_become_rows),
	    cmocka_unit_test(test_missing_values_say_why),
	    cmocka_unit_test(test_rest_counts_only_without_frames),
	    cmocka_unit_test(test_nonsense_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
