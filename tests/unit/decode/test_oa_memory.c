/* Every allocation of decoding an OA recording fails once: an error that says so, or all rows. */
#include "unit/allocations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/oa.h>
#include <sextant/table.h>

static uint8_t data[1 << 16];
static size_t size;

/* The rows that came out, and their reasons. */
struct found {
	size_t rows, reasons;
};

static bool reached; /* whether an allocation failed */

static void add_rows(struct sx_oa_decoder *decoder, struct found *found)
{
	const struct sx_table *rows = sx_oa_decoder_rows(decoder);
	size_t count = rows ? sx_table_row_count(rows) : 0;
	found->rows += count;
	for (size_t i = 0; i < count; i++)
		found->reasons +=
		    sx_table_string(rows, sx_table_label(rows, SX_LABEL_REASON, i)) != NULL;
}

static enum sx_status feed_all(struct sx_oa_decoder *decoder, struct found *found,
			       struct sx_error *err)
{
	size_t at = 0, used;
	enum sx_status status = SX_AGAIN;
	sx_oa_decoder_end(decoder);
	while (status == SX_AGAIN) {
		status = sx_oa_decoder_feed(decoder, data + at, size - at, &used, err);
		at += used;
		if (status && status != SX_AGAIN)
			return status;
		add_rows(decoder, found);
		sx_oa_decoder_drain(decoder);
	}
	status = sx_oa_decoder_finish(decoder, size - at, err);
	add_rows(decoder, found);
	return status;
}

static enum sx_status decode(enum sx_oa_rows kind, size_t batch, long until, struct found *found,
			     struct sx_error *err)
{
	struct sx_oa_options options = {
	    .input = SX_OA_RECORDING, .rows = kind, .batch_rows = batch};
	struct sx_oa_decoder *decoder = NULL;
	*found = (struct found){0};
	allocations_until_failure = until;
	enum sx_status status = sx_oa_decoder_create(&options, &decoder, err);
	if (!status)
		status = feed_all(decoder, found, err);
	reached = allocations_until_failure < 0;
	allocations_until_failure = -1;
	sx_oa_decoder_destroy(decoder);
	return status;
}

static void every_allocation(void **state)
{
	static const enum sx_oa_rows kinds[] = {SX_OA_EACH, SX_OA_RESIDENCY, SX_OA_TOTAL};
	struct found good, found;
	for (int i = 0; i < 6; i++) {
		size_t batch = i < 3 ? 2 : 0;
		assert_int_equal(decode(kinds[i % 3], batch, -1, &good, NULL), SX_OK);
		assert_true(good.rows > 0);
		long k = 0;
		for (reached = true; reached; k++) {
			struct sx_error err = {0};
			enum sx_status status = decode(kinds[i % 3], batch, k, &found, &err);
			if (status)
				assert_true(err.status == SX_ERR_NO_MEMORY && err.message[0]);
			else if (memcmp(&found, &good, sizeof(good)) != 0)
				fail_msg(
				    "allocation %ld of %d: %zu rows, %zu reasons, not %zu, %zu", k,
				    i, found.rows, found.reasons, good.rows, good.reasons);
			status = decode(kinds[i % 3], batch, k, &found, NULL);
			assert_int_equal(status, err.status);
		}
		assert_true(k > 10);
	}
}

int main(void)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/oa/recording", getenv("SEXTANT_TEST_DATA"));
	FILE *file = fopen(path, "rb");
	if (!file) {
		perror(path);
		return 1;
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
