/* A report of one device of a capture, between its parts: gathering, text, groups. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <sextant/analysis.h>

#include "tools/cli/capture_view.h"

struct report_device {
	struct capture_view *view;
	struct sx_table *raw; /* one record's rows at a time */
	struct sx_metrics *metrics;
	const struct sx_metric_column *columns;
	uint32_t count;
	struct sx_summary *summary;
	const struct sx_stats *stats; /* one a column */
	struct sx_overview *overview;
	struct sx_table *curve; /* the metrics of the overview */
	uint64_t each;		/* rows that one of the overview stands for */
	struct sx_advice *advice;
	uint64_t rows, begin_ns, end_ns;
	struct sx_budget_goal goal; /* --fps, --resolution */
	struct sx_budget budget;
	bool has_budget;
};

/* A unit beside a number: "" where the number says it, and of quotients only rates. */
const char *report_unit(const struct cli *cli, const char *unit);
/* "16.7 ms" as "16.7ms", for narrow columns. */
void report_number(const struct cli *cli, char buf[HUMAN_MAX], double value, const char *unit);
/* Name, driver, rows and time of a device, in lines. */
void report_head(const struct cli *cli, const struct report_device *d);
/* Verdict and advice, then every metric in the catalog's order. False when memory is out. */
bool report_text(const struct cli *cli, const struct report_device *d);

/*
 * --by: rows put together by what --by names, sorted and cut as --sort and --top say, in the chosen
 * format. Errors: SX_ERR_USAGE, SX_ERR_NOT_FOUND when no row has such a label.
 */
enum sx_status report_by(const struct cli *cli, struct report_device *d, struct sx_error *err);

/*
 * --by instance where instances are columns: the whole capture, a row an instance, as raw counters
 * that the device's metrics are compiled for. Errors: SX_ERR_NOT_FOUND when there are none.
 */
enum sx_status report_instances(const struct cli *cli, struct report_device *d,
				struct sx_table **out, struct sx_error *err);

/* Works out the budget over rows of raw counters, when one was asked for. */
enum sx_status report_budget(const struct cli *cli, struct report_device *d,
			     const struct sx_table *rows, struct sx_error *err);
/* Writes it, when there is one; as JSON, an element of an array. */
void report_budget_text(const struct cli *cli, const struct report_device *d);
void report_budget_json(struct json *json, const struct report_device *d, uint32_t device);

#endif
