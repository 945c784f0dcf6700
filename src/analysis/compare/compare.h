/*
 * Compares two sets of runs: what changed, by how much, and whether chance explains it. A set is
 * filled from reports, one a run, or metric by metric from a baseline; it keeps copies, so that
 * reports can be freed. Values are in base units.
 */
#ifndef ANALYSIS_COMPARE_COMPARE_H
#define ANALYSIS_COMPARE_COMPARE_H

#include "analysis/report/report.h"
#include "base/mem.h"
#include "catalog/units.h"

/* Of all runs of a set together: sums and means are means of the runs', percentiles their medians.
 */
struct compare_stats {
	double total, mean, min, p50, p95, p99, max;
	double rate; /* of amounts, a second; NaN: not known */
};

struct compare_metric {
	const char *name, *title, *unit, *neutral; /* neutral: or NULL */
	const char *rate_unit;			   /* of `rates`, or NULL */
	const char *heading;			   /* its rows are under this heading, or NULL */
	enum sx_direction direction;
	bool counts;  /* the work alone decides it: pieces of work that are counted one by one */
	bool hidden;  /* not asked for: only shows whether others are comparable */
	bool named;   /* by the user: it has a row in any case */
	bool scaled;  /* some samples were not measured: totals are estimates */
	bool partial; /* samples of some run are lost: no value is exact */
	bool of_rows; /* the mean is that of the rows' ratios: the run's is not known */
	bool amount;  /* of a device that is sampled by time: what a run took is its total */
	uint32_t device, runs;
	/* Of each run the mean without the warm-up, the total, and how many samples had data. */
	double *means, *totals;
	/* Of amounts in slices of time one a run: how long a sample is in s (0: not known), and the
	 * mean over that.
	 */
	double *seconds, *rates;
	uint64_t *samples;
	/*
	 * One a run: the variance of its mean, estimated from its own samples (block bootstrap),
	 * and of how many independent blocks; 0 blocks where there were too few samples.
	 */
	double *within, *blocks;
	bool constant; /* every sample of every run had the same value */
	struct compare_stats stats;
	const char *why; /* no data at all, or NULL */
};

struct compare_device {
	const char *catalog, *name, *driver; /* driver: or NULL */
	uint32_t number;		     /* as report_device has it, of the first run */
	bool simulated;
	uint64_t samples, lost;
	const char **advice; /* titles of rules that fired in every run */
	uint32_t *fired;     /* in how many */
	size_t advice_count, advice_capacity, fired_capacity;
};

struct compare_set {
	struct arena arena;
	struct units units;
	const char *about; /* machine, program and commit of the first run, or NULL */
	const char **files;
	size_t file_count, file_capacity;
	uint32_t runs;
	/* Every run is a program that ended by itself: how long it took is a result. */
	bool ended;
	/* How much of the beginning of a run is left out of means at most; 0: nothing. */
	uint64_t warm_up_ns;
	bool no_advice; /* from a baseline, which has none: nothing is new or gone */
	struct compare_device *devices;
	size_t device_count, device_capacity;
	struct compare_metric *metrics;
	size_t metric_count, metric_capacity;
};

/* Members of a set are empty at first; released in every case. */
void compare_set_init(struct compare_set *set);
void compare_set_finish(struct compare_set *set);
/* One run. Only `file` and `report` are needed. */
struct compare_recording {
	const char *file;
	const struct report *report;
	uint64_t warm_up_ns;   /* of its beginning; does not count for means */
	uint64_t frames, late; /* all frames, and those over the deadline; 0 and 0: there is none */
	/* Whether a row was asked for; NULL: all. Others only show whether those are comparable. */
	bool (*is_asked)(const void *user, uint32_t device, const struct report_row *row);
	const void *user;
	bool ended; /* the run is of a program that ended by itself, and recorded to its end */
};
/* Whether a comparison adds a metric of this name by itself, from whole runs. */
bool compare_is_own(const char *name);
/*
 * Adds one run. Errors: SX_ERR_USAGE (a run of other devices than those before, or one that is in
 * the set already), SX_ERR_NO_MEMORY.
 */
enum sx_status compare_set_add(struct compare_set *set, const struct compare_recording *run,
			       struct sx_error *err);
/* Whether any device of a set is a model, not a real one. */
bool compare_set_is_simulated(const struct compare_set *set);
/* Works out what holds for all runs. Call once, after the last one. */
enum sx_status compare_set_done(struct compare_set *set, struct sx_error *err);

/* For sets that come from elsewhere: a device, a metric with room for `runs` runs; NULL: no memory.
 */
struct compare_device *compare_set_device(struct compare_set *set);
struct compare_metric *compare_set_metric(struct compare_set *set, const char *name, uint32_t runs);
const char *compare_set_text(struct compare_set *set, const char *text);

enum compare_verdict {
	COMPARE_SAME,
	COMPARE_BETTER,
	COMPARE_WORSE,
	COMPARE_CHANGED,
	COMPARE_INCOMPARABLE,
};
const char *compare_verdict_name(enum compare_verdict verdict);

struct compare_row {
	const struct compare_metric *a, *b; /* one may be NULL */
	const char *name;		    /* as both have it, or the neutral name */
	/*
	 * The totals of runs are compared, not the means of samples: a program that takes longer
	 * has as much in each sample as before.
	 */
	bool total;
	/* Samples are of unlike lengths: what is compared is the amount in a second. */
	bool rate;
	double change; /* relative, of what is compared; NaN where that means nothing */
	double noise;  /* relative standard deviation of one run's mean; NaN: not known */
	double chance; /* how probably noise alone makes such a difference; NaN: not tested */
	bool exact;    /* compared number by number */
	enum compare_verdict verdict;
	const char *why; /* of incomparable ones */
};

/* Whether either side measured it at all, or named it: views pass over the others. */
bool compare_row_is_known(const struct compare_row *row);
/* Whether a short view shows it: it moved, or was named. */
bool compare_row_is_shown(const struct compare_row *row);

/* What is compared of a side that has runs: the total of a run, the rate, or the mean. */
double compare_row_value(const struct compare_row *row, const struct compare_metric *side);
/* The same, one a run. */
const double *compare_row_values(const struct compare_row *row, const struct compare_metric *side);
/* In which unit that is. */
const char *compare_row_unit(const struct compare_row *row, const struct compare_metric *side);

/* Advice that one side has and the other has not. */
struct compare_advice {
	const char *title;
	bool appeared; /* in B */
};

struct comparison {
	struct arena arena;
	const struct compare_set *a, *b;
	bool comparable;
	const char *why_not;	  /* with !comparable, or a reservation that concerns all */
	struct compare_row *rows; /* in A's order, then what only B has */
	size_t row_count;
	struct compare_advice *advice;
	size_t advice_count;
	struct report_gate *gates;
	size_t gate_count;
	bool skip_unjudged; /* gates that cannot be judged are no errors */
};

/*
 * Compares two sets that are done; they must outlive the comparison. Times and the like are
 * separated from noise by a t-test with moderated variances (Smyth), corrected for how many are
 * tested (Holm): of comparisons where nothing changed, one in twenty at most names any metric, and
 * a given metric is named in one of fifty at most. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status compare_run(const struct compare_set *a, const struct compare_set *b,
			   struct comparison *out, struct sx_error *err);
void comparison_finish(struct comparison *comparison);

#endif
