/*
 * Pyramids: a run of any length as a bounded number of intervals, each with the minimum, maximum
 * and mean of every metric over its samples. While samples fit, each is an interval of its own;
 * then adjacent intervals are merged, again and again.
 */
#ifndef ANALYSIS_PYRAMID_H
#define ANALYSIS_PYRAMID_H

#include <sextant/metric.h>

#define PYRAMID_NO_LABEL UINT32_MAX	  /* no sample of the interval has it */
#define PYRAMID_MIXED	 (UINT32_MAX - 1) /* the samples of the interval have several */

/* One metric, in its unit: a value for each interval, NaN where there is no data. */
struct pyramid_column {
	double *min, *max, *sum; /* sum: over `weight` samples */
	uint32_t *weight;	 /* samples with data */
	uint8_t *quality;	 /* of those with data; without any, of those without */
};

/* What is read; everything is owned by the pyramid. */
struct pyramid_view {
	uint64_t each; /* samples of one interval (the last may have fewer); 1: the samples */
	size_t count;  /* intervals */
	const uint64_t *begin_ns, *end_ns; /* SX_TIME_UNKNOWN: not known */
	const uint32_t *rows;		   /* samples of each */
	/* The metrics, and behind them one column more: the length of samples in ns. */
	const struct pyramid_column *columns;
	uint32_t column_count;
	const uint32_t *labels[SX_LABEL_COUNT]; /* NULL: no sample has this label */
	const struct sx_table *strings;		/* labels of text index its dictionary */
};

struct pyramid;

/*
 * A pyramid of a selection over tables with the columns of `like`; the selection must outlive it.
 * It is never larger than about `bytes` when written as pyramid_bytes() counts. *out is owned by
 * the caller. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status pyramid_create(const struct sx_metrics *metrics, const struct sx_table *like,
			      size_t bytes, struct pyramid **out, struct sx_error *err);
/* Adds all rows of a table. Errors: SX_ERR_NO_MEMORY. */
enum sx_status pyramid_add(struct pyramid *pyramid, const struct sx_table *raw,
			   struct sx_error *err);
/* Halves a pyramid until it takes at most so many bytes, or has few intervals. */
void pyramid_fit(struct pyramid *pyramid, size_t bytes);
struct pyramid_view pyramid_get(const struct pyramid *pyramid);
/* Bytes of its numbers: times and lengths, and for each metric a value or the three of them. */
size_t pyramid_bytes(const struct pyramid_view *view);
/* NULL is fine. */
void pyramid_destroy(struct pyramid *pyramid);

#endif
