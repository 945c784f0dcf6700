/* The state of `struct report_by`: gathered in by.c, finished in finish.c. */
#ifndef ANALYSIS_REPORT_BY_STATE_H
#define ANALYSIS_REPORT_BY_STATE_H

#include "analysis/report/by.h"
#include "analysis/report/by/open.h"
#include "base/strings.h"

/* Program and context of rows: "name (pid)" as an index of texts, and the context. */
struct row_owner {
	uint32_t process; /* UINT32_MAX: unknown */
	uint64_t context; /* or SX_LABEL_ABSENT */
};

struct report_by {
	struct report_by_options o;
	struct sx_metrics *metrics, *sort; /* sort: NULL in order */
	bool smallest_first;
	struct sx_summary *summary; /* of all rows, which a group may differ from */
	const struct sx_table *raw; /* the current rows */
	uint64_t bucket_ns, seen, next_frame, rows;
	bool labelled; /* some row has the label */
	bool timed,
	    framed; /* some row has a time, or a frame: for the remedy where none has the label */
	struct total *whole; /* instances that are columns: all rows in one */
	struct sx_table *total;
	struct sx_table *groups; /* raw counters, a row a group */
	struct sx_table *ratios; /* what ratios are made of, likewise; NULL: they need nothing */
	struct sx_table *rates;	 /* groups as if no row lacked an amount; NULL: none does */
	struct report_group *list;
	size_t list_cap;
	struct open_groups open;
	struct row_owner *owners;
	size_t owner_count, owner_cap;
	struct sx_vector *vectors;
	struct strings texts; /* of debug groups, which are keys, and of programs */
	struct sx_table *values;
	struct report_groups result;
};

/* Room for the columns of groups, and of what ratios are made of. False when memory is out. */
bool by_reserve_vectors(struct report_by *g, const struct sx_table *like);
/* Rows of a group are complete: they become one of g->groups, and the group begins anew. */
enum sx_status by_finish_group(struct report_by *g, const struct open_group *open,
			       struct sx_error *err);
/* Puts the groups in order and keeps the first ones. */
enum sx_status by_prune(struct report_by *g, struct sx_error *err);
/* The metrics of all groups, as they are shown; *out is owned by the caller. */
enum sx_status by_evaluate(const struct report_by *g, struct sx_table **out, struct sx_error *err);

#endif
