/* What a pixel may cost, for a target resolution and frame rate. */
#ifndef ANALYSIS_BUDGET_H
#define ANALYSIS_BUDGET_H

#include <sextant/analysis.h>

/* The picture that is to be reached. */
struct budget_goal {
	double width, height; /* pixels */
	double fps;
};

/* What each pixel of the picture may cost, and what was spent. NaN where a counter is missing. */
struct budget {
	double clock_hz;  /* the device's highest, or the highest rate of active cycles seen */
	bool clock_known; /* the former: the constant gpu_max_clock_hz was given */
	double cores;	  /* shader cores, or 1 where the catalog has no such constant */
	double available,
	    usable;   /* core cycles for a pixel: all, and the 85 % that can be reached */
	double spent; /* core cycles for a pixel */
	double bytes_per_second; /* reads and writes beyond the device's caches */
	double low_mw, high_mw;	 /* of DRAM, at 80 to 100 mW for each GB/s */
};

/* What a budget is made of. */
struct budget_source {
	struct sx_catalog *catalog;
	const struct sx_metrics_options *options;
	const struct sx_table *raw;
};

/*
 * Compares rows of raw counters with times with a goal, by the neutral names gpu.clocks.active and
 * memory.read.bytes and memory.write.bytes of the catalog. `options` gives constants and variant;
 * its patterns are ignored. Errors: SX_ERR_USAGE (a goal that is not above 0), SX_ERR_NOT_FOUND
 * (the catalog counts no active cycles), SX_ERR_NO_MEMORY.
 */
enum sx_status budget_of(const struct budget_source *of, const struct budget_goal *goal,
			 struct budget *out, struct sx_error *err);

#endif
