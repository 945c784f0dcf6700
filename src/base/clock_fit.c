/* A weighted straight line through pairs of clock readings. */
#include "base/clock_fit.h"

#include <stddef.h>

#define PAUSE_FIRST_NS UINT64_C(10000000)
#define PAUSE_MOST_NS  UINT64_C(1000000000)
#define DRIFT_MOST     0.01 /* no two clocks of one machine differ by more; beyond it is noise */
#define DRIFT_CHANGE   1e-4 /* nor does a drift that is known change by more between two pairs */
#define DRIFT_KNOWN    4    /* pairs after which the drift is known */
#define JUMP_LEAST_NS  1000.0

static const struct clock_pair *newest(const struct clock_fit *fit)
{
	return &fit->pairs[(fit->next + CLOCK_FIT_PAIRS - 1) % CLOCK_FIT_PAIRS];
}

/* Least squares, each pair as important as its bracket is short. All numbers relative to one pair.
 */
static void fit_line(struct clock_fit *fit)
{
	const struct clock_pair *origin = newest(fit);
	double weight = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
	for (uint32_t i = 0; i < fit->count; i++) {
		const struct clock_pair *p = &fit->pairs[i];
		double error = (double)p->error_ns + 1, w = 1 / (error * error);
		double x = -(double)(origin->from_ns - p->from_ns);
		double y = -(double)(int64_t)(origin->to_ns - p->to_ns) - x;
		weight += w;
		x_sum += w * x;
		y_sum += w * y;
		xx += w * x * x;
		xy += w * x * y;
	}
	double spread = xx * weight - x_sum * x_sum;
	/* One pair behind a jump: the clocks run as they did before it. */
	double drift =
	    fit->count > 1 && spread > 0 ? (xy * weight - x_sum * y_sum) / spread : fit->drift;
	if (!(drift > -DRIFT_MOST && drift < DRIFT_MOST))
		drift = 0;
	double at_origin = (y_sum - drift * x_sum) / weight;
	fit->drift = drift;
	fit->origin_from_ns = origin->from_ns;
	fit->origin_to_ns = origin->to_ns + (uint64_t)(int64_t)at_origin;
}

/* How far a pair lies from where the line has it, and how far it may. */
static bool clock_fit_is_jump(const struct clock_fit *fit, const struct clock_pair *pair,
			      int64_t *off_ns)
{
	const struct clock_pair *last = newest(fit);
	*off_ns = (int64_t)(pair->to_ns - clock_fit_convert(fit, pair->from_ns));
	if (pair->from_ns <= last->from_ns || pair->to_ns <= last->to_ns)
		return true;
	double elapsed = (double)(pair->from_ns - last->from_ns);
	double allowed = elapsed * (fit->count < DRIFT_KNOWN ? DRIFT_MOST : DRIFT_CHANGE) +
			 3.0 * (double)(pair->error_ns + last->error_ns) + JUMP_LEAST_NS;
	double off = (double)*off_ns;
	return off > allowed || off < -allowed;
}

void clock_fit_add(struct clock_fit *fit, const struct clock_pair *pair)
{
	int64_t off_ns;
	if (fit->count && clock_fit_is_jump(fit, pair, &off_ns))
		*fit = (struct clock_fit){.jumps = fit->jumps + 1,
					  .jump_ns = off_ns,
					  .drift = fit->count < DRIFT_KNOWN ? 0 : fit->drift};
	fit->pairs[fit->next] = *pair;
	fit->next = (fit->next + 1) % CLOCK_FIT_PAIRS;
	if (fit->count < CLOCK_FIT_PAIRS)
		fit->count++;
	fit->pause_ns = fit->pause_ns ? 2 * fit->pause_ns : PAUSE_FIRST_NS;
	if (fit->pause_ns > PAUSE_MOST_NS)
		fit->pause_ns = PAUSE_MOST_NS;
	fit_line(fit);
}

bool clock_fit_due(const struct clock_fit *fit, uint64_t from_ns)
{
	return !fit->count || from_ns >= newest(fit)->from_ns + fit->pause_ns;
}

uint64_t clock_fit_convert(const struct clock_fit *fit, uint64_t from_ns)
{
	if (!fit->count)
		return from_ns;
	int64_t since = (int64_t)(from_ns - fit->origin_from_ns);
	double slip = (double)since * fit->drift;
	return fit->origin_to_ns + (uint64_t)since +
	       (uint64_t)(int64_t)(slip < 0 ? slip - 0.5 : slip + 0.5);
}

const struct clock_pair *clock_fit_newest(const struct clock_fit *fit)
{
	return fit->count ? newest(fit) : NULL;
}

uint64_t clock_fit_error_ns(const struct clock_fit *fit)
{
	uint64_t best = UINT64_MAX;
	for (uint32_t i = 0; i < fit->count; i++)
		if (fit->pairs[i].error_ns < best)
			best = fit->pairs[i].error_ns;
	return fit->count ? best : 0;
}
