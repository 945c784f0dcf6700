/* Golden rows of every metric set, computed by the evaluator in Python; each failure prints its
 * line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/metric.h>

#define NAMES_MAX 128

struct row {
	char set[64];
	struct sx_constant_value constants[NAMES_MAX];
	uint32_t constant_count;
	struct sx_table *metrics; /* one row of results */
};

static struct sx_catalog *open_catalog(void)
{
	struct sx_context *context;
	struct sx_catalog *catalog;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(context, "intel-bdw", &catalog, NULL), SX_OK);
	sx_context_destroy(context);
	return catalog;
}

/* "row SET NAME=VALUE ...": evaluates all metrics of the set. */
static void take_row(struct sx_catalog *catalog, char *line, struct row *row)
{
	struct sx_column columns[NAMES_MAX];
	uint64_t values[NAMES_MAX];
	uint32_t count = 0;
	char *save = NULL;
	struct sx_error err = {0};
	*row = (struct row){.constant_count = 0};
	strtok_r(line, " \n", &save);
	snprintf(row->set, sizeof(row->set), "%s", strtok_r(NULL, " \n", &save));
	for (char *word; (word = strtok_r(NULL, " \n", &save));) {
		char *equals = strchr(word, '=');
		*equals = '\0';
		uint64_t value = strtoull(equals + 1, NULL, 10);
		if (sx_catalog_find_constant(catalog, word) != SX_NONE) {
			row->constants[row->constant_count++] =
			    (struct sx_constant_value){word, (double)value};
			continue;
		}
		columns[count] = (struct sx_column){
		    .name = word, .unit = "count", .type = SX_U64, .over_time = SX_REDUCE_SUM};
		values[count++] = value;
	}
	assert_int_equal(count, 54);
	struct sx_table *raw;
	assert_int_equal(sx_table_create(columns, count, SX_SAMPLE_ROW, &raw, &err), SX_OK);
	assert_int_equal(sx_table_add_rows(raw, 1, NULL, &err), SX_OK);
	for (uint32_t i = 0; i < count; i++)
		sx_table_set_u64(raw, i, 0, values[i], 0);
	struct sx_metrics_options options = {.set = row->set,
					     .constants = row->constants,
					     .constant_count = row->constant_count,
					     .like = raw};
	struct sx_metrics *metrics;
	assert_int_equal(sx_metrics_create(catalog, &options, &metrics, &err), SX_OK);
	assert_int_equal(sx_metrics_eval(metrics, raw, &row->metrics, &err), SX_OK);
	sx_metrics_destroy(metrics);
	sx_table_destroy(raw);
}

static bool agrees(const struct sx_table *t, uint32_t column, const char *want)
{
	double got = sx_table_get(t, column, 0);
	struct sx_vector v = sx_table_vector(t, column);
	if (strcmp(want, "null") == 0)
		return isnan(got);
	if (isnan(got))
		return false;
	if (v.type == SX_U64)
		return ((const uint64_t *)v.data)[0] == strtoull(want, NULL, 10);
	double expected = strtod(want, NULL);
	return fabs(got - expected) <= 2e-16 * fabs(expected);
}

static void test_rows(void **state)
{
	(void)state;
	char path[512], line[8192];
	struct row row = {.metrics = NULL};
	unsigned rows = 0, values = 0, wrong = 0;
	struct sx_catalog *catalog = open_catalog();
	snprintf(path, sizeof(path), "%s/oa/golden.tsv", getenv("SEXTANT_TEST_DATA"));
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	for (unsigned number = 1; fgets(line, sizeof(line), file); number++) {
		if (strncmp(line, "row ", 4) == 0) {
			sx_table_destroy(row.metrics);
			take_row(catalog, line, &row);
			rows++;
			continue;
		}
		line[strcspn(line, "\n")] = '\0';
		char *want = strchr(line, ' ');
		assert_non_null(want);
		*want++ = '\0';
		uint32_t column = sx_table_find(row.metrics, line);
		values++;
		if (column != SX_NONE && agrees(row.metrics, column, want))
			continue;
		wrong++;
		print_message(
		    "golden.tsv:%u: %s.%s is %.17g, expected %s\n", number, row.set, line,
		    column == SX_NONE ? (double)NAN : sx_table_get(row.metrics, column, 0), want);
	}
	fclose(file);
	sx_table_destroy(row.metrics);
	sx_catalog_unref(catalog);
	assert_int_equal(wrong, 0);
	assert_int_equal(rows, 4 * 24);
	assert_int_equal(values, 4 * 863);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
