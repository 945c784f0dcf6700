/* Rules held against samples: shares, runs, ranking, evidence, sets, and what is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>
#include <sextant/analysis.h>

static const char head[] = "sextant-catalog: 1\nname: t\ntitle: T\nvendor: V\nkind: gpu\n"
			   "dialect: standard\nnotation: infix\n";

struct world {
	struct sx_catalog *catalog;
	struct sx_table *raw;
	struct sx_advice *advice;
};

static void parse(struct world *w, const char *body)
{
	char text[8192];
	struct sx_error err = {0};
	int n = snprintf(text, sizeof(text), "%s%s", head, body);
	if (sx_catalog_parse(text, (size_t)n, "t.yaml", &w->catalog, &err) != SX_OK)
		fail_msg("%s: %s", err.message, err.because);
}

static void table(struct world *w, const char *const *names, uint32_t columns, size_t rows,
		  const double *values)
{
	struct sx_column described[8];
	for (uint32_t c = 0; c < columns; c++)
		described[c] =
		    (struct sx_column){.name = names[c], .unit = "count", .type = SX_F64};
	assert_int_equal(sx_table_create(described, columns, SX_SAMPLE_ROW, &w->raw, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(w->raw, rows, NULL, NULL), SX_OK);
	for (size_t r = 0; r < rows; r++)
		for (uint32_t c = 0; c < columns; c++)
			if (!isnan(values[r * columns + c]))
				sx_table_set_f64(w->raw, c, r, values[r * columns + c], 0);
}

static void judge(struct world *w, const struct sx_metrics_options *options)
{
	struct sx_error err = {0};
	if (sx_advice_create(w->catalog, options, w->raw, &w->advice, &err) ||
	    sx_advice_add(w->advice, w->raw, &err) || sx_advice_finish(w->advice, &err))
		fail_msg("%s: %s", err.message, err.because);
}

static void end(struct world *w)
{
	sx_advice_destroy(w->advice);
	sx_table_destroy(w->raw);
	sx_catalog_unref(w->catalog);
}

static const struct sx_finding *find(const struct world *w, const char *rule)
{
	size_t count;
	const struct sx_finding *all = sx_advice_findings(w->advice, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(all[i].rule->rule, rule) == 0)
			return &all[i];
	fail_msg("no rule %s", rule);
	return NULL;
}

#define COUNTER(name) "  - {name: " name ", unit: count, description: d}\n"
#define RULE(name, severity, when, more)                                                           \
	"  - {rule: " name ", title: T, severity: " severity ", when: \"" when "\", " more         \
	"advice: a}\n"

static void test_share_and_runs(void **state)
{
	static const char *const names[] = {"a"};
	struct world w = {0};
	double values[100];
	for (int i = 0; i < 100; i++)
		values[i] = i == 3 || (i >= 10 && i < 14) || i == 50 || i == 98 ? 9 : 1;
	parse(&w, "counters:\n" COUNTER("a") "advice:\n" RULE(
		      "exact", "low", "a > 5", "metric: a, limit: 5, min-share: 0.07, ")
		      RULE("above", "low", "a > 5", "metric: a, min-share: 0.08, ")
			  RULE("any", "low", "a == 9", "min-share: 0, ")
			      RULE("none", "low", "a > 50", "min-share: 0, "));
	table(&w, names, 1, 100, values);
	judge(&w, NULL);
	const struct sx_finding *f = find(&w, "exact");
	assert_true(f->fired);
	assert_int_equal(f->samples, 7);
	assert_int_equal(f->rows, 100);
	assert_int_equal(f->first, 10);
	assert_int_equal(f->last, 13);
	assert_true(f->value == 9 && f->limit == 5 && f->measured == 9);
	assert_string_equal(f->compared, "a");
	assert_string_equal(f->unit, "count");
	assert_false(find(&w, "above")->fired);
	assert_true(find(&w, "any")->fired);
	assert_false(find(&w, "none")->fired);
	assert_null(find(&w, "none")->why);
	end(&w);
}

/* The share is of the samples that could be judged, and no data ends a run. */
static void test_no_data(void **state)
{
	static const char *const names[] = {"a", "b"};
	const double values[] = {1, 1, 4, 0, 4, 1, 1, NAN, 6, 2};
	struct world w = {0};
	parse(&w, "counters:\n" COUNTER("a") COUNTER("b")
		      COUNTER("c") "advice:\n" RULE("ratio", "low", "a / b >= 1", "metric: a, ")
			  RULE("gone", "high", "a > c and c > b", ""));
	table(&w, names, 2, 5, values);
	judge(&w, NULL);
	const struct sx_finding *f = find(&w, "ratio");
	assert_true(f->fired);
	assert_int_equal(f->rows, 3);
	assert_int_equal(f->samples, 3);
	assert_int_equal(f->first, 0);
	assert_int_equal(f->last, 0);
	assert_string_equal(f->compared, "a / b");
	assert_true(f->measured == 8.0 / 3 && f->limit == 1);
	assert_true(fabs(f->value - 11.0 / 3) < 1e-12);
	f = find(&w, "gone");
	assert_false(f->fired);
	assert_string_equal(f->why, "the run did not collect it (c)");
	assert_int_equal(f->missing.count, 1);
	assert_string_equal(f->missing.items[0], "c");
	end(&w);
}

