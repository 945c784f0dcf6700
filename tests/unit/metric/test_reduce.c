/* Tables that hold instances of a counter that formulas read reduced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include <sextant/metric.h>

static const char device[] =
    "sextant-catalog: 1\nname: made-up\ntitle: Made up\nvendor: None\nkind: gpu\n"
    "dialect: standard\nnotation: infix\n"
    "blocks:\n  - {name: B, title: B, instances: 4}\n"
    "counters:\n"
    "  - {name: B.SUM, block: B, slot: 0, reduce: sum, unit: cycles}\n"
    "  - {name: B.MEAN, block: B, slot: 1, reduce: mean, type: f64, unit: cycles}\n"
    "  - {name: B.MAX, block: B, slot: 2, reduce: max, unit: cycles}\n"
    "  - {name: B.EACH, block: B, slot: 3, reduce: each, unit: cycles}\n"
    "metrics:\n"
    "  - {name: sum2, unit: cycles, expr: \"B.SUM * 2\"}\n"
    "  - {name: mean2, unit: cycles, expr: \"B.MEAN * 2\"}\n"
    "  - {name: max2, unit: cycles, expr: \"B.MAX * 2\"}\n"
    "  - {name: one, unit: cycles, expr: \"B[1].SUM\"}\n";

struct world {
	struct sx_catalog *catalog;
	struct sx_table *in;
};

static int make(void **state)
{
	static struct world w;
	static const struct sx_column columns[] = {
	    {.name = "B[0].SUM", .unit = "cycles", .type = SX_U64},
	    {.name = "B1.SUM", .unit = "cycles", .type = SX_U64},
	    {.name = "B[0].MEAN", .unit = "cycles", .type = SX_F64},
	    {.name = "B[1].MEAN", .unit = "cycles", .type = SX_F64},
	    {.name = "B[0].MAX", .unit = "cycles", .type = SX_F64},
	    {.name = "B[3].MAX", .unit = "cycles", .type = SX_U64}};
	if (sx_catalog_parse(device, sizeof(device) - 1, "made-up", &w.catalog, NULL) ||
	    sx_table_create(columns, 6, SX_SAMPLE_ROW, &w.in, NULL) ||
	    sx_table_add_rows(w.in, 2, NULL, NULL))
		return -1;
	/* Above 2^53, where doubles would lose the last digit. */
	sx_table_set_u64(w.in, 0, 0, (UINT64_C(1) << 60) + 1, 0);
	sx_table_set_u64(w.in, 1, 0, 2, 0);
	sx_table_set_f64(w.in, 2, 0, 1, 0);
	sx_table_set_f64(w.in, 3, 0, 2, 0);
	sx_table_set_f64(w.in, 4, 0, 7, 0);
	sx_table_set_u64(w.in, 5, 0, 9, 0);
	/* The second row lacks one instance of the sum, and the whole of the rest. */
	sx_table_set_u64(w.in, 0, 1, 5, 0);
	*state = &w;
	return 0;
}

static int drop(void **state)
{
	struct world *w = *state;
	sx_table_destroy(w->in);
	sx_catalog_unref(w->catalog);
	return 0;
}

static struct sx_table *evaluate(struct world *w, bool counters)
{
	struct sx_metrics *metrics = NULL;
	struct sx_table *out = NULL;
	const struct sx_metrics_options options = {.counters = counters, .like = w->in};
	assert_int_equal(sx_metrics_create(w->catalog, &options, &metrics, NULL), SX_OK);
	assert_int_equal(sx_metrics_eval(metrics, w->in, &out, NULL), SX_OK);
	sx_metrics_destroy(metrics);
	return out;
}

static void test_formulas(void **state)
{
	struct sx_table *out = evaluate(*state, false);
	assert_true(sx_table_get(out, sx_table_find(out, "mean2"), 0) == 3);
	assert_true(sx_table_get(out, sx_table_find(out, "max2"), 0) == 18);
	assert_true(sx_table_get(out, sx_table_find(out, "one"), 0) == 2);
	for (uint32_t c = 0; c < sx_table_column_count(out); c++)
		assert_true(isnan(sx_table_get(out, c, 1)));
	sx_table_destroy(out);
}

static void test_exact_sum(void **state)
{
	struct sx_table *out = evaluate(*state, true);
	const struct sx_vector v = sx_table_vector(out, sx_table_find(out, "B.SUM"));
	assert_int_equal(v.type, SX_U64);
	assert_true(((const uint64_t *)v.data)[0] == (UINT64_C(1) << 60) + 3);
	assert_true(v.quality[1] & SX_QUALITY_NOT_COLLECTED);
	sx_table_destroy(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_formulas),
					   cmocka_unit_test(test_exact_sum)};
	return cmocka_run_group_tests(tests, make, drop);
}
