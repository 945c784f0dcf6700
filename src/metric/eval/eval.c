/* Evaluation of a selection over a table: bind columns to inputs, run the program, copy the rest.
 */
#include "metric/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/no_data.h"
#include "catalog/column.h"
#include "catalog/internal.h"
#include "expr/compile.h"
#include "metric/eval/evaluation.h"
#include "table/fill.h"
#include "table/total.h"

/* What only one run needs. */
static void end_run(struct sx_evaluation *e)
{
	for (uint32_t i = 0; e->converted && i < e->m->input_count; i++) {
		free(e->converted[i]);
		e->converted[i] = NULL;
	}
	for (uint32_t i = 0; e->judged && i < e->m->condition_count; i++) {
		free(e->judged[i].data);
		free(e->judged[i].quality);
		e->judged[i] = (struct expr_result){0};
	}
	free(e->duration);
	free(e->duration_quality);
	e->duration = NULL;
	e->duration_quality = NULL;
}

void sx_evaluation_destroy(struct sx_evaluation *e)
{
	if (!e)
		return;
	end_run(e);
	free(e->judged);
	for (uint32_t i = 0; e->parts && i < e->m->input_count; i++)
		free(e->parts[i].columns);
	free(e->parts);
	sx_table_destroy(e->table);
	free(e->columns);
	free(e->steps);
	free(e->vectors);
	free(e->results);
	free(e->converted);
	free(e->seen);
	free(e->uses);
	free(e->divided);
	free(e->ratio_at);
	sx_table_destroy(e->ratios);
	free(e);
}

static bool same_counter(const struct sx_metrics *m, uint32_t a, uint32_t b)
{
	uint32_t count;
	const struct sx_counter_info *all = sx_catalog_counters(m->catalog, &count);
	return a == b || strcmp(all[a].name, all[b].name) == 0;
}

/* A counter in several groups has one column when the table has only the bare name. */
static bool column_serves(const struct sx_metrics *m, const struct column_meaning *is,
			  const char *column, const struct sx_metric_input *input)
{
	struct column_id id = is->counter;
	if (input->metric != SX_NONE)
		return is->metric == input->metric;
	if (input->counter == SX_NONE) {
		uint32_t constant = sx_catalog_find_constant(m->catalog, input->name);
		return constant != SX_NONE && is->constant == constant;
	}
	if (id.counter == SX_NONE || id.instance != input->instance)
		return false;
	return id.counter == input->counter ||
	       (!strchr(column, '.') && same_counter(m, id.counter, input->counter));
}

static enum sx_status bind_durations(struct sx_evaluation *b, const struct sx_table *in,
				     struct sx_vector *vector, struct sx_error *err)
{
	size_t rows = sx_table_row_count(in);
	const uint64_t *begin = sx_table_begin_ns(in), *end = sx_table_end_ns(in);
	b->duration = calloc(rows + 1, sizeof(*b->duration));
	b->duration_quality = calloc(rows + 1, 1);
	if (!b->duration || !b->duration_quality)
		return error_nomem(err, "evaluating metrics");
	for (size_t i = 0; i < rows; i++) {
		if (begin[i] == SX_TIME_UNKNOWN || end[i] == SX_TIME_UNKNOWN || end[i] < begin[i])
			b->duration_quality[i] = SX_QUALITY_NOT_COLLECTED;
		else
			b->duration[i] = end[i] - begin[i];
	}
	*vector = (struct sx_vector){SX_U64, b->duration, b->duration_quality};
	return SX_OK;
}

/*
 * Which inputs a column of later tables serves; one with data goes before one without. An unknown
 * column serves only itself; there may be thousands.
 */
static void find_inputs(struct sx_evaluation *e, const struct sx_table *like, uint32_t column)
{
	const struct sx_metrics *m = e->m;
	const char *name = sx_table_column(like, column)->name;
	struct column_meaning is = column_meaning(m->catalog, name, m->set);
	for (uint32_t i = 0; column_is_known(&is) && i < m->input_count; i++) {
		if (m->inputs[i].as_is)
			continue;
		bool taken =
		    e->columns[i] != SX_NONE && (sx_table_vector(like, e->columns[i]).data ||
						 !sx_table_vector(like, column).data);
		if (taken || !column_serves(m, &is, name, &m->inputs[i]))
			continue;
		e->columns[i] = column;
		if (m->inputs[i].metric != SX_NONE)
			e->steps[i] = convert_step(m, m->inputs[i].metric,
						   sx_table_column(like, column)->unit);
	}
}

