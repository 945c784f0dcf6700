/*
 * The one model of a report: what was measured, in the order in which views show it. A session that
 * runs, or a reader of a capture, fills it row by row, in memory that does not grow with them;
 * every view and comparison reads it and nothing else.
 */
#ifndef ANALYSIS_REPORT_REPORT_H
#define ANALYSIS_REPORT_REPORT_H

#include <sextant/analysis.h>
#include <sextant/device.h>

#include "analysis/budget.h"
#include "analysis/cost.h"
#include "analysis/pyramid.h"
#include "analysis/verdict/verdict.h"
#include "base/error.h"

/* One metric or counter. Values are in its unit. Strings live as long as the report. */
struct report_row {
	const char *name; /* as shown: bare where unique, else qualified */
	const char *title, *unit;
	const char *neutral;	  /* the vendor-neutral name of what it measures, or NULL */
	bool duplicate;		  /* another row says the same, and this one was not asked for */
	uint32_t heading;	  /* index into the device's headings */
	uint32_t metric, counter; /* index in the catalog, or SX_NONE: one of them is set */
	enum sx_type type;
	enum sx_reduce over_time;
	enum sx_direction direction;
	double peak;	       /* the most that there can be (amounts: in a second), or NaN */
	double load;	       /* share of that, of what is a unit of the device at work; or NaN */
	struct sx_stats stats; /* with quality and why */
	double running;	       /* as stats.running */
};

/* Rows [first, first + count) are under one title. */
struct report_heading {
	const char *title;
	const char *id; /* of the catalog's section, or NULL */
	uint32_t first, count;
};

/* How evenly frames came; NaN where there were too few to say. */
struct report_frames {
	uint64_t count;	      /* 0: samples are no frames */
	double fps;	      /* over the time that any of them took */
	double each;	      /* over the time that each took: a program's own rate, on average */
	double low_1, low_01; /* frames a second over the slowest 1 % and 0.1 % of frames */
	double median_s;      /* of one frame */
	uint64_t stutters;    /* frames that took over twice the median */
};

/* How long frames took: bin i counts those up to (i + 1) * width_ns, the last all longer ones. */
#define REPORT_BINS 60
struct report_histogram {
	double width_ns; /* 0: no frames */
	uint64_t counts[REPORT_BINS + 1];
};

struct report_context {
	uint64_t number, samples, slices;
	uint64_t frames, frames_ns; /* whole ones, and the time that they take */
	uint64_t duration_ns;	    /* from its first sample to its last */
};

struct report_process {
	uint32_t pid;
	const char *name;
	uint32_t contexts;
	const struct report_context *each; /* of its first contexts */
	uint32_t each_count;
	uint64_t samples, slices;
	uint64_t frames, frames_ns; /* whole ones, and the time that any of them takes */
	uint64_t duration_ns;	    /* from its first sample to its last */
};

/* A limit that was set, and what became of it. */
struct report_gate {
	const char *text, *metric, *unit, *why; /* why: the gate could not be judged, or NULL */
	uint32_t device;
	double value, limit;
	bool passed;
	bool of_samples; /* single samples can be checked against the limit: it is not of a total */
	bool above;	 /* what is above the limit exceeds it, else what is below */
};

/* Whether times of two devices can be laid beside each other. "file N" is of one file alone. */
bool report_clocks_are_related(const char *a, const char *b);
/*
 * Leaves each constant of a list once, by whatever names it is in there: at its first place, with
 * its last value. Returns how many are left.
 */
uint32_t report_constants(const struct sx_catalog *catalog, struct sx_constant_value *items,
			  uint32_t count);

/*
 * What a device's rows are of, and how to report them. Everything is copied or referenced by the
 * report.
 */
struct report_source {
	struct sx_catalog *catalog;
	struct sx_device_facts facts;
	/* The selection: it must outlive the report; NULL: nothing of this device was asked for. */
	const struct sx_metrics *metrics;
	const struct sx_table *like; /* the columns that rows will have */
	bool chosen;		     /* the selection was made by name: all of it is shown */
	bool imported;		     /* its rows are of a file that another program wrote */
};

struct report_device {
	struct sx_catalog *catalog;
	struct sx_device_facts facts; /* number: of a capture its own, else its place */
	struct sx_run_facts run;
	enum sx_sample_kind kind;

	uint64_t samples;
	uint64_t slices;	   /* of the samples, slices of time that no frame ended */
	uint64_t begin_ns, end_ns; /* of the samples; SX_TIME_UNKNOWN without */
	uint64_t duration_ns;	   /* between them, or as report_set_run() set it */
	uint64_t covered_ns;	   /* of that, what any of them encloses; 0: not known */

	const struct report_heading *headings;
	uint32_t heading_count;
	const struct report_row *rows;
	uint32_t row_count;
	bool named; /* the user named its rows: they must be there */

