/* Checks of OA on the hardware at hand, through whichever driver. */
#ifndef SOURCE_OA_SELFTEST_H
#define SOURCE_OA_SELFTEST_H

#include <sextant/oa.h>
#include "source/source.h"

#define OA_PAIR_RECORD 24 /* bytes of a record with a pair of CPU and GPU time */

/* An opened source, idle, whose raw samples are OA records. */
struct oa_selftest {
	struct source *source;
	const struct sx_oa_device *device; /* with the format once the source is started */
	const char *driver;
	const uint64_t *period_ns; /* of reports, once the source is started */
	/* Writes a record with a pair of CPU and GPU time; its size, or 0. */
	size_t (*pair)(struct source *source, uint8_t *out, size_t cap);
};

/*
 * Runs the test set for a second and says what holds. SX_INCOMPLETE when something does not; else
 * the errors of start() and read().
 */
enum sx_status oa_selftest(const struct oa_selftest *on, void (*say)(void *user, const char *line),
			   void *user, struct sx_error *err);

#endif
