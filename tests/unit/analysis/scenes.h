/*
 * Simulated runs of scenes with a known limit: counters of four vendors' GPUs and of the program,
 * with noise.
 */
#ifndef UNIT_ANALYSIS_SCENES_H
#define UNIT_ANALYSIS_SCENES_H

#include <stdbool.h>

#include <sextant/context.h>
#include "analysis/verdict/verdict.h"

#define RUN_NS	 UINT64_C(6000000000)
#define SLICE_NS UINT64_C(50000000)
#define SOURCES	 3
#define CLOCK_HZ 8e8 /* the clock of every GPU here, its highest */

/* Shares of time, 0 to 1; what is negative is not measured. */
struct scene {
	const char *name, *verdict;
	double gpu, cpu, wait, bandwidth, stall, throttled;
	double frame_ms, jitter;
};

enum { GPU_SCENE = 3, SCENES = 10 };
extern const struct scene scenes[SCENES];

struct run {
	const struct scene *scene;
	uint64_t seed;
	struct sx_context *context;
	struct sx_table *tables[SOURCES];
	struct sx_catalog *catalogs[SOURCES];
	struct sx_metrics_options options[SOURCES];
	struct verdict_source sources[SOURCES];
	uint32_t count;
	uint64_t begin_ns;
	double noise;
};
/* -1 to 1. */
double run_chance(struct run *r);
void run_begin(struct run *r, const struct scene *scene, uint64_t seed);
void run_end(struct run *r);
struct sx_table *run_add_source(struct run *r, const char *catalog, const char *const *names,
				uint32_t count, enum sx_sample_kind kind);
size_t run_add_row(struct sx_table *t, uint64_t begin_ns, uint64_t end_ns);
/* Values of a row; what is negative is not measured. */
void run_put(struct sx_table *t, size_t row, const double *values, uint32_t count);
/* Counters of the program: frames, and its busiest thread. */
void run_add_frames(struct run *r);
/* Counters of a vendor's GPU. */
void run_add_mali(struct run *r);
void run_add_intel(struct run *r);
void run_add_amd(struct run *r);
void run_add_drm(struct run *r);
struct verdict *run_judge(struct run *r);
/* The scene's verdict, for nearly all of the run. */
void run_expect(const struct run *r, const struct verdict *v, const char *who);

#endif
