/* Evaluation of a selection over a table: bind columns to inputs, run the program, copy the rest.
 */
#include "metric/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "metric/column.h"

/* The columns of one table as the program wants them. */
struct binding {
	struct sx_vector *vectors; /* one an input; NULL data: not collected */
	void **converted;	   /* owned copies where types differ */
	uint64_t *duration;	   /* owned */
	uint8_t *duration_quality;
	uint32_t count;
};

static void binding_finish(struct binding *b)
{
	for (uint32_t i = 0; b->converted && i < b->count; i++)
		free(b->converted[i]);
	free(b->converted);
	free(b->vectors);
	free(b->duration);
	free(b->duration_quality);
}

static bool same_counter(const struct sx_metrics *m, uint32_t a, uint32_t b)
{
	uint32_t count;
	const struct sx_counter_info *all = sx_catalog_counters(m->catalog, &count);
	return a == b || strcmp(all[a].name, all[b].name) == 0;
}

/* Counters that stand in several groups share one column when the table has only the bare name. */
static bool column_serves(const struct sx_metrics *m, struct column_id id, const char *column,
			  const struct sx_metric_input *input)
{
	if (input->counter == SX_NONE) {
		uint32_t constant = sx_catalog_find_constant(m->catalog, input->name);
		return constant != SX_NONE && id.counter == SX_NONE &&
		       sx_catalog_find_constant(m->catalog, column) == constant;
	}
	if (id.counter == SX_NONE || id.instance != input->instance)
		return false;
	return id.counter == input->counter ||
	       (!strchr(column, '.') && same_counter(m, id.counter, input->counter));
}

static void *convert(const struct sx_vector *from, enum sx_type to, size_t rows)
{
	union {
		uint64_t u;
		double f;
	} *out = calloc(rows + 1, sizeof(*out));
	for (size_t i = 0; out && i < rows; i++) {
		if (to == SX_F64)
			out[i].f = (double)((const uint64_t *)from->data)[i];
		else if (((const double *)from->data)[i] > 0)
			out[i].u = (uint64_t)(((const double *)from->data)[i] + 0.5);
	}
	return out;
}

