/* Parts of a report that several formats and verbs share. */
#ifndef OUTPUT_REPORT_REPORT_H
#define OUTPUT_REPORT_REPORT_H

#include <sextant/analysis.h>

#include "output/views.h"
#include "analysis/verdict/verdict.h"
#include "output/view.h"
#include "output/write/json.h"
#include "analysis/report/by.h"

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

/*
 * A line each metric, under headings; without -v none that is 0 or no data throughout. Below it
 * come the footnotes. A brief view has at most `most` rows, those that say most, and no headings.
 */
bool table_write(const struct view *view, const struct report_device *device, uint32_t most);
/* What the table leaves out, and which of its values have reservations. */
void table_footnotes(const struct view *view, const struct report_device *device);

/* What a device is called. */
const char *report_text_title(const struct report_device *device);
/* Name, driver, samples and time of a device, in lines. */
void report_text_head(const struct view *view, const struct report *report,
		      const struct report_device *device);

/* Writes the verdict above everything else; nothing where there is none. */
void verdict_text(const struct view *view, const struct verdict *verdict);
/* "verdict", or with the program's name where there are several programs. */
void verdict_heading(const struct verdict *verdict, char *buf, size_t size);
/* The key "verdict" and an object, or null. */
void verdict_json(struct json *json, const struct verdict *verdict);
/* "Bound by the GPU (fragment shading)". */
void verdict_title(const struct verdict_part *part, char *buf, size_t size);

#define FINDINGS_BRIEF 3
/* Advice by rank under its heading; nothing when no rule applies. */
void findings_text(const struct view *view, const struct sx_catalog *catalog,
		   const struct sx_advice *advice);
/* The first FINDINGS_BRIEF of them in a line each. */
void findings_brief(const struct view *view, const struct sx_advice *advice);
/* Rules that do not apply, and those that were not judged, with why. */
void findings_rest_text(const struct view *view, const struct sx_advice *advice);

/* The elements of an array: one object a rule that applies, each with the device's number. */
void findings_json(const struct view *view, struct json *json, const struct sx_advice *advice,
		   uint32_t device);
/* The keys `quiet` and `unjudged` of an object. */
void findings_rest_json(struct json *json, const struct sx_advice *advice);

/* The device that lines of findings in CSV are of. */
struct findings_of {
	uint32_t device; /* the device's number, which has a column of its own */
	bool column;	 /* a column says whether the device is a model */
	bool simulated;
	bool no_head; /* the header is there already */
};
/* A header and one line a rule that applies. */
void findings_csv(const struct view *view, const struct sx_advice *advice,
		  const struct findings_of *of);

/* How many rules apply, do not, and were not judged. */
struct findings_count {
	size_t all, fired, quiet, unjudged;
};
struct findings_count findings_count(const struct sx_advice *advice);

/* "passed", "FAILED" or "not judged". */
const char *gates_state(const struct report_gate *gate);
/* A value or limit of a gate as text. */
void gates_number(const struct view *view, char buf[HUMAN_MAX], const struct report_gate *gate,
		  double value);
/* "1.80 ms", or why a gate was not judged, and the limit where that was written without a unit. */
void gates_finding(const struct view *view, const struct report_gate *gate, char *buf, size_t size);
/* A line each. */
void gates_text(const struct view *view, const struct report_gate *gates, size_t count);
/* The key "gates" with an array of objects. */
void gates_json(struct json *json, const struct report_gate *gates, size_t count);

/* Nothing where the device has none; as JSON, an element of an array. */
void budget_text(const struct view *view, const struct report_device *device);
void budget_json(struct json *json, const struct report_device *device);

/* A column of CSV. */
struct groups_name {
	const char *name, *unit;
};

struct groups_out {
	const struct view *view;
	const struct report *report;
	const struct report_device *device; /* the rows' device; its head is written */
	const struct report_groups *g;
	const char *by;	 /* what the rows' file calls their key; NULL: report_key_name() */
	uint32_t number; /* of the device */
	bool is_behind;	 /* a report, which has the head: the table alone, as text */
	/* CSV has the columns of all devices below one header. */
	const struct groups_name *names;
	uint32_t name_count;
	bool no_head;
	bool shows_process, shows_context; /* frames: each names its own */
	struct json *within;		   /* the array of devices, each of which is an object */
};

/*
 * The groups of each device as text, JSON or CSV, in their order; fills the last members. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status groups_write(struct groups_out *all, uint32_t count, struct sx_error *err);

/* For groups_write(): the groups of one device as an object of the array `within`, as CSV. */
void groups_json(const struct groups_out *o);
void groups_csv(const struct groups_out *o);
/* What the key of the groups is called. */
const char *groups_by(const struct groups_out *o);
#define GROUPS_KEY_MAX 64
/* What a group is called: its text as it is, else in buf. */
const char *groups_key(const struct groups_out *o, size_t i, char buf[GROUPS_KEY_MAX]);

#endif