static enum sx_status bind_input(struct sx_evaluation *e, const struct sx_table *in, uint32_t i,
				 struct sx_error *err)
{
	const struct sx_metric_input *input = &e->m->inputs[i];
	struct sx_vector *vector = &e->vectors[i];
	*vector = e->columns[i] == SX_NONE ? (struct sx_vector){.data = NULL}
					   : sx_table_vector(in, e->columns[i]);
	if (e->parts[i].count) {
		if (!reduce_rows(&e->parts[i], in, input->type, vector))
			return error_nomem(err, "evaluating metrics");
		e->converted[i] = (void *)(uintptr_t)vector->data;
		return SX_OK;
	}
	if (!vector->data) {
		vector->type = input->type;
		return input->counter == SX_NONE && strcmp(input->name, "duration_ns") == 0
			   ? bind_durations(e, in, vector, err)
			   : SX_OK;
	}
	struct units_step step = e->steps[i];
	if (input->metric != SX_NONE && (step.times != 1 || step.over != 1) &&
	    input->type == SX_F64) {
		e->converted[i] = convert_unit(vector, step, sx_table_row_count(in));
		return e->converted[i] ? SX_OK : error_nomem(err, "evaluating metrics");
	}
	if (vector->type == input->type)
		return SX_OK;
	e->converted[i] = convert_type(vector, input->type, sx_table_row_count(in));
	return e->converted[i] ? SX_OK : error_nomem(err, "evaluating metrics");
}

static struct sx_column *eval_describe(const struct sx_metrics *m)
{
	struct sx_column *columns = calloc(m->column_count + 1, sizeof(*columns));
	for (uint32_t i = 0; columns && i < m->column_count; i++)
		columns[i] = (struct sx_column){.name = m->columns[i].name,
						.unit = m->columns[i].unit,
						.type = m->columns[i].type,
						.over_time = m->columns[i].over_time,
						.why = m->columns[i].why};
	return columns;
}

/* Whether any of the rows has a value. */
static bool has_value(const struct sx_vector *vector, size_t rows)
{
	if (!vector->data)
		return false;
	bool any = !vector->quality || !rows;
	for (size_t i = 0; !any && i < rows; i++)
		any = !(vector->quality[i] & SX_QUALITY_NO_DATA_MASK);
	return any;
}

/* Whether the device of a row lacks what a column asks of it; what is not known lacks nothing. */
static bool row_lacks(const struct sx_evaluation *e, uint32_t column, size_t row)
{
	const struct expr_result *judged = &e->judged[e->m->plans[column].condition];
	return !(judged->quality[row] & SX_QUALITY_NO_DATA_MASK) &&
	       ((const uint64_t *)judged->data)[row] == 0;
}

/* Says which input a column lacks that has had no value in any table yet, or which difference. */
static enum sx_status explain_missing(struct sx_evaluation *e, const struct sx_table *in,
				      uint32_t c, struct sx_error *err)
{
	const struct sx_metrics *m = e->m;
	const struct column_plan *plan = &m->plans[c];
	struct sx_vector values = sx_table_vector(e->table, c);
	char why[MISSING_MAX] = "";
	if (m->columns[c].why || e->seen[c])
		return SX_OK;
	if (has_value(&values, sx_table_row_count(e->table))) {
		e->seen[c] = true; /* an `if` may have passed by what is missing */
		return table_set_why(e->table, c, NULL); /* which cannot fail */
	}
	if (sx_table_column(e->table, c)->why)
		return SX_OK; /* said of an earlier table */
	if (plan->condition != SX_NONE && sx_table_row_count(in) && row_lacks(e, c, 0)) {
		no_data_append(why, sizeof(why), NO_DATA_NO_COUNTER,
			       m->conditions[plan->condition].text);
		return table_set_why(e->table, c, why) ? error_nomem(err, "evaluating metrics")
						       : SX_OK;
	}
	bool known = missing_reason(e, plan, in, why) || below_reason(m, c, in, why, sizeof(why));
	if (known && table_set_why(e->table, c, why))
		return error_nomem(err, "evaluating metrics");
	return SX_OK;
}

/* False when memory is out. */
static bool copy_counter(struct sx_evaluation *e, uint32_t column)
{
	const struct sx_vector *from = &e->vectors[e->m->plans[column].inputs[0]];
	size_t rows = sx_table_row_count(e->table);
	if (!from->data)
		return true;
	void *data = table_data(e->table, column);
	uint8_t *quality = data ? table_quality(e->table, column) : NULL;
	if (!quality)
		return false;
	memcpy(data, from->data, rows * sizeof(uint64_t));
	if (from->quality)
		memcpy(quality, from->quality, rows);
	else
		memset(quality, 0, rows);
	return true;
}

