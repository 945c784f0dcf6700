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

/* What a u64 cannot hold, and what it can just about. */
static const struct {
	double value;
	uint64_t due;
	bool fits;
} odd[] = {
    {NAN, 0, false},
    {INFINITY, 0, false},
    {-INFINITY, 0, false},
    {-1, 0, false},
    {-0.75, 0, false},
    {0x1p64, 0, false},
    {1e300, 0, false},
    {-0.25, 0, true},
    {2.5, 3, true},
    {0x1p53, UINT64_C(1) << 53, true},
    {0x1.fffffffffffffp63, UINT64_MAX - 2047, true},
};
#define ODD (sizeof(odd) / sizeof(odd[0]))

/*
 * Counters as they come out of f64 columns, one row for each of the odd numbers; of one column the
 * type is not known before it comes.
 */
static struct sx_table *evaluate_odd(struct world *w, const char *const *names, uint32_t count)
{
	struct sx_column columns[2] = {0};
	struct sx_table *in = NULL, *out = NULL;
	struct sx_metrics *metrics = NULL;
	for (uint32_t c = 0; c < count; c++)
		columns[c] = (struct sx_column){.name = names[c], .unit = "cycles", .type = SX_F64};
	assert_int_equal(sx_table_create(columns, count, SX_SAMPLE_ROW, &in, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(in, ODD, NULL, NULL), SX_OK);
	for (size_t row = 0; row < ODD; row++)
		for (uint32_t c = 0; c < count; c++)
			sx_table_set_f64(in, c, row, c ? 0 : odd[row].value, 0);
	const struct sx_metrics_options options = {.counters = true, .like = count > 1 ? in : NULL};
	assert_int_equal(sx_metrics_create(w->catalog, &options, &metrics, NULL), SX_OK);
	assert_int_equal(sx_metrics_eval(metrics, in, &out, NULL), SX_OK);
	sx_metrics_destroy(metrics);
	sx_table_destroy(in);
	return out;
}

static void check_odd(const struct sx_table *out, const char *name, const char *how)
{
	const struct sx_vector v = sx_table_vector(out, sx_table_find(out, name));
	assert_int_equal(v.type, SX_U64);
	for (size_t row = 0; row < ODD; row++) {
		uint64_t is = ((const uint64_t *)v.data)[row];
		bool fits = !(v.quality && v.quality[row] & SX_QUALITY_NO_DATA_MASK);
		if (fits != odd[row].fits || (fits && is != odd[row].due))
			fail_msg("%s of %g: %s%llu", how, odd[row].value, fits ? "" : "no ",
				 (unsigned long long)is);
		if (!fits)
			assert_true(v.quality[row] & SX_QUALITY_UNDEFINED);
	}
}

/* A whole counter from a column of doubles, as texts have them (metric/eval/eval.c). */
static void test_odd_column(void **state)
{
	static const char *const names[] = {"B.SUM"};
	struct sx_table *out = evaluate_odd(*state, names, 1);
	check_odd(out, "B.SUM", "column");
	sx_table_destroy(out);
}

/* The same as one of two instances; the other is 0 (metric/reduce.c). */
static void test_odd_instances(void **state)
{
	static const char *const sums[] = {"B[0].SUM", "B[1].SUM"},
				 *const most[] = {"B[0].MAX", "B[1].MAX"},
				 *const means[] = {"B[1].MEAN", "B[0].MEAN"};
	struct sx_table *out = evaluate_odd(*state, sums, 2);
	check_odd(out, "B.SUM", "sum");
	sx_table_destroy(out);
	out = evaluate_odd(*state, most, 2);
	check_odd(out, "B.MAX", "maximum");
	sx_table_destroy(out);
	out = evaluate_odd(*state, means, 2); /* is f64: only NaN is no number there */
	const struct sx_vector v = sx_table_vector(out, sx_table_find(out, "B.MEAN"));
	assert_true(v.quality[0] & SX_QUALITY_UNDEFINED);
	for (size_t row = 1; row < ODD; row++)
		assert_true(((const double *)v.data)[row] == odd[row].value / 2);
	sx_table_destroy(out);
}

/* Two counts with a sum of 65 bits: the sum must not wrap to a small number. */
static void test_sum_beyond(void **state)
{
	struct world *w = *state;
	sx_table_set_u64(w->in, 0, 0, UINT64_MAX, 0);
	struct sx_table *out = evaluate(w, true);
	const struct sx_vector v = sx_table_vector(out, sx_table_find(out, "B.SUM"));
	assert_true(v.quality[0] & SX_QUALITY_UNDEFINED);
	sx_table_destroy(out);
	sx_table_set_u64(w->in, 0, 0, UINT64_MAX - 2, 0);
	out = evaluate(w, true);
	const struct sx_vector just = sx_table_vector(out, sx_table_find(out, "B.SUM"));
	assert_true(((const uint64_t *)just.data)[0] == UINT64_MAX);
	assert_false(just.quality[0] & SX_QUALITY_NO_DATA_MASK);
	sx_table_destroy(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_formulas), cmocka_unit_test(test_exact_sum),
	    cmocka_unit_test(test_odd_column), cmocka_unit_test(test_odd_instances),
	    cmocka_unit_test(test_sum_beyond)};
	return cmocka_run_group_tests(tests, make, drop);
}
