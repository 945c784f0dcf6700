/* Values: their types, their quality, and columns of them. */
#ifndef SEXTANT_VALUE_H
#define SEXTANT_VALUE_H

#include <sextant/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SX_NONE UINT32_MAX /* "no index" wherever an index is expected */

enum sx_type { SX_U64, SX_F64 };

/* How instances of a block, or adjacent samples, combine into one value. */
enum sx_reduce {
	SX_REDUCE_SINGLE, /* there is only one */
	SX_REDUCE_SUM,
	SX_REDUCE_MEAN,
	SX_REDUCE_MAX,
	SX_REDUCE_LAST,
	SX_REDUCE_EACH,	 /* instances stay apart; a formula reduces them */
	SX_REDUCE_RATIO, /* metrics over time: evaluate the formula over the combined counters */
};

/* Quality of one value: bits, 0 is valid. The first four mean that there is no value to use. */
enum sx_quality {
	SX_QUALITY_VALID = 0,
	SX_QUALITY_NOT_COLLECTED = 1 << 0, /* it was not selected, or not counted in this sample */
	SX_QUALITY_DISTURBED = 1 << 1,	   /* the program used the same query; no value */
	SX_QUALITY_GAP = 1 << 2,	   /* device off, protected content, broken accumulation */
	SX_QUALITY_UNDEFINED = 1 << 3,	   /* a division by zero or the like */
	SX_QUALITY_LOST = 1 << 4,    /* samples were lost within the interval; sums still hold */
	SX_QUALITY_WRAPPED = 1 << 5, /* may have wrapped more than once */
	SX_QUALITY_MULTIPLEXED = 1 << 6, /* counted for a part of the interval and scaled */
	SX_QUALITY_STRETCHED = 1 << 7,	 /* the interval is longer than asked for */
};
#define SX_QUALITY_NO_DATA_MASK 0x0f
/*
 * Together: not measured in this sample, to bound the overhead. The measured samples represent it:
 * totals are scaled up and carry SX_QUALITY_MULTIPLEXED.
 */
#define SX_QUALITY_SKIPPED                                                                         \
	(SX_QUALITY_NOT_COLLECTED | SX_QUALITY_MULTIPLEXED | SX_QUALITY_STRETCHED)

static inline bool sx_quality_is_skipped(uint8_t quality)
{
	return (quality & SX_QUALITY_SKIPPED) == SX_QUALITY_SKIPPED;
}

/*
 * Removes reservations from a quality without a value, unless the sample is skipped: then others
 * represent it.
 */
static inline uint8_t sx_quality_reduced(uint8_t quality)
{
	if (!(quality & SX_QUALITY_NO_DATA_MASK))
		return quality;
	return (uint8_t)(quality & (SX_QUALITY_NO_DATA_MASK |
				    (sx_quality_is_skipped(quality) ? SX_QUALITY_SKIPPED : 0)));
}

/*
 * A column of values. `data` is uint64_t or double by type; `quality` has one byte a row or is NULL
 * when all are valid. A NULL `data` means that the whole column is not collected.
 */
struct sx_vector {
	enum sx_type type;
	const void *data;
	const uint8_t *quality;
};

/* What one column holds. A caller that keeps one copies the strings. */
struct sx_column {
	const char *name;
	const char *unit;
	enum sx_type type;
	enum sx_reduce over_time; /* how adjacent samples combine */
	const char *why;	  /* why there is no data in the whole column, or NULL */
};

/* A list of strings. */
struct sx_strings {
	const char *const *items;
	uint32_t count;
};

/*
 * A constant with its value: of a product, a device, a capture, or the user. In a list, the last
 * one of a name wins.
 */
struct sx_constant_value {
	const char *name;
	double value;
};

#ifdef __cplusplus
}
#endif

#endif
