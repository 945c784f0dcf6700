/* The self-test of every Mali source: samples for a second, and checks what must hold in each. */
#ifndef SOURCE_MALI_SELFTEST_H
#define SOURCE_MALI_SELFTEST_H

#include "source/mali/relations.h"
#include "source/source.h"

/* An opened source, where it builds its samples, and what must hold of them. */
struct mali_selftest {
	struct source *source;
	const struct mali_raw *raw;
	const char *catalog;
	double slack; /* of relations, as a part of their sides */
};

/*
 * Samples and checks. say() gets findings and a summary. SX_INCOMPLETE when a relation failed or no
 * sample came; errors of the source otherwise.
 */
enum sx_status mali_selftest(const struct mali_selftest *on,
			     void (*say)(void *user, const char *line), void *user,
			     struct sx_error *err);

#endif
