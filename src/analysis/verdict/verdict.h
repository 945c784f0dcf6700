/*
 * The verdict: what limits a program, window by window, by the rules of catalogs/verdict.yaml over
 * the samples of all devices of a run. docs/verdict.md explains it.
 */
#ifndef ANALYSIS_VERDICT_VERDICT_H
#define ANALYSIS_VERDICT_VERDICT_H

#include <sextant/metric.h>

#include "catalog/verdict.h"

/* The rows of one device. What it points to must outlive the call alone. */
struct verdict_source {
	struct sx_catalog *catalog;
	const struct sx_metrics_options *options; /* set, variant and constants */
	const struct sx_table *rows;		  /* raw counters, in order of time */
	uint64_t each;				  /* samples that a row combines */
	uint32_t device;			  /* the number that evidence calls the source by */
	bool imported; /* the rows are of a file: nothing can be measured again */
	bool own;      /* of several programs the rows are of the one that is judged alone */
};

#define VERDICT_NO_DEVICE UINT32_MAX

/* A fact that speaks for a verdict: its mean over the verdict's windows. */
struct verdict_value {
	const char *name, *title, *unit;
	const char *of; /* what is special about how it was had, or NULL */
	double value;
	uint32_t device; /* the device that the fact is of, or VERDICT_NO_DEVICE: of several */
};

#define VERDICT_UNKNOWN "unknown" /* the name where there is no verdict */

/* One verdict, and how much of the time it holds. */
struct verdict_part {
	const char *name, *title;
	const char *which;   /* the unit or cause, or NULL */
	const char *advice;  /* what to do; without a verdict, how to learn more; or NULL */
	const char *because; /* why there is no verdict, or NULL */
	double share;	     /* of the time that was judged, 0 to 1 */
	double confidence;   /* 0 to 1 */
	uint64_t time_ns;    /* 0 where samples have no times */
	const struct verdict_value *evidence;
	uint32_t evidence_count;
};

/* An interval of time, or of samples where they have no times, with one verdict. */
struct verdict_stretch {
	uint32_t part;
	uint64_t begin_ns, end_ns; /* SX_TIME_UNKNOWN without times */
	uint32_t windows;
};

struct verdict {
	const struct verdict_part *parts; /* the longest first */
	uint32_t part_count;
	const struct verdict_stretch *stretches; /* in order of time */
	uint32_t stretch_count;
	uint64_t window_ns; /* 0 where samples have no times */
	uint32_t windows;
	bool flickers; /* the verdict changes from window to window, as fast as windows allow */
	/* Of several programs the one that it is of, the busiest: "name (pid)"; else NULL and 0. */
	const char *program;
	uint32_t pid; /* of `program` */
	const char *name;
	uint32_t programs; /* all that were measured */
	/* Of the implementation. */
	struct arena arena;
	struct verdict_rules rules;
};

/*
 * Judges a run by the embedded rules. *out is owned by the caller, and NULL where no source has
 * rows. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status verdict_judge(const struct verdict_source *sources, uint32_t count,
			     struct verdict **out, struct sx_error *err);
/* The same by other rules, which are taken, also when it fails. */
enum sx_status verdict_judge_by(struct verdict_rules *rules, const struct verdict_source *sources,
				uint32_t count, struct verdict **out, struct sx_error *err);
void verdict_destroy(struct verdict *verdict);

#define VERDICT_MEDIUM 0.45 /* the least confidence that is not low */
/* "high", "medium" or "low". */
const char *verdict_confidence_name(double confidence);

#endif
