/* The state of `struct report_by`: gathered in by.c, finished in finish.c. */
#ifndef ANALYSIS_REPORT_BY_STATE_H
#define ANALYSIS_REPORT_BY_STATE_H

#include "analysis/report/by.h"
#include "base/strings.h"
#include "table/slices.h"
#include "table/total.h"

/*
 * Groups of rows that are not complete yet, by where rows of one group may come from: each group is
 * finished once, in memory that does not grow with rows (open.c).
 */
#define OPEN_KEYS_MAX  16384 /* groups that may get rows at any time */
#define OPEN_STRETCHES 1024  /* intervals that wait for rows that come late */
#define OPEN_SLOTS     (4 * OPEN_KEYS_MAX)

enum open_way {
	OPEN_ANYWHERE, /* rows of a group may come at any time */
	OPEN_BY_TIME,  /* keys rise, but for rows that come late */
	OPEN_RUNS,     /* those of one program and context come together */
};

struct open_group {
	uint64_t key, rows;
	uint32_t owner; /* program and context of its rows, with OPEN_RUNS */
	struct total *total;
	struct total *ratios; /* of what ratios are made of, or NULL */
};

/* Zero-initialise, and set `way`. */
struct open_groups {
	enum open_way way;
	struct open_group **list; /* OPEN_BY_TIME: keys rising; OPEN_RUNS: by owner, may be NULL */
	size_t count, cap;
	uint32_t *slots; /* OPEN_ANYWHERE, by key: index in `list` + 1; NULL before the first */
	uint64_t closed; /* OPEN_BY_TIME: keys below are complete */
	/* OPEN_BY_TIME: of all rows, see total_use(); or NULL. */
	const struct total *run, *run_ratios;
};

/* Rows that look for their group. */
struct open_rows {
	uint64_t key;
	uint32_t owner;
	const struct sx_table *of;
	struct slices slices;	       /* of it */
	const struct sx_table *ratios; /* beside these, see evaluation_ratios(); or NULL */
};

/*
 * The group that rows go to, made when it is new; rows->key becomes REPORT_KEY_OTHERS where there
 * are too many, or theirs is complete. Where *out has another key its rows are complete: the caller
 * takes them and gives it rows->key. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status open_groups_find(struct open_groups *o, struct open_rows *rows,
				struct open_group **out, struct sx_error *err);
void open_groups_finish(struct open_groups *o);

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
