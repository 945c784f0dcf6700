/*
 * Ratios over samples with missing inputs: each sample is weighted by its ratio's divisor, so that
 * the mean is between them. Where no input is missing, and only there, the formula over totals
 * gives the same.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric/eval/evaluation.h"
#include "base/error.h"
#include "catalog/internal.h"
#include "metric/metrics.h"
#include "table/fill.h"
#include "base/number.h"

void *convert_type(struct sx_vector *vector, enum sx_type to, size_t rows)
{
	union {
		uint64_t u;
		double f;
	} *out = calloc(rows + 1, sizeof(*out) + 1);
	if (!out)
		return NULL;
	uint8_t *quality = (uint8_t *)(out + rows + 1);
	for (size_t i = 0; i < rows; i++) {
		quality[i] = vector->quality ? vector->quality[i] : 0;
		if (to == SX_F64)
			out[i].f = (double)((const uint64_t *)vector->data)[i];
		else if (!number_round(((const double *)vector->data)[i], &out[i].u))
			quality[i] |= SX_QUALITY_UNDEFINED;
	}
	*vector = (struct sx_vector){to, out, quality};
	return out;
}

double *convert_unit(struct sx_vector *vector, struct units_step step, size_t rows)
{
	double *out = calloc(rows + 1, sizeof(*out));
	for (size_t i = 0; out && i < rows; i++)
		out[i] = units_apply(step, vector->type == SX_U64
					       ? (double)((const uint64_t *)vector->data)[i]
					       : ((const double *)vector->data)[i]);
	if (out)
		*vector = (struct sx_vector){SX_F64, out, vector->quality};
	return out;
}

struct units_step convert_step(const struct sx_metrics *m, uint32_t metric, const char *unit)
{
	uint32_t count;
	struct units units;
	const char *own = sx_catalog_metrics(m->catalog, &count)[metric].unit;
	if (!unit || strcmp(unit, own) == 0)
		return units_step(1);
	units_init(&units);
	double factor = units_factor(&units, unit, own);
	return units_step(factor > 0 ? factor : 1);
}

/* The child that is no number, where all others are; NULL else. */
static const struct sx_node *only_variable(const struct sx_node *node)
{
	const struct sx_node *found = NULL;
	for (uint32_t i = 0; i < node->child_count; i++) {
		if (node->children[i]->kind == SX_NODE_NUMBER)
			continue;
		if (found)
			return NULL;
		found = node->children[i];
	}
	return found;
}

/* What a formula divides by, whatever is done with numbers to the quotient; NULL: it is no ratio.
 */
static const struct sx_node *find_divisor(const struct sx_node *node)
{
	while (node && node->kind == SX_NODE_OP) {
		switch (node->op) {
		case SX_OP_DIV:
		case SX_OP_FDIV:
		case SX_OP_UDIV:
			if (node->children[1]->kind != SX_NODE_NUMBER)
				return node->children[1];
			node = node->children[0];
			break;
		case SX_OP_ADD:
		case SX_OP_SUB:
		case SX_OP_MUL:
		case SX_OP_NEG:
		case SX_OP_MIN:
		case SX_OP_MAX:
			node = only_variable(node);
			break;
		default:
			return NULL;
		}
	}
	return NULL;
}

static bool is_fixed(const struct sx_metrics *m, const struct sx_node *node)
{
	bool fixed = true;
	if (node->kind == SX_NODE_NAME)
		return sx_catalog_find_constant(m->catalog, node->name) != SX_NONE;
	for (uint32_t i = 0; i < node->child_count; i++)
		fixed &= is_fixed(m, node->children[i]);
	return fixed;
}

bool ratios_divide(const struct sx_metrics *m, const struct sx_node *node)
{
	bool divides = false;
	if (node->kind != SX_NODE_OP)
		return false;
	if (node->op == SX_OP_DIV || node->op == SX_OP_UDIV || node->op == SX_OP_FDIV)
		divides = !is_fixed(m, node->children[1]);
	for (uint32_t i = 0; i < node->child_count; i++)
		divides |= ratios_divide(m, node->children[i]);
	return divides;
}

bool metrics_divides(const struct sx_metrics *m, uint32_t column)
{
	return m->plans[column].divides;
}

