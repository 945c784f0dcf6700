/* Frames: their rate, the 1 % low, and stutter. */
#include <math.h>

#include "analysis/report/fill.h"

#define LOW_1_MIN  100 /* frames of which 1 % is at least one */
#define LOW_01_MIN 1000

/* Frames a second over the slowest share of all frames. */
static double low(struct sketch *frames, double share, uint64_t least)
{
	if (frames->count < least)
		return NAN;
	return 1e9 / sketch_top_mean(frames, share);
}

struct report_frames report_judge_frames(struct filling *f)
{
	static const double middle[] = {50};
	struct sketch *frames = &f->frames;
	struct report_frames out = {
	    .fps = NAN, .each = NAN, .low_1 = NAN, .low_01 = NAN, .median_s = NAN};
	double median;
	out.count = frames->count;
	if (!out.count)
		return out;
	sketch_percentiles(frames, middle, &median, 1);
	out.median_s = median * 1e-9;
	/* Frames of several contexts overlap: the rate is over the time that any of them took. */
	out.fps = (double)out.count * 1e9 / (double)cover_ns(&f->frames_cover);
	out.each = (double)out.count * 1e9 / sum_value(&frames->sum);
	out.low_1 = low(frames, 0.01, LOW_1_MIN);
	out.low_01 = low(frames, 0.001, LOW_01_MIN);
	out.stutters = sketch_count_above(frames, 2 * median);
	return out;
}

#define LONGEST_SHOWN 1.25 /* times the 99th percentile */

void report_count_frames(struct filling *f, struct report_histogram *out)
{
	static const double high[] = {99};
	struct sketch *frames = &f->frames;
	double p99;
	*out = (struct report_histogram){0};
	if (!frames->count)
		return;
	sketch_percentiles(frames, high, &p99, 1);
	out->width_ns = fmax(p99 * LONGEST_SHOWN, REPORT_BINS) / REPORT_BINS;
	uint64_t above = frames->count;
	for (int i = 0; i < REPORT_BINS; i++) {
		uint64_t left = sketch_count_above(frames, (i + 1) * out->width_ns);
		out->counts[i] = above - left;
		above = left;
	}
	out->counts[REPORT_BINS] = above;
}
