/* Metrics of groups, as they are shown. */
#include <math.h>

#include "analysis/report/by/state.h"
#include "analysis/summary.h"
#include "metric/metrics.h"
#include "table/fill.h"

/* One value of a table to the same place of another. */
static void copy_value(struct sx_table *to, const struct sx_vector *from, uint32_t column,
		       size_t row)
{
	uint8_t quality = from->quality ? from->quality[row] : 0;
	if (from->type == SX_U64)
		sx_table_set_u64(to, column, row, ((const uint64_t *)from->data)[row], quality);
	else
		sx_table_set_f64(to, column, row, ((const double *)from->data)[row], quality);
}

/* Rates and ratios of groups that have rows without an amount. */
static enum sx_status take_rates(const struct report_by *g, struct sx_table *values,
				 struct sx_error *err)
{
	uint32_t count;
	struct sx_table *rates = NULL;
	const struct sx_metric_column *columns = sx_metrics_columns(g->metrics, &count);
	enum sx_status status = sx_metrics_eval(g->metrics, g->rates, &rates, err);
	for (uint32_t c = 0; !status && c < count; c++) {
		struct sx_vector v = sx_table_vector(rates, c);
		bool adds_up = columns[c].over_time == SX_REDUCE_SUM;
		for (size_t row = 0; !adds_up && v.data && row < sx_table_row_count(rates); row++)
			copy_value(values, &v, c, row);
	}
	sx_table_destroy(rates);
	return status;
}

/* Ratios over samples some of which lack what others have. */
static void take_ratios(const struct report_by *g, struct sx_table *values)
{
	const struct sx_evaluation *e = g->summary->evaluation;
	for (uint32_t c = 0; c < sx_table_column_count(values); c++) {
		struct sx_vector v = sx_table_vector(values, c);
		for (size_t row = 0; v.type == SX_F64 && row < sx_table_row_count(g->ratios);
		     row++) {
			double mean = NAN;
			uint8_t quality = v.quality ? v.quality[row] : 0;
			if (evaluation_ratio(e, g->ratios, c, row, &mean) == RATIO_OF_TOTALS)
				continue;
			if (isnan(mean) && !(quality & SX_QUALITY_NO_DATA_MASK))
				quality = SX_QUALITY_UNDEFINED;
			sx_table_set_f64(values, c, row, mean, quality);
		}
	}
}

enum sx_status by_evaluate(const struct report_by *g, struct sx_table **out, struct sx_error *err)
{
	enum sx_status status = sx_metrics_eval(g->metrics, g->groups, out, err);
	if (!status && g->rates)
		status = take_rates(g, *out, err);
	if (!status && g->ratios)
		take_ratios(g, *out);
	return status;
}