/* The formula of a column that is a ratio, or NULL. */
static const struct sx_expr *formula_of(struct sx_metrics *m, uint32_t index)
{
	const struct sx_metric_column *column = &m->columns[index];
	struct sx_expr *expr = NULL;
	if (column->metric == SX_NONE || column->over_time != SX_REDUCE_RATIO ||
	    resolve_metric(m, column->metric, &expr, NULL))
		return NULL;
	return expr;
}

static struct expr_output output_of(const struct sx_metrics *m, uint32_t index,
				    const struct sx_expr *expr, const struct sx_node *node)
{
	uint32_t count;
	const struct sx_metric_info *all = sx_catalog_metrics(m->catalog, &count);
	return (struct expr_output){.expr = expr,
				    .node = node,
				    .scope = all[m->columns[index].metric].group,
				    .type = SX_F64};
}

/* NULL: there is nothing to compile, or it cannot be. */
static struct expr_program *compile_outputs(struct sx_metrics *m, const struct expr_output *outputs,
					    uint32_t count)
{
	struct expr_program *program = NULL;
	struct expr_resolver resolver = resolve_names(m);
	struct expr_request request = {outputs, count, sx_catalog_info(m->catalog)->dialect,
				       &resolver};
	return count && !expr_compile(&request, &program, NULL, NULL) ? program : NULL;
}

/*
 * One counter up to a factor adds up by itself. The table may have another column of that counter,
 * which must not be in the totals of what is given.
 */
static bool is_one_counter(const struct sx_metrics *m, uint32_t column)
{
	struct alias alias;
	alias_find(m->catalog, m->columns[column].metric, m->variant, &alias);
	return alias.counter != SX_NONE && !alias.of_time;
}

void ratios_compile_wholes(struct sx_metrics *m)
{
	struct expr_output *outputs = calloc((size_t)m->column_count + 1, sizeof(*outputs));
	for (uint32_t i = 0; outputs && i < m->column_count; i++) {
		bool given = m->plans[i].copy && m->columns[i].type == SX_F64;
		const struct sx_expr *expr = given ? formula_of(m, i) : NULL;
		if (!expr || is_one_counter(m, i))
			continue;
		m->plans[i].whole = m->whole_count;
		outputs[m->whole_count++] = output_of(m, i, expr, NULL);
	}
	m->wholes = compile_outputs(m, outputs, m->whole_count);
	free(outputs);
}

void ratios_compile(struct sx_metrics *m)
{
	struct expr_output *outputs = calloc((size_t)m->column_count + 1, sizeof(*outputs));
	for (uint32_t i = 0; outputs && i < m->column_count; i++) {
		const struct sx_expr *expr =
		    m->plans[i].output == SX_NONE ? NULL : formula_of(m, i);
		const struct sx_node *divisor = expr ? find_divisor(sx_expr_root(expr)) : NULL;
		if (!divisor)
			continue;
		m->plans[i].divisor = m->divisor_count;
		outputs[m->divisor_count++] = output_of(m, i, expr, divisor);
	}
	uint32_t inputs = m->input_count;
	m->divisors = compile_outputs(m, outputs, m->divisor_count);
	if (!m->divisors || m->input_count != inputs)
		m->divisor_count = 0;
	free(outputs);
}

/* Keeps columns that say what rows are, so that each row represents the same others as before. */
static uint32_t keep_kinds(struct sx_evaluation *e, const struct sx_table *like,
			   struct sx_column *columns)
{
	const struct slices *s = &e->slices;
	const uint32_t kinds[RATIOS_KINDS] = {s->frames, s->presented,	s->calls,
					      s->draws,	 s->dispatches, s->busy};
	uint32_t count = 0;
	for (uint32_t i = 0; i < RATIOS_KINDS; i++) {
		if (kinds[i] == SX_NONE)
			continue;
		e->kinds[count] = kinds[i];
		columns[count++] = *sx_table_column(like, kinds[i]);
	}
	return count;
}

/* Whether the tables have what a column reads, so that it may have a value. */
static bool has_inputs(const struct sx_evaluation *e, uint32_t column)
{
	uint32_t count;
	const uint32_t *reads = sx_metrics_column_inputs(e->m, column, &count);
	for (uint32_t i = 0; i < count; i++)
		if (e->columns[reads[i]] == SX_NONE && !e->parts[reads[i]].count &&
		    e->m->inputs[reads[i]].counter != SX_NONE)
			return false;
	return true;
}

