/* What the files of `sextant plan` share: a selection and its passes, and the views of them. */
#ifndef TOOLS_VERBS_PLAN_PLAN_H
#define TOOLS_VERBS_PLAN_PLAN_H

#include <sextant/plan.h>

#include "base/mem.h"
#include "tools/cli/cli.h"
#include "tools/cli/selection.h"

/* A selection, what of it one API offers, and its plan. */
struct planning {
	struct cli *cli;
	struct sx_catalog *catalog;
	struct sx_metrics *metrics;
	struct sx_plan *plan;
	struct arena arena;
	const struct sx_metric_column *columns;
	uint32_t column_count;
	const char **why; /* for each column: why it is not planned, or NULL */
	bool *hidden;	  /* not of this API, and not named by an option */
	struct sx_plan_item *items;
	const struct sx_counter_info *counters;
	const struct sx_block_info *blocks;
	uint32_t block_count;
	/* Of what the driver counts itself: columns of these, and the passes that it says. */
	uint32_t *driver_columns;
	struct selection_passes driver;
};

/* Whether the driver itself plans a column: it is in none of our passes. */
bool plan_is_drivers(const struct planning *p, uint32_t column);
/* Both to the verb's output. */
void plan_write_text(const struct planning *p);
void plan_write_json(const struct planning *p);

#endif
