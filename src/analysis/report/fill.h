/* A report while it is filled; between the files of this room. */
#ifndef ANALYSIS_REPORT_FILL_H
#define ANALYSIS_REPORT_FILL_H

#include "analysis/cost.h"
#include "analysis/overview.h"
#include "analysis/report/processes.h"
#include "analysis/report/programs.h"
#include "analysis/report/report.h"
#include "analysis/sketch.h"
#include "base/mem.h"
#include "table/cover.h"

/* One device. */
struct filling {
	struct arena *arena; /* the report's */
	struct report_source source;
	struct sx_metrics_options options; /* set, variant and constants alone */
	bool begun;			   /* rows came, or their columns are known */
	struct sx_summary *summary;
	struct overview *overview;
	size_t course_bytes; /* 0: the course has no extremes */
	struct pyramid *pyramid;
	struct pyramid_view course;
	struct sx_advice *advice;
	struct costs *costs;
	bool advised;	      /* the advice is finished */
	struct sketch frames; /* lengths of frames in ns */
	struct sx_table *curve;
	struct processes_seen processes;
	struct programs programs;
	uint64_t samples, slices, begin_ns, end_ns;
	struct cover cover;	   /* time that samples enclose, once */
	struct cover frames_cover; /* and the frames among them */
	struct sx_run_facts run;
	struct sx_error silence, failure;
	struct overview
	    *own;    /* of rows before they are joined, or of a device that is left out; or NULL */
	bool hidden; /* not in the report, but in the verdict */
	bool joined;
	uint32_t joined_to; /* a number of the fill's, or SX_NONE */
};

/* The rows of a device under their headings. False when memory is out. */
bool report_place_rows(struct filling *f, const struct sx_stats *stats, struct report_device *out);
/* The same for a device that gave no sample: no data, and why. */
bool report_place_absent(struct filling *f, struct report_device *out);
/*
 * Peaks of rows, by formulas over the device's constants and the counters of the whole run in one
 * row (or NULL). Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status report_find_peaks(struct filling *f, const struct sx_table *total,
				 struct report_row *rows, uint32_t count, struct sx_error *err);
/* How evenly the frames came. */
struct report_frames report_judge_frames(struct filling *f);
/* How their lengths are distributed. */
void report_count_frames(struct filling *f, struct report_histogram *out);

/*
 * What held the busiest program back, by all devices on one axis of time: that of the first, where
 * not all have the same. *out is owned by the caller, NULL without rows. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status report_judge(struct filling *const *devices, size_t count, struct verdict **out,
			    struct sx_error *err);

/* Rows of several devices kept until the end, so that each sample has what the others did. */
struct rows_join;

/* *out is owned by the caller. Errors: SX_ERR_NO_MEMORY. */
enum sx_status rows_join_begin(struct rows_join **out, struct sx_error *err);
/* Keeps the rows of a table (copied). Errors: SX_ERR_NO_MEMORY. */
enum sx_status rows_join_add(struct rows_join *join, uint32_t device, const struct sx_table *rows,
			     struct sx_error *err);
/*
 * The same of a device that is not shown: its samples may lead, and are not handed out. Only those
 * that are work of a program count.
 */
enum sx_status rows_join_add_unseen(struct rows_join *join, const struct sx_table *rows,
				    struct sx_error *err);
/*
 * Hands out the rows of each device in order; they live as long as the join. The first device with
 * samples of a program's work (or else the first one) leads: rows of devices that sample time are
 * resampled to the leader's samples, with its times and labels. *lead (may be NULL) receives its
 * number, SX_NONE without rows or where it is not shown. Errors: SX_ERR_NO_MEMORY and those of
 * `rows`.
 */
enum sx_status rows_join_finish(struct rows_join *join, report_rows_fn rows, void *user,
				uint32_t *lead, struct sx_error *err);
/* Whether a device's rows were handed out as those of the leader. */
bool rows_join_follows(const struct rows_join *join, uint32_t device, uint32_t lead);
/* NULL is fine. */
void rows_join_destroy(struct rows_join *join);

#endif
