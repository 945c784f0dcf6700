/* The verdict of each window while it is judged. Shared by the verdict's files. */
#ifndef ANALYSIS_VERDICT_JUDGING_H
#define ANALYSIS_VERDICT_JUDGING_H

#include "analysis/verdict/facts.h"

#define NO_RULE UINT32_MAX /* no rule holds, or none can be judged */

struct judging {
	struct verdict *verdict;
	struct verdict_facts facts;
	double **when, **keep; /* of each rule, a value a window */
	uint32_t *rule;	       /* of each window, or NO_RULE */
	double *confidence;    /* of each window */
	uint32_t *bound;       /* a fact but for which a rule would hold, a bound; or SX_NONE */
	bool *overruled;       /* the window's own facts say something else */
	uint32_t *own_rule;    /* what a window's own facts say, and how surely */
	double *own_confidence;
	double **measured; /* of each fact, before values were smoothed */
};

/* Judges every window by the rules, and makes that steady. Errors: SX_ERR_NO_MEMORY. */
enum sx_status judging_run_rules(struct judging *j, struct sx_error *err);

const struct verdict_rule *judging_rule(const struct judging *j, uint32_t rule);
/* Whether two rules (or NO_RULE) say the same. */
bool judging_same(const struct judging *j, uint32_t a, uint32_t b);
/* Whether a value may decide. One that may have wrapped unnoticed may not. */
bool judging_is_sound(const struct verdict_column *c, size_t window);
/* The first fact of a list without a sound value; SX_NONE: all have one. */
uint32_t judging_missing(const struct judging *j, const struct sx_strings *names, size_t window);
/* How many windows from this one on have its verdict. */
size_t judging_run(const struct judging *j, size_t first);

#endif
