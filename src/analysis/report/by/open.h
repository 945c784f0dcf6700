/*
 * Groups of rows that are not complete yet, by where rows of one group may come from: each group is
 * finished once, in memory that does not grow with rows.
 */
#ifndef ANALYSIS_REPORT_OPEN_H
#define ANALYSIS_REPORT_OPEN_H

#include "analysis/report/by.h"
#include "table/slices.h"
#include "table/total.h"

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

#endif
