/* What the names in a catalog's rules refer to, over one table of raw counters. */
#ifndef ANALYSIS_RULES_H
#define ANALYSIS_RULES_H

#include <sextant/metric.h>

#include "base/mem.h"
#include "expr/compile.h"

enum rule_target {
	RULE_COLUMN,	/* a metric or counter: a column of `values` */
	RULE_CONSTANT,	/* `index` in the catalog */
	RULE_DURATION,	/* duration_ns */
	RULE_SECONDS,	/* the same in seconds */
	RULE_ELSEWHERE, /* a metric that another set measures */
	RULE_AMBIGUOUS, /* several groups have it, and none was chosen */
	RULE_UNKNOWN,
};

/* One name that rules use. */
struct rule_name {
	const char *name;
	enum rule_target target;
	bool counter;	      /* RULE_COLUMN: a raw counter, not a metric */
	uint32_t index;	      /* in the catalog */
	uint32_t column;      /* of `values`; RULE_COLUMN only */
	uint32_t group_count; /* RULE_AMBIGUOUS: how many have it */
};

struct rules {
	struct sx_catalog *catalog;
	const struct sx_advice_info *infos;
	uint32_t count;
	struct sx_metrics_options options;
	const struct sx_table *raw;  /* the current rows */
	bool fed;		     /* there were some */
	uint32_t set;		     /* where bare names are looked for first, or SX_NONE */
	struct sx_expr **conditions; /* one a rule; NULL without, or when it cannot be read */
	struct rule_name *names;
	size_t name_count, name_cap;
	struct sx_metrics *metrics; /* what the names select, NULL when nothing */
	struct sx_evaluation *evaluation;
	struct sx_table *values; /* values of the rules' names, a row a sample; the evaluation's */
	bool *missing;		 /* one an input of `metrics`: without a value in any row so far */
	bool timed;		 /* some row's length is known */
	uint64_t *duration_ns;	 /* a row a sample */
	uint8_t *duration_quality;
	size_t row_cap;
	struct sx_vector *inputs; /* columns of `values`, of `raw`, and the duration */
};

/*
 * Reads the names of every rule of the catalog. What `options` points to must outlive the rules.
 * rules_finish() also after an error.
 */
enum sx_status rules_init(struct rules *rules, struct sx_catalog *catalog,
			  const struct sx_metrics_options *options, struct sx_error *err);
void rules_finish(struct rules *rules);
/*
 * Makes the rows of a table those that conditions are evaluated over; all tables have the same
 * columns. Where options->set does not decide, the first table does: if a catalog's sets give the
 * same counters different meanings, the first set that it has all counters of is used, or the one
 * with most.
 */
enum sx_status rules_feed(struct rules *rules, const struct sx_table *raw, struct sx_error *err);
/* Between the two files of rules: binds the current rows. */
enum sx_status rules_bind(struct rules *rules, struct sx_error *err);

/* A condition, or a part of it, as a program; after the first rows. */
enum sx_status rules_compile(const struct rules *rules, const struct sx_expr *expr,
			     const struct sx_node *node, struct expr_program **out,
			     struct sx_error *err);
/* Writes an expression's values over the current rows into `out`, one a sample; NaN is no data. */
enum sx_status rules_eval(const struct rules *rules, const struct expr_program *program,
			  double *out, struct sx_error *err);
/* The name as it was resolved, or NULL. */
const struct rule_name *rules_find(const struct rules *rules, const char *name);

/* What a rule lacks: a sentence, and the counters and constants that would have to be there. */
struct rule_gap {
	const char *why; /* NULL: nothing */
	struct sx_strings missing;
};

/* What the names below `node` lack; text and lists are memory of the arena. */
struct rule_gap rules_gap(const struct rules *rules, const struct sx_node *node,
			  struct arena *arena);

/* A comparison with the metric on one side; `good` grows with how directly it is compared. */
struct comparison {
	const struct sx_node *compared, *limit;
	enum sx_op op; /* compared OP limit */
	int good;
};

/* Finds the best one below a node; `best` begins as zero. */
void comparison_find(const struct sx_node *node, const struct sx_advice_info *rule,
		     struct comparison *best);
/* Of `a < 1 or b > 2` only one need hold: the other would be no evidence. */
bool comparison_holds(enum sx_op op, double a, double b);

#endif