/* Where the program writes a column. False when memory is out. */
static bool bind_result(struct sx_evaluation *e, uint32_t column)
{
	struct expr_result *result = &e->results[e->m->plans[column].output];
	result->data = table_data(e->table, column);
	result->quality = result->data ? table_quality(e->table, column) : NULL;
	return result->quality != NULL;
}

/* Where the program writes what rows meet. False when memory is out. */
static bool bind_conditions(struct sx_evaluation *e, size_t rows)
{
	for (uint32_t i = 0; i < e->m->condition_count; i++) {
		struct expr_result *judged = &e->judged[i];
		judged->data = calloc(rows, sizeof(uint64_t));
		judged->quality = calloc(rows, 1);
		if (!judged->data || !judged->quality)
			return false;
		e->results[e->m->conditions[i].output] = *judged;
	}
	return true;
}

static void take_missing(struct sx_evaluation *e, uint32_t column)
{
	const struct expr_result *result = &e->results[e->m->plans[column].output];
	for (size_t row = 0; row < sx_table_row_count(e->table); row++) {
		if (!row_lacks(e, column, row))
			continue;
		if (e->m->columns[column].type == SX_U64)
			((uint64_t *)result->data)[row] = 0;
		else
			((double *)result->data)[row] = NAN;
		result->quality[row] = SX_QUALITY_NOT_COLLECTED;
	}
}

