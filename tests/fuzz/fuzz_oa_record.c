/* Recordings and records of any content, whole and in pieces; the first bytes choose how. */
#include <stdlib.h>
#include <string.h>

#include <sextant/oa.h>
#include <sextant/table.h>
#include "decode/decode.h"
#include "fuzz.h"

static void note(void *user, const char *line)
{
	*(size_t *)user += strlen(line);
}

/* Rows have ends behind their beginnings, and are no more than there were reports. */
static void check(struct sx_oa_decoder *decoder)
{
	const struct sx_table *rows = sx_oa_decoder_rows(decoder);
	size_t count = rows ? sx_table_row_count(rows) : 0;
	if (count > sx_oa_decoder_stats(decoder)->reports)
		abort();
	for (size_t i = 0; i < count; i++)
		if (sx_table_begin_ns(rows)[i] > sx_table_end_ns(rows)[i])
			abort();
}

static void decode(const struct sx_oa_options *options, const uint8_t *data, size_t size,
		   size_t step)
{
	struct sx_oa_decoder *decoder;
	struct sx_error err = {0};
	size_t at = 0, end = 0, used;
	enum sx_status status = SX_OK;
	if (sx_oa_decoder_create(options, &decoder, &err))
		return;
	while (status <= SX_AGAIN && (end < size || status == SX_AGAIN)) {
		if (status == SX_AGAIN) {
			check(decoder);
			sx_oa_decoder_drain(decoder);
		} else {
			end = size - end < step ? size : end + step;
			if (end == size && (step & 8))
				sx_oa_decoder_end(decoder);
		}
		uint8_t *copy = malloc(end - at + 1); /* so that any read beyond it shows */
		if (!copy)
			break;
		memcpy(copy, data + at, end - at);
		status = sx_oa_decoder_feed(decoder, copy, end - at, &used, &err);
		free(copy);
		if (used > end - at)
			abort();
		at += used;
	}
	if (!status)
		status = sx_oa_decoder_finish(decoder, size - at, &err);
	if (status && status != SX_AGAIN && !err.message[0])
		abort();
	check(decoder);
	sx_oa_decoder_destroy(decoder);
}

/* The same bytes as a live stream gives them. */
static void decode_live(const uint8_t *data, size_t size)
{
	const struct decoder_ops *ops = decode_find(RAW_I915_OA);
	struct decoder_setup setup = {.catalog = NULL};
	struct decoder *decoder;
	struct sx_table *table;
	struct sx_error err;
	if (ops->create(&setup, &decoder, &err))
		return;
	if (decoder_table(decoder, &table, &err))
		abort();
	struct raw_sample raw = {
	    .kind = RAW_I915_OA, .flags = (uint32_t)(size % 3), .data = data, .size = size};
	ops->feed(decoder, &raw, table, &err);
	sx_table_destroy(table);
	ops->destroy(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t noted = 0;
	if (size < 2)
		return 0;
	struct sx_oa_options options = {
	    .input = data[0] & 1 ? SX_OA_RECORDS : SX_OA_RECORDING,
	    .rows = (enum sx_oa_rows)(data[0] >> 1 & 3),
	    .only_context = data[0] >> 3 & 1,
	    .context = 5,
	    .batch_rows = 1 + (size_t)(data[0] >> 4),
	    .note = note,
	    .note_user = &noted,
	};
	decode(&options, data + 2, size - 2, 1 + (size_t)data[1] * 8);
	if (data[0] & 1)
		decode_live(data + 2, size - 2);
	return 0;
}
