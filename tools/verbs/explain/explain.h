/* What the files of `sextant explain` share. */
#ifndef TOOLS_VERBS_EXPLAIN_EXPLAIN_H
#define TOOLS_VERBS_EXPLAIN_EXPLAIN_H

#include "output/catalog/catalog.h"
#include "tools/cli/cli.h"

/* What is printed, and the numbers to put in when there is an input file. */
struct explanation {
	struct cli *cli;
	struct catalog_view view;
	uint32_t variant, set;
	const struct sx_table *totals; /* one row of raw counters, or NULL */
};

/* The value of a metric or counter over the input file; NaN without one. */
double explain_value(const struct explanation *e, const char *name);
/* Whether a rule of the advice, or a metric's formula, reads what has this name. */
bool explain_advice_reads(const struct explanation *e, const struct sx_advice_info *advice,
			  const char *name);
bool explain_reads_counter(const struct explanation *e, const struct sx_metric_info *m,
			   const char *counter);
/* Rules are words with points between them ("cpu.saturated"), as neutral names are. */
bool explain_is_rule(const char *name);
/* The catalog that knows a name; *out holds a reference. SX_ERR_NOT_FOUND: none does. */
enum sx_status explain_open_catalog(struct cli *cli, const char *name, struct sx_catalog **out,
				    struct sx_error *err);
/* Writes what a name of a catalog means to the verb's output. Errors: SX_ERR_NOT_FOUND. */
enum sx_status explain_write(struct cli *cli, struct sx_catalog *catalog, const char *name,
			     struct sx_error *err);
/* Likewise. */
void explain_metric_text(struct explanation *e, uint32_t index, const struct formula *f);
void explain_counter_text(struct explanation *e, uint32_t index);
/* Errors: SX_ERR_NO_MEMORY. */
enum sx_status explain_json(const struct explanation *e, uint32_t metric, uint32_t counter,
			    const struct formula *f, struct sx_error *err);

#endif
