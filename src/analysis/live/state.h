/* The state of a live view; for the files of this folder only. */
#ifndef ANALYSIS_LIVE_STATE_H
#define ANALYSIS_LIVE_STATE_H

#include <string.h>

#include "analysis/live/live.h"
#include "base/mem.h"
#include "base/strings.h"
#include "metric/metrics.h"
#include "table/fill.h"

#define LIVE_BLOCK_ROWS 64
#define LIVE_PARTS_MAX	64 /* engines that a catalog has, of which few have data */

/* Adjacent rows of a device, and what its metrics are in each. */
struct live_block {
	struct sx_table *raw;
	float **course; /* by column of the selection, then by gauge; NULL: no row has data */
	uint32_t course_count;
	uint64_t
	    newest_ns; /* the last end of any row: those of several programs may be out of order */
	size_t bytes;
};

#define LIVE_HEADING_MAX (LIVE_GAUGES * 3 + LIVE_PARTS_MAX * 2 + 2) /* columns of a heading */

/* Metrics, and their evaluation over rows. */
struct live_selection {
	const struct sx_metrics *metrics;
	struct sx_evaluation *evaluation;
};

/* A column of an evaluation, or SX_NONE. */
struct heading_part {
	uint32_t column;
	char name[32]; /* "render" */
};

/* The metrics that every device is asked for: a selection of its own. */
struct live_heading {
	struct sx_metrics *metrics; /* NULL: the catalog has none of them */
	uint32_t gauges[LIVE_GAUGES], peaks[LIVE_GAUGES];
	struct heading_part engines[LIVE_PARTS_MAX], program_engines[LIVE_PARTS_MAX];
	uint32_t engine_count, program_engine_count;
	uint32_t program_busy, program_memory;
};

/* What a program did in one interval; its engines are behind those of the programs before it. */
struct live_use {
	uint32_t label; /* of the live view's texts */
	double busy, memory;
};
/* One interval of programs on a device. */
struct live_interval {
	uint64_t begin_ns, end_ns;
	uint64_t engines; /* bit i: engine i of the heading has data */
	struct live_use *uses;
	double *busy; /* of engines, by use */
	uint32_t count;
	size_t bytes;
};

struct live_source {
	struct arena arena;
	struct report_source source;
	struct sx_metrics_options options; /* set, variant and constants alone */
	struct live_heading heading;
	struct sx_evaluation *selected, *headed; /* NULL: the columns are not known yet */
	struct sx_table *scratch;		 /* rows of a moment, with the columns of rows */
	struct sx_vector *vectors;
	struct live_block *blocks; /* the oldest first */
	size_t block_count, block_cap;
	struct live_interval *intervals;
	size_t interval_count, interval_cap;
	struct live_value *values; /* of the last live_values() */
	uint64_t samples, newest_ns, each_ns;
	enum live_state state;
	uint64_t since_ns;
	struct sx_error why;
	const char *notes[16];
	struct sx_strings note_list;
	struct sx_advice *advice; /* of the last judgement, or NULL */
	enum sx_sample_kind kind;
};

/* CPU time of a process at its last look-up. */
struct live_known {
	uint32_t pid;
	uint64_t looked_ns;
	struct live_process_facts facts;
	double cpu; /* percent; NaN: not known yet */
	bool here;
};

struct live {
	struct live_options options;
	struct strings texts; /* reasons and labels */
	uint32_t texts_most;  /* so many, and those that no interval has go */
	struct live_source **devices;
	size_t device_count, device_cap;
	size_t bytes, program_bytes;
	uint64_t version;
	live_look_up_fn look_up;
	void *look_up_user;
	struct live_known *known; /* by pid */
	size_t known_count, known_cap;
	struct live_process *processes;
	size_t process_cap;
	/* Judgement. */
	uint64_t judged_ns;		   /* the newest row at the last one */
	struct verdict *latest, *shown;	   /* may be the same */
	uint64_t since_ns, other_since_ns; /* other_since_ns: 0: the latest is the shown */
	struct live_advice *advice;
	size_t advice_count, advice_cap;
};

/* Makes the heading of a device's catalog, for rows like these (heading.c). */
enum sx_status live_heading_create(struct live_source *d, const struct sx_table *like,
				   struct sx_error *err);

/* The columns of rows are known (rows.c). Errors: SX_ERR_NO_MEMORY. */
enum sx_status live_rows_begin(struct live_source *d, const struct sx_table *raw,
			       struct sx_error *err);
/* Adds rows of the device itself (rows.c). Errors: SX_ERR_NO_MEMORY. */
enum sx_status live_rows_keep(struct live *live, struct live_source *d, const struct sx_table *raw,
			      struct row_span rows, struct sx_error *err);
/* Evaluates all kept rows anew (rows.c). Errors: SX_ERR_NO_MEMORY. */
enum sx_status live_rows_evaluate_again(struct live *live, struct live_source *d,
					struct sx_error *err);
/* Drops what is too old or too much (rows.c). */
void live_rows_drop_old(struct live *live);
void live_rows_finish(struct live_source *d);
/*
 * The rows of a moment in d->scratch: one, or all that end within its span. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status live_rows_of_moment(struct live_source *d, const struct live_moment *at,
				   struct sx_error *err);
/*
 * Rows of a table as a table: itself where these are all, else d->scratch. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status live_rows_alone(struct live_source *d, const struct sx_table *raw,
			       struct row_span rows, const struct sx_table **out,
			       struct sx_error *err);
/* Appends rows of a table to another with the same columns. Errors: SX_ERR_NO_MEMORY. */
enum sx_status live_rows_append(struct live_source *d, struct sx_table *to,
				const struct sx_table *from, struct row_span rows,
				struct sx_error *err);
/* The end of the newest row that ended by then (0: of all); 0: there is none. */
uint64_t live_rows_newest(const struct live_source *d, uint64_t end_ns);
/* The end of a row; 0: unknown. */
uint64_t live_rows_end_of(const struct sx_table *raw, size_t row);

/*
 * The values of rows together, as a report has them: totals of amounts, else means (values.c).
 * `out` has room for all columns. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status live_summarise(struct live *live, const struct sx_metrics *metrics,
			      const struct sx_table *rows, struct live_value *out,
			      struct sx_error *err);

/* Adds rows, all of programs (programs.c). Errors: SX_ERR_NO_MEMORY. */
enum sx_status live_programs_keep(struct live *live, struct live_source *d,
				  const struct sx_table *rows, struct sx_error *err);
void live_interval_finish(struct live *live, struct live_interval *interval);
/* Drops texts of programs that ended long ago, where there are many (programs.c). */
void live_texts_drop(struct live *live);

#endif
