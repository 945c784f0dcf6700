/*
 * A driver with GL_INTEL_performance_query: queries as Mesa's iris has them, one at a time, with
 * counters of every type; values come from a model.
 */
#ifndef TESTS_GPA_FAKE_INTEL_H
#define TESTS_GPA_FAKE_INTEL_H

#include <stdbool.h>

/* `lie`: NULL, "long-answer", "short-answer", "never-ready", "no-begin", "nan". */
void fake_intel_enable(const char *lie);
/* The replacement of a GL function, or NULL. */
void *fake_intel_function(const char *name);
const char *fake_intel_renderer(void);

struct fake_intel_log {
	unsigned begun, refused, alive;
};
struct fake_intel_log fake_intel_report(void);

#endif
