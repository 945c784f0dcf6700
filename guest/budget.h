/*
 * A token bucket that chooses which of many short samples are measured. Each costs about the same,
 * and our own code can time it. The bucket fills with the permitted share of the program's time; if
 * samples are long, that is enough for all. Arithmetic only: no clock, system call or API.
 * guest/pace.h is for frames, where the cost is seen only by comparison with unmeasured frames.
 */
#ifndef GUEST_BUDGET_H
#define GUEST_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define BUDGET_SAVED_NS 1000000u /* the bucket's size; it begins full */
#define BUDGET_FIRST_NS 1000u	 /* assumed cost of a sample until it is known */
#define BUDGET_REST	8u	 /* fewest samples that are skipped at a time */

/* Used by one thread at a time. */
struct budget {
	uint32_t overhead_ppm; /* of the program's time; 0: all samples are measured */
	uint32_t random;
	double have_ns;
	double cost_ns;	   /* of one sample, estimated */
	uint64_t asked_ns; /* time of the last budget_ask() */
	double own_ns;	   /* spent, in total */
	double samples;	   /* for so many samples; older ones are halved */
};

void budget_start(struct budget *budget, uint32_t overhead_ppm, uint64_t now_ns);
/* 0: the sample that begins is measured. Else: how many samples are skipped, including this one. */
uint32_t budget_ask(struct budget *budget, uint64_t now_ns);
/* Charges time of our own code for new samples; 0 samples: for earlier ones. */
void budget_spend(struct budget *budget, uint64_t own_ns, uint32_t samples);

#endif
