/* What has to be worked out to explain a name: its value, and who reads it. */
#include "tools/verbs/explain/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/selection.h"

/* The value of a metric or counter over the input file; NaN without one. */
double explain_value(const struct explanation *e, const char *name)
{
	struct sx_metrics *metrics = NULL;
	struct sx_table *out = NULL;
	double value = NAN;
	struct sx_metrics_options options = options_selection(&e->cli->options, e->totals);
	options.patterns = &name;
	options.pattern_count = 1;
	options.keep_neutral = false;
	options.set = NULL;
	options.variant =
	    e->view.info->variant_count ? e->view.info->variants[e->variant].name : NULL;
	enum sx_status status = SX_ERR_NOT_FOUND;
	if (e->totals)
		status = sx_metrics_create(e->view.catalog, &options, &metrics, NULL);
	if (!status)
		status = sx_metrics_eval(metrics, e->totals, &out, NULL);
	if (!status)
		value = sx_table_get(out, 0, 0);
	if (status == SX_ERR_NO_MEMORY)
		*e->view.no_memory = true;
	sx_table_destroy(out);
	sx_metrics_destroy(metrics);
	return value;
}

static bool node_names(const struct sx_node *node, const char *name)
{
	if (node->kind == SX_NODE_NAME && strcmp(node->name, name) == 0)
		return true;
	for (uint32_t i = 0; i < node->child_count; i++)
		if (node_names(node->children[i], name))
			return true;
	return false;
}

bool explain_advice_reads(const struct explanation *e, const struct sx_advice_info *advice,
			  const char *name)
{
	struct sx_expr *parsed = NULL;
	if (advice->metric && strcmp(advice->metric, name) == 0)
		return true;
	enum sx_status status =
	    advice->when ? sx_expr_parse(advice->when, SX_INFIX, &parsed, NULL) : SX_OK;
	if (status == SX_ERR_NO_MEMORY)
		*e->view.no_memory = true;
	if (!parsed)
		return false;
	bool reads = node_names(sx_expr_root(parsed), name);
	sx_expr_destroy(parsed);
	return reads;
}

bool explain_reads_counter(const struct explanation *e, const struct sx_metric_info *m,
			   const char *counter)
{
	struct sx_expr *parsed;
	const char **inputs =
	    describe_inputs(&e->view, m->exprs ? m->exprs[e->variant] : NULL, &parsed);
	bool reads = false;
	for (size_t n = 0; inputs && inputs[n] && !reads; n++)
		reads = strcmp(inputs[n], counter) == 0;
	free(inputs);
	sx_expr_destroy(parsed);
	return reads;
}
