/* Streams of the i915 OA source on a fake kernel, and what becomes of them. */
#ifndef UNIT_SOURCE_I915_STREAM_H
#define UNIT_SOURCE_I915_STREAM_H

#include "decode/decode.h"
#include "devices/i915_oa.h"
#include "source/i915_oa/i915_oa.h"
#include "unit/source/heard.h"

extern const struct decoder_ops decode_i915_oa;

static inline enum sx_status open_named(struct fake_i915 *fake, const char *id, struct source **out,
					struct sx_error *err)
{
	struct source_host host = {.sys = &fake->sys};
	return source_i915_oa.open(&host, id, out, err);
}

static inline struct source *open_fake(struct fake_i915 *fake)
{
	struct source *source = NULL;
	struct sx_error err = {0};
	assert_int_equal(source_i915_oa.open(&(struct source_host){.sys = &fake->sys}, "i915:card0",
					     &source, &err),
			 SX_OK);
	return source;
}

static inline enum sx_status start(struct source *source, const char *set, uint64_t interval_ns,
				   struct sx_error *err)
{
	struct source_request request = {.set = set, .interval_ns = interval_ns};
	return source_i915_oa.start(source, &request, err);
}

struct stream {
	struct source *source;
	struct decoder *decoder;
	struct sx_table *table;
};

static inline void begin(struct stream *s, struct fake_i915 *fake, const char *set,
			 uint64_t interval_ns)
{
	struct sx_error err = {0};
	s->source = open_fake(fake);
	assert_int_equal(start(s->source, set, interval_ns, &err), SX_OK);
	struct sx_constant_value constants[] = {{"GpuTimestampFrequency", 12500000},
						{"GpuMaxFrequency", 900000000}};
	struct decoder_setup setup = {.constants = constants, .constant_count = 2};
	assert_int_equal(decode_i915_oa.create(&setup, &s->decoder, &err), SX_OK);
	assert_int_equal(s->decoder->column_count, 54);
	assert_int_equal(decoder_table(s->decoder, &s->table, &err), SX_OK);
}

static inline enum sx_status step(struct stream *s, struct sx_error *err)
{
	struct raw_sample raw;
	enum sx_status status = source_i915_oa.read(s->source, 100, &raw, err);
	if (!status && raw.kind == RAW_I915_OA)
		status = decode_i915_oa.feed(s->decoder, &raw, s->table, err);
	return status;
}

static inline void end(struct stream *s)
{
	decode_i915_oa.destroy(s->decoder);
	sx_table_destroy(s->table);
	source_i915_oa.close(s->source);
}

#endif
