/* Metrics: a selection of a catalog's metrics and counters, evaluated over tables of counters. */
#ifndef SEXTANT_METRIC_H
#define SEXTANT_METRIC_H

#include <sextant/catalog.h>
#include <sextant/table.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_metrics;

/*
 * A formula of the caller, in the catalog's dialect, with names as metrics of a group see them. It
 * need not outlive the creation of the selection.
 */
struct sx_metrics_formula {
	const char *name, *unit; /* of its column; the name is unique */
	const struct sx_expr *expr;
	const struct sx_node *node; /* the part of `expr` that is wanted; NULL: all of it */
	uint32_t group;		    /* index in the catalog, or SX_NONE */
};

/* What to select. All members may be zero: then all metrics, default variant, no constants. */
struct sx_metrics_options {
	const char *const *patterns; /* names, qualified names, globs, or "all" */
	uint32_t pattern_count;
	const char *set;     /* only metrics of this group, or NULL */
	const char *variant; /* name of a variant of the catalog (an API), or NULL: the first */
	/* They override a column of `like` with the same constant, and the catalog's values. */
	const struct sx_constant_value *constants;
	uint32_t constant_count;
	/* A vendor-neutral name that the catalog does not map is a column without data, not an
	 * error. */
	bool keep_neutral;
	bool counters; /* without patterns: all raw counters instead of all metrics */
	/* Columns of type f64 behind the others; without patterns, the only ones. */
	const struct sx_metrics_formula *formulas;
	uint32_t formula_count;
	/*
	 * The table that will be evaluated, or NULL: its column types are compiled in, and a
	 * constant that it has as a column, and `constants` does not, is read from each row. A
	 * column with the name of a metric gives the metric's values, which are then not derived;
	 * one that the catalog does not know, but that has a unit, is selected as it is. It need
	 * not outlive the call.
	 */
	const struct sx_table *like;
	bool derive; /* metrics are derived although `like` gives them */
	/* Columns of `like` that give constants are selected too, behind all others. */
	bool keep_constants;
	/*
	 * `like` is from sx_table_by_instance(): constants that count instances are read from its
	 * columns.
	 */
	bool by_instance;
};

/*
 * One selected metric, counter or formula (which has neither index): a column of the result. Owned
 * by the selection.
 */
struct sx_metric_column {
	const char *name; /* as shown: bare when unique or when a set was chosen, else qualified */
	const char *title, *unit;
	enum sx_type type;
	enum sx_reduce over_time;
	uint32_t metric;  /* index in the catalog, or SX_NONE */
	uint32_t counter; /* index in the catalog, or SX_NONE */
	const char *why;  /* why it can never have data with these constants, or NULL */
	bool constant;	  /* a column of `like` that gives a constant; neither index is set */
};

/* One column of raw counters that the selection reads. */
struct sx_metric_input {
	const char *name;  /* "SPI.VS_BUSY", "TA[3].TA_BUSY" */
	uint32_t counter;  /* index in the catalog; SX_NONE for duration_ns and per-row constants */
	uint32_t instance; /* SX_NONE when it is reduced */
	enum sx_type type;
	uint32_t metric; /* the metric that the column holds, or SX_NONE */
	bool as_is;	 /* a column by exactly this name, whatever it means */
};

/*
 * Selects and compiles. The selection keeps a reference to the catalog. *out is owned by the
 * caller; nothing of the options need outlive the call. Errors: SX_ERR_NOT_FOUND (a pattern, set,
 * variant or constant; the remedy suggests near names), SX_ERR_AMBIGUOUS (a bare name that several
 * groups share), SX_ERR_BAD_INPUT.
 */
SX_API enum sx_status sx_metrics_create(struct sx_catalog *catalog,
					const struct sx_metrics_options *options,
					struct sx_metrics **out, struct sx_error *err);
/* Releases a selection; NULL is fine. */
SX_API void sx_metrics_destroy(struct sx_metrics *metrics);

