/* Two clocks in simulation: one drifts, is set, and sleeps; times stay within their error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <math.h>
#include <sextant/table.h>
#include "base/clock_fit.h"
#include "table/fill.h"

#define NS_PER_S UINT64_C(1000000000)
#define START_NS (1000 * NS_PER_S)

/* The machine: true time is the second clock's, and the first one's is made from it. */
struct machine {
	uint64_t now_ns; /* of the second clock */
	double drift;	 /* of the first beside it */
	double device_ns;
	uint64_t seed;
};

static uint64_t next_random(struct machine *m)
{
	m->seed = m->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return m->seed >> 33;
}

static void pass(struct machine *m, uint64_t ns)
{
	m->now_ns += ns;
	m->device_ns += (double)ns * (1 + m->drift);
}

/* A reading with a bracket of up to 2 us; the true time is anywhere in it. */
static void read_pair(struct machine *m, struct clock_fit *fit)
{
	uint64_t error = 200 + next_random(m) % 800;
	int64_t off = (int64_t)(next_random(m) % (2 * error)) - (int64_t)error;
	struct clock_pair pair = {.from_ns = (uint64_t)m->device_ns,
				  .to_ns = m->now_ns + (uint64_t)off,
				  .error_ns = error};
	clock_fit_add(fit, &pair);
}

static struct machine begin(double drift)
{
	return (struct machine){.now_ns = START_NS, .drift = drift, .device_ns = 5e9, .seed = 16};
}

/* Seconds with a pair in each; conversions between the pairs are as good as the brackets. */
static void run(struct machine *m, struct clock_fit *fit, int seconds)
{
	for (int s = 0; s < seconds; s++) {
		read_pair(m, fit);
		for (int i = 0; i < 10; i++) {
			pass(m, NS_PER_S / 10);
			int64_t off =
			    (int64_t)(clock_fit_convert(fit, (uint64_t)m->device_ns) - m->now_ns);
			/* One pair alone knows no drift. */
			int64_t allowed = fit->count < 2 ? 250000 : 5000;
			if (llabs(off) > allowed)
				fail_msg("second %d: off by %ld ns with %u pairs", s, (long)off,
					 fit->count);
		}
	}
}

static void drift_is_followed(void **state)
{
	static const double drifts[] = {0, 200e-6, -200e-6, 40e-6};
	for (size_t i = 0; i < sizeof(drifts) / sizeof(drifts[0]); i++) {
		struct machine m = begin(drifts[i]);
		struct clock_fit fit = {.count = 0};
		run(&m, &fit, 60);
		assert_int_equal(fit.jumps, 0);
		assert_true(fabs(fit.drift + drifts[i]) < 1e-6);
		assert_in_range(clock_fit_error_ns(&fit), 200, 1000);
	}
}

/* The first clock stops for ten seconds (suspend). Then it is set back by 5 ms. */
static void jumps_are_found(void **state)
{
	struct machine m = begin(200e-6);
	struct clock_fit fit = {.count = 0};
	run(&m, &fit, 20);
	m.now_ns += 10 * NS_PER_S;
	run(&m, &fit, 20);
	assert_int_equal(fit.jumps, 1);
	assert_true(llabs(fit.jump_ns - (int64_t)(10 * NS_PER_S)) < 20000);
	m.device_ns -= 5e6;
	run(&m, &fit, 20);
	assert_int_equal(fit.jumps, 2);
	assert_true(llabs(fit.jump_ns - 5000000) < 20000);
	m.now_ns -= 3 * NS_PER_S; /* the other one was set back */
	run(&m, &fit, 20);
	assert_int_equal(fit.jumps, 3);
	assert_true(fabs(fit.drift + 200e-6) < 1e-6);
}

/* A clock that changes its pace a little, as with temperature, has not jumped. */
static void a_slow_change_is_no_jump(void **state)
{
	struct machine m = begin(0);
	struct clock_fit fit = {.count = 0};
	for (int s = 0; s < 100; s++) {
		m.drift = 20e-6 * sin(s * 0.1);
		read_pair(&m, &fit);
		pass(&m, NS_PER_S);
	}
	assert_int_equal(fit.jumps, 0);
}

