/* Frames: their rate, the lows that people feel, and stutter. */
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
	struct report_frames out = {.fps = NAN, .low_1 = NAN, .low_01 = NAN, .median_s = NAN};
	double median;
	out.count = frames->count;
	if (!out.count)
		return out;
	sketch_percentiles(frames, middle, &median, 1);
	out.median_s = median * 1e-9;
	/* Frames of several contexts overlap: the rate is over the time that any of them took. */
	out.fps = (double)out.count * 1e9 / (double)cover_ns(&f->cover);
	out.low_1 = low(frames, 0.01, LOW_1_MIN);
	out.low_01 = low(frames, 0.001, LOW_01_MIN);
	out.stutters = sketch_count_above(frames, 2 * median);
	return out;
}