/*
 * The selected columns in the catalog's order (patterns: in the order given). They live as long as
 * the selection, as do the arrays of the next two. Thread-safe.
 */
SX_API const struct sx_metric_column *sx_metrics_columns(const struct sx_metrics *metrics,
							 uint32_t *count);
/* The raw columns that a selection reads; they live as long as it does. Thread-safe. */
SX_API const struct sx_metric_input *sx_metrics_inputs(const struct sx_metrics *metrics,
						       uint32_t *count);
/* Indices into sx_metrics_inputs() of what one column reads, with the same life. Thread-safe. */
SX_API const uint32_t *sx_metrics_column_inputs(const struct sx_metrics *metrics, uint32_t column,
						uint32_t *count);

/*
 * Evaluates the selection over every row of `in`. Columns of `in` are found by counter name, alias
 * or instance spelling. Times and labels are copied. *out is owned by the caller. A column that is
 * missing is not collected, and its `why` names what was missing. Errors: SX_ERR_NO_MEMORY.
 * Thread-safe for different tables.
 */
SX_API enum sx_status sx_metrics_eval(const struct sx_metrics *metrics, const struct sx_table *in,
				      struct sx_table **out, struct sx_error *err);

struct sx_evaluation;

/*
 * Prepares evaluations of a selection over tables that have the columns of `like`, one after
 * another and without allocating for each. The selection must outlive it. *out is owned by the
 * caller. Errors: SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_evaluation_create(const struct sx_metrics *metrics,
					   const struct sx_table *like, struct sx_evaluation **out,
					   struct sx_error *err);
/* Releases an evaluation and its table; NULL is fine. */
SX_API void sx_evaluation_destroy(struct sx_evaluation *evaluation);
/*
 * Evaluates every row of `in` as sx_metrics_eval() does. *out is owned by the evaluation and holds
 * until its next run. Errors: SX_ERR_NO_MEMORY. One thread at a time.
 */
SX_API enum sx_status sx_evaluation_run(struct sx_evaluation *evaluation, const struct sx_table *in,
					struct sx_table **out, struct sx_error *err);

/*
 * The same rows with instances apart: each row becomes one row for each core, slice or cluster,
 * with the label SX_LABEL_INSTANCE. Where `in` has a column of that instance ("NAME[2]"), the plain
 * name gets its value; counters without instances are repeated. Constants that count instances are
 * 1 (see by_instance of the options), so that metrics read as if there was only this instance. *out
 * is owned by the caller. Errors: SX_ERR_NOT_FOUND (no column is of one instance),
 * SX_ERR_NO_MEMORY. Thread-safe for different tables.
 */
SX_API enum sx_status sx_table_by_instance(const struct sx_table *in,
					   const struct sx_catalog *catalog, struct sx_table **out,
					   struct sx_error *err);

/* Whether a pattern defines a counter ("A12=eu(fpu0-active)") rather than naming one. Thread-safe.
 */
SX_API bool sx_definition_is(const char *pattern);
/*
 * Reads the counter that a pattern defines; the device of `catalog` (NULL: any) must be
 * programmable so. Errors: SX_ERR_NOT_FOUND (it defines nothing, or names something unknown),
 * SX_ERR_USAGE (malformed), SX_ERR_UNSUPPORTED (not on this catalog's device). Thread-safe.
 */
SX_API enum sx_status sx_definition_read(const struct sx_catalog *catalog, const char *pattern,
					 struct sx_definition *out, struct sx_error *err);
/*
 * Whether the counter that a pattern defines can be counted while a metric set runs, by its index
 * in the catalog (SX_NONE: none). Errors: SX_ERR_USAGE (the set counts something else with it; the
 * remedy names what is free), and those of sx_definition_read(). Thread-safe.
 */
SX_API enum sx_status sx_definition_fits(const struct sx_catalog *catalog, uint32_t group,
					 const char *pattern, struct sx_error *err);

#ifdef __cplusplus
}
#endif

#endif
