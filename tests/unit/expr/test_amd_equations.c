/*
 * The library's evaluator against tests/data/amd/equations.tsv: every published equation form of
 * AMD's generations and APIs, and every corrected one. Inputs are made as that file's checker
 * (tests/oracle/amd_equations.py) describes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/metric.h>

enum { ROWS = 4 };

struct golden {
	char catalog[24], api[12], form[16], metric[48];
	double values[ROWS];
};

static struct golden golden[1024];
static size_t golden_count;

static int read_golden(void **state)
{
	char path[4096], line[512];
	(void)state;
	snprintf(path, sizeof(path), "%s/amd/equations.tsv", getenv("SEXTANT_TEST_DATA"));
	FILE *file = fopen(path, "r");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		struct golden *g = &golden[golden_count];
		double *v = g->values;
		if (line[0] != '#' && golden_count < 1024)
			golden_count +=
			    sscanf(line, "%23s %11s %15s %47s %lf %lf %lf %lf", g->catalog, g->api,
				   g->form, g->metric, &v[0], &v[1], &v[2], &v[3]) == 8;
	}
	fclose(file);
	return golden_count == 554 + 84 ? 0 : -1;
}

static uint64_t input_value(const char *column, unsigned row)
{
	char text[96];
	uint64_t h = 0xcbf29ce484222325u;
	snprintf(text, sizeof(text), "%u/%s", row, column);
	for (const char *c = text; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3u;
	switch (row) {
	case 0:
		return h % 1000003;
	case 1:
		return (h >> 8) % 4 == 0 ? 0 : h % 97;
	case 2:
		return h >> 12;
	default:
		return 0;
	}
}

static struct sx_table *make_inputs(const struct sx_metrics *metrics)
{
	uint32_t count;
	struct sx_table *table = NULL;
	const struct sx_metric_input *inputs = sx_metrics_inputs(metrics, &count);
	struct sx_column *columns = calloc(count + 1, sizeof(*columns));
	for (uint32_t i = 0; i < count; i++)
		columns[i] =
		    (struct sx_column){.name = inputs[i].name, .unit = "count", .type = SX_U64};
	assert_int_equal(sx_table_create(columns, count, SX_SAMPLE_ROW, &table, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(table, ROWS, NULL, NULL), SX_OK);
	for (uint32_t i = 0; i < count; i++)
		for (unsigned row = 0; row < ROWS; row++)
			sx_table_set_u64(table, i, row, input_value(inputs[i].name, row), 0);
	free(columns);
	return table;
}

/* Sums of many large counts are not exact in doubles; 1e-12 is far above that, far below a fault.
 */
static bool close_to(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static const struct golden *find(const char *catalog, const char *api, const char *form,
				 const char *metric)
{
	for (size_t i = 0; i < golden_count; i++)
		if (!strcmp(golden[i].catalog, catalog) && !strcmp(golden[i].api, api) &&
		    !strcmp(golden[i].form, form) && !strcmp(golden[i].metric, metric))
			return &golden[i];
	return NULL;
}

/* All forms of one API of one catalog in one mode; returns how many were compared. */
static size_t check(struct sx_catalog *catalog, const char *api, bool old)
{
	const struct sx_constant_value constants[] = {
	    {"NUM_SHADER_ENGINES", 4}, {"NUM_SIMDS", 176},    {"NUM_CUS", 44},
	    {"NUM_PRIM_PIPES", 3},     {"SU_CLOCKS_PRIM", 2}, {"TS_FREQ", 100000000},
	    {"gpa_2_20", old}};
	const struct sx_metrics_options options = {
	    .variant = api, .constants = constants, .constant_count = 7};
	struct sx_metrics *metrics = NULL;
	struct sx_table *out = NULL;
	struct sx_error err = {0};
	if (sx_metrics_create(catalog, &options, &metrics, &err))
		fail_msg("%s; %s", err.message, err.because);
	struct sx_table *in = make_inputs(metrics);
	assert_int_equal(sx_metrics_eval(metrics, in, &out, &err), SX_OK);
	const char *name = sx_catalog_info(catalog)->name;
	uint32_t columns;
	size_t compared = 0;
	const struct sx_metric_column *column = sx_metrics_columns(metrics, &columns);
	for (uint32_t c = 0; c < columns; c++) {
		const struct golden *g = old ? NULL : find(name, api, "corrected", column[c].name);
		if (!g)
			g = find(name, api, "published", column[c].name);
		for (unsigned row = 0; g && row < ROWS; row++)
			if (!close_to(sx_table_get(out, c, row), g->values[row]))
				fail_msg("%s %s %s gpa_2_20=%d row %u: %.17g, expected %.17g", name,
					 api, g->metric, old, row, sx_table_get(out, c, row),
					 g->values[row]);
		compared += g != NULL;
	}
	sx_table_destroy(in);
	sx_table_destroy(out);
	sx_metrics_destroy(metrics);
	return compared;
}

static void test_all_forms(void **state)
{
	static const char *const catalogs[] = {"amd-gcn1", "amd-gcn2", "amd-gcn3"};
	static const char *const apis[] = {"opengl", "dx11", "opencl"};
	struct sx_context *context = NULL;
	size_t compared[2] = {0};
	(void)state;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	for (size_t i = 0; i < 3; i++) {
		struct sx_catalog *catalog = NULL;
		assert_int_equal(sx_catalog_open(context, catalogs[i], &catalog, NULL), SX_OK);
		for (size_t a = 0; a < 3; a++)
			for (int old = 0; old < 2; old++)
				compared[old] += check(catalog, apis[a], old);
		sx_catalog_unref(catalog);
	}
	sx_context_destroy(context);
	assert_int_equal(compared[0], 554);
	assert_int_equal(compared[1], 554);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_all_forms, read_golden)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
