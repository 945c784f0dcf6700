/* What the unit of a gate's limit means. */
#ifndef ANALYSIS_COMPARE_GATE_UNIT_H
#define ANALYSIS_COMPARE_GATE_UNIT_H

#include "analysis/compare/gate.h"

/* The factor from a written unit to a metric's base unit; false when it measures something else. */
bool gate_unit_factor(const char *written, const char *base, double *factor);
/* A unit for limits that numbers in a base unit can have; "" where any number may be one. */
const char *gate_unit_example(const char *base);

#endif
