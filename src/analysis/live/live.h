/*
 * What devices do now, and did in the last minutes. Rows are added as to a report, and views ask
 * for a moment. Its values are those that a report over the same rows has. A live view is of one
 * thread.
 */
#ifndef ANALYSIS_LIVE_LIVE_H
#define ANALYSIS_LIVE_LIVE_H

#include "analysis/report/report.h"

struct live;

#define LIVE_KEEP_NS	 UINT64_C(600000000000) /* ten minutes */
#define LIVE_KEEP_BYTES	 ((size_t)24 << 20)
#define LIVE_ENGINES_MAX 16

/* Members may be zero: then the values above. */
struct live_options {
	uint64_t keep_ns; /* rows that ended so long before the newest one are dropped */
	size_t bytes;	  /* and the oldest ones where they would need more memory than this */
};

/* *out is owned by the caller. Errors: SX_ERR_NO_MEMORY. */
enum sx_status live_create(const struct live_options *options, struct live **out,
			   struct sx_error *err);
void live_destroy(struct live *live); /* NULL is fine */

/*
 * Adds a device; *index (may be NULL) receives its number, from 0. As report_add_device(): the
 * selection must outlive the live view. Errors: those of sx_metrics_create(), SX_ERR_NO_MEMORY.
 */
enum sx_status live_add_device(struct live *live, const struct report_source *source,
			       uint32_t *index, struct sx_error *err);
/*
 * Another selection of the device's metrics, over all rows that are kept. It must outlive the live
 * view. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status live_select(struct live *live, uint32_t device, const struct sx_metrics *metrics,
			   struct sx_error *err);
/*
 * Adds rows of raw counters, in order of time. Rows of time with the label of a process are what
 * that process did on the device; all others are the device's own. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status live_add_rows(struct live *live, uint32_t device, const struct sx_table *raw,
			     struct sx_error *err);
/* The same with some of the rows. */
enum sx_status live_add_some_rows(struct live *live, uint32_t device, const struct sx_table *raw,
				  size_t first, size_t rows, struct sx_error *err);
/*
 * What rows do not show: the name and the driver, which some sources only know later (NULL: as
 * before); that it is silent or failed. Copied. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status live_set_facts(struct live *live, uint32_t device, const struct sx_device_facts *now,
			      const struct sx_run_facts *run, struct sx_error *err);
/*
 * Judges what limits the program, and which advice holds, where rows came since and the last
 * judgement is at least a second old (`force`: in any case). Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status live_judge(struct live *live, bool force, struct sx_error *err);

/* Changes with everything that a view could show: draw again when it does. */
uint64_t live_version(const struct live *live);
/* The end of the newest row of any device; 0: there are none yet. */
uint64_t live_newest_ns(const struct live *live);
/* The end of the oldest row that is kept of any device; 0: there are none yet. */
uint64_t live_oldest_ns(const struct live *live);

/* What to look at. Zero: the newest sample of each device, none of one that is gone. */
struct live_moment {
	uint64_t end_ns;  /* nothing that ended later counts; 0: the newest */
	uint64_t span_ns; /* what ended within it is combined, as totals of a report; 0: one sample
			   */
};

enum live_state {
	LIVE_WAITING,	/* no sample yet */
	LIVE_MEASURING, /* samples come */
	LIVE_SILENT,	/* it gives none: `why` has reason and remedy */
	LIVE_GONE,	/* it failed or was taken away at since_ns; `why` says so */
	LIVE_BACK,	/* samples come again since since_ns */
};

/* A device. Pointers live until it changes: until rows or facts are added. */
struct live_device {
	struct sx_catalog *catalog;
	const struct sx_device_facts *facts;
	const struct sx_metrics *metrics; /* the selection; NULL: nothing of this device */
	const struct sx_metric_column *columns;
	uint32_t column_count;
	enum sx_sample_kind kind;
	bool frames; /* samples are frames, or other work of a program */
	enum live_state state;
	uint64_t since_ns;	     /* of the state; 0: unknown */
	const struct sx_error *why;  /* or NULL */
	uint64_t samples;	     /* rows so far, those dropped since among them */
	uint64_t newest_ns, each_ns; /* the end of the newest row, and its length; 0: none */
	/* The metrics of live_process' busy and memory; NULL: the device has none. */
	const char *program_busy, *program_memory;
	const struct sx_strings *notes; /* what the user should know of it, most important first */
};
uint32_t live_device_count(const struct live *live);
struct live_device live_device(const struct live *live, uint32_t device);

