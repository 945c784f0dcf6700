/* The overhead of measuring a program. */
#ifndef ANALYSIS_COST_H
#define ANALYSIS_COST_H

#include <sextant/analysis.h>

/* The overhead of measuring, estimated by the samples that were not measured. */
struct cost {
	uint64_t measured, all; /* samples */
	/* Share of the program's CPU time that went to measuring; NaN where it is unknown. */
	double share;
	/* How many times as much CPU time a measured sample takes; NaN where it is unknown. */
	double slowdown;
	/* Both are NaN because what measured samples took more, or less, may be noise. */
	bool hidden;
	/* Both are NaN because CPU time falls on samples that have nothing to do with it. */
	bool elsewhere;
};

struct costs;

/*
 * Adds up the overhead over tables with the columns of `like`, described by the catalog; its
 * counter with the neutral name cpu.time is the measure. *out is owned by the caller. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status costs_create(struct sx_catalog *catalog, const struct sx_table *like,
			    struct costs **out, struct sx_error *err);
/* Adds rows, in the order in which each context's samples came. */
void costs_add(struct costs *costs, const struct sx_table *rows);
/* The cost so far. */
struct cost costs_get(const struct costs *costs);
/* NULL is fine. */
void costs_destroy(struct costs *costs);

#endif