static void test_ranking(void **state)
{
	static const char *const names[] = {"a"}, *const order[] = {"often", "seldom", "small"};
	const double values[] = {1, 2, 3, 4};
	struct world w = {0};
	parse(&w,
	      "counters:\n" COUNTER("a") "advice:\n" RULE("small", "low", "a > 0", "")
		  RULE("seldom", "high", "a > 3", "") RULE("quiet", "high", "a > 9", "") RULE(
		      "often", "high", "a > 1",
		      "") "  - {rule: person, title: T, severity: high, needs: eyes, advice: a}\n");
	table(&w, names, 1, 4, values);
	judge(&w, NULL);
	size_t count;
	const struct sx_finding *all = sx_advice_findings(w.advice, &count);
	assert_int_equal(count, 5);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(all[i].rule->rule, order[i]);
	assert_string_equal(all[3].rule->rule, "quiet");
	assert_string_equal(all[4].why, "eyes");
	end(&w);
}

/* Only the comparison that holds is evidence; limits without a number come from the other side. */
static void test_evidence(void **state)
{
	static const char *const names[] = {"a", "b"};
	const double values[] = {10, 2, 20, 6};
	struct world w = {0};
	parse(&w, "counters:\n" COUNTER("a") COUNTER("b") "advice:\n" RULE(
		      "either", "low", "b > 2 * a or a > 2 * b", "metric: a, ")
		      RULE("other", "low", "b > 2 * a or a > 2 * b", "metric: b, ")
			  RULE("guard", "low", "a > 0 and 0.5 * a > b", "metric: a, "));
	table(&w, names, 2, 2, values);
	judge(&w, NULL);
	const struct sx_finding *f = find(&w, "either");
	assert_string_equal(f->compared, "a");
	assert_true(f->measured == 15 && f->limit == 8);
	f = find(&w, "other");
	assert_null(f->compared);
	assert_true(f->value == 4 && isnan(f->measured) && isnan(f->limit));
	f = find(&w, "guard");
	assert_string_equal(f->compared, "0.5 * a");
	assert_true(f->measured == 7.5 && f->limit == 4);
	end(&w);
}

static void test_constants_and_time(void **state)
{
	static const char *const names[] = {"a", "rate"};
	const double values[] = {10, 2, 10, 20};
	/* As a recording's value and then the user's: the later one holds. */
	const struct sx_constant_value given[] = {{"budget", 80}, {"budget", 8}};
	struct sx_metrics_options options = {.constants = given, .constant_count = 2};
	struct world w = {0};
	parse(&w, "constants:\n  - {name: rate, unit: count, description: d}\n"
		  "  - {name: budget, unit: count, default: 50, description: d}\n"
		  "  - {name: unknown, unit: count, description: d}\n"
		  "counters:\n" COUNTER("a") "advice:\n" RULE("column", "low", "a > rate", "")
		      RULE("given", "low", "a > budget", "") RULE("lost", "low", "a > unknown", "")
			  RULE("rated", "low", "a / seconds > 4", ""));
	table(&w, names, 2, 2, values);
	judge(&w, &options);
	assert_int_equal(find(&w, "column")->samples, 1);
	assert_int_equal(find(&w, "given")->samples, 2);
	assert_string_equal(find(&w, "lost")->why,
			    "the run did not collect it (unknown with --const)");
	assert_string_equal(find(&w, "rated")->why, "the run did not collect it (duration_ns)");
	sx_advice_destroy(w.advice);
	sx_table_set_time(w.raw, 0, 0, UINT64_C(2000000000));
	sx_table_set_time(w.raw, 1, 5, UINT64_C(4000000005));
	judge(&w, &options);
	assert_int_equal(find(&w, "rated")->samples, 1);
	assert_int_equal(find(&w, "rated")->rows, 2);
	end(&w);
}

/* A rule that cannot be read, or not be compiled, leaves the others alone. */
static void test_broken_rules(void **state)
{
	static const char *const names[] = {"a"};
	const double values[] = {1};
	struct world w = {0};
	parse(&w, "counters:\n" COUNTER("a") "advice:\n" RULE("torn", "low", "a >", "")
		      RULE("wide", "low", "sum(a[0..4000]) > max(a[*])", "")
			  RULE("sound", "low", "a > 0", ""));
	table(&w, names, 1, 1, values);
	judge(&w, NULL);
	assert_true(find(&w, "sound")->fired);
	assert_string_equal(find(&w, "torn")->why, "its condition cannot be read");
	assert_non_null(find(&w, "wide")->why);
	end(&w);
}

