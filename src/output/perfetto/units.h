/* Units as Perfetto numbers them; for this folder only. */
#ifndef OUTPUT_PERFETTO_UNITS_H
#define OUTPUT_PERFETTO_UNITS_H

#include <stdbool.h>
#include <stdint.h>

struct trace_unit {
	int32_t over, under;
	bool has_over, has_under;
};

/* The numbers of a unit, in which values stay as they are; without either where it has none. */
struct trace_unit trace_unit(const char *unit);
/* The one of Perfetto's fixed groups of counters that the unit speaks for; 0: none. */
int32_t trace_unit_group(const char *unit);

#endif
