/* A report as CSV: a line for each metric. */
#include "output/report/report.h"
#include "output/write/csv.h"

static void csv_row(struct csv *csv, const struct view *view, const struct report_row *row,
		    uint32_t device)
{
	struct machine_row m;
	machine_row(view, row, &m);
	csv_text(csv, row->name);
	csv_u64(csv, device);
	csv_text(csv, m.unit);
	if (m.exact)
		csv_u64(csv, m.total_u64);
	else
		csv_f64(csv, m.total);
	const double values[] = {m.mean, m.min, m.p50, m.p95, m.p99, m.max};
	const uint64_t digits[] = {0, m.min_u64, 0, 0, 0, m.max_u64};
	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
		if (digits[v])
			csv_u64(csv, digits[v]);
		else
			csv_f64(csv, values[v]);
	csv_u64(csv, row->stats.count);
	csv_f64(csv, row->running);
	csv_text(csv, row->stats.why);
}

static enum sx_status report_write_csv(const struct view *view, const struct report *r,
				       struct sx_error *err)
{
	static const char *const head[] = {"name",  "device",  "unit", "total", "mean",
					   "min",   "p50",     "p95",  "p99",	"max",
					   "count", "running", "why"};
	struct csv csv = {.out = view->out.out};
	bool simulated = machine_simulated(r);
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		csv_text(&csv, head[i]);
	if (simulated)
		csv_text(&csv, "simulated");
	csv_end_line(&csv);
	for (uint32_t d = 0; d < r->device_count; d++)
		for (uint32_t i = 0; i < r->devices[d].row_count; i++) {
			csv_row(&csv, view, &r->devices[d].rows[i], r->devices[d].facts.number);
			if (simulated)
				csv_text(&csv, r->devices[d].facts.simulated ? "true" : "false");
			csv_end_line(&csv);
		}
	return SX_OK;
}

const struct report_view view_csv = {.write = report_write_csv};