/* A value in its column's unit. */
struct live_value {
	double value;	 /* NaN: no data */
	uint64_t u64;	 /* all digits of a whole number; 0 for others */
	uint8_t quality; /* enum sx_quality */
	const char *why; /* why there is no data, or NULL; lives until more is added */
};
/*
 * The values of all selected columns at a moment, in their order. *out is owned by the live view
 * and holds until the next call for this device; NULL where there is no sample at that moment.
 * *begin_ns, *end_ns (may be NULL) receive what they are of. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status live_values(struct live *live, uint32_t device, const struct live_moment *at,
			   const struct live_value **out, uint64_t *begin_ns, uint64_t *end_ns,
			   struct sx_error *err);

/* What every device is asked for, by neutral names. */
enum live_gauge {
	LIVE_LOAD,	  /* percent; busy by the clock's share of its highest */
	LIVE_BUSY,	  /* percent; of a CPU, of all its CPUs */
	LIVE_MEMORY,	  /* bytes, of all */
	LIVE_BANDWIDTH,	  /* MB/s */
	LIVE_POWER,	  /* mW, of the limit */
	LIVE_TEMPERATURE, /* degC */
	LIVE_CLOCK,	  /* Hz, of the highest */
	LIVE_THROTTLED,	  /* percent */
	LIVE_FRAME_RATE,  /* frames/s */
	LIVE_GAUGES
};
struct live_gauge_value {
	const char *title, *unit; /* of the metric; NULL: the device has none of this kind */
	const char *name;	  /* the metric's, as `explain` knows it */
	struct live_value now;
	double peak; /* the most that there can be, in the same unit; NaN: unknown */
};
/* One engine of a device, or another part with its own load. */
struct live_engine {
	const char *name;	/* "render", "copy" */
	const char *metric;	/* the metric's name */
	struct live_value busy; /* percent */
};
struct live_headline {
	struct live_gauge_value gauges[LIVE_GAUGES];
	struct live_engine engines[LIVE_ENGINES_MAX]; /* those with data, in the catalog's order */
	uint32_t engine_count;
};
/* The headline of a device at a moment. Texts live until more is added. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status live_headline(struct live *live, uint32_t device, const struct live_moment *at,
			     struct live_headline *out, struct sx_error *err);

/* The samples that end within one step: of their values the least, the mean by time, the most. */
struct live_point {
	double low, mean, high; /* NaN: no data */
};
/* A line over time: point i is of what ended in (end - (count - i) * step, end - (count - i - 1) *
 * step]; a sample that lasts longer, or begins within a step after the one before, is that of the
 * points in which none ends, too. */
struct live_line {
	uint64_t
	    end_ns; /* 0: the newest row of any device, rounded up to a step, so that points stay */
	uint64_t step_ns;
	uint32_t count;
};
/*
 * The course of a column of the selection, and of a gauge. `out` has room for line->count points;
 * without data all are NaN, and false is returned.
 */
bool live_history(const struct live *live, uint32_t device, uint32_t column,
		  const struct live_line *line, struct live_point *out);
bool live_gauge_history(const struct live *live, uint32_t device, enum live_gauge gauge,
			const struct live_line *line, struct live_point *out);

/* What a process does on a device. Texts live until rows are added. */
struct live_process {
	uint32_t device;
	uint32_t pid; /* 0: unknown */
	const char *name;
	double busy;	   /* percent of the device: of its busiest engine; NaN: no data */
	double memory;	   /* bytes that it holds on the device; NaN: no data */
	double frame_rate; /* of programs that draw; NaN: no data */
	struct live_engine engines[LIVE_ENGINES_MAX];
	uint32_t engine_count;
	/* Of the looker-up, see live_look_up(). */
	uint32_t parent;  /* 0: unknown */
	const char *user; /* or NULL */
	double cpu;	  /* percent of one CPU; NaN: no data */
};
/* Facts of a process that no device knows. */
struct live_process_facts {
	uint32_t parent;
	char user[32];	 /* "" : unknown */
	uint64_t cpu_ns; /* CPU time so far, with `has_cpu` */
	uint64_t at_ns;	 /* when that was read, on any clock */
	bool has_cpu;
};
/* Looks a process up, once for each pid and interval; false: it is not there. */
typedef bool (*live_look_up_fn)(void *user, uint32_t pid, struct live_process_facts *out);
void live_look_up(struct live *live, live_look_up_fn look_up, void *user);
/*
 * The processes at a moment over all devices, the busiest first. *out is owned by the live view and
 * holds until the next call. Older moments may have none. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status live_processes(struct live *live, const struct live_moment *at,
			      const struct live_process **out, uint32_t *count,
			      struct sx_error *err);

/* What limits the program, shown only once it held for two seconds. */
struct live_verdict {
	const char *name, *title; /* NULL: none yet */
	const char *which;	  /* the unit or cause, or NULL */
	const char *advice;	  /* or NULL */
	const char *because;	  /* why there is no verdict, or NULL */
	const char *program;	  /* of several programs the one that it is of, or NULL */
	double confidence;	  /* 0 to 1 */
	uint64_t since_ns;	  /* it holds since */
	const struct verdict_value *evidence; /* newest values */
	uint32_t evidence_count;
	bool settling; /* newer samples say otherwise, for less than two seconds so far */
};
/* The verdict of the last live_judge(). Pointers live until the next one. */
struct live_verdict live_verdict(const struct live *live);
/* A rule of a catalog that holds now. */
struct live_advice {
	uint32_t device;
	const struct sx_finding *finding;
};
/* The advice of the last live_judge(), most severe first; lives until the next one. */
const struct live_advice *live_advice(const struct live *live, uint32_t *count);

#endif
