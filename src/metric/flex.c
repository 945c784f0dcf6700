/* User-defined counters become shares of EU time, normalised by what their filters let through. */
#include "metric/flex.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define EVENT_OCCUPANCY 8 /* counts 8 loaded threads as one */

bool flex_is_definition(const char *pattern)
{
	return strstr(pattern, "=eu(") || strstr(pattern, "= eu(");
}

/* One of two rows, one of four EUs of a row: the share of all EUs that can count, as 1/n. */
static unsigned part(const struct sx_oa_flex *flex)
{
	unsigned rows = flex->coarse >= 7 ? 2 : 1;
	return flex->fine >= 7 ? rows * 4 : rows;
}

void flex_formula(const struct sx_oa_flex_counter *c, char out[FLEX_FORMULA_MAX])
{
	bool threads = c->flex.event == EVENT_OCCUPANCY;
	snprintf(out, FLEX_FORMULA_MAX,
		 "A %u READ %u UMUL $EuCoresTotalCount UDIV%s 100 UMUL GPU_CLOCK 0 READ FDIV",
		 c->counter, part(&c->flex) * (threads ? 8 : 1),
		 threads ? " $EuThreadsCount UDIV" : "");
}

static enum sx_status no_such_device(const struct sx_metrics *m, struct sx_error *err)
{
	error_set(err, SX_ERR_UNSUPPORTED, "catalog %s has no flexible EU counters",
		  sx_catalog_info(m->catalog)->name);
	error_because(err, "only Intel's OA unit can be programmed so");
	error_try(err, "--for intel-bdw");
	return SX_ERR_UNSUPPORTED;
}

static const char *first_name(const struct sx_metrics *m, uint32_t counter)
{
	uint32_t i = 0;
	while (m->flex[i].counter != counter)
		i++;
	return m->flex_names[i];
}

enum sx_status flex_define(struct sx_metrics *m, const char *pattern,
			   struct sx_metric_column *column, struct sx_expr **expr,
			   struct sx_error *err)
{
	struct sx_oa_flex_counter definition;
	char formula[FLEX_FORMULA_MAX], name[8];
	enum sx_status status = sx_oa_flex_parse(pattern, &definition, err);
	if (status)
		return status;
	snprintf(name, sizeof(name), "A%u", definition.counter);
	uint32_t counter = sx_catalog_find_counter(m->catalog, name, SX_NONE, NULL);
	if (counter == SX_NONE ||
	    sx_catalog_find_constant(m->catalog, "EuCoresTotalCount") == SX_NONE)
		return no_such_device(m, err);
	const char *copy = arena_strndup(&m->arena, pattern, strlen(pattern));
	if (!copy)
		return error_nomem(err, "selecting metrics");
	uint32_t before = m->flex_count;
	status = sx_oa_flex_merge(m->flex, &m->flex_count, &definition, err);
	if (status)
		return status;
	if (m->flex_count > before)
		m->flex_names[before] = copy;
	else
		copy =
		    first_name(m, definition.counter); /* the same, spelled otherwise: one column */
	flex_formula(&definition, formula);
	*column = (struct sx_metric_column){
	    .name = copy,
	    .title = sx_oa_flex_describe(SX_OA_FLEX_EVENT, definition.flex.event),
	    .unit = "percent",
	    .type = SX_F64,
	    .over_time = SX_REDUCE_RATIO,
	    .metric = SX_NONE,
	    .counter = counter};
	return sx_expr_parse(formula, SX_POSTFIX, expr, err);
}
