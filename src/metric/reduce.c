/* Sums, means and maxima over the instances of a counter, row by row. */
#include "metric/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "catalog/column.h"
#include "base/number.h"

static enum sx_reduce rule_of(const struct sx_catalog *catalog, const struct sx_metric_input *input)
{
	uint32_t count;
	if (input->counter == SX_NONE || input->instance != SX_NONE)
		return SX_REDUCE_EACH;
	return sx_catalog_counters(catalog, &count)[input->counter].reduce;
}

bool reduce_find(const struct sx_catalog *catalog, const struct sx_metric_input *input,
		 const struct sx_table *like, struct reduce_columns *out)
{
	*out = (struct reduce_columns){.how = rule_of(catalog, input)};
	uint32_t count = sx_table_column_count(like);
	if (out->how != SX_REDUCE_SUM && out->how != SX_REDUCE_MEAN && out->how != SX_REDUCE_MAX)
		return true;
	for (uint32_t i = 0; i < count; i++) {
		struct column_id id = column_identify(catalog, sx_table_column(like, i)->name);
		if (id.counter != input->counter || id.instance == SX_NONE)
			continue;
		if (!out->columns && !(out->columns = calloc(count, sizeof(*out->columns))))
			return false;
		out->columns[out->count++] = i;
	}
	return true;
}

/* One value as a double beside its exact form, which a whole result is made of. */
struct amount {
	uint64_t whole;
	double real;
	uint8_t quality;
};

static struct amount read_amount(const struct sx_vector *v, size_t row, bool to_whole)
{
	struct amount a = {.quality = SX_QUALITY_NOT_COLLECTED};
	if (!v->data)
		return a;
	a.quality = v->quality ? v->quality[row] : 0;
	if (v->type == SX_U64) {
		a.whole = ((const uint64_t *)v->data)[row];
		a.real = (double)a.whole;
	} else {
		a.real = ((const double *)v->data)[row];
		bool fits = number_round(a.real, &a.whole);
		if (to_whole ? !fits : isnan(a.real))
			a.quality |= SX_QUALITY_UNDEFINED;
	}
	return a;
}

static struct amount reduce_row(const struct reduce_columns *from, const struct sx_table *in,
				size_t row, bool to_whole)
{
	struct amount sum = {0};
	for (uint32_t i = 0; i < from->count; i++) {
		const struct sx_vector v = sx_table_vector(in, from->columns[i]);
		struct amount a = read_amount(&v, row, to_whole);
		sum.quality |= a.quality;
		if (from->how == SX_REDUCE_MAX) {
			sum.whole = a.whole > sum.whole ? a.whole : sum.whole;
			sum.real = !i || a.real > sum.real ? a.real : sum.real;
		} else {
			/* What 64 bits do not hold is no small number. */
			if (__builtin_add_overflow(sum.whole, a.whole, &sum.whole) && to_whole)
				sum.quality |= SX_QUALITY_UNDEFINED;
			sum.real += a.real;
		}
	}
	if (from->how == SX_REDUCE_MEAN) {
		sum.real /= from->count;
		sum.whole = (sum.whole + from->count / 2) / from->count;
	}
	return sum;
}

bool reduce_rows(const struct reduce_columns *from, const struct sx_table *in, enum sx_type type,
		 struct sx_vector *vector)
{
	size_t rows = sx_table_row_count(in);
	union {
		uint64_t whole;
		double real;
	} *data = calloc(rows + 1, sizeof(*data) + 1);
	if (!data)
		return false;
	uint8_t *quality = (uint8_t *)(data + rows + 1);
	for (size_t row = 0; row < rows; row++) {
		struct amount a = reduce_row(from, in, row, type == SX_U64);
		bool none = a.quality & SX_QUALITY_NO_DATA_MASK;
		quality[row] = a.quality;
		if (type == SX_U64)
			data[row].whole = none ? 0 : a.whole;
		else
			data[row].real = none ? (double)NAN : a.real;
	}
	*vector = (struct sx_vector){.type = type, .data = data, .quality = quality};
	return true;
}
