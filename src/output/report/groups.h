/* Groups of rows: `report --by`. */
#ifndef OUTPUT_REPORT_GROUPS_H
#define OUTPUT_REPORT_GROUPS_H

#include "analysis/report/by.h"
#include "output/views.h"

struct groups_out {
	const struct view *view;
	const struct report *report;
	const struct report_device *device; /* whose rows they are: its head is told */
	const struct report_groups *g;
};

/* The groups as text, JSON or CSV, in their order. Errors: SX_ERR_NO_MEMORY. */
enum sx_status groups_write(const struct groups_out *out, struct sx_error *err);

#endif