/* Whether a metric is given and of several counters, so that its rows do not make its whole. */
static bool is_given_ratio(const struct sx_metrics *m, uint32_t column)
{
	uint32_t count, metric = m->columns[column].metric;
	struct alias alias;
	if (!m->plans[column].copy || metric == SX_NONE ||
	    m->columns[column].over_time != SX_REDUCE_RATIO ||
	    alias_over_time(m->catalog, metric) == SX_REDUCE_SUM)
		return false;
	const char *name = sx_catalog_metrics(m->catalog, &count)[metric].name;
	const struct sx_counter_info *counters = sx_catalog_counters(m->catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (counters[i].same && strcmp(counters[i].same, name) == 0)
			return false; /* frame times by frames: they add up */
	alias_find(m->catalog, metric, 0, &alias);
	return alias.counter == SX_NONE;
}

/* Of totals, given ratios are what their formulas make of the other totals, if they make anything.
 */
static enum sx_status eval_wholes(struct sx_evaluation *e, const struct sx_table *in,
				  struct sx_error *err)
{
	const struct sx_metrics *m = e->m;
	size_t rows = sx_table_row_count(in);
	if (!rows || !table_is_combined(in))
		return SX_OK;
	for (uint32_t c = 0; c < m->column_count; c++)
		table_set_of_rows(e->table, c, is_given_ratio(m, c));
	if (!m->wholes)
		return SX_OK;
	double *values = calloc(m->whole_count * rows, sizeof(*values));
	uint8_t *qualities = calloc(m->whole_count * rows, 1);
	struct expr_result *results = calloc(m->whole_count, sizeof(*results));
	enum sx_status status =
	    values && qualities && results ? SX_OK : error_nomem(err, "evaluating metrics");
	for (uint32_t i = 0; !status && i < m->whole_count; i++)
		results[i] = (struct expr_result){values + i * rows, qualities + i * rows};
	if (!status)
		status = expr_eval(m->wholes, e->vectors, rows, results, err);
	for (uint32_t c = 0; !status && c < m->column_count; c++) {
		uint32_t at = m->plans[c].whole;
		for (size_t row = 0; at != SX_NONE && row < rows; row++)
			if (!(qualities[at * rows + row] & SX_QUALITY_NO_DATA_MASK)) {
				sx_table_set_f64(e->table, c, row, values[at * rows + row],
						 qualities[at * rows + row]);
				table_set_of_rows(e->table, c, false);
			}
	}
	free(values);
	free(qualities);
	free(results);
	return status;
}

static enum sx_status eval_run(struct sx_evaluation *e, struct sx_error *err)
{
	const struct sx_metrics *m = e->m;
	size_t rows = sx_table_row_count(e->table);
	for (uint32_t c = 0; rows && c < m->column_count; c++) {
		bool fine = true;
		if (m->plans[c].output != SX_NONE)
			fine = bind_result(e, c);
		else if (m->columns[c].counter != SX_NONE || m->plans[c].copy)
			fine = copy_counter(e, c);
		if (!fine)
			return error_nomem(err, "evaluating metrics");
	}
	if (!m->program || !rows)
		return SX_OK;
	if (!bind_conditions(e, rows))
		return error_nomem(err, "evaluating metrics");
	enum sx_status status = expr_eval(m->program, e->vectors, rows, e->results, err);
	for (uint32_t c = 0; !status && c < m->column_count; c++)
		if (m->plans[c].condition != SX_NONE)
			take_missing(e, c);
	return status;
}

static enum sx_status allocate(struct sx_evaluation *e, const struct sx_table *like,
			       struct sx_error *err)
{
	const struct sx_metrics *m = e->m;
	struct sx_column *columns = eval_describe(m);
	e->columns = calloc(m->input_count + 1, sizeof(*e->columns));
	e->vectors = calloc(m->input_count + 1, sizeof(*e->vectors));
	e->converted = calloc(m->input_count + 1, sizeof(*e->converted));
	e->parts = calloc(m->input_count + 1, sizeof(*e->parts));
	e->steps = calloc(m->input_count + 1, sizeof(*e->steps));
	e->results = calloc((size_t)m->column_count + m->condition_count + 1, sizeof(*e->results));
	e->judged = calloc((size_t)m->condition_count + 1, sizeof(*e->judged));
	e->seen = calloc(m->column_count + 1, sizeof(*e->seen));
	e->uses = calloc(m->column_count + 1, sizeof(*e->uses));
	enum sx_status status =
	    columns && e->columns && e->vectors && e->converted && e->parts && e->results &&
		    e->judged && e->seen && e->uses && e->steps
		? sx_table_create(columns, m->column_count, sx_table_kind(like), &e->table, err)
		: error_nomem(err, "evaluating metrics");
	free(columns);
	return status;
}

enum sx_status sx_evaluation_create(const struct sx_metrics *metrics, const struct sx_table *like,
				    struct sx_evaluation **out, struct sx_error *err)
{
	struct sx_evaluation *e = calloc(1, sizeof(*e));
	if (!e)
		return error_nomem(err, "evaluating metrics");
	e->m = metrics;
	e->slices = slices_of(like);
	enum sx_status status = allocate(e, like, err);
	if (!status && !frames_find_uses(e))
		status = error_nomem(err, "evaluating metrics");
	if (status) {
		sx_evaluation_destroy(e);
		return status;
	}
	for (uint32_t i = 0; i < metrics->input_count; i++)
		e->columns[i] = metrics->inputs[i].as_is
				    ? sx_table_find(like, metrics->inputs[i].name)
				    : SX_NONE;
	for (uint32_t c = 0; c < sx_table_column_count(like); c++)
		find_inputs(e, like, c);
	for (uint32_t i = 0; i < metrics->input_count; i++) {
		if (e->columns[i] == SX_NONE &&
		    !reduce_find(metrics->catalog, &metrics->inputs[i], like, &e->parts[i])) {
			sx_evaluation_destroy(e);
			return error_nomem(err, "evaluating metrics");
		}
	}
	*out = e;
	return SX_OK;
}

enum sx_status sx_evaluation_run(struct sx_evaluation *e, const struct sx_table *in,
				 struct sx_table **out, struct sx_error *err)
{
	enum sx_status status = table_take_heads(e->table, in, err);
	for (uint32_t i = 0; !status && i < e->m->input_count; i++)
		status = bind_input(e, in, i, err);
	if (!status)
		status = eval_run(e, err);
	if (!status)
		status = eval_wholes(e, in, err);
	if (!status)
		status = frames_take(e, in, err);
	if (!status)
		status = ratios_fill(e, in, err);
	for (uint32_t c = 0; !status && c < e->m->column_count; c++)
		status = explain_missing(e, in, c, err);
	end_run(e);
	*out = e->table;
	return status;
}

enum sx_status sx_metrics_eval(const struct sx_metrics *m, const struct sx_table *in,
			       struct sx_table **out, struct sx_error *err)
{
	struct sx_evaluation *e = NULL;
	struct sx_table *table;
	enum sx_status status = sx_evaluation_create(m, in, &e, err);
	if (!status)
		status = sx_evaluation_run(e, in, &table, err);
	if (!status) {
		*out = table;
		e->table = NULL;
	}
	sx_evaluation_destroy(e);
	return status;
}

enum sx_status evaluation_missing(struct sx_evaluation *e, const struct sx_table *in, bool *missing,
				  struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < e->m->input_count; i++) {
		status = bind_input(e, in, i, err);
		missing[i] = !has_value(&e->vectors[i], sx_table_row_count(in));
	}
	end_run(e);
	return status;
}
