/* Groups of rows: `report --by`. */
#ifndef OUTPUT_REPORT_GROUPS_H
#define OUTPUT_REPORT_GROUPS_H

#include "analysis/report/by.h"
#include "output/views.h"

/* A column of CSV. */
struct groups_name {
	const char *name, *unit;
};

struct groups_out {
	const struct view *view;
	const struct report *report;
	const struct report_device *device; /* whose rows they are: its head is told */
	const struct report_groups *g;
	const char *by;	 /* what the rows' file calls their key; NULL: report_key_name() */
	uint32_t number; /* of the device */
	bool is_behind;	 /* a report, which has the head: the table alone, as text */
	/* CSV has the columns of all devices below one header. */
	const struct groups_name *names;
	uint32_t name_count;
	bool no_head;
	bool tells_process, tells_context; /* frames: whose each is */
	struct json *within;		   /* the array of devices, each of which is an object */
};

/*
 * The groups of each device as text, JSON or CSV, in their order; fills the last members. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status groups_write(struct groups_out *all, uint32_t count, struct sx_error *err);

/* For groups_write(): the groups of one device as an object of the array `within`, as CSV. */
void groups_json(const struct groups_out *o);
void groups_csv(const struct groups_out *o);
/* What the key of the groups is called. */
const char *groups_by(const struct groups_out *o);
#define GROUPS_KEY_MAX 64
/* What a group is called: its text as it is, else in buf. */
const char *groups_key(const struct groups_out *o, size_t i, char buf[GROUPS_KEY_MAX]);

#endif
