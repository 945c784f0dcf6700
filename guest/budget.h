/*
 * Which samples are measured where they are many and each is short: measuring one costs about as
 * much as measuring another, whatever it is, and our own code knows how long it took. A share of
 * the program's time is what may be spent; what little is left over is saved up. Where samples
 * are long that is enough for all of them. Plain arithmetic: no clock, no system call, no API.
 * guest/pace.h is for frames, whose cost shows only beside frames that were not measured.
 */
#ifndef GUEST_BUDGET_H
#define GUEST_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define BUDGET_SAVED_NS 1000000u /* at most, and at the start */
#define BUDGET_FIRST_NS 1000u	 /* what measuring one is taken to cost before that is known */
#define BUDGET_REST	8u	 /* samples that are left out before it is asked again, at least */

/* Used by one thread at a time. */
struct budget {
	uint32_t overhead_ppm; /* of the program's time; 0: everything is measured */
	uint32_t random;
	double have_ns;
	double cost_ns;	   /* of one sample, as known so far */
	uint64_t asked_ns; /* the time of the last question */
	double own_ns;	   /* that measuring took, and */
	double samples;	   /* so many samples; old ones count less */
};

void budget_start(struct budget *budget, uint32_t overhead_ppm, uint64_t now_ns);
/*
 * Whether the sample that begins is to be measured: then 0. Else how many are not, with this one.
 */
uint32_t budget_ask(struct budget *budget, uint64_t now_ns);
/* Our own code took so long, for as many samples that were asked for; 0: for those of before. */
void budget_spend(struct budget *budget, uint64_t own_ns, uint32_t samples);

#endif
