/* Which samples are measured: programs of known cost, and what measuring them comes to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "guest/pace.h"

#define PLAIN_NS 1000000u

/* A program: what its unmeasured samples cost, how much longer measured ones take, how late. */
struct program {
	double slowdown;
	uint32_t samples, lag;
	uint32_t noise_percent;
	uint64_t load_ns;	/* a sample that costs so much more, */
	uint32_t load_every;	/* every so often */
	uint64_t first_ns;	/* what its start adds to the first sample */
	uint32_t drift_percent; /* by which a busy machine changes what samples cost, */
	uint32_t drift_samples; /* for so many of them */
	uint32_t told_every;	/* CPU time is known at every so many ends only, or when asked */
	bool parts;		/* each of a sample's parts is measured */
};

struct outcome {
	uint32_t measured;
	double overhead; /* CPU time with measuring by CPU time without, less 1 */
	uint32_t last;	 /* the last measured sample */
	uint32_t odd;	 /* measured samples of odd number */
};

static uint32_t roll(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static uint64_t plain_cost(const struct program *p, uint32_t i, uint32_t *random)
{
	uint64_t cost = PLAIN_NS;
	uint32_t level = p->drift_samples ? i / p->drift_samples : 0;
	if (level) {
		roll(&level);
		cost = cost * (100 - p->drift_percent + level % 997 % (2 * p->drift_percent)) / 100;
	}
	if (p->noise_percent)
		cost =
		    cost * (100 - p->noise_percent + roll(random) % (2 * p->noise_percent)) / 100;
	if (p->load_every && i % p->load_every == p->load_every - 1)
		cost += p->load_ns;
	return i == 0 ? cost + p->first_ns : cost;
}

static struct outcome play(const struct program *p, uint32_t overhead_ppm)
{
	struct outcome out = {0};
	struct pace pace;
	uint64_t late[4] = {0}, plain = 0, whole = 0, unknown = 0;
	uint32_t random = 1;
	pace_start(&pace, overhead_ppm, 0);
	pace.parts = p->parts;
	for (uint32_t i = 0; i < p->samples; i++) {
		uint64_t cost = plain_cost(p, i, &random);
		plain += cost;
		if (pace_measures(&pace)) {
			out.measured++;
			out.odd += i % 2;
			out.last = i;
			late[(i + p->lag) % 4] += (uint64_t)(PLAIN_NS * (p->slowdown - 1));
		}
		cost += late[i % 4];
		late[i % 4] = 0;
		whole += cost;
		unknown += cost;
		if (p->told_every && i % p->told_every && !pace_wants_time(&pace)) {
			pace_sample(&pace, PACE_UNKNOWN);
			continue;
		}
		pace_sample(&pace, unknown);
		unknown = 0;
	}
	out.overhead = (double)whole / (double)plain - 1;
	return out;
}

static void test_no_limit_measures_everything(void **state)
{
	struct program p = {.slowdown = 17, .samples = 500};
	assert_int_equal(play(&p, 0).measured, 500);
}

/* The program: 2,000 samples, 17 times as long, late or at once. */
static void test_a_dear_program_stays_below_its_limit(void **state)
{
	for (uint32_t lag = 0; lag <= 2; lag++) {
		struct program p = {.slowdown = 17, .samples = 2000, .lag = lag};
		struct outcome out = play(&p, 50000);
		assert_true(out.overhead < 0.08);
		assert_true(out.measured >= 5);
		p.samples = 20000;
		out = play(&p, 50000);
		assert_true(out.overhead < 0.055);
		assert_true(out.measured > 40);
		assert_true(out.last > 19000);
	}
}

/*
 * A thousand tiny draws, each with its own queries, take a hundred times as long: after the first
 * samples nothing is measured until these are a fifth of all, and then as of any program.
 */
static void test_parts_that_are_dear(void **state)
{
	struct program p = {.slowdown = 100, .samples = 1500, .parts = true};
	struct outcome out = play(&p, 50000);
	assert_int_equal(out.measured, PACE_FIRST);
	p.samples = 40000;
	out = play(&p, 50000);
	assert_true(out.overhead < 0.055);
	assert_true(out.measured > 10);
}

/* However dear a sample is: it is measured again once the others pay for it. */
static void test_the_dearest_is_measured_again(void **state)
{
	for (uint32_t slowdown = 60; slowdown <= 480; slowdown *= 2) {
		struct program p = {.slowdown = slowdown, .samples = 200 * slowdown};
		struct outcome out = play(&p, 50000);
		assert_true(out.measured >= 10);
		assert_true(out.last > p.samples / 2);
		assert_true(out.overhead < 0.075);
	}
}

static void test_a_cheap_program_is_measured_often(void **state)
{
	struct program p = {.slowdown = 1.01, .samples = 5000, .noise_percent = 10};
	struct outcome out = play(&p, 50000);
	assert_true(out.measured > 5000 * 0.35);
	assert_true(out.overhead < 0.008);
}

/* A program with small frames: each query counts, and the limit is met with room to spare. */
static void test_small_costs_stay_well_below_the_limit(void **state)
{
	for (uint32_t noise = 0; noise <= 30; noise += 10) {
		struct program p = {.slowdown = 1.08, .samples = 20000, .noise_percent = noise};
		struct outcome out = play(&p, 50000);
		assert_true(out.overhead < 0.0085);
		assert_true(out.measured > 20000 * 0.065);
	}
}

/* On a busy machine what a sample costs is hidden: that is no reason to measure more of them. */
static void test_a_cost_that_noise_hides_is_not_taken_for_none(void **state)
{
	static const uint32_t lengths[] = {2000, 5000, 20000};
	for (uint32_t i = 0; i < 30; i++) {
		struct program p = {.slowdown = i % 2 ? 1.04 : 1.08,
				    .samples = lengths[i % 3],
				    .noise_percent = 10,
				    .drift_percent = 10 + i,
				    .drift_samples = 24,
				    .told_every = i % 2 ? 1 : 5};
		struct outcome out = play(&p, 50000);
		assert_true(out.overhead < 0.011);
		assert_true(out.measured > p.samples * 0.06);
	}
}

/*
 * Beginning and ending a run costs as much as five samples of it (variants of shaders, caches):
 * long runs give more for it than short ones.
 */
static void test_cheap_programs_are_measured_in_long_runs(void **state)
{
	struct pace pace;
	unsigned runs = 0, measured = 0, late = 0;
	uint64_t whole = 0;
	bool before = false;
	pace_start(&pace, 50000, 0);
	for (uint32_t i = 0; i < 20000; i++) {
		bool now = pace_measures(&pace);
		uint64_t cost = PLAIN_NS + (now ? PLAIN_NS * 3 / 100 : 0) +
				(now && !before ? PLAIN_NS * 7 / 100 : 0);
		late = before && !now ? 4 : late;
		if (!now && late > 0)
			cost += PLAIN_NS * late-- * 2 / 100;
		runs += now && !before;
		measured += now;
		before = now;
		whole += cost;
		pace_sample(&pace, cost);
	}
	assert_true(measured > 20000 * 0.15 && measured >= 8 * runs);
	assert_true((double)whole / (20000.0 * PLAIN_NS) < 1.02);
}

/* Half as long again: a tenth of the samples for 5 %, half of them for 25 %. */
static void test_the_limit_sets_the_share(void **state)
{
	struct program p = {.slowdown = 1.5, .samples = 20000, .noise_percent = 10};
	struct outcome tight = play(&p, 50000), loose = play(&p, 250000);
	assert_in_range(tight.measured, 20000 * 0.06, 20000 * 0.12);
	assert_in_range(loose.measured, 20000 * 0.35, 20000 * 0.6);
	assert_true(tight.overhead < 0.06 && loose.overhead < 0.27);
}

static void test_loads_and_starts_do_not_mislead(void **state)
{
	struct program p = {.slowdown = 1.02,
			    .samples = 5000,
			    .noise_percent = 20,
			    .load_ns = 200 * PLAIN_NS,
			    .load_every = 97,
			    .first_ns = 2000u * PLAIN_NS};
	assert_true(play(&p, 50000).measured > 5000 * 0.1);
	p.slowdown = 17;
	p.samples = 20000;
	assert_true(play(&p, 50000).overhead < 0.06);
}

/* A program that does something every second frame is seen in both of its frames. */
static void test_no_step_with_the_program(void **state)
{
	struct program p = {.slowdown = 1.5, .samples = 20000};
	struct outcome out = play(&p, 50000);
	assert_in_range(out.odd, out.measured * 0.35, out.measured * 0.65);
}

/* A dear program is not measured at its start alone, and in both frames of such a program. */
static void test_what_is_measured_is_spread(void **state)
{
	struct program p = {.slowdown = 5, .samples = 500};
	struct outcome out = play(&p, 50000);
	assert_true(out.last > 250);
	assert_in_range(2 * out.odd, out.measured - 1, out.measured + 1);
	assert_true(out.overhead < 0.08);
	p.samples = 10000;
	assert_true(play(&p, 50000).overhead < 0.05);
}

/* Many contexts that live for a few frames: all of the first one's are measured, not of all. */
static void test_contexts_after_the_first(void **state)
{
	static const uint32_t first[] = {PACE_FIRST, PACE_FIRST_OF_MORE, PACE_FIRST_OF_MORE};
	for (uint32_t before = 0; before < 3; before++) {
		struct pace pace;
		uint32_t measured = 0;
		pace_start(&pace, 50000, before);
		for (uint32_t i = 0; i < 6; i++) {
			measured += pace_measures(&pace);
			pace_sample(&pace, PLAIN_NS);
		}
		assert_int_equal(measured, first[before]);
	}
}

/* Two contexts that take turns are not measured in step. */
static void test_contexts_go_their_own_ways(void **state)
{
	struct pace pace[2];
	uint32_t both = 0, any = 0;
	for (uint32_t i = 0; i < 2; i++)
		pace_start(&pace[i], 50000, i + 1);
	for (uint32_t frame = 0; frame < 20000; frame++) {
		bool now[2];
		for (uint32_t i = 0; i < 2; i++) {
			now[i] = pace_measures(&pace[i]);
			pace_sample(&pace[i], now[i] ? 5 * PLAIN_NS : PLAIN_NS);
		}
		both += now[0] && now[1];
		any += now[0] || now[1];
	}
	assert_true(any > 200 && both < any / 4);
}

/* A program that becomes dear while it runs. */
static void test_cost_that_rises_is_followed(void **state)
{
	struct pace pace;
	uint64_t plain = 0, whole = 0;
	pace_start(&pace, 50000, 0);
	for (uint32_t i = 0; i < 40000; i++) {
		uint64_t cost = PLAIN_NS;
		if (pace_measures(&pace))
			cost = i < 3000 ? PLAIN_NS * 101 / 100 : PLAIN_NS * 17;
		if (i >= 3000) {
			plain += PLAIN_NS;
			whole += cost;
		}
		pace_sample(&pace, cost);
	}
	/* It takes four runs until the middle of seven is a dear one. */
	assert_true((double)whole / (double)plain < 1.2);
}

/*
 * A driver that never has to draw, until results are asked for: then it does all that was put off,
 * in threads of its own, beside the samples that follow; results come when it is done.
 */
static void test_deferred_work_is_what_measuring_costs(void **state)
{
	for (uint32_t each = 4; each <= 64; each *= 2) {
		struct pace pace;
		uint64_t put_off = 0, doing = 0, plain = 0, whole = 0;
		uint32_t measured = 0;
		pace_start(&pace, 50000, 0);
		for (uint32_t i = 0; i < 20000; i++) {
			bool now = pace_measures(&pace);
			uint64_t part = doing < PLAIN_NS ? doing : PLAIN_NS;
			doing -= part;
			put_off += each * PLAIN_NS;
			measured += now;
			plain += PLAIN_NS;
			whole += PLAIN_NS + part;
			pace_await(&pace, now || doing != 0);
			pace_sample(&pace, PLAIN_NS + part);
			if (now && !pace_measures(&pace)) { /* the run is over: it is asked for */
				doing += put_off;
				put_off = 0;
			}
		}
		assert_in_range(measured, PACE_FIRST, 12);
		assert_true((double)(whole + doing) / (double)plain < 1 + 0.02 * each);
	}
}

/* Once the program itself lets the driver draw every now and then, it may be measured again. */
static void test_what_the_program_draws_itself_is_not_put_off(void **state)
{
	struct pace pace;
	uint64_t put_off = 0, doing = 0;
	uint32_t measured = 0, last = 0;
	pace_start(&pace, 50000, 0);
	for (uint32_t i = 0; i < 200000; i++) {
		bool now = pace_measures(&pace);
		uint64_t part = doing < PLAIN_NS ? doing : PLAIN_NS;
		doing -= part;
		put_off += PLAIN_NS * 3 / 2;
		measured += now;
		last = now ? i : last;
		if (i >= 1000 && i % 20 == 19) { /* which it does without measuring, too */
			put_off = 0;
			pace_drawn(&pace);
		}
		pace_await(&pace, now || doing != 0);
		pace_sample(&pace, PLAIN_NS + part);
		if (now && !pace_measures(&pace)) {
			doing += put_off;
			put_off = 0;
		}
	}
	assert_true(measured > 20);
	assert_true(last > 150000);
}

/* Short runs owe what their first samples cost: not more than these, and a little. */
static void test_short_runs_owe_little(void **state)
{
	for (uint32_t samples = 100; samples <= 400; samples += 100) {
		struct program p = {.slowdown = 6, .samples = samples};
		struct outcome out = play(&p, 50000);
		assert_true(out.measured >= PACE_FIRST);
		assert_true(out.overhead < 5.0 * PACE_FIRST / samples + 0.11);
		assert_true(samples > 100 || out.measured == PACE_FIRST);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_limit_measures_everything),
	    cmocka_unit_test(test_a_dear_program_stays_below_its_limit),
	    cmocka_unit_test(test_parts_that_are_dear),
	    cmocka_unit_test(test_the_dearest_is_measured_again),
	    cmocka_unit_test(test_a_cheap_program_is_measured_often),
	    cmocka_unit_test(test_small_costs_stay_well_below_the_limit),
	    cmocka_unit_test(test_a_cost_that_noise_hides_is_not_taken_for_none),
	    cmocka_unit_test(test_cheap_programs_are_measured_in_long_runs),
	    cmocka_unit_test(test_the_limit_sets_the_share),
	    cmocka_unit_test(test_loads_and_starts_do_not_mislead),
	    cmocka_unit_test(test_no_step_with_the_program),
	    cmocka_unit_test(test_what_is_measured_is_spread),
	    cmocka_unit_test(test_contexts_after_the_first),
	    cmocka_unit_test(test_contexts_go_their_own_ways),
	    cmocka_unit_test(test_cost_that_rises_is_followed),
	    cmocka_unit_test(test_deferred_work_is_what_measuring_costs),
	    cmocka_unit_test(test_what_the_program_draws_itself_is_not_put_off),
	    cmocka_unit_test(test_short_runs_owe_little),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
