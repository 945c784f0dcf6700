/* The GPU's timestamp: unwrapped from 32 bits, and tied to CPU time by correlation pairs. */
#ifndef DECODE_I915_OA_CLOCK_H
#define DECODE_I915_OA_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oa_clock_point {
	uint64_t cpu_ns, ticks; /* ticks unwrapped */
};

/* Zero-initialise, set hz. */
struct oa_clock {
	uint64_t hz;	     /* of reports */
	bool pairs_half;     /* pairs count half as fast */
	bool pairs_open;     /* they may or may not: the second pair shows it */
	uint64_t first_raw;  /* the first pair's ticks as they came */
	uint64_t beside;     /* the report that came before it or, for want of one, after it */
	uint64_t last_ticks; /* of the newest report */
	bool started;
	struct oa_clock_point *points; /* in order of time */
	size_t count, cap;
	uint64_t last_raw; /* the newest pair's ticks as they came, 36 bits */
	size_t near;	   /* the pair that the last conversion began from */
};

/*
 * Unwraps a report's timestamp: after the last report, near the newest pair. *backwards is set when
 * it lies before the last report; then time goes on from there.
 */
uint64_t oa_clock_report(struct oa_clock *clock, uint32_t timestamp, bool *backwards);
/* Adds a pair. Returns NULL, or why it was not taken (static string). */
const char *oa_clock_correlate(struct oa_clock *clock, uint64_t cpu_ns, uint64_t gpu_ticks);
/* Nanoseconds of a tick: between its pairs, beyond the last ones on their slope, else from zero. */
uint64_t oa_clock_ns(struct oa_clock *clock, uint64_t ticks);
/*
 * The same for columns of ticks, in place, where a tick is a whole number of nanoseconds: without
 * pairs and with a frequency that divides 1 GHz. False, and nothing done, otherwise.
 */
bool oa_clock_scale(const struct oa_clock *clock, uint64_t *begin, uint64_t *end, size_t count);
void oa_clock_finish(struct oa_clock *clock);

#endif
