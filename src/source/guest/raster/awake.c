/* Windows in which threads are watched, as long and as frequent as their cost allows. */
#include "source/guest/raster/awake.h"

#define PPM UINT64_C(1000000)

enum awake_step awake_decide(const struct awake *awake, uint64_t now_ns, uint64_t cpu_ns)
{
	uint64_t spent = awake->switches * AWAKE_SWITCH_NS;
	uint64_t may_spend = AWAKE_START_NS + cpu_ns / PPM * awake->overhead_ppm;
	if (!awake->overhead_ppm || !cpu_ns)
		return AWAKE_GO_ON;
	if (awake->resting)
		return spent + awake->window_cost <= may_spend ? AWAKE_OPEN : AWAKE_GO_ON;
	if (spent <= may_spend || now_ns < awake->window_ns + AWAKE_LEAST_NS)
		return AWAKE_GO_ON;
	return AWAKE_CLOSE;
}

void awake_open(struct awake *awake, uint64_t now_ns)
{
	awake->resting = false;
	awake->window_ns = now_ns;
	awake->window_first = awake->switches;
}

void awake_close(struct awake *awake, uint64_t now_ns)
{
	/* The first window holds all of what came before it was opened: it has no beginning. */
	uint64_t from_ns = awake->count ? awake->window_ns : 0;
	awake->over[awake->count++ % AWAKE_REMEMBERED] = (struct awake_window){from_ns, now_ns};
	awake->window_cost = (awake->switches - awake->window_first) * AWAKE_SWITCH_NS;
	/* Short windows, spread over the run: one long one tells of the run's beginning alone. */
	uint64_t length_ns = now_ns - awake->window_ns;
	if (length_ns > AWAKE_LEAST_NS)
		awake->window_cost = awake->window_cost * AWAKE_LEAST_NS / length_ns;
	awake->resting = true;
}

bool awake_was(const struct awake *awake, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t known = awake->count < AWAKE_REMEMBERED ? awake->count : AWAKE_REMEMBERED;
	if (!awake->resting && (!awake->count || from_ns >= awake->window_ns))
		return true;
	for (uint64_t i = awake->count - known; i < awake->count; i++) {
		const struct awake_window *window = &awake->over[i % AWAKE_REMEMBERED];
		if (from_ns >= window->from_ns && to_ns <= window->to_ns)
			return true;
	}
	return false;
}