/* Gives two columns to each ratio that can have a value; returns how many ratios there are. */
static uint32_t place_ratios(struct sx_evaluation *e)
{
	uint32_t count = 0;
	for (uint32_t c = 0; c < e->m->column_count; c++) {
		uint32_t divisor = e->m->plans[c].divisor;
		if (divisor != SX_NONE)
			e->ratio_at[divisor] =
			    has_inputs(e, c) ? e->kind_count + 2 * count++ : SX_NONE;
	}
	return count;
}

static enum sx_status create_ratios(struct sx_evaluation *e, const struct sx_table *like,
				    struct sx_column *columns, struct sx_error *err)
{
	char(*names)[16] = NULL;
	e->kind_count = keep_kinds(e, like, columns);
	uint32_t count = 2 * place_ratios(e);
	if (count)
		names = calloc(count, sizeof(*names));
	if (count && !names)
		return error_nomem(err, "evaluating metrics");
	for (uint32_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), "%u", (unsigned)i);
		columns[e->kind_count + i] = (struct sx_column){
		    .name = names[i], .type = SX_F64, .over_time = SX_REDUCE_SUM};
	}
	enum sx_status status = SX_OK;
	if (count)
		status = sx_table_create(columns, e->kind_count + count, sx_table_kind(like),
					 &e->ratios, err);
	free(names);
	return status;
}

enum sx_status evaluation_keep_ratios(struct sx_evaluation *e, const struct sx_table *like,
				      struct sx_error *err)
{
	uint32_t ratios = e->m->divisor_count;
	if (!ratios || (e->slices.frames == SX_NONE && sx_table_kind(like) != SX_SAMPLE_ROW))
		return SX_OK;
	struct sx_column *columns = calloc(RATIOS_KINDS + 2 * (size_t)ratios, sizeof(*columns));
	e->divided = calloc(ratios, sizeof(*e->divided));
	e->ratio_at = calloc(ratios, sizeof(*e->ratio_at));
	enum sx_status status = columns && e->divided && e->ratio_at
				    ? create_ratios(e, like, columns, err)
				    : error_nomem(err, "evaluating metrics");
	free(columns);
	return status;
}

const struct sx_table *evaluation_ratios(const struct sx_evaluation *e)
{
	return e->ratios;
}

/* Where a column is written as a whole: what it held before does not count. */
struct written {
	void *data;
	uint8_t *quality;
};

/* False when memory is out. */
static bool begin_writing(struct sx_table *table, uint32_t column, struct written *out)
{
	out->data = table_data(table, column);
	out->quality = table_quality(table, column);
	return out->data && out->quality;
}

static bool copy_kinds(struct sx_evaluation *e, const struct sx_table *in)
{
	size_t rows = sx_table_row_count(in);
	for (uint32_t i = 0; i < e->kind_count; i++) {
		struct sx_vector v = sx_table_vector(in, e->kinds[i]);
		struct written to;
		if (!begin_writing(e->ratios, i, &to))
			return false;
		memset(to.quality, v.data ? 0 : SX_QUALITY_NOT_COLLECTED, rows);
		if (v.data)
			memcpy(to.data, v.data, rows * sizeof(uint64_t));
		if (v.data && v.quality)
			memcpy(to.quality, v.quality, rows);
	}
	return true;
}

/* Where a column's ratio is, or SX_NONE. */
static uint32_t ratio_place(const struct sx_evaluation *e, uint32_t column)
{
	uint32_t divisor = e->m->plans[column].divisor;
	return e->ratios && divisor != SX_NONE ? e->ratio_at[divisor] : SX_NONE;
}

/* Whether all of what is divided by is above 0, and that times each column's value finite. */
static bool are_usual(const double *weights, const double *values, size_t rows)
{
	const uint64_t sign = UINT64_C(1) << 63, beyond = UINT64_C(1) << 52;
	uint64_t signs = 0, weight, value;
	for (size_t i = 0; i < rows; i++) {
		memcpy(&weight, &weights[i], sizeof(weight));
		memcpy(&value, &values[i], sizeof(value));
		signs |= weight | (weight - 1) | (weight + beyond) | ((value & ~sign) + beyond);
	}
	return !(signs & sign);
}

