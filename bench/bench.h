/* What benchmarks share: a clock, and the best of several runs. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>
#include <time.h>

static inline double bench_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of the quickest of `runs` runs: noise only ever adds. */
static inline double bench_best(int runs, void (*run)(void *user), void *user)
{
	double best = 1e30;
	for (int i = 0; i < runs; i++) {
		double begin = bench_now();
		run(user);
		double took = bench_now() - begin;
		best = took < best ? took : best;
	}
	return best;
}

#endif
