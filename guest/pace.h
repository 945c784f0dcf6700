/*
 * Frame sampling: chooses the samples that are measured, within the overhead limit. Measured
 * samples come in runs; the samples between them have no queries and are the baseline that the cost
 * is compared with. Arithmetic only: no clock, system call or API. One for each context.
 */
#ifndef GUEST_PACE_H
#define GUEST_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_FIRST	   4u  /* length of the first run */
#define PACE_FIRST_OF_MORE 2u  /* the same, for contexts after the first */
#define PACE_RUN_MAX	   28u /* longest run, in samples */
#define PACE_TAIL	   2u  /* samples after a run that may still bear its cost */
#define PACE_BASE	   4u  /* fewest baseline samples after the tail */
#define PACE_RUNS	   63u /* the costs of so many runs are kept */
#define PACE_UNKNOWN	   UINT64_MAX

enum pace_phase { PACE_MEASURE, PACE_TAIL_OF_RUN, PACE_REST };

/* CPU time of samples. */
struct pace_sum {
	uint64_t cpu_ns;
	uint32_t samples;
};

struct pace {
	uint32_t overhead_ppm; /* limit; 0: all samples are measured */
	bool parts; /* each part of a sample is measured separately, which may be expensive */
	enum pace_phase phase;
	uint32_t left; /* remaining samples of this phase; of PACE_REST, at least */
	bool awaits;   /* the last run's results are not read yet */
	struct pace_sum run, tail, before, after;
	struct pace_sum late; /* after the tail, until the last results were read */
	uint32_t since,
	    before_run;	   /* samples since the last run or pace_drawn(), and before that run */
	uint32_t deferred; /* successive runs that made the driver execute deferred work */
	double each;	   /* cost of deferred work, in samples, per sample since the last run */
	uint32_t pending;  /* samples of this phase with unknown CPU time */
	uint32_t last_run, random;
	struct {
		double extra; /* cost of a measured sample, in unmeasured samples */
		uint32_t samples;
	} known[PACE_RUNS];   /* the last runs */
	uint32_t runs;	      /* runs with a known cost */
	double newest;	      /* cost of the last run */
	double typical;	      /* cost of a measured sample, over all runs */
	double measured, all; /* samples so far; older ones are halved */
	double later;	      /* measured samples after the first two runs */
};

/*
 * Begins with a measured sample. `before`: the number of contexts before this one, which seeds its
 * random distances. The first run is measured at any cost, so it is shorter for later contexts.
 */
void pace_start(struct pace *pace, uint32_t overhead_ppm, uint32_t before);
/* Whether the sample that begins is measured. */
bool pace_measures(const struct pace *pace);
/* Whether the last run's results are not read yet; until then samples may bear its cost. */
void pace_await(struct pace *pace, bool awaits);
/* The program has made the driver execute its deferred work. */
void pace_drawn(struct pace *pace);
/* Whether CPU time must be read at the end of the current sample. */
bool pace_wants_time(const struct pace *pace);
/*
 * A sample has ended. `cpu_ns`: CPU time of the process since the last call that had one, or
 * PACE_UNKNOWN unless pace_wants_time().
 */
void pace_sample(struct pace *pace, uint64_t cpu_ns);

#endif
