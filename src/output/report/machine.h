/* A report's numbers for machines: base units, one shape for every format. */
#ifndef OUTPUT_REPORT_MACHINE_H
#define OUTPUT_REPORT_MACHINE_H

#include "output/views.h"

/* The statistics of a row in its base unit. */
struct machine_row {
	const char *unit;
	char unit_text[2 * UNITS_TEXT_MAX];
	bool exact; /* total_u64 has all digits */
	uint64_t total_u64;
	uint64_t min_u64, max_u64; /* all digits of what a double has not; else 0 */
	double total, total_error, mean, min, p50, p95, p99, max, peak;
};

void machine_row(const struct view *view, const struct report_row *row, struct machine_row *out);
bool machine_simulated(const struct report *report);

/* The keys of an object: everything but the metrics. */
void machine_head_json(struct json *json, const struct report *report);
/* The keys of an object for one row. */
void machine_row_json(struct json *json, const struct view *view, const char *schema,
		      const struct report_row *row, uint32_t device);

#endif
