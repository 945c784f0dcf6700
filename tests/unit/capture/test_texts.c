/* Labels of a capture that never come back: as long as a program likes, and each in its row. */
#include <sextant/capture.h>
#include <sextant/table.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* All of them in one record would be more than a reader takes. */
#define ROWS	   3200
#define TEXT_BYTES 50000
#define AT_ONCE	   100

static char path[] = "/tmp/sextant-texts-XXXXXX";

static void make_text(char *text, uint64_t row)
{
	memset(text, 'a' + (int)(row % 26), TEXT_BYTES);
	text[TEXT_BYTES] = '\0';
	int size = snprintf(text, 32, "%llu", (unsigned long long)row);
	text[size] = '/';
}

static void fill(struct sx_table *table, uint64_t first, char *text)
{
	size_t at;
	sx_table_clear(table);
	assert_int_equal(sx_table_add_rows(table, AT_ONCE, &at, NULL), SX_OK);
	for (size_t i = 0; i < AT_ONCE; i++) {
		make_text(text, first + i);
		uint32_t index = sx_table_intern(table, text, TEXT_BYTES);
		assert_int_not_equal(index, SX_NONE);
		sx_table_set_u64(table, 0, i, first + i, 0);
		assert_int_equal(sx_table_set_label(table, SX_LABEL_GROUP, i, index), SX_OK);
		/* From the middle on there are other labels, too. */
		if (first >= ROWS / 2)
			sx_table_set_label(table, SX_LABEL_FRAME, i, first + i + 7);
	}
}

static void write_all(const struct sx_capture_options *options, char *text)
{
	static const struct sx_column columns[] = {{"count", "count", SX_U64, SX_REDUCE_SUM, NULL}};
	static const struct sx_capture_device device = {
	    .catalog = "opengl", .facts.source = "gl", .columns = columns, .column_count = 1};
	struct sx_capture_writer *writer = NULL;
	struct sx_table *table = NULL;
	struct sx_vector vector;
	struct sx_rows rows;
	struct sx_error err = {0};
	uint32_t number;
	assert_int_equal(sx_capture_create(path, options, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_add_device(writer, &device, &number, NULL), SX_OK);
	assert_int_equal(sx_table_create(columns, 1, SX_SAMPLE_GROUP, &table, NULL), SX_OK);
	for (uint64_t row = 0; row < ROWS; row += AT_ONCE) {
		fill(table, row, text);
		sx_table_rows(table, 0, AT_ONCE, &vector, &rows);
		assert_int_equal(sx_capture_write(writer, number, &rows, NULL), SX_OK);
	}
	sx_table_destroy(table);
	if (sx_capture_finish(writer, NULL, &err))
		fail_msg("%s: %s", err.message, err.because);
}

static void expect_rows(const struct sx_rows *rows, uint64_t first, char *text)
{
	for (size_t i = 0; i < rows->count; i++) {
		uint64_t row = first + i, label = rows->labels[SX_LABEL_GROUP][i];
		assert_int_equal(((const uint64_t *)rows->columns[0].data)[i], row);
		assert_true(label < rows->string_count);
		make_text(text, row);
		assert_string_equal(rows->strings[label], text);
		const uint64_t *frames = rows->labels[SX_LABEL_FRAME];
		assert_int_equal(frames ? frames[i] : SX_LABEL_ABSENT,
				 row >= ROWS / 2 ? row + 7 : SX_LABEL_ABSENT);
	}
}

static void long_labels_are_all_kept(void **state)
{
	/* Nothing is flushed by the clock, so that batches fill as far as they may. */
	struct sx_capture_options options = {.flush_ns = UINT64_C(3600000000000),
					     .queue_bytes = (size_t)1 << 30};
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	char *text = malloc(TEXT_BYTES + 1);
	uint64_t rows = 0;
	write_all(&options, text);
	assert_int_equal(sx_capture_open(path, &reader, NULL), SX_OK);
	while (sx_capture_next(reader, &record, NULL) == SX_OK) {
		if (record.type != SX_CAPTURE_ROWS)
			continue;
		expect_rows(&record.rows, rows, text);
		rows += record.rows.count;
	}
	assert_int_equal(rows, ROWS);
	assert_int_equal(sx_capture_account(reader)->damaged_records, 0);
	sx_capture_close(reader);
	free(text);
}

static int setup(void **state)
{
	int fd = mkstemp(path);
	return fd < 0 || close(fd);
}

static int teardown(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(long_labels_are_all_kept),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
