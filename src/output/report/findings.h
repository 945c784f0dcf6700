/* Findings as every verb shows them: what advice says of a run or a file. */
#ifndef OUTPUT_REPORT_FINDINGS_H
#define OUTPUT_REPORT_FINDINGS_H

#include <sextant/analysis.h>

#include "output/view.h"

/* Advice by rank under its heading; nothing when no rule applies. */
void findings_text(const struct view *view, const struct sx_catalog *catalog,
		   const struct sx_advice *advice);
/* Rules that do not apply, and those that were not judged, with why. */
void findings_rest_text(const struct view *view, const struct sx_advice *advice);

/* The elements of an array: one object a rule that applies, each with the device's number. */
void findings_json(const struct view *view, struct json *json, const struct sx_advice *advice,
		   uint32_t device);
/* The keys `quiet` and `unjudged` of an object. */
void findings_rest_json(struct json *json, const struct sx_advice *advice);

/* Whose findings lines of CSV are. */
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

#endif
