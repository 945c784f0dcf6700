/* The one number that best shows what a device does now. */
#include "analysis/report/report.h"

#include <math.h>
#include <string.h>

#include "metric/metrics.h"

/* Neutral names, the best first. */
static const char *const leading[] = {"frame.rate", "gpu.busy", "cpu.busy", "memory.bandwidth",
				      "gpu.clocks.active"};
#define LEADING (sizeof(leading) / sizeof(leading[0]))

static size_t rank_of(const struct sx_catalog *catalog, const struct sx_metric_column *c)
{
	uint32_t count;
	const char *neutral = NULL;
	if (c->metric != SX_NONE)
		neutral = sx_catalog_metrics(catalog, &count)[c->metric].neutral;
	else if (c->counter != SX_NONE)
		neutral = sx_catalog_counters(catalog, &count)[c->counter].neutral;
	for (size_t i = 0; neutral && i < LEADING; i++)
		if (strcmp(neutral, leading[i]) == 0)
			return i;
	return LEADING;
}

bool report_lead_of(const struct sx_metrics *metrics, const struct sx_table *raw,
		    struct report_lead *out)
{
	uint32_t count, best = SX_NONE;
	size_t best_rank = LEADING;
	struct sx_table *total = NULL, *values = NULL;
	const struct sx_metric_column *columns = sx_metrics_columns(metrics, &count);
	if (!sx_table_row_count(raw) || sx_table_total(raw, &total, NULL) ||
	    sx_metrics_eval(metrics, total, &values, NULL))
		count = 0;
	for (uint32_t i = 0; i < count; i++) {
		size_t rank = rank_of(metrics_catalog(metrics), &columns[i]);
		if (rank >= best_rank || isnan(sx_table_get(values, i, 0)))
			continue;
		best = i;
		best_rank = rank;
	}
	if (best != SX_NONE)
		*out = (struct report_lead){columns[best].name, columns[best].unit,
					    sx_table_get(values, best, 0)};
	sx_table_destroy(values);
	sx_table_destroy(total);
	return best != SX_NONE;
}