static enum sx_status bind_durations(struct binding *b, const struct sx_table *in,
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

static enum sx_status bind_column(const struct sx_metrics *m, struct binding *b,
				  const struct sx_table *in, uint32_t column, struct sx_error *err)
{
	const char *name = sx_table_column(in, column)->name;
	struct column_id id = column_identify(m->catalog, name);
	for (uint32_t i = 0; i < m->input_count; i++) {
		if (b->vectors[i].data || !column_serves(m, id, name, &m->inputs[i]))
			continue;
		b->vectors[i] = sx_table_vector(in, column);
		if (!b->vectors[i].data || b->vectors[i].type == m->inputs[i].type)
			continue;
		b->converted[i] =
		    convert(&b->vectors[i], m->inputs[i].type, sx_table_row_count(in));
		if (!b->converted[i])
			return error_nomem(err, "evaluating metrics");
		b->vectors[i].data = b->converted[i];
		b->vectors[i].type = m->inputs[i].type;
	}
	return SX_OK;
}

static enum sx_status bind(const struct sx_metrics *m, struct binding *b, const struct sx_table *in,
			   struct sx_error *err)
{
	b->count = m->input_count;
	b->vectors = calloc(m->input_count + 1, sizeof(*b->vectors));
	b->converted = calloc(m->input_count + 1, sizeof(*b->converted));
	if (!b->vectors || !b->converted)
		return error_nomem(err, "evaluating metrics");
	for (uint32_t i = 0; i < m->input_count; i++)
		b->vectors[i].type = m->inputs[i].type;
	enum sx_status status = SX_OK;
	for (uint32_t c = 0; !status && c < sx_table_column_count(in); c++)
		status = bind_column(m, b, in, c, err);
	for (uint32_t i = 0; !status && i < m->input_count; i++)
		if (!b->vectors[i].data && m->inputs[i].counter == SX_NONE &&
		    strcmp(m->inputs[i].name, "duration_ns") == 0)
			status = bind_durations(b, in, &b->vectors[i], err);
	return status;
}

static struct sx_column *describe(const struct sx_metrics *m)
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

static enum sx_status copy_rows(const struct sx_table *in, struct sx_table *out,
				struct sx_error *err)
{
	size_t rows = sx_table_row_count(in);
	const uint64_t *begin = sx_table_begin_ns(in), *end = sx_table_end_ns(in);
	enum sx_status status = sx_table_add_rows(out, rows, NULL, err);
	for (size_t i = 0; !status && i < rows; i++)
		sx_table_set_time(out, i, begin[i], end[i]);
	for (int label = 0; label < SX_LABEL_COUNT; label++) {
		bool is_text = label == SX_LABEL_GROUP || label == SX_LABEL_REASON;
		if (!sx_table_has_label(in, (enum sx_label)label))
			continue;
		for (size_t i = 0; !status && i < rows; i++) {
			uint64_t value = sx_table_label(in, (enum sx_label)label, i);
			if (value == SX_LABEL_ABSENT)
				continue;
			const char *text = is_text ? sx_table_string(in, value) : NULL;
			if (text)
				value = sx_table_intern(out, text, strlen(text));
			status = sx_table_set_label(out, (enum sx_label)label, i, value);
		}
	}
	return status;
}

/* Says which input a column lacks, when it lacks one for every row. */
static enum sx_status explain_missing(const struct sx_metrics *m, const struct binding *b,
				      const struct sx_table *in, struct sx_table *out, uint32_t c)
{
	const struct column_plan *plan = &m->plans[c];
	char why[256];
	for (uint32_t i = 0; !m->columns[c].why && i < plan->input_count; i++) {
		const struct sx_metric_input *input = &m->inputs[plan->inputs[i]];
		uint32_t column = sx_table_find(in, input->name);
		const char *reason = column == SX_NONE ? NULL : sx_table_column(in, column)->why;
		if (b->vectors[plan->inputs[i]].data && !reason)
			continue;
		if (reason)
			snprintf(why, sizeof(why), "%s: %s", input->name, reason);
		else if (input->counter == SX_NONE)
			snprintf(why, sizeof(why), "the constant %s is not known; --const %s=VALUE",
				 input->name, input->name);
		else
			snprintf(why, sizeof(why), "%s was not collected", input->name);
		return sx_table_set_why(out, c, why);
	}
	return SX_OK;
}

static void copy_counter(const struct sx_metrics *m, const struct binding *b, struct sx_table *out,
			 uint32_t column)
{
	const struct sx_vector *from = &b->vectors[m->plans[column].inputs[0]];
	size_t rows = sx_table_row_count(out);
	if (!from->data || !rows)
		return;
	memcpy(sx_table_data(out, column), from->data, rows * sizeof(uint64_t));
	if (from->quality)
		memcpy(sx_table_quality(out, column), from->quality, rows);
	else
		memset(sx_table_quality(out, column), 0, rows);
}

static enum sx_status run(const struct sx_metrics *m, const struct binding *b, struct sx_table *out,
			  struct sx_error *err)
{
	size_t rows = sx_table_row_count(out);
	struct sx_result *results = calloc(m->column_count + 1, sizeof(*results));
	if (!results)
		return error_nomem(err, "evaluating metrics");
	for (uint32_t c = 0; rows && c < m->column_count; c++) {
		if (m->plans[c].output != SX_NONE)
			results[m->plans[c].output] =
			    (struct sx_result){sx_table_data(out, c), sx_table_quality(out, c)};
		else if (m->columns[c].counter != SX_NONE)
			copy_counter(m, b, out, c);
	}
	enum sx_status status = SX_OK;
	if (m->program && rows)
		status = sx_program_eval(m->program, b->vectors, rows, results, err);
	free(results);
	return status;
}

enum sx_status sx_metrics_eval(const struct sx_metrics *m, const struct sx_table *in,
			       struct sx_table **out, struct sx_error *err)
{
	struct binding b = {0};
	struct sx_table *table = NULL;
	struct sx_column *columns = describe(m);
	enum sx_status status =
	    columns ? sx_table_create(columns, m->column_count, sx_table_kind(in), &table, err)
		    : error_nomem(err, "evaluating metrics");
	free(columns);
	if (!status)
		status = bind(m, &b, in, err);
	if (!status)
		status = copy_rows(in, table, err);
	for (uint32_t c = 0; !status && c < m->column_count; c++)
		status = explain_missing(m, &b, in, table, c);
	if (!status)
		status = run(m, &b, table, err);
	binding_finish(&b);
	if (status) {
		sx_table_destroy(table);
		return status;
	}
	*out = table;
	return SX_OK;
}
