/* Every allocation of reading a capture into a table and adding it up fails once: nothing crashes,
 * leaks or goes missing in silence. */
#include "unit/allocations.h"
#include "analysis/overview.h"
#include "unit/capture/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include <sextant/analysis.h>

struct found {
	size_t rows;
	bool damaged;
	double total;
};

static enum sx_status read_all(struct sx_capture_reader *reader, struct sx_table *table,
			       struct overview *overview, struct sx_error *err)
{
	struct sx_capture_record record;
	enum sx_status status = SX_OK;
	while (status == SX_OK && (status = sx_capture_next(reader, &record, err)) == SX_OK) {
		if (record.type != SX_CAPTURE_ROWS || record.device != 0)
			continue;
		status = sx_table_append(table, &record.rows, err);
	}
	if (status != SX_END)
		return status;
	return overview_add(overview, table, err);
}

/* One whole use of the library. */
static enum sx_status use(const char *path, struct found *found, struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_table *table = NULL, *total = NULL;
	struct overview *overview = NULL;
	const struct sx_capture_device *device = NULL;
	enum sx_status status = sx_capture_open(path, &reader, err);
	if (status == SX_OK)
		device = sx_capture_device(reader, 0);
	if (status == SX_OK)
		status = sx_table_create(device->columns, device->column_count, device->kind,
					 &table, err);
	if (status == SX_OK)
		status = overview_create(table, &overview, err);
	if (status == SX_OK)
		status = read_all(reader, table, overview, err);
	if (status == SX_OK)
		status = sx_table_total(table, &total, err);
	if (status == SX_OK) {
		found->rows = sx_table_row_count(overview_table(overview, NULL));
		found->damaged = sx_capture_account(reader)->what[0];
		found->total = sx_table_get(total, SAMPLE_TIME, 0);
	}
	sx_table_destroy(total);
	overview_destroy(overview);
	sx_table_destroy(table);
	sx_capture_close(reader);
	return status;
}

static void test_every_allocation_may_fail(void **state)
{
	char path[] = "/tmp/sextant-memory-XXXXXX";
	struct found whole = {0};
	struct sx_error none = {0};
	close(mkstemp(path));
	assert_true(sample_file(path, NULL));
	assert_int_equal(use(path, &whole, &none), SX_OK);
	assert_int_equal(whole.rows, 50);
	long failed = 0;
	for (long k = 0;; k++) {
		struct sx_error err = {0};
		struct found found = {0};
		allocations_until_failure = k;
		enum sx_status status = use(path, &found, &err);
		bool reached = allocations_until_failure < 0;
		allocations_until_failure = -1;
		if (!reached)
			break;
		failed++;
		if (status == SX_OK) {
			/* A buffer that could not grow was not needed. */
			assert_int_equal(found.rows, 50);
			assert_true(found.total == whole.total);
		} else {
			assert_int_equal(err.status, SX_ERR_NO_MEMORY);
		}
		assert_false(found.damaged); /* the file is not to blame */
		allocations_until_failure = k;
		assert_int_equal(use(path, &found, NULL), status); /* without a triplet as well */
		allocations_until_failure = -1;
	}
	assert_true(failed > 20);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_may_fail)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
