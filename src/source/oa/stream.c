/* The period of OA streams, the reports that they lost, and devices that no catalog describes. */
#include "source/oa/stream.h"
#include "wire/oa/oa.h"

#include <stdio.h>

uint64_t oa_period_ns(uint64_t timestamp_hz, uint32_t exponent)
{
	return (((uint64_t)2 << exponent) * 1000000000 + timestamp_hz - 1) / timestamp_hz;
}

/* Below two wraps of any counter: those of 32 bits that add up over EUs wrap soon on Haswell. */
static uint32_t highest_exponent(const struct sx_oa_device *d)
{
	uint32_t eus, slices, subslices, e = OA_EXPONENT_MAX;
	if (oa_format_head(d->format) != OA_HEAD_HASWELL)
		return e;
	oa_device_count(d, &eus, &slices, &subslices);
	double hz = d->gt_max_hz ? d->gt_max_hz : OA_HIGHEST_HZ;
	double wrap_ns = 4294967296e9 / (hz * (eus ? eus : 40));
	while (e > 6 && (double)oa_period_ns(d->timestamp_hz, e) > wrap_ns)
		e--;
	return e;
}

uint32_t oa_exponent(const struct sx_oa_device *device, uint64_t max_rate_hz, uint64_t interval_ns)
{
	uint32_t best = 0, highest = highest_exponent(device);
	uint64_t best_off = UINT64_MAX;
	for (uint32_t e = 0; e <= highest; e++) {
		uint64_t period = oa_period_ns(device->timestamp_hz, e);
		uint64_t off = period > interval_ns ? period - interval_ns : interval_ns - period;
		bool allowed = !max_rate_hz || 1000000000 / period <= max_rate_hz;
		if (allowed && off < best_off) {
			best = e;
			best_off = off;
		}
	}
	return best;
}

/*
 * Ticks since the last report of the stream. Its 32 bits wrap within minutes, so the CPU's clock
 * says how often they did.
 */
static uint64_t ticks_since(const struct oa_course *course, uint32_t ticks, uint64_t now_ns)
{
	uint64_t span = (uint32_t)(ticks - course->last_ticks);
	double estimate = (double)(now_ns > course->last_ns ? now_ns - course->last_ns : 0) *
			  (double)course->timestamp_hz / 1e9;
	double wraps = (estimate - (double)span) / 4294967296.0 + 0.5;
	return wraps >= 1 ? span + ((uint64_t)wraps << 32) : span;
}

uint64_t oa_course_take(struct oa_course *course, const uint8_t *data, size_t size, uint64_t now_ns)
{
	uint64_t missing = 0, step = UINT64_C(2) << course->exponent;
	bool wide = oa_format_head(course->format) == OA_HEAD_LONG;
	while (size >= OA_RECORD_HEADER) {
		size_t length = oa_record_size(data);
		uint32_t type = little_u32(data);
		if (length < OA_RECORD_HEADER || length > size)
			break;
		if (type == OA_RECORD_REPORT_LOST || type == OA_RECORD_BUFFER_LOST)
			course->gap = true;
		if (type == OA_RECORD_SAMPLE && length >= OA_RECORD_HEADER + 16) {
			uint32_t ticks = little_u32(data + OA_RECORD_HEADER + (wide ? 8 : 4));
			uint64_t steps = ticks_since(course, ticks, now_ns) / step;
			if (course->gap)
				missing += course->has_last && steps > 2 ? steps - 1 : 1;
			course->gap = false;
			course->has_last = true;
			course->last_ticks = ticks;
			course->last_ns = now_ns;
		}
		data += length;
		size -= length;
	}
	return missing;
}

void oa_no_catalog(struct sx_device *device, const char *nearest, char *remedy, size_t size)
{
	device->obstacle = SX_ERR_NOT_FOUND;
	device->because = "no catalog describes this GPU: its metric sets were never published";
	if (!nearest)
		return;
	snprintf(remedy, size, "measure it by the nearest, at your own risk: -d %s --for %s",
		 device->id, nearest);
	device->remedy = remedy;
}
