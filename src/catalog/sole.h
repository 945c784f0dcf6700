/* Metrics that are one counter alone, as it is or scaled by what is known without measuring. */
#ifndef CATALOG_SOLE_H
#define CATALOG_SOLE_H

#include <stdbool.h>

#include <sextant/catalog.h>

#define SOLE_TEXT_MAX 1024

struct sole {
	uint32_t counter; /* SX_NONE: the metric is another thing */
	bool of_time;	  /* the sample's length is in the formula: not what adds up */
	/*
	 * The formula solved for the counter, in infix: "($gpu_time) / (1000)"; empty where no name
	 * means the metric, as a counter has it, too.
	 */
	char back[SOLE_TEXT_MAX];
};

/*
 * The counter whose value a metric's formula in `variant` is, times and over numbers, constants of
 * the device and the sample's length at most. Also through formulas of other metrics. Where a
 * formula cannot be parsed, or memory is out, it is another thing. Thread-safe.
 */
void sole_find(const struct sx_catalog *catalog, uint32_t metric, uint32_t variant,
	       struct sole *out);
/*
 * How samples combine whose values of a metric are given, not derived: as those of the counter that
 * it is, or as the catalog says; sums and differences of amounts add up, ratios have their mean.
 * Thread-safe.
 */
enum sx_reduce sole_over_time(const struct sx_catalog *catalog, uint32_t metric);

#endif
