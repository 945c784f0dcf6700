/* Comparisons: noise, what is compared exactly, and how gates are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/compare/compare.h"
#include "analysis/compare/gate.h"
#include "analysis/compare/noise.h"
#include "unit/analysis/noise.h"

/* Student's and the normal distribution, against tables. */
static void test_chance(void **state)
{
	static const struct {
		double t, freedom, chance;
	} table[] = {{2.306, 8, 0.05},	{2.8965, 8, 0.02},	 {3.3554, 8, 0.01},
		     {12.706, 1, 0.05}, {1.959964, 1e9, 0.05},	 {2.0423, 30, 0.05},
		     {0, 5, 1},		{2.575829, 1e7, 0.0100}, {4.5407, 3, 0.02}};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		double got = noise_chance(table[i].t, table[i].freedom);
		if (fabs(got - table[i].chance) > 2e-4)
			fail_msg("t %g of %g: %g, expected %g", table[i].t, table[i].freedom, got,
				 table[i].chance);
	}
}

/* The noise of a series: of independent values s/sqrt(n); neighbours that are alike make it more.
 */
static void test_series(void **state)
{
	enum { COUNT = 4000 };
	static double values[COUNT];
	const double count = COUNT;
	double blocks, last = 0, plain = 0, alike = 0;
	(void)state;
	state_ = SEED;
	for (int k = 0; k < 20; k++) {
		for (int i = 0; i < COUNT; i++)
			values[i] = normal();
		plain += noise_of_series(values, COUNT, &blocks) / 20;
		for (int i = 0; i < COUNT; i++)
			values[i] = last = 0.8 * last + normal();
		alike += noise_of_series(values, COUNT, &blocks) / 20;
	}
	assert_true(fabs(plain * count - 1) < 0.15);
	/* The truth is 1 / (1 - 0.8)^2 = 25; blocks of 16 see most of it. */
	assert_true(alike * count > 14 && alike * count < 27);
	noise_of_series(values, 10, &blocks);
	assert_true(blocks == 0);
}

static struct compare_metric *one(struct compare_set *set, const char *name, const char *unit,
				  uint32_t runs)
{
	struct compare_metric *m = add(set, name, runs);
	m->unit = unit;
	return m;
}

/* Counts that the work decides differ by a single piece; other numbers are what they are. */
static void test_exact(void **state)
{
	struct compare_set sets[2];
	struct comparison c;
	(void)state;
	for (int s = 0; s < 2; s++) {
		compare_set_init(&sets[s]);
		struct compare_device *d = compare_set_device(&sets[s]);
		d->catalog = d->name = "made-up";
		d->samples = 100;
		sets[s].runs = 1;
		for (int i = 0; i < 3; i++) {
			static const char *const names[] = {"vertices", "same", "cycles"};
			struct compare_metric *m =
			    one(&sets[s], names[i], i < 2 ? "vertices" : "cycles", 1);
			m->counts = i < 2;
			m->direction = SX_DIRECTION_UNKNOWN;
			m->samples[0] = 100;
			m->totals[0] = 1000000 + (i == 0 ? s : 0);
			m->means[0] = m->totals[0] / 100;
			m->within[0] = 25;
			m->blocks[0] = 20;
		}
		assert_int_equal(compare_set_done(&sets[s], NULL), SX_OK);
	}
	assert_int_equal(compare_run(&sets[0], &sets[1], &c, NULL), SX_OK);
	assert_int_equal(c.rows[0].verdict, COMPARE_CHANGED);
	assert_true(c.rows[0].exact);
	assert_int_equal(c.rows[1].verdict, COMPARE_SAME);
	assert_int_equal(c.rows[2].verdict, COMPARE_SAME);
	assert_false(c.rows[2].exact);
	assert_true(c.comparable && c.why_not); /* one run each is said */
	comparison_finish(&c);
	compare_set_finish(&sets[0]);
	compare_set_finish(&sets[1]);
}

/* A run with lost samples has no exact value, though all samples that were counted are alike. */
static void test_partial(void **state)
{
	(void)state;
	for (int partial = 0; partial < 2; partial++) {
		struct compare_set sets[2];
		struct comparison c;
		for (int s = 0; s < 2; s++) {
			compare_set_init(&sets[s]);
			struct compare_device *d = compare_set_device(&sets[s]);
			d->catalog = d->name = "made-up";
			d->samples = 299;
			sets[s].runs = 1;
			struct compare_metric *m = one(&sets[s], "vertices", "vertices", 1);
			m->counts = m->constant = true;
			m->partial = partial && s;
			m->samples[0] = 299;
			m->totals[0] = 3 * 299;
			m->means[0] = m->stats.min = m->stats.max = 3;
			assert_int_equal(compare_set_done(&sets[s], NULL), SX_OK);
		}
		assert_int_equal(compare_run(&sets[0], &sets[1], &c, NULL), SX_OK);
		assert_int_equal(c.rows[0].exact, !partial);
		assert_int_equal(c.rows[0].verdict, COMPARE_SAME);
		comparison_finish(&c);
		compare_set_finish(&sets[0]);
		compare_set_finish(&sets[1]);
	}
}

