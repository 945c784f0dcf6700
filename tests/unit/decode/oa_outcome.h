/* Recordings of OA reports made by a test, and what the decoder makes of them. */
#ifndef UNIT_DECODE_OA_OUTCOME_H
#define UNIT_DECODE_OA_OUTCOME_H

#include <stdio.h>

#include <sextant/table.h>

#include "unit/wire/oa_build.h"
#include "wire/oa/oa.h"

static unsigned notes;
static char last_note[256];

static inline void count_note(void *user, const char *line)
{
	(void)user;
	notes++;
	snprintf(last_note, sizeof(last_note), "%s", line);
}

struct outcome {
	struct sx_oa_decoder *decoder;
	struct sx_table *rows;
	enum sx_status status;
	struct sx_error err;
};

/* Feeds a whole file in pieces of `step` bytes (0: at once), without draining. */
static inline struct outcome decode_steps(const struct oa_file *file, struct sx_oa_options options,
					  size_t step)
{
	struct outcome o = {0};
	size_t at = 0, end = 0, used;
	notes = 0;
	options.note = count_note;
	options.batch_rows = 1u << 20;
	assert_int_equal(sx_oa_decoder_create(&options, &o.decoder, &o.err), SX_OK);
	while (end < file->size && !o.status) {
		end = !step || end + step > file->size ? file->size : end + step;
		/* A copy of exact size, so that a sanitizer sees any read beyond it. */
		uint8_t *copy = malloc(end - at ? end - at : 1);
		memcpy(copy, file->data + at, end - at);
		o.status = sx_oa_decoder_feed(o.decoder, copy, end - at, &used, &o.err);
		free(copy);
		assert_true(used <= end - at);
		at += used;
	}
	if (!o.status && at < file->size) {
		sx_oa_decoder_end(o.decoder);
		o.status =
		    sx_oa_decoder_feed(o.decoder, file->data + at, file->size - at, &used, &o.err);
		at += used;
	}
	if (!o.status)
		o.status = sx_oa_decoder_finish(o.decoder, file->size - at, &o.err);
	o.rows = sx_oa_decoder_rows(o.decoder);
	return o;
}

static inline struct outcome decode(const struct oa_file *file, enum sx_oa_input input,
				    enum sx_oa_rows rows)
{
	return decode_steps(file, (struct sx_oa_options){.input = input, .rows = rows}, 0);
}

static inline uint64_t value(const struct sx_table *t, size_t row, const char *name)
{
	uint32_t column = sx_table_find(t, name);
	assert_int_not_equal(column, SX_NONE);
	return ((const uint64_t *)sx_table_vector(t, column).data)[row];
}

static inline uint8_t quality(const struct sx_table *t, size_t row, const char *name)
{
	const uint8_t *q = sx_table_vector(t, sx_table_find(t, name)).quality;
	return q ? q[row] : 0;
}

static inline void finish(struct outcome *o, struct oa_file *file)
{
	sx_oa_decoder_destroy(o->decoder);
	free(file->data);
	*file = (struct oa_file){0};
}

/* Three reports of context 5, one idle, one of context 6. */
static inline void five_reports(struct oa_file *file)
{
	uint8_t r[256];
	oa_pair(file, 1000000000, 0x100000000 + 1000);
	for (uint32_t i = 0; i < 3; i++) {
		oa_report(r, 1, 2000 + 1000 * i, 5, true, 50000 * i, 100 * i, 10 * i, 20 * i);
		oa_sample(file, r);
	}
	oa_report(r, 8, 5000, 0xffffffff, false, 150000, 300, 30, 60);
	oa_sample(file, r);
	oa_report(r, 8, 7000, 6, true, 250000, 500, 50, 100);
	oa_sample(file, r);
	oa_pair(file, 2000000000, 0x100000000 + 12501000);
}

#endif