	/*
	 * The course of every row: at most 4,096 lines, each the metrics of `each` adjacent samples
	 * combined. Column i is rows[i]; times are those of the samples.
	 */
	const struct sx_table *curve;
	uint64_t each;
	const struct sx_table *overview; /* the raw counters of the same lines */
	const struct sx_table *total;	 /* and of the whole run, in one row; NULL without rows */
	/* The course with smallest and largest values; NULL without report_keep_course(). */
	const struct pyramid_view *pyramid;
	const struct sx_finding *findings; /* fired ones first, ranked */
	size_t finding_count;
	const struct sx_advice *advice; /* the same, or NULL without samples */
	struct report_frames frames;
	struct report_histogram histogram; /* of frames */
	struct cost cost;
	uint64_t guessed;     /* samples of contexts none of which was counted, see part_sums.h */
	bool scaled_together; /* some contexts share a stratum where totals are scaled */
	const struct report_process *processes;
	uint32_t process_count;

	struct budget_goal goal; /* with has_budget */
	struct budget budget;
	bool has_budget;

	bool joined; /* its rows are what it did during those of the device `joined_to` (SX_NONE: of
		      * one that is not shown) */
	uint32_t joined_to;
};

struct comparison;

struct report {
	const char *schema;   /* "stat" or "report": the verb */
	const char *file;     /* the capture, or NULL */
	uint64_t created_ns;  /* CLOCK_REALTIME when it began; 0: unknown */
	uint64_t duration_ns; /* of the run; where unknown, the longest of its devices */
	bool ran;	      /* a program ran and ended with exit_code */
	int exit_code;	      /* of a signal 128 more than its number */
	int term_signal;      /* the signal that ended the program, or 0 */
	uint32_t running_pid; /* the program, which could not be ended; then `ran` is false; or 0 */
	const char *ended_by; /* "duration" or "count": the limit that did, or NULL */
	const struct report_device *devices;
	uint32_t device_count;
	/* What held the program back, by all devices together; NULL without samples. */
	const struct verdict *verdict;
	const struct report_gate *gates;
	uint32_t gate_count;
	/* The baseline's report, and what the comparison with it found; or NULL. */
	const struct report *baseline;
	const struct comparison *against;
};

struct report_fill;

/* Begins a report. *out is owned by the caller. Errors: SX_ERR_NO_MEMORY. */
enum sx_status report_begin(struct report_fill **out, struct sx_error *err);
/*
 * Adds a device; *index (may be NULL) receives its number. Errors: what sx_metrics_create() says of
 * constants, SX_ERR_NO_MEMORY.
 */
enum sx_status report_add_device(struct report_fill *fill, const struct report_source *source,
				 uint32_t *index, struct sx_error *err);
/*
 * Adds the rows of a table that has the source's columns. Errors: SX_ERR_NO_MEMORY, those of
 * report_watch_rows().
 */
enum sx_status report_add_rows(struct report_fill *fill, uint32_t device,
			       const struct sx_table *raw, struct sx_error *err);

/* Receives rows of a device as the report has them. */
typedef enum sx_status (*report_rows_fn)(void *user, uint32_t device, const struct sx_table *rows,
					 struct sx_error *err);
/* Calls `rows` with all rows before the report adds them. */
void report_watch_rows(struct report_fill *fill, report_rows_fn rows, void *user);

/*
 * Before any device: rows are kept until report_join_rows(), so that each sample has what the other
 * devices did meanwhile. The verdict is of the rows as they came. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status report_join_begin(struct report_fill *fill, struct sx_error *err);
/*
 * Adds all rows that were kept; they live as long as the report. The first device with samples of a
 * program's work (or else the first one) leads: rows of devices that sample time are resampled to
 * the leader's samples, with its times and labels. Does nothing without report_join_begin().
 * Errors: those of report_add_rows().
 */
enum sx_status report_join_rows(struct report_fill *fill, struct sx_error *err);
/* A device is left out of the report, and the verdict is of it all the same; so is the join. */
void report_hide(struct report_fill *fill, uint32_t device);

/*
 * From the next device on the course of every metric is kept with its extremes, all devices
 * together in about so many bytes (see pyramid_bytes()).
 */
void report_keep_course(struct report_fill *fill, size_t bytes);

/*
 * What rows do not show, once all of them are there. `now` has the name and the driver, which some
 * sources only know by then (NULL: as before), and whether a model made the rows. Copied, but for
 * constants. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status report_set_facts(struct report_fill *fill, uint32_t device,
				const struct sx_device_facts *now, const struct sx_run_facts *run,
				struct sx_error *err);
/* The goal of a budget; a device that counts no active cycles then has none. */
void report_set_goal(struct report_fill *fill, const struct budget_goal *goal);
/* The run as a whole: members that the caller knows, file copied. */
enum sx_status report_set_run(struct report_fill *fill, const struct report *run,
			      struct sx_error *err);

/*
 * Works out everything that is known only at the end. *out is owned by the fill, and changes when
 * more is added and finished again. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status report_finish(struct report_fill *fill, const struct report **out,
			     struct sx_error *err);
/* Whether something that was named, which the devices know nothing of, is a row without data. */
bool report_lacks_named(const struct report *report);
/* Releases a report and all that it shows; NULL is fine. */
void report_destroy(struct report_fill *fill);

/* The one number that best shows what a device does now. */
struct report_lead {
	const char *name, *unit; /* the selection's */
	double value;
};

/* Works the lead out over all rows of a table; false when no row has a value. */
bool report_lead_of(const struct sx_metrics *metrics, const struct sx_table *raw,
		    struct report_lead *out);

#endif
