/*
 * Facts of windows: values from all sources for each window of time. Shared by the verdict's files.
 */
#ifndef ANALYSIS_VERDICT_FACTS_H
#define ANALYSIS_VERDICT_FACTS_H

#include "analysis/verdict/verdict.h"

/* A column over all windows. */
struct verdict_column {
	double *values; /* NaN: no data */
	uint8_t *quality;
	double *trust;	  /* 0 to 1 */
	uint32_t *device; /* VERDICT_NO_DEVICE: none, or several */
	uint8_t *way;	  /* of each fact: which of its ways gave the value */
};

/* Zero-initialise. */
struct verdict_facts {
	struct arena arena;
	const struct verdict_rules *rules;
	const struct verdict_source *sources;
	uint32_t source_count;
	/* The windows: a table without columns. Without times each is some rows of one source. */
	struct sx_table *windows;
	size_t count;
	bool timed;
	size_t rows_each; /* without times: rows of a window */
	/* Names that formulas use and no fact has: neutral names, constants, `time`. */
	const char **names;
	struct verdict_column *inputs; /* one a name */
	uint32_t name_count, time;     /* time: of these, the window's; or SX_NONE */
	struct verdict_column *facts;  /* one a fact */
};

/* Names of formulas: see verdict_spread() and verdict_kernel_cover(). */
#define FRAME_SPREAD "frame.spread"
#define FRAME_LENGTH "frame.length"
#define FRAME_TIME   "frame.time" /* used as a window's time where samples have none */
#define FRAME_RATE   "frame.rate"
#define KERNEL_COVER "kernel.cover"

/*
 * Whether frames take most of the time that a source's rows take of a window: else they say nothing
 * of it. True where the source knows nothing else, and of a frame that goes on and on.
 */
bool verdict_has_frames(const struct verdict_facts *facts, const struct sx_table *rows,
			size_t window);
/* Lays windows over the sources' rows; none where no source has any. */
enum sx_status verdict_windows(struct verdict_facts *facts, struct sx_error *err);
/* How long a window is, in ns; of rows without an axis of time all of them together. NaN: unknown.
 */
double verdict_length(const struct verdict_facts *facts, size_t window);
/* The same once the columns are filled, of rows without times that of their frames. NaN: unknown.
 */
double verdict_time(const struct verdict_facts *facts, size_t window);
/* Fills the columns. */
enum sx_status verdict_facts_fill(struct verdict_facts *facts, struct sx_error *err);
/* A formula over the facts alone, one value a window; NaN is no data. */
enum sx_status verdict_facts_eval(const struct verdict_facts *facts, const struct sx_expr *expr,
				  double *out, struct sx_error *err);
/* Which facts a formula may use, and of which alone bounds count (SX_NONE: of all). */
struct bound_of {
	uint32_t before, only;
};
/* The bits of enum verdict_bound of a formula in a window, by those of its facts (bounds.c). */
uint32_t verdict_bound(const struct verdict_facts *facts, const struct sx_node *node,
		       struct bound_of of, size_t window);
void verdict_facts_finish(struct verdict_facts *facts);

/* By how much a quarter of the frames in and around a window differ from the usual, in percent;
 * NaN where there are too few (windows.c).
 */
double verdict_spread(const struct verdict_facts *facts, size_t window);
/* The mean length of these frames, in ns; NaN where there are none. */
double verdict_frame_length(const struct verdict_facts *facts, size_t window);
/* Time of a window in which any kernel ran, in ns; NaN where no source has samples of kernels. */
double verdict_kernel_cover(const struct verdict_facts *facts, size_t window);

/* Of several sources the largest value holds: of two GPUs the one that works is meant. */
void facts_take(struct verdict_column *column, size_t row, double value, uint8_t quality,
		uint32_t device);
/*
 * Fills the names by the sources that know one program alone, or by the others (sources.c). Returns
 * whether there are any; *status, which must be SX_OK, becomes an error when memory is out.
 */
bool facts_ask_sources(struct verdict_facts *facts, bool own, enum sx_status *status);
/*
 * Whether the catalog of any source has something that a way to the fact is made of: then the
 * sources know it, whatever was selected of them (sources.c).
 */
bool facts_may_know(const struct verdict_facts *facts, uint32_t fact);
/* Whether the first way to a fact is made of other facts: where those lack, it does. */
bool facts_is_of_others(const struct verdict_facts *facts, uint32_t fact);

#define NO_RULE UINT32_MAX /* no rule holds, or none can be judged */

/* The verdict of each window while it is judged. */
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
/* How many windows from this one on have its verdict. */
size_t judging_run(const struct judging *j, size_t first);

#endif
