/* Metrics that a table gives and that could also be derived from it. */
#ifndef INPUT_GIVEN_H
#define INPUT_GIVEN_H

#include <sextant/metric.h>

#define GIVEN_TEXT_MAX 384

/* Zero-initialise; given_end() releases what it holds. */
struct given_check {
	struct sx_metrics *derived;
	struct sx_evaluation *evaluation;
	size_t rows, differ, first; /* rows seen, with a difference, and the first of them */
	char name[128];
	bool one_counter; /* the formula of that metric is one counter, up to a factor */
	double given, would_be;
};

/*
 * Prepares to compare the given values of `metrics`, a selection of `options`, with derived ones.
 * Does nothing where the table of options->like gives no metric.
 */
void given_begin(struct given_check *check, struct sx_catalog *catalog,
		 const struct sx_metrics *metrics, const struct sx_metrics_options *options);
/* Rows of the table, and what the selection made of them. */
void given_rows(struct given_check *check, const struct sx_table *raw,
		const struct sx_table *given);
/* Ends it; whether anything differed by more than a hundredth, which `text` then says. */
bool given_end(struct given_check *check, char text[GIVEN_TEXT_MAX]);
/*
 * All of it for a whole table. Nothing is said where memory is out: the table is good without.
 */
bool given_differs(struct sx_catalog *catalog, const struct sx_table *table,
		   const struct sx_constant_value *constants, uint32_t constant_count,
		   char text[GIVEN_TEXT_MAX]);

#endif