#define SETS                                                                                       \
	"groups:\n  - {name: One, title: t, kind: set}\n  - {name: Two, title: t, kind: set}\n"    \
	"counters:\n" COUNTER("a") COUNTER("b")                                                    \
	    COUNTER("c") "metrics:\n"                                                              \
			 "  - {name: m, title: t, unit: count, groups: [One], expr: a + b, "       \
			 "description: d}\n"                                                       \
			 "  - {name: n, title: t, unit: count, groups: [One, Two], expr: a, "      \
			 "description: d}\n"                                                       \
			 "  - {name: o, title: t, unit: count, groups: [Two], expr: a + c, "       \
			 "description: d}\n"                                                       \
			 "advice:\n" RULE("in-one", "low", "m > 0", "metric: m, ")                 \
			     RULE("both", "low", "n > 0", "metric: n, ")                           \
				 RULE("in-two", "low", "o > 0", "")

/* Counters mean something else in each set: the caller names the set of a table. */
static void test_sets(void **state)
{
	static const char *const names[] = {"a", "b", "c"};
	const double values[] = {1, 2, 3};
	struct sx_metrics_options two = {.set = "Two"};
	struct world w = {0};
	parse(&w, SETS);
	table(&w, names, 3, 1, values);
	judge(&w, NULL);
	assert_string_equal(sx_advice_set(w.advice), "One");
	assert_true(find(&w, "in-one")->fired && find(&w, "both")->fired);
	assert_string_equal(find(&w, "in-two")->why,
			    "o: another source or metric set counts it (set Two, not One)");
	sx_advice_destroy(w.advice);
	judge(&w, &two);
	assert_true(find(&w, "in-two")->fired && find(&w, "both")->fired);
	assert_non_null(find(&w, "in-one")->why);
	sx_advice_destroy(w.advice);
	sx_table_destroy(w.raw);
	table(&w, (const char *const[]){"a", "c"}, 2, 1, values); /* without b it cannot be One */
	judge(&w, NULL);
	assert_string_equal(sx_advice_set(w.advice), "Two");
	end(&w);
}

static void test_options_are_checked(void **state)
{
	static const char *const names[] = {"a"};
	const double values[] = {1};
	const struct sx_constant_value unknown[] = {{"nonesuch", 8}};
	struct sx_error err = {0};
	struct world w = {0};
	parse(&w, SETS);
	table(&w, names, 1, 1, values);
	assert_int_equal(sx_advice_create(w.catalog, &(struct sx_metrics_options){.set = "Three"},
					  w.raw, &w.advice, &err),
			 SX_ERR_NOT_FOUND);
	assert_int_equal(sx_advice_create(w.catalog,
					  &(struct sx_metrics_options){.constants = unknown,
								       .constant_count = 1},
					  w.raw, &w.advice, &err),
			 SX_ERR_NOT_FOUND);
	end(&w);
}

/* A metric and a counter that it reads, side by side, over a column of another type. */
static void test_counter_beside_metric(void **state)
{
	static const char *const patterns[] = {"a", "half"};
	struct world w = {0};
	struct sx_metrics *metrics;
	struct sx_table *out;
	parse(&w,
	      "counters:\n  - {name: a, unit: count, type: f64, description: d}\n"
	      "metrics:\n  - {name: half, title: t, unit: count, expr: a / 2, description: d}\n");
	struct sx_column column = {.name = "a", .unit = "count", .type = SX_U64};
	assert_int_equal(sx_table_create(&column, 1, SX_SAMPLE_ROW, &w.raw, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(w.raw, 1, NULL, NULL), SX_OK);
	sx_table_set_u64(w.raw, 0, 0, 7, 0);
	struct sx_metrics_options options = {
	    .patterns = patterns, .pattern_count = 2, .like = w.raw};
	assert_int_equal(sx_metrics_create(w.catalog, &options, &metrics, NULL), SX_OK);
	assert_int_equal(sx_metrics_eval(metrics, w.raw, &out, NULL), SX_OK);
	assert_true(sx_table_get(out, 0, 0) == 7);
	assert_true(sx_table_get(out, 1, 0) == 3.5);
	sx_table_destroy(out);
	sx_metrics_destroy(metrics);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_share_and_runs),
	    cmocka_unit_test(test_no_data),
	    cmocka_unit_test(test_ranking),
	    cmocka_unit_test(test_evidence),
	    cmocka_unit_test(test_constants_and_time),
	    cmocka_unit_test(test_sets),
	    cmocka_unit_test(test_broken_rules),
	    cmocka_unit_test(test_options_are_checked),
	    cmocka_unit_test(test_counter_beside_metric),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
