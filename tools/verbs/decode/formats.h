/* Kinds of input that `sextant decode` reads: one function each, from bytes to raw counters. */
#ifndef TOOLS_VERBS_DECODE_FORMATS_H
#define TOOLS_VERBS_DECODE_FORMATS_H

#include <sextant/oa.h>

#include "import/raw/raw.h"
#include "output/rows/rows.h"
#include "tools/cli/cli.h"

/* One run of `decode`. */
struct decode_job {
	const struct cli *cli;
	struct raw_input in;
	struct rows_shape shape; /* which labels the rows have */
};

struct decode_format {
	const char *kind; /* the part of --as up to and with a colon, or all of it */
	const char *about;
	const char *by; /* words that --by takes, separated by blanks */
	/* Reads the file and writes its rows, as they come; or NULL, then decode is used. */
	enum sx_status (*stream)(struct decode_job *job, int fd, struct sx_error *err);
	/* Fills table, shape and what the file says. SX_INCOMPLETE: a part of it, and err says
	 * what. */
	enum sx_status (*decode)(struct decode_job *job, struct sx_error *err);
};

extern const struct decode_format decode_mali_dump;
extern const struct decode_format decode_i915_record;
extern const struct decode_format decode_oa_reports;
extern const struct decode_format decode_perf_stat;

/* The metrics of a run, with its set and constants. */
struct sx_metrics_options decode_selection(const struct decode_job *job,
					   const struct sx_table *like);

/* What a file of OA reports is: its device, its metric set, and what was found in it. */

/* "device 0x1616 revision 9, 24 EUs in 3 subslices, set RenderBasic", as far as it is known. */
void oa_about_device(const struct cli *cli, const struct sx_oa_device *device, const char *set);
/*
 * "51 reports, 50 intervals, 12 context switches, nothing lost"; intervals of --context alone.
 * `left` bytes at the end are no whole record.
 */
void oa_about_reports(const struct cli *cli, const struct sx_oa_stats *stats, size_t left);
/* Both as the value of "recording" in an open JSON object. */
void oa_about_json(struct json *json, const struct sx_oa_device *device, const char *set,
		   const struct sx_oa_stats *stats);

#endif
