/* Groups of rows of a report, between gathering (report_by.c) and writing (report_groups.c). */
#ifndef TOOLS_REPORT_GROUPS_H
#define TOOLS_REPORT_GROUPS_H

#include "tools/report.h"

enum by { BY_FRAME, BY_GROUP, BY_TIME, BY_INSTANCE };

/* A finished group: its place is a row of the table of groups. */
struct group {
	uint64_t key, rows;
	double order; /* the value of --sort */
};

/* Groups whose rows may be anywhere in the capture. */
struct open_group {
	uint64_t key, rows;
	struct total *total;
};

struct grouping {
	const struct cli *cli;
	struct report_device *d;
	enum by by;
	uint64_t bucket_ns, top, seen;
	bool labelled; /* some row has the label */
	uint64_t next_frame;
	struct sx_table *groups; /* raw counters, a row a group */
	struct group *list;
	size_t list_cap;
	struct sx_metrics *sort; /* NULL: in order */
	struct open_group *open;
	size_t open_count, open_cap;
	struct sx_vector *vectors;
};

/* "frame", "group", "time" or "instance". */
const char *report_by_name(enum by by);
/* The groups in the chosen format, in the order of the list. */
enum sx_status report_groups_write(struct grouping *grouping, struct sx_error *err);

#endif
