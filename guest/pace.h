/*
 * Which samples are measured, so that measuring costs no more than it may. Measured samples come in
 * runs; between them lie samples without any query, by which the cost of the measured ones is told.
 * Plain arithmetic: no clock, no system call, no API. One for each context.
 */
#ifndef GUEST_PACE_H
#define GUEST_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_FIRST	   4u  /* samples measured before anything is known */
#define PACE_FIRST_OF_MORE 2u  /* the same of contexts that are not the first */
#define PACE_RUN_MAX	   28u /* measured samples in a row */
#define PACE_TAIL	   2u  /* samples after a run that may still pay for it */
#define PACE_BASE	   4u  /* samples after those, at least: what a sample costs unmeasured */
#define PACE_RUNS	   63u /* runs whose cost is remembered */
#define PACE_UNKNOWN	   UINT64_MAX

enum pace_phase { PACE_MEASURE, PACE_TAIL_OF_RUN, PACE_REST };

/* CPU time that samples took. */
struct pace_sum {
	uint64_t cpu_ns;
	uint32_t samples;
};

struct pace {
	uint32_t overhead_ppm; /* what measuring may cost; 0: everything is measured */
	bool parts; /* each part of a sample is measured for itself, as dear as that may be */
	enum pace_phase phase;
	uint32_t left; /* samples of this phase still to come; of a rest, at least */
	bool awaits;   /* results of the last run are still to come */
	struct pace_sum run, tail, before, after;
	struct pace_sum late;	    /* after the tail, until the last results came */
	uint32_t since, before_run; /* samples since the last run or drawing; so many before it */
	uint32_t deferred;	    /* runs in a row that made the driver do what it had put off, */
	double each;		    /* which cost so many samples' worth for each sample before */
	uint32_t pending;	    /* samples of this phase whose CPU time is not known yet */
	uint32_t last_run, random;
	struct {
		double extra; /* unmeasured samples' worth, for each measured one */
		uint32_t samples;
	} known[PACE_RUNS];   /* of the last runs */
	uint32_t runs;	      /* whose cost is known */
	double newest;	      /* the last one's */
	double typical;	      /* what a run's samples cost, by all of them */
	double measured, all; /* samples so far; old ones count less */
	double later;	      /* measured ones, without those of the first two runs */
};

/*
 * Begins, with the first sample to be measured. `before`: how many contexts there were before: each
 * goes its own way, and first samples, which are measured whatever they cost, are few for others
 * than the first.
 */
void pace_start(struct pace *pace, uint32_t overhead_ppm, uint32_t before);
/* Whether the sample that begins now is to be measured. */
bool pace_measures(const struct pace *pace);
/* Whether results of the last run are still to come: until they do, samples may pay for it. */
void pace_await(struct pace *pace, bool awaits);
/* The program lets the driver do all that it has put off. */
void pace_drawn(struct pace *pace);
/* Whether the end of the sample that runs is one of those at which CPU time must be known. */
bool pace_wants_time(const struct pace *pace);
/*
 * The sample has ended. `cpu_ns`: CPU time of the process since the last end at which it was known,
 * or PACE_UNKNOWN where it need not be.
 */
void pace_sample(struct pace *pace, uint64_t cpu_ns);

#endif
