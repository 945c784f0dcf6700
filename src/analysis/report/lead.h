/* The one number that best shows what a device does now. */
#ifndef ANALYSIS_REPORT_LEAD_H
#define ANALYSIS_REPORT_LEAD_H

#include <sextant/metric.h>

struct report_lead {
	const char *name, *unit; /* the selection's */
	double value;
};

/* Works the lead out over all rows of a table; false when no row has a value. */
bool report_lead_of(const struct sx_metrics *metrics, const struct sx_table *raw,
		    struct report_lead *out);

#endif
