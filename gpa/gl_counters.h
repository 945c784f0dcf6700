/* The guide's counters that OpenGL queries give, on any driver. */
#ifndef GPA_GL_COUNTERS_H
#define GPA_GL_COUNTERS_H

#include "gpa/gl_raws.h"
#include "gpa/guide.h"

/*
 * Adds what the driver counts: the counters of the guide that a query gives exactly (when `guided`;
 * hardware counters take their place otherwise), and the D3D11-style group.
 */
bool gl_counters_add(struct gpa_guide *guide, const struct gl_raws *raws, bool guided,
		     struct gpa_list *list);
/* A counter's value from its raws; `counter` is one that gl_counters_add() has added. */
bool gl_counters_value(const struct gpa_counter *counter, const uint64_t *raws,
		       union gpa_value *out);

#endif