/* Values without any spread: a clock that ticks coarsely is no proof, what never varies is. */
static void test_without_spread(void **state)
{
	static const struct {
		uint32_t runs;
		uint64_t samples;
		bool constant;
		double a, b;
		enum compare_verdict verdict;
	} cases[] = {{2, 1, true, 20, 21, COMPARE_SAME},     {2, 40, false, 20, 21, COMPARE_SAME},
		     {2, 40, true, 20, 21, COMPARE_WORSE},   {5, 1, true, 20, 21, COMPARE_WORSE},
		     {5, 40, false, 20, 19, COMPARE_BETTER}, {2, 1, false, 20, 20, COMPARE_SAME}};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct compare_set sets[2];
		struct comparison c;
		for (int s = 0; s < 2; s++) {
			compare_set_init(&sets[s]);
			struct compare_device *d = compare_set_device(&sets[s]);
			d->catalog = d->name = "made-up";
			d->samples = 100;
			sets[s].runs = cases[i].runs;
			struct compare_metric *m = add(&sets[s], "queue", cases[i].runs);
			m->unit = "count";
			m->constant = cases[i].constant;
			for (uint32_t r = 0; r < cases[i].runs; r++) {
				m->samples[r] = cases[i].samples;
				m->means[r] = s ? cases[i].b : cases[i].a;
				m->totals[r] = (double)NAN;
			}
			assert_int_equal(compare_set_done(&sets[s], NULL), SX_OK);
		}
		assert_int_equal(compare_run(&sets[0], &sets[1], &c, NULL), SX_OK);
		if (c.rows[0].verdict != cases[i].verdict)
			fail_msg("case %zu: %s", i, compare_verdict_name(c.rows[0].verdict));
		comparison_finish(&c);
		compare_set_finish(&sets[0]);
		compare_set_finish(&sets[1]);
	}
}

static void test_gates_are_read(void **state)
{
	static const struct {
		const char *text, *metric;
		enum gate_stat stat;
		enum gate_op op;
		bool relative;
		double number;
		const char *unit;
	} good[] = {
	    {"frame_time.p95 < 16.6ms", "frame_time", GATE_P95, GATE_LESS, false, 16.6, "ms"},
	    {"frame_time<+5%", "frame_time", GATE_MEAN, GATE_LESS, true, 0.05, ""},
	    {"gpu.busy>=80%", "gpu.busy", GATE_MEAN, GATE_AT_LEAST, false, 80, "%"},
	    {"IAVertices.total == 2k", "IAVertices", GATE_TOTAL, GATE_EQUAL, false, 2, "k"},
	    {"UNC.Read_MBps.max<=100MB/s", "UNC.Read_MBps", GATE_MAX, GATE_AT_MOST, false, 100,
	     "MB/s"},
	    {"draws <= +0", "draws", GATE_MEAN, GATE_AT_MOST, true, 0, ""},
	    {"x > -3%", "x", GATE_MEAN, GATE_MORE, true, -0.03, ""}};
	struct arena arena = {0};
	struct gate g;
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(gate_parse(&arena, good[i].text, &g, NULL), SX_OK);
		assert_string_equal(g.metric, good[i].metric);
		assert_int_equal(g.stat, good[i].stat);
		assert_int_equal(g.op, good[i].op);
		assert_int_equal(g.relative, good[i].relative);
		assert_true(fabs(g.number - good[i].number) < 1e-12);
		assert_string_equal(g.unit, good[i].unit);
	}
	arena_finish(&arena);
}

static void test_what_is_no_gate(void **state)
{
	static const char *const bad[] = {
	    "",		"frame_time", "frame_time < ", "< 5ms",	   "a = 5",	"a < fast",
	    "a => 5",	"a < +5",     "a < +5s",       "a << 5",   "a < 1e999", "a < nan",
	    "a <> 5",	"a < 0x",     "a < --5",       "a < 0x10", "a < 5 5",	"a < 5s < 6s",
	    "a < 00X1", "a < 1.2.3",  "a < 1,5",       "a < 5e",   "a < 5e+",	"a < 5_000"};
	struct arena arena = {0};
	struct gate g;
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sx_error err = {0};
		if (gate_parse(&arena, bad[i], &g, &err) != SX_ERR_USAGE)
			fail_msg("\"%s\" is read as a gate", bad[i]);
		assert_true(err.message[0] && err.because[0] && err.remedy[0]);
	}
	arena_finish(&arena);
}

static void test_lines_of_gates(void **state)
{
	struct arena arena = {0};
	struct gates list;
	(void)state;
	assert_int_equal(
	    gate_parse_lines(&arena, "f", "# all\n\na < 1 # one\n b > 2\n", &list, NULL), SX_OK);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0].text, "a < 1");
	struct sx_error err = {0};
	assert_int_equal(gate_parse_lines(&arena, "f", "a < 1\nb\n", &list, &err),
			 SX_ERR_BAD_INPUT);
	assert_string_equal(err.message, "f:2: \"b\" is no gate");
	assert_string_equal(err.because, "it needs one of < <= > >= ==");
	assert_true(err.remedy[0]);
	arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_chance),	    cmocka_unit_test(test_series),

	    cmocka_unit_test(test_exact),	    cmocka_unit_test(test_partial),
	    cmocka_unit_test(test_without_spread),  cmocka_unit_test(test_gates_are_read),
	    cmocka_unit_test(test_what_is_no_gate), cmocka_unit_test(test_lines_of_gates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
