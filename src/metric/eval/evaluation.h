/* The state of an evaluation; shared by the files of this folder. */
#ifndef METRIC_EVAL_EVALUATION_H
#define METRIC_EVAL_EVALUATION_H

#include "catalog/units.h"
#include "metric/metrics.h"
#include "table/slices.h"

#define RATIOS_KINDS 6 /* columns that say what rows are, those of struct slices */

/* A selection, bound to the columns of tables that are alike. */
struct sx_evaluation {
	const struct sx_metrics *m;
	struct sx_table *table;	  /* the result */
	uint32_t *columns;	  /* of the input table, one an input; SX_NONE: not collected */
	struct units_step *steps; /* one an input: to the catalog's unit, of given metrics; owned */
	struct sx_vector *vectors;   /* one an input, of the current table */
	struct expr_result *results; /* one an output */
	struct expr_result *judged;  /* one a condition; data and quality are owned */
	void **converted;	     /* owned copies where types differ, or instances are reduced */
	struct reduce_columns *parts; /* of inputs that the table has by instance; owned */
	uint64_t *duration;	      /* owned */
	uint8_t *duration_quality;
	bool *seen; /* columns that had a value in any table so far; owned */
	struct slices slices;
	enum slices_use *uses; /* of each column; owned */
	bool of_frames;	       /* some column says nothing of rows that are no frames */
	/* See evaluation_keep_ratios(). */
	struct sx_table *ratios;
	struct expr_result *divided; /* one a divisor; owned, as is: */
	uint32_t *ratio_at;	     /* a divisor's columns of `ratios`, or SX_NONE */
	uint32_t kinds[RATIOS_KINDS], kind_count;
};

/* What ratios divide by at the rows of the run; with evaluation_keep_ratios() alone. */
enum sx_status ratios_fill(struct sx_evaluation *e, const struct sx_table *in,
			   struct sx_error *err);
/* Which columns are of frames. False when memory is out. */
bool frames_find_uses(struct sx_evaluation *e);
/*
 * Metrics of frames alone have no data in time slices; in rows that combine both, they are those of
 * the frames. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status frames_take(struct sx_evaluation *e, const struct sx_table *in,
			   struct sx_error *err);

#define MISSING_MAX 256

/*
 * Writes which input keeps a column from having values, and why, into `why`: of several the first
 * in the catalog, whatever else was selected, so that all views say the same. False: none.
 */
bool missing_reason(const struct sx_evaluation *e, const struct column_plan *plan,
		    const struct sx_table *in, char why[MISSING_MAX]);

/*
 * A copy in another type, with qualities of its own where numbers are no u64; the caller frees it.
 * NULL: no memory.
 */
void *convert_type(struct sx_vector *vector, enum sx_type to, size_t rows);
/* A copy in another unit, as f64; the caller frees it. NULL: no memory. */
double *convert_unit(struct sx_vector *vector, struct units_step step, size_t rows);
/*
 * From a column's unit to that of the metric which it gives: a capture may have it in another one
 * of the kind than the catalog has now.
 */
struct units_step convert_step(const struct sx_metrics *m, uint32_t metric, const char *unit);

#endif
