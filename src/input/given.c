/* Metrics that a table gives: see given.h. */
#include "input/given.h"
#include "base/number.h"
#include "catalog/internal.h"
#include "metric/metrics.h"
#include "table/fill.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK_ROWS 4096

static bool gives_any(const struct sx_metrics *metrics)
{
	uint32_t count;
	const struct sx_metric_input *inputs = sx_metrics_inputs(metrics, &count);
	for (uint32_t i = 0; i < count; i++)
		if (inputs[i].metric != SX_NONE)
			return true;
	return false;
}

void given_begin(struct given_check *check, struct sx_catalog *catalog,
		 const struct sx_metrics *metrics, const struct sx_metrics_options *options)
{
	struct sx_metrics_options derive = *options;
	derive.derive = true;
	if (gives_any(metrics) && sx_metrics_create(catalog, &derive, &check->derived, NULL))
		check->derived = NULL;
	if (check->derived &&
	    sx_evaluation_create(check->derived, options->like, &check->evaluation, NULL))
		check->evaluation = NULL;
}

/* Whether totals of a metric are of what is given, rather than by the formula. */
static bool is_one_counter(const struct given_check *check, const char *name)
{
	struct alias alias = {.counter = SX_NONE};
	const struct sx_catalog *catalog = metrics_catalog(check->derived);
	uint32_t metric = sx_catalog_find_metric(catalog, name, SX_NONE, NULL);
	if (metric != SX_NONE)
		alias_find(catalog, metric, 0, &alias);
	return alias.counter != SX_NONE && !alias.of_time;
}

/* The same metric in both, by name: more than a hundredth apart is a difference. */
static void given_check_column(struct given_check *check, const struct sx_table *given,
			       uint32_t column, const struct sx_table *derived)
{
	const char *name = sx_table_column(given, column)->name;
	uint32_t other = sx_table_find(derived, name);
	for (size_t r = 0; other != SX_NONE && r < sx_table_row_count(given); r++) {
		double a = sx_table_get(given, column, r), b = sx_table_get(derived, other, r);
		double larger = fmax(fabs(a), fabs(b));
		if (isnan(a) || isnan(b) || fabs(a - b) <= larger * 0.01)
			continue;
		if (check->differ++)
			continue;
		check->first = check->rows + r;
		check->given = a;
		check->would_be = b;
		check->one_counter = is_one_counter(check, name);
		snprintf(check->name, sizeof(check->name), "%s", name);
	}
}

void given_rows(struct given_check *check, const struct sx_table *raw, const struct sx_table *given)
{
	struct sx_table *derived;
	if (check->evaluation && !sx_evaluation_run(check->evaluation, raw, &derived, NULL))
		for (uint32_t c = 0; c < sx_table_column_count(given); c++)
			given_check_column(check, given, c, derived);
	check->rows += sx_table_row_count(given);
}

bool given_end(struct given_check *check, char text[GIVEN_TEXT_MAX])
{
	if (check->differ)
		snprintf(text, GIVEN_TEXT_MAX,
			 "%s not what the formula gives; the first is %s in row "
			 "%zu: %g, and %g by its formula; %s",
			 COUNTED(check->differ, "given value is"), check->name, check->first,
			 check->given, check->would_be,
			 check->one_counter ? "what is given is the metric"
					    : "averages over the run are by the formula");
	sx_evaluation_destroy(check->evaluation);
	sx_metrics_destroy(check->derived);
	return check->differ;
}

/* The metrics of a selection that the table gives, by name; owned by the caller, or NULL. */
static const char **given_names(const struct sx_metrics *metrics, uint32_t *count)
{
	uint32_t columns, inputs;
	const struct sx_metric_column *column = sx_metrics_columns(metrics, &columns);
	const struct sx_metric_input *input = sx_metrics_inputs(metrics, &inputs);
	const char **names = calloc((size_t)columns + 1, sizeof(*names));
	*count = 0;
	for (uint32_t c = 0; names && c < columns; c++) {
		uint32_t reads;
		const uint32_t *read = sx_metrics_column_inputs(metrics, c, &reads);
		if (reads == 1 && column[c].metric != SX_NONE &&
		    input[read[0]].metric == column[c].metric)
			names[(*count)++] = column[c].name;
	}
	return names;
}

/* All rows of a table, some at a time: there may be millions. */
static void given_blocks(struct given_check *check, const struct sx_metrics *metrics,
			 const struct sx_table *table)
{
	size_t count = sx_table_row_count(table);
	struct sx_table *block = NULL, *values;
	struct sx_evaluation *evaluation = NULL;
	struct sx_vector *vectors =
	    calloc((size_t)sx_table_column_count(table) + 1, sizeof(*vectors));
	bool fine = vectors && !table_like(table, &block, NULL) &&
		    !sx_evaluation_create(metrics, table, &evaluation, NULL);
	for (size_t first = 0; fine && first < count; first += BLOCK_ROWS) {
		struct sx_rows rows;
		size_t some = count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS;
		sx_table_rows(table, first, some, vectors, &rows);
		sx_table_clear(block);
		fine = !sx_table_append(block, &rows, NULL) &&
		       !sx_evaluation_run(evaluation, block, &values, NULL);
		if (fine)
			given_rows(check, block, values);
	}
	sx_evaluation_destroy(evaluation);
	sx_table_destroy(block);
	free(vectors);
}

static void given_whole(struct given_check *check, struct sx_catalog *catalog,
			const struct sx_metrics *all, const struct sx_metrics_options *options)
{
	struct sx_metrics_options some = *options;
	struct sx_metrics *metrics = NULL;
	const char **names = given_names(all, &some.pattern_count);
	some.patterns = names;
	if (names && some.pattern_count && !sx_metrics_create(catalog, &some, &metrics, NULL)) {
		given_begin(check, catalog, metrics, &some);
		given_blocks(check, metrics, options->like);
	}
	sx_metrics_destroy(metrics);
	free(names);
}

bool given_differs(struct sx_catalog *catalog, const struct sx_table *table,
		   const struct sx_constant_value *constants, uint32_t constant_count,
		   char text[GIVEN_TEXT_MAX])
{
	struct given_check check = {0};
	struct sx_metrics *all = NULL;
	struct sx_metrics_options options = {
	    .constants = constants, .constant_count = constant_count, .like = table};
	if (sx_metrics_create(catalog, &options, &all, NULL))
		return false;
	if (gives_any(all))
		given_whole(&check, catalog, all, &options);
	sx_metrics_destroy(all);
	return given_end(&check, text);
}
