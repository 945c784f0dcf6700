/* Dumps of a Mali as a driver sends them: states of blocks, stretched, failed and foreign samples.
 */
#include "unit/decode/mali_dumps.h"

/* A raw sample of a source, with the state of each block. */
struct raw {
	struct raw_sample sample;
	uint8_t *bytes, *states, *dump;
};

static void put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static struct raw make_raw(const struct device *d)
{
	uint32_t blocks = block_count(d);
	size_t head = MALI_RAW_HEAD + (blocks + 7) / 8 * 8, size = head + dump_bytes(d);
	uint8_t *dump = make_dumps(d, 1);
	struct raw raw = {.bytes = calloc(1, size)};
	assert_non_null(raw.bytes);
	const uint32_t words[] = {
	    MALI_RAW_MAGIC, 0,	    d->width,		d->slots,
	    d->slices,	    blocks, (uint32_t)d->cores, (uint32_t)(d->cores >> 32)};
	for (uint32_t i = 0; i < 8; i++)
		put32(raw.bytes + 4 * i, words[i]);
	raw.states = raw.bytes + MALI_RAW_HEAD;
	memset(raw.states, MALI_STATE_ON | MALI_STATE_AVAILABLE | MALI_STATE_NORMAL, blocks);
	raw.dump = raw.bytes + head;
	memcpy(raw.dump, dump, dump_bytes(d));
	free(dump);
	raw.sample = (struct raw_sample){
	    .kind = RAW_MALI, .begin_ns = 1000, .end_ns = 2000, .data = raw.bytes, .size = size};
	return raw;
}

struct stream {
	struct run run;
	struct decoder *decoder;
};

static struct stream open_stream(const struct device *d)
{
	const struct decoder_ops *ops = decode_find(RAW_MALI);
	assert_non_null(ops);
	const struct sx_constant_value constants[] = {{"MaliConstantsL2SliceCount", d->slices},
						      {"shader_core_mask", (double)d->cores}};
	struct stream stream = {.run.catalog = open_catalog(d)};
	struct decoder_setup setup = {
	    .catalog = stream.run.catalog, .constants = constants, .constant_count = 2};
	assert_int_equal(ops->create(&setup, &stream.decoder, NULL), SX_OK);
	assert_int_equal(decoder_table(stream.decoder, &stream.run.table, NULL), SX_OK);
	return stream;
}

static void close_stream(struct stream *stream)
{
	stream->decoder->ops->destroy(stream->decoder);
	sx_table_destroy(stream->run.table);
	sx_catalog_unref(stream->run.catalog);
}

static enum sx_status feed(struct stream *stream, const struct raw *raw)
{
	struct sx_error err;
	return stream->decoder->ops->feed(stream->decoder, &raw->sample, stream->run.table, &err);
}

static void states_of_blocks(void **state)
{
	const struct device *d = &devices[5];
	struct raw raw = make_raw(d);
	struct stream stream = open_stream(d);
	const struct run *run = &stream.run;
	const char *core = "MaliShaderCoreCyclesAnyWorkloadActive";
	uint32_t column = sx_table_find(run->table, core);
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(run, core, 0), 0);
	assert_int_equal(sx_table_begin_ns(run->table)[0], 1000);
	assert_int_equal(sx_table_end_ns(run->table)[0], 2000);
	raw.states[8] = MALI_STATE_OFF; /* one core was powered off: it did no work, and the total
					   is complete */
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(run, core, 1), 0);
	assert_true(sx_table_get(run->table, column, 1) ==
		    sx_table_get(run->table, column, 0) - (double)known(0, 8, 53));
	memset(raw.states + 6, MALI_STATE_OFF, 6); /* all cores slept: a gap, not zero */
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(run, core, 2), SX_QUALITY_GAP);
	assert_int_equal(quality(run, "MaliGPUCyclesGPUActive", 2), 0);
	memset(raw.states, MALI_STATE_ON | MALI_STATE_PROTECTED, 12);
	assert_int_equal(feed(&stream, &raw), SX_OK); /* protected throughout */
	assert_int_equal(quality(run, core, 3), SX_QUALITY_GAP);
	assert_true(isnan(sx_table_get(run->table, column, 3)));
	memset(raw.states, MALI_STATE_ON | MALI_STATE_PROTECTED | MALI_STATE_NORMAL, 12);
	assert_int_equal(feed(&stream, &raw), SX_OK); /* for a part of it */
	assert_int_equal(quality(run, core, 4), SX_QUALITY_LOST);
	memset(raw.states, 0, 12); /* old drivers do not report it */
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(run, core, 5), 0);
	close_stream(&stream);
	free(raw.bytes);
}

static void stretched_failed_and_foreign(void **state)
{
	const struct device *d = &devices[4];
	struct raw raw = make_raw(d);
	struct stream stream = open_stream(d);
	raw.sample.flags = RAW_STRETCHED | RAW_LOST;
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(&stream.run, "MaliGPUCyclesGPUActive", 0),
			 SX_QUALITY_STRETCHED | SX_QUALITY_LOST);
	put32(raw.bytes + 4, MALI_RAW_FAILED);
	raw.sample.flags = 0;
	assert_int_equal(feed(&stream, &raw), SX_OK);
	assert_int_equal(quality(&stream.run, "MaliGPUCyclesGPUActive", 1), SX_QUALITY_GAP);
	for (size_t size = 0; size < MALI_RAW_HEAD + 16; size++) {
		struct raw cut = raw;
		cut.sample.size = size;
		assert_int_equal(feed(&stream, &cut), SX_INCOMPLETE);
	}
	for (uint32_t word = 0; word < 8; word++) {
		if (word == 1)
			continue; /* flags may be anything */
		raw.bytes[4 * word] ^= 0x40;
		assert_int_equal(feed(&stream, &raw), SX_INCOMPLETE);
		raw.bytes[4 * word] ^= 0x40;
	}
	assert_int_equal(sx_table_row_count(stream.run.table), 2);
	close_stream(&stream);
	free(raw.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(states_of_blocks),
	    cmocka_unit_test(stretched_failed_and_foreign),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
