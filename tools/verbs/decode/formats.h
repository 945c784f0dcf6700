/* Kinds of input that `sextant decode` reads: one function each, from bytes to raw counters. */
#ifndef TOOLS_VERBS_DECODE_FORMATS_H
#define TOOLS_VERBS_DECODE_FORMATS_H

#include "tools/cli/cli.h"
#include "output/rows/rows.h"

#define RAW_CONSTANTS_MAX 64

/* A file of raw counters: what was asked and given, and what it says of itself. */
struct raw_input {
	struct sx_context *context;
	const char *kind; /* --as, in full */
	const uint8_t *data;
	size_t size;
	/* The catalog of --for, or NULL; a format that knows its device opens one. Owned here. */
	struct sx_catalog *catalog;
	/* What was given by --const and what the format adds, for the metrics. */
	struct sx_constant_value constants[RAW_CONSTANTS_MAX];
	uint32_t constant_count;
	const char *set;	     /* --set, or what the file says */
	const char *variant;	     /* --api, or NULL */
	bool instances;		     /* --by instance: also a column for each instance */
	bool counters;		     /* the raw counters are wanted, no metrics of them */
	const char *const *patterns; /* of the metrics that were named */
	size_t pattern_count;
	struct sx_table *table; /* out: raw counters, one row an interval; owned here */
	/* Told of what people should know, in whole lines: "note: …". */
	void (*note)(void *user, const char *line);
	void *note_user;
};

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

/* The metrics of a run, of the set and by the constants that it has settled on. */
struct sx_metrics_options decode_selection(const struct decode_job *job,
					   const struct sx_table *like);
/* Adds a constant unless it was given; a name of the catalog or an alias. */
void raw_add_constant(struct raw_input *in, const char *name, double value);
/* A constant by name or alias; false when nobody gave it. */
bool raw_constant(const struct raw_input *in, const char *name, double *value);
/* Tells a line. */
void raw_note(const struct raw_input *in, const char *fmt, ...) SX_PRINTF(2, 3);

#endif
