/* What is different in a group of rows: the metrics in which it differs from all rows. */
#include <math.h>

#include "analysis/report/by.h"

/* How far above the median, in units of the distance from the median to the 95th percentile. */
static double distance(const struct sx_stats *s, double value)
{
	double spread = fmax(s->p95 - s->p50, 0.02 * fabs(s->p50));
	return spread > 0 && s->p50 > 0 ? (value - s->p50) / spread : 0;
}

static size_t insert(struct report_difference *out, double *far, size_t count,
		     struct report_difference difference, double here)
{
	size_t at = count;
	while (at > 0 && far[at - 1] < here)
		at--;
	if (at == REPORT_DIFFERENCES)
		return count;
	count = count < REPORT_DIFFERENCES ? count + 1 : count;
	for (size_t i = count - 1; i > at; i--) {
		out[i] = out[i - 1];
		far[i] = far[i - 1];
	}
	out[at] = difference;
	far[at] = here;
	return count;
}

size_t report_by_differences(const struct report_groups *g, size_t group,
			     struct report_difference *out)
{
	double far[REPORT_DIFFERENCES];
	size_t count = 0;
	for (uint32_t c = 0; g->stats && c < sx_table_column_count(g->values); c++) {
		double value = sx_table_get(g->values, c, group);
		double here = isnan(value) ? 0 : distance(&g->stats[c], value);
		if (c == g->sort_column || here < 1)
			continue; /* one in twenty is that far */
		count = insert(out, far, count,
			       (struct report_difference){c, value / g->stats[c].p50}, here);
	}
	return count;
}
