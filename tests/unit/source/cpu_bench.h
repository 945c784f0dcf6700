/* The CPU source over a fake machine: opened, started, read, ended. */
#ifndef UNIT_SOURCE_CPU_BENCH_H
#define UNIT_SOURCE_CPU_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <sextant/context.h>
#include <sextant/expr.h>
#include "devices/cpu.h"
#include "source/cpu/cpu.h"

#define NS_PER_S UINT64_C(1000000000)
#define VALUES	 64

/* One sample, unpacked. */
struct values {
	uint32_t count;
	uint64_t value[VALUES];
	uint8_t quality[VALUES];
	uint64_t begin_ns, end_ns;
	uint32_t flags;
};

static inline struct source *open_cpu(struct fake_cpu *fake)
{
	struct sx_error err = {0};
	struct source *source = NULL;
	assert_int_equal(
	    source_cpu.open(&(struct source_host){.sys = &fake->sys}, "cpu", &source, &err), SX_OK);
	return source;
}

static inline void start(struct source *source, const struct source_request *request)
{
	struct sx_error err = {0};
	enum sx_status status = source_cpu.start(source, request, &err);
	if (status != SX_OK)
		print_error("%s: %s\n", err.message, err.because);
	assert_int_equal(status, SX_OK);
}

static inline void unpack(struct source *source, const struct raw_sample *raw, struct values *out)
{
	const struct source_desc *desc = source_describe(source);
	*out = (struct values){.count = desc->counter_count,
			       .begin_ns = raw->begin_ns,
			       .end_ns = raw->end_ns,
			       .flags = raw->flags};
	assert_int_equal(raw->kind, RAW_VALUES);
	assert_true(out->count <= VALUES);
	assert_int_equal(raw->size, out->count * 9);
	for (uint32_t i = 0; i < out->count; i++) {
		for (int b = 7; b >= 0; b--)
			out->value[i] = out->value[i] << 8 | raw->data[i * 8 + (uint32_t)b];
		out->quality[i] = raw->data[out->count * 8 + i];
	}
}

/* The next sample that is not a note; notes are gathered in `notes` (may be NULL). */
static inline enum sx_status next(struct source *source, struct values *out, char *notes,
				  size_t size)
{
	struct raw_sample raw;
	struct sx_error err = {0};
	for (;;) {
		enum sx_status status = source_cpu.read(source, 100000, &raw, &err);
		if (status != SX_OK)
			return status;
		if (raw.kind != RAW_NOTE) {
			unpack(source, &raw, out);
			return SX_OK;
		}
		if (notes)
			snprintf(notes + strlen(notes), size - strlen(notes), "%.*s\n",
				 (int)raw.size, (const char *)raw.data);
	}
}

static inline uint32_t index_of(struct source *source, const char *name)
{
	const struct source_desc *desc = source_describe(source);
	for (uint32_t i = 0; i < desc->counter_count; i++)
		if (strcmp(desc->counters[i], name) == 0)
			return i;
	fail_msg("%s is not delivered", name);
	return 0;
}

static inline void expect(struct source *source, const struct values *v, const char *name,
			  uint64_t value)
{
	uint32_t i = index_of(source, name);
	if (v->value[i] != value || v->quality[i] != SX_QUALITY_VALID)
		fail_msg("%s: %lu (quality %u) instead of %lu", name, v->value[i], v->quality[i],
			 value);
}

static inline void expect_none(struct source *source, const struct values *v, const char *name)
{
	uint32_t i = index_of(source, name);
	if (v->quality[i] != SX_QUALITY_NOT_COLLECTED)
		fail_msg("%s: %lu (quality %u) although nobody counts it", name, v->value[i],
			 v->quality[i]);
}

static inline void finish(struct fake_cpu *fake, struct source *source)
{
	assert_int_equal(source_cpu.stop(source, NULL), SX_OK);
	source_cpu.close(source);
	assert_int_equal(fake->open_fds, 0);
}

#endif
