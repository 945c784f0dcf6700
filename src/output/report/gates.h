/* What became of gates, in every format. */
#ifndef OUTPUT_REPORT_GATES_H
#define OUTPUT_REPORT_GATES_H

#include "output/views.h"

/* "passed", "FAILED" or "not judged". */
const char *gates_state(const struct report_gate *gate);
/* A value or limit of a gate as people read it. */
void gates_number(const struct view *view, char buf[HUMAN_MAX], const struct report_gate *gate,
		  double value);
/* "1.80 ms", or why a gate was not judged, and the limit where that was written without a unit. */
void gates_finding(const struct view *view, const struct report_gate *gate, char *buf, size_t size);
/* A line each. */
void gates_text(const struct view *view, const struct report_gate *gates, size_t count);
/* The key "gates" with an array of objects. */
void gates_json(struct json *json, const struct report_gate *gates, size_t count);

#endif
