/* Groups rows of one device by a key: a frame, a debug group, time, an instance. */
#ifndef ANALYSIS_REPORT_BY_H
#define ANALYSIS_REPORT_BY_H

#include "analysis/report/report.h"

enum report_key {
	REPORT_BY_FRAME,
	REPORT_BY_GROUP,
	REPORT_BY_TIME,
	REPORT_BY_INSTANCE,
	REPORT_BY_PROCESS,
	REPORT_BY_CONTEXT,
	REPORT_BY_GROUP2, /* further texts of a table's rows */
	REPORT_BY_GROUP3,
	REPORT_BY_GROUP4,
	REPORT_KEYS
};

/* What to group by, and which groups to keep. */
struct report_by_options {
	struct sx_catalog *catalog;
	struct sx_metrics_options metrics; /* the selection; must outlive the grouping */
	/*
	 * A metric by which the worst come first: the largest, or of what is better the more there
	 * is the smallest; with + before its name the smallest, with - the largest. NULL: in order.
	 */
	const char *sort;
	uint64_t top; /* at most so many groups */
	enum report_key by;
	uint64_t begin_ns, end_ns;   /* of all rows, as far as known; for time */
	uint64_t interval_ns;	     /* of one interval; 0: a round length */
	const struct sx_table *like; /* the columns that rows will have */
};

/* The key of what came when there were too many keys already: all of it in one group. */
#define REPORT_KEY_OTHERS (UINT64_MAX - 1)

/* One group: row i of both tables. */
struct report_group {
	uint64_t key;	  /* number of the frame, interval, instance; a string; UINT64_MAX: none */
	const char *text; /* of a debug group or process, or NULL */
	/* Of a frame: its program and context; NULL and SX_LABEL_ABSENT: unknown. */
	const char *process;
	uint64_t context;
	uint32_t owner; /* the same as a number */
	uint64_t rows;
	uint64_t time_ns; /* that any of the rows takes; 0: not known */
	double order;	  /* by the value of the sort's metric, the first ones largest */
};

/* A metric in which a group differs from the others. */
struct report_difference {
	uint32_t column; /* of `values` */
	double times;	 /* the group's value over the median */
};
#define REPORT_DIFFERENCES 3

struct report_groups {
	enum report_key by;
	uint64_t bucket_ns, begin_ns; /* of one interval; of the first */
	uint64_t seen;		      /* groups in all */
	bool whole_frames; /* by group: no row has one, the only group is all frames as they are */
	bool others;	   /* one of the groups is that of REPORT_KEY_OTHERS, ... */
	uint32_t most;	   /* ... since only so many are groups of their own */
	size_t processes, contexts; /* by frame: how many there are */
	const struct report_group *list;
	size_t count;
	const struct sx_table *raw, *values; /* counters and metrics, a row a group */
	const struct sx_table *whole; /* all rows in one, where instances are columns; or NULL */
	uint32_t sort_column;	      /* of values, or SX_NONE */
	const struct sx_stats *stats; /* of every column over all rows, or NULL */
};

struct report_by;

/* "frame", "group", "time", "instance", "process", "context", "group2", "group3" or "group4". */
const char *report_key_name(enum report_key key);
/* Whether its keys are texts. */
bool report_key_is_text(enum report_key key);
/* Errors: SX_ERR_USAGE when no key has this name. */
enum sx_status report_key_parse(const char *text, enum report_key *out, struct sx_error *err);

/* *out is owned by the caller. Errors: what sx_metrics_create() says of the selection. */
enum sx_status report_by_begin(const struct report_by_options *options, struct report_by **out,
			       struct sx_error *err);
/* Adds the rows of a table. Errors: SX_ERR_NO_MEMORY. */
enum sx_status report_by_add(struct report_by *by, const struct sx_table *raw,
			     struct sx_error *err);
/*
 * The groups in order; *out is owned by the grouping. Errors: SX_ERR_NOT_FOUND when no row has such
 * a label.
 */
enum sx_status report_by_finish(struct report_by *by, const struct report_groups **out,
				struct sx_error *err);
void report_by_destroy(struct report_by *by);

/*
 * What is different in a group: its metrics farthest above the median of all rows, for their
 * spread, at most REPORT_DIFFERENCES. Returns how many.
 */
size_t report_by_differences(const struct report_groups *groups, size_t group,
			     struct report_difference *out);

#endif