static struct sx_table *make(void)
{
	static const struct sx_column column = {
	    .name = "amount", .unit = "count", .type = SX_F64, .over_time = SX_REDUCE_SUM};
	struct sx_table *t = NULL;
	assert_int_equal(sx_table_create(&column, 1, SX_SAMPLE_TIME, &t, NULL), SX_OK);
	return t;
}

static void add(struct sx_table *t, uint64_t begin_ns, uint64_t end_ns, double amount)
{
	size_t row;
	assert_int_equal(sx_table_add_rows(t, 1, &row, NULL), SX_OK);
	sx_table_set_time(t, row, begin_ns, end_ns);
	sx_table_set_f64(t, 0, row, amount, 0);
}

/* What really happened in a span: a rate that swings slowly. */
static double truth(uint64_t begin_ns, uint64_t end_ns)
{
	double a = (double)(begin_ns - START_NS) * 1e-9, b = (double)(end_ns - START_NS) * 1e-9;
	return 1e6 * (b - a) - 3e5 / 0.7 * (cos(0.7 * b) - cos(0.7 * a));
}

#define PER_PAIR 100 /* samples between two pairs of clocks */

/* Samples since the last pair: known to be right only once the next one lies on the line. */
struct window {
	uint64_t begin_ns[PER_PAIR], end_ns[PER_PAIR];
	double amount[PER_PAIR];
	uint32_t count;
};

static void close_window(struct window *w, struct sx_table *to, bool good)
{
	for (uint32_t i = 0; good && i < w->count; i++)
		add(to, w->begin_ns[i], w->end_ns[i], w->amount[i]);
	w->count = 0;
}

/* The machine for a minute, with both jumps between two pairs; returns how many were found. */
static uint32_t sample(struct machine *m, struct sx_table *to)
{
	struct clock_fit fit = {.count = 0};
	struct window w = {.count = 0};
	uint32_t jumps = 0;
	for (int i = 0; i < 6000; i++) {
		if (i % PER_PAIR == 0) {
			read_pair(m, &fit);
			close_window(&w, to, fit.jumps == jumps && i > PER_PAIR);
			jumps = fit.jumps;
		}
		uint64_t from = (uint64_t)m->device_ns, began = m->now_ns;
		pass(m, NS_PER_S / 100);
		w.begin_ns[w.count] = clock_fit_convert(&fit, from);
		w.end_ns[w.count] = clock_fit_convert(&fit, (uint64_t)m->device_ns);
		w.amount[w.count++] = truth(began, m->now_ns);
		if (i == 2037)
			m->now_ns += 30 * NS_PER_S;
		if (i == 4061)
			m->device_ns -= 5e6;
	}
	return jumps;
}

/*
 * A device samples every 10 ms by its own clock, which drifts by 200 ppm, jumps and sleeps; frames
 * of 16 ms are the CPU's. Joined values are within 1 % of the truth; where a jump was found since
 * the last pair there are none.
 */
static void joined_values_are_true(void **state)
{
	struct machine m = begin(200e-6);
	struct sx_table *frames = make(), *samples = make(), *joined = NULL;
	double worst = 0;
	uint32_t compared = 0;
	assert_int_equal(sample(&m, samples), 2);
	for (uint64_t at = START_NS; at + 16000000 < m.now_ns; at += 16000000)
		add(frames, at, at + 16000000, 0);
	assert_int_equal(sx_table_join(frames, samples, &joined, NULL), SX_OK);
	for (size_t r = 0; r < sx_table_row_count(joined); r++) {
		double have = sx_table_get(joined, 0, r);
		if (isnan(have) || table_quality(joined, 0)[r] & SX_QUALITY_MULTIPLEXED)
			continue;
		double want = truth(sx_table_begin_ns(joined)[r], sx_table_end_ns(joined)[r]);
		worst = fmax(worst, fabs(have / want - 1));
		compared++;
	}
	assert_in_range(compared, 3300, 3700); /* of 3,750 that are not asleep */
	if (worst > 0.01)
		fail_msg("off by %g", worst);
	sx_table_destroy(frames);
	sx_table_destroy(samples);
	sx_table_destroy(joined);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(drift_is_followed),
	    cmocka_unit_test(jumps_are_found),
	    cmocka_unit_test(a_slow_change_is_no_jump),
	    cmocka_unit_test(joined_values_are_true),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