static void multiply(const double *weights, const struct sx_vector *v, size_t rows, double *out)
{
	const uint64_t *u64 = v->data;
	const double *f64 = v->data;
	for (size_t row = 0; v->type == SX_U64 && row < rows; row++)
		out[row] = weights[row] * (double)u64[row];
	for (size_t row = 0; v->type == SX_F64 && row < rows; row++)
		out[row] = weights[row] * f64[row];
}

/* What a column divides by is there; that times the column. */
static bool fill_ratio(struct sx_evaluation *e, uint32_t column)
{
	uint32_t at = ratio_place(e, column);
	size_t rows = sx_table_row_count(e->table);
	struct sx_vector v = sx_table_vector(e->table, column);
	const double *weight = e->divided[e->m->plans[column].divisor].data;
	struct written values;
	if (!begin_writing(e->ratios, at + 1, &values))
		return false;
	memset(values.quality, v.data ? 0 : SX_QUALITY_NOT_COLLECTED, rows);
	if (v.data && v.quality)
		memcpy(values.quality, v.quality, rows);
	if (v.data)
		multiply(weight, &v, rows, values.data);
	bool all = !v.data || are_usual(weight, values.data, rows);
	for (size_t row = 0; !all && row < rows; row++) {
		bool none = values.quality[row] & SX_QUALITY_NO_DATA_MASK;
		double value = ((const double *)values.data)[row];
		if (!none && !(weight[row] > 0 && isfinite(weight[row]) && isfinite(value)))
			values.quality[row] = SX_QUALITY_UNDEFINED;
	}
	memcpy(table_quality(e->ratios, at), values.quality, rows);
	return true;
}

/* Divisors are written where they stay; those of no ratio that can be are not looked at. */
static bool bind_divisors(struct sx_evaluation *e, const struct written *unread)
{
	for (uint32_t i = 0; i < e->m->divisor_count; i++) {
		struct written to = *unread;
		if (e->ratio_at[i] != SX_NONE && !begin_writing(e->ratios, e->ratio_at[i], &to))
			return false;
		e->divided[i] = (struct expr_result){to.data, to.quality};
	}
	return true;
}

enum sx_status ratios_fill(struct sx_evaluation *e, const struct sx_table *in, struct sx_error *err)
{
	size_t rows = sx_table_row_count(in);
	if (!e->ratios)
		return SX_OK;
	enum sx_status status = table_take_heads(e->ratios, in, err);
	if (status || !rows)
		return status;
	struct written unread = {calloc(rows, sizeof(double)), calloc(rows, 1)};
	bool fine = unread.data && unread.quality && bind_divisors(e, &unread);
	if (fine)
		status = expr_eval(e->m->divisors, e->vectors, rows, e->divided, err);
	fine = fine && (status || copy_kinds(e, in));
	for (uint32_t c = 0; !status && fine && c < e->m->column_count; c++)
		if (ratio_place(e, c) != SX_NONE)
			fine = fill_ratio(e, c);
	free(unread.data);
	free(unread.quality);
	return fine ? status : error_nomem(err, "evaluating metrics");
}

enum ratio_known evaluation_ratio(const struct sx_evaluation *e, const struct sx_table *totals,
				  uint32_t column, size_t row, double *mean)
{
	const uint8_t partly = SX_QUALITY_LOST | SX_QUALITY_MULTIPLEXED;
	uint32_t at = ratio_place(e, column);
	if (at == SX_NONE)
		return RATIO_OF_TOTALS;
	struct sx_vector v = sx_table_vector(totals, at);
	uint8_t quality = v.data && v.quality ? v.quality[row] : 0;
	if (quality & SX_QUALITY_NO_DATA_MASK)
		return sx_quality_is_skipped(quality) ? RATIO_OF_TOTALS : RATIO_NONE;
	if (!(quality & partly))
		return RATIO_OF_TOTALS;
	*mean = sx_table_get(totals, at + 1, row) / sx_table_get(totals, at, row);
	return RATIO_OF_ROWS;
}
