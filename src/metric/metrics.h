/* A selection, while it is built and afterwards; shared by the files of this folder only. */
#ifndef METRIC_METRICS_H
#define METRIC_METRICS_H

#include <sextant/metric.h>
#include <sextant/plan.h>

#include "base/mem.h"
#include "base/strings.h"
#include "expr/compile.h"
#include "table/slices.h"

struct column_plan {
	uint32_t output;      /* of the program, or SX_NONE for a raw counter */
	struct sx_expr *expr; /* of a user-defined counter, until it is compiled */
	const struct sx_metrics_formula *formula; /* of the caller's, until it is compiled */
	uint32_t *inputs;
	uint32_t input_count;
	uint32_t condition; /* which one rows must meet, or SX_NONE */
	bool copy;	    /* the output's only input is the value */
	uint32_t whole;	    /* output of `wholes`, of a given ratio with a formula, or SX_NONE */
	bool divides;	    /* by what was counted, or time: it is a ratio, whatever its unit is */
	uint32_t divisor;   /* output of `divisors`, of a ratio, or SX_NONE */
};

/* A metric's condition on the device, where columns say which device each row is of. */
struct column_condition {
	const char *text; /* the catalog's */
	uint32_t output;  /* of the program */
};

struct sx_metrics {
	bool keep_neutral;
	struct sx_catalog *catalog;
	struct arena arena;
	uint32_t variant;
	uint32_t set; /* index of a group, or SX_NONE */
	struct sx_metric_column *columns;
	struct column_plan *plans;
	uint32_t column_count;
	size_t column_cap, plan_cap;
	struct sx_metric_input *inputs;
	uint32_t input_count;
	size_t input_cap;
	struct column_condition *conditions;
	uint32_t condition_count;
	size_t condition_cap;
	struct expr_program *program; /* NULL when only raw counters were chosen */
	/*
	 * What makes given ratios anew of totals, where their formulas have all they need there: a
	 * mean of the rows' ratios is not that of the whole. NULL: there are none.
	 */
	struct expr_program *wholes;
	uint32_t whole_count;
	struct expr_program *divisors; /* what ratios of frames divide by; NULL: there are none */
	uint32_t divisor_count;

	/* Only while the selection is built. */
	double *constants;	/* one for each constant of the catalog; NaN: not known */
	bool *listed;		/* constants of the options, which go before columns of `like` */
	bool *per_row;		/* constants that are columns of `like` alone */
	bool asked_per_row;	/* whether such a constant was asked for */
	struct sx_expr **whens; /* parsed, one a condition */
	size_t when_cap;
	struct sx_expr **exprs; /* parsed, one for each metric, when first needed */
	struct sx_expr *seconds;
	struct sx_expr **same; /* one for each counter, of those that given metrics replace */
	uint32_t *inverse;     /* for each counter a given metric that is of it alone, or SX_NONE */
	const struct sx_table *like;
	uint32_t *like_counter, *like_instance; /* what the columns of `like` are */
	uint32_t *given;			/* column of `like` for each metric, or SX_NONE */
	bool *unknown;	 /* columns of `like` that the catalog does not know */
	uint32_t *as_is; /* input of each column of `like` that is used as it is, or SX_NONE */
	uint32_t like_count;
	struct strings names;	  /* of `columns` */
	const char **definitions; /* counters that the user defined, as written; */
	uint32_t *defined;	  /* and which each is, in the catalog */
	uint32_t definition_count;
	size_t definition_cap, defined_cap;
};

/* Turns patterns into columns. */
enum sx_status select_columns(struct sx_metrics *m, const struct sx_metrics_options *options,
			      struct sx_error *err);
/* The formula of a metric in the chosen variant; SX_OK and NULL when it has none there. */
enum sx_status resolve_metric(struct sx_metrics *m, uint32_t metric, struct sx_expr **out,
			      struct sx_error *err);
/*
 * A formula for a counter from what the table has: from a metric or counter of the same meaning, or
 * from a metric that has that counter as its formula (catalog/internal.h). SX_OK and NULL where the
 * table has a column of the counter, or none of those. *out belongs to the caller.
 */
enum sx_status resolve_same(struct sx_metrics *m, uint32_t counter, struct sx_expr **out,
			    struct sx_error *err);
/* The compiler's questions, answered from the catalog. */
struct expr_resolver resolve_names(struct sx_metrics *m);
/*
 * Index of an input, added when new; SX_NONE when memory is out. A counter has the type of its
 * column in `like`, and `type` where that has none.
 */
uint32_t resolve_input(struct sx_metrics *m, const char *name, uint32_t counter, uint32_t instance,
		       enum sx_type type);
/* The type of a metric's values: the catalog's, but fractions of the counter that it is are kept.
 */
