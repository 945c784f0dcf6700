/* Streams of the Xe OA source on a fake kernel, and what becomes of them. */
#ifndef UNIT_SOURCE_XE_STREAM_H
#define UNIT_SOURCE_XE_STREAM_H

#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "devices/xe_oa.h"
#include "source/xe_oa/xe_oa.h"
#include "unit/context.h"
#include "unit/source/found.h"

extern const struct decoder_ops decode_i915_oa;

static inline struct source_host host_of(struct fake_xe *fake)
{
	return (struct source_host){.sys = &fake->sys, .catalogs = context};
}

static inline struct found probe(struct fake_xe *fake)
{
	struct found found = {0};
	struct source_host host = host_of(fake);
	source_xe_oa.probe(&host, found_take, &found);
	return found;
}

static inline enum sx_status open_start(struct fake_xe *fake, struct source **out,
					const struct source_request *request, struct sx_error *err)
{
	struct source_host host = host_of(fake);
	enum sx_status status = source_xe_oa.open(&host, "xe:card0", out, err);
	return status ? status : source_xe_oa.start(*out, request, err);
}

static inline double constant(const struct source_desc *desc, const char *name)
{
	for (uint32_t i = 0; i < desc->facts.constant_count; i++)
		if (strcmp(desc->facts.constants[i].name, name) == 0)
			return desc->facts.constants[i].value;
	return -1;
}

/* A stream and what becomes of it. */
struct stream {
	struct fake_xe *fake;
	struct source *source;
	struct sx_catalog *catalog;
	struct decoder *decoder;
	struct sx_table *table;
	uint64_t lost;
	unsigned notes;
	char note[160];
};

static inline void begin(struct stream *s, struct fake_xe *fake, const char *set,
			 uint64_t interval_ns)
{
	struct sx_error err = {0};
	struct source_request request = {.set = set, .interval_ns = interval_ns};
	*s = (struct stream){.fake = fake};
	enum sx_status status = open_start(fake, &s->source, &request, &err);
	if (status)
		print_error("%s: %s: %s\n", set, err.message, err.because);
	assert_int_equal(status, SX_OK);
	const struct source_desc *desc = source_describe(s->source);
	assert_int_equal(sx_catalog_open(context, desc->catalog, &s->catalog, &err), SX_OK);
	struct sx_constant_value constants[] = {
	    {"GpuTimestampFrequency", constant(desc, "GpuTimestampFrequency")},
	    {"GpuMaxFrequency", constant(desc, "GpuMaxFrequency")}};
	struct decoder_setup setup = {.catalog = s->catalog,
				      .set = desc->facts.set,
				      .constants = constants,
				      .constant_count = 2};
	assert_int_equal(decode_i915_oa.create(&setup, &s->decoder, &err), SX_OK);
	assert_int_equal(decoder_table(s->decoder, &s->table, &err), SX_OK);
}

static inline enum sx_status step(struct stream *s, struct sx_error *err)
{
	struct raw_sample raw;
	enum sx_status status = source_xe_oa.read(s->source, 100, &raw, err);
	if (!status && raw.kind == RAW_NOTE) {
		s->notes++;
		snprintf(s->note, sizeof(s->note), "%.*s", (int)raw.size, (const char *)raw.data);
	} else if (!status) {
		s->lost += raw.lost;
		assert_int_equal(decode_i915_oa.feed(s->decoder, &raw, s->table, err), SX_OK);
	}
	return status;
}

static inline void run(struct stream *s, uint64_t ns)
{
	struct sx_error err = {0};
	uint64_t until = s->fake->now_ns + ns;
	while (s->fake->now_ns < until) {
		enum sx_status status = step(s, &err);
		assert_true(status == SX_OK || status == SX_AGAIN);
	}
}

static inline void end(struct stream *s)
{
	decode_i915_oa.destroy(s->decoder);
	sx_table_destroy(s->table);
	source_xe_oa.close(s->source);
	sx_catalog_unref(s->catalog);
	assert_int_equal(s->fake->open_fds, 0);
	assert_int_equal(fake_xe_config_count(s->fake), 0);
}

#endif
