/* Finds the input that a column without values lacks: see evaluation.h. */
#include "metric/eval/evaluation.h"

#include "base/no_data.h"
#include "base/text_buf.h"

/* Why an input has no value, or NULL where its table does not say. */
static const char *known_reason(const struct sx_evaluation *e, uint32_t input,
				const struct sx_table *in)
{
	uint32_t column = e->columns[input];
	return column == SX_NONE ? NULL : sx_table_column(in, column)->why;
}

/* The first in the catalog of the inputs that a column lacks, or SX_NONE. */
static uint32_t first_missing(const struct sx_evaluation *e, const struct column_plan *plan,
			      const struct sx_table *in)
{
	uint32_t first = SX_NONE;
	for (uint32_t i = 0; i < plan->input_count; i++) {
		uint32_t at = plan->inputs[i];
		const struct sx_metric_input *input = &e->m->inputs[at];
		if (e->vectors[at].data && !known_reason(e, at, in))
			continue;
		const struct sx_metric_input *best = first == SX_NONE ? NULL : &e->m->inputs[first];
		if (!best || input->counter < best->counter ||
		    (input->counter == best->counter && input->instance < best->instance))
			first = at;
	}
	return first;
}

/* Of a metric that the table has by its own name, the table may say it as it is. */
static bool own_reason(const struct sx_evaluation *e, const struct column_plan *plan,
		       const struct sx_table *in, char why[MISSING_MAX])
{
	uint32_t column = sx_table_find(in, e->m->columns[plan - e->m->plans].name);
	const char *reason = column == SX_NONE ? NULL : sx_table_column(in, column)->why;
	why[0] = '\0';
	return reason && text_append(why, MISSING_MAX, "%s", reason);
}

bool missing_reason(const struct sx_evaluation *e, const struct column_plan *plan,
		    const struct sx_table *in, char why[MISSING_MAX])
{
	uint32_t at = first_missing(e, plan, in);
	if (at == SX_NONE)
		return false;
	if (own_reason(e, plan, in, why))
		return true;
	const struct sx_metric_input *input = &e->m->inputs[at];
	const char *reason = known_reason(e, at, in);
	why[0] = '\0';
	text_append(why, MISSING_MAX, "%s: ", input->name);
	if (reason)
		text_append(why, MISSING_MAX, "%s", reason);
	else if (input->counter == SX_NONE && input->metric == SX_NONE && !input->as_is)
		no_data_append(why, MISSING_MAX, NO_DATA_NO_CONSTANT, NULL);
	else
		no_data_append(why, MISSING_MAX, NO_DATA_NOT_COLLECTED, NULL);
	return true;
}
