/* What streams of OA reports have in common: their period, and what is missing between reports. */
#ifndef SOURCE_OA_STREAM_H
#define SOURCE_OA_STREAM_H

#include <sextant/oa.h>
#include <sextant/source.h>

#define OA_EXPONENT_MAX 23 /* 1.34 s at 12.5 MHz: below two wraps of any counter of Gen8 */

/* The period of an exponent in ns, rounded up as the kernels do. */
uint64_t oa_period_ns(uint64_t timestamp_hz, uint32_t exponent);
/*
 * The exponent whose period is nearest to the interval, of those that make at most `max_rate_hz`
 * reports a second (0: any number), and after which no counter of the device's format has wrapped
 * twice.
 */
uint32_t oa_exponent(const struct sx_oa_device *device, uint64_t max_rate_hz, uint64_t interval_ns);

/* The course of a stream's reports. Zero-initialise, then set the first three. */
struct oa_course {
	enum sx_oa_format format;
	uint64_t timestamp_hz;
	uint32_t exponent;
	uint32_t last_ticks;
	uint64_t last_ns; /* when the last report was read */
	bool has_last, gap;
};
/*
 * Takes records that were read at `now_ns`. Returns how many reports they say were lost: as many as
 * fit between the timestamps around each gap, one at least.
 */
uint64_t oa_course_take(struct oa_course *course, const uint8_t *records, size_t size,
			uint64_t now_ns);

/*
 * Fills in what stands in the way of a device without a catalog, and names `nearest` where that is
 * not NULL; `remedy` holds the text.
 */
void oa_no_catalog(struct sx_device *device, const char *nearest, char *remedy, size_t size);

#endif