enum sx_type resolve_metric_type(const struct sx_metrics *m, uint32_t metric);
/* The type of a given metric: the catalog's, but where the table has fractions these are kept. */
enum sx_type resolve_given_type(const struct sx_metrics *m, uint32_t metric);
/* The same for a column of `like` that gives a metric (or SX_NONE: one that is used as it is). */
uint32_t resolve_given(struct sx_metrics *m, uint32_t column, uint32_t metric);

/* Whether a formula divides by anything but numbers and constants. */
bool ratios_divide(const struct sx_metrics *m, const struct sx_node *node);
/* What ratios divide by; without memory there is none. */
void ratios_compile(struct sx_metrics *m);
/* The formulas of given ratios; without memory there are none, and totals are means of rows. */
void ratios_compile_wholes(struct sx_metrics *m);

/* The catalog that the selection was made from. */
struct sx_catalog *metrics_catalog(const struct sx_metrics *metrics);

/*
 * Finds which inputs have no value in any row of a table with the columns that the evaluation is
 * of: missing[i] for each of sx_metrics_inputs(); the array has their number. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status evaluation_missing(struct sx_evaluation *evaluation, const struct sx_table *in,
				  bool *missing, struct sx_error *err);

/* Whether a column is a quotient of what was counted, whatever its unit is. Thread-safe. */
bool metrics_divides(const struct sx_metrics *metrics, uint32_t column);
/* What a column says of rows that are no frames. Thread-safe. */
enum slices_use evaluation_use(const struct sx_evaluation *evaluation, uint32_t column);

/*
 * From the next run on evaluation_ratios() has, beside each table, what a ratio's mean over samples
 * is made of, where these are frames; else it stays NULL. `like` as at its creation. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status evaluation_keep_ratios(struct sx_evaluation *evaluation, const struct sx_table *like,
				      struct sx_error *err);
/* A row each of the last run's table, with sums; the evaluation's until the next run, or NULL. */
const struct sx_table *evaluation_ratios(const struct sx_evaluation *evaluation);
/* Where the mean of a ratio comes from. */
enum ratio_known {
	RATIO_OF_TOTALS, /* the formula over the totals of all counters, as that of any metric */
	RATIO_OF_ROWS,	 /* *mean: some rows lack what others have */
	RATIO_NONE,	 /* nowhere: no row has all that it takes */
};
/* What a row of totals of those says of a column's ratio. Thread-safe. */
enum ratio_known evaluation_ratio(const struct sx_evaluation *evaluation,
				  const struct sx_table *totals, uint32_t column, size_t row,
				  double *mean);

/* Whether an item is planned; false: another one with its number in `either` is. Thread-safe. */
bool plan_is_chosen(const struct sx_plan *plan, uint32_t item);

/*
 * Looks in a metric's formula for a difference of counts that is below zero in a row of `in` ("C3
 * counted less than C2"), and takes the first. False when there is none, or the formula is none of
 * the catalog's.
 */
bool below_reason(const struct sx_metrics *metrics, uint32_t column, const struct sx_table *in,
		  char *out, size_t size);

/* What is to be planned. */
struct plan_input {
	const struct sx_catalog *catalog;
	const struct sx_plan_item *items;
	uint32_t count;
	const struct sx_plan_options *options;
};

/*
 * Marks in `chosen` one item of each number in `either`, and every item without one, such that few
 * groups have to be programmed: a group that is needed anyway costs nothing, and of the others
 * those come first that serve most. Of equals the earlier item is taken. Scratch memory is of the
 * arena. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status choice_make(const struct plan_input *in, bool *chosen, struct arena *arena,
			   struct sx_error *err);

/* The exclusive group that an item needs, as an index in the catalog, or SX_NONE. */
uint32_t choice_group(const struct sx_catalog *catalog, const struct sx_plan_item *item);

/*
 * Makes the column of a definition and its formula, which the caller owns. Errors: those of the
 * decoder, SX_ERR_NO_MEMORY.
 */
enum sx_status define_column(struct sx_metrics *m, const char *pattern,
			     struct sx_metric_column *column, struct sx_expr **expr,
			     struct sx_error *err);

struct reduce_columns {
	uint32_t *columns; /* of the table; owned */
	uint32_t count;
	enum sx_reduce how;
};

/*
 * The columns of instances that make up `input`, when it is a counter that reduces to a sum, mean
 * or maximum; none otherwise. false: out of memory.
 */
bool reduce_find(const struct sx_catalog *catalog, const struct sx_metric_input *input,
		 const struct sx_table *like, struct reduce_columns *out);

/*
 * Reduces every row into a vector of `type`. Values and qualities lie in one allocation, that of
 * vector->data. A row that lacks an instance has no data. false: out of memory.
 */
bool reduce_rows(const struct reduce_columns *from, const struct sx_table *in, enum sx_type type,
		 struct sx_vector *vector);

#endif
