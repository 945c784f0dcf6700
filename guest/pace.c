/* Runs of measured samples, as long and as frequent as their cost allows. */
#include "guest/pace.h"

#define SAMPLES_KEPT 4096.0 /* after so many, old samples count half */
#define LEARN_RUNS   3u	    /* the first runs come at fixed distances, to know the cost well */
#define LEARN_REST   8u	    /* the first of these distances; each is twice the one before */
#define AIM_LEAST    0.25   /* of the limit, for what costs little: noise may hide more than that */
#define AIM_MOST     0.9    /* for what stands out of all noise */
#define CHEAP	     0.6    /* what costs less is measured in runs of at least */
#define CHEAP_RUN    12u    /* samples: beginning and ending one costs as much as five of them do */

void pace_start(struct pace *pace, uint32_t overhead_ppm)
{
	*pace = (struct pace){.overhead_ppm = overhead_ppm,
			      .phase = PACE_MEASURE,
			      .left = PACE_FIRST,
			      .last_run = PACE_FIRST,
			      .random = 0x9e3779b9u};
}

bool pace_measures(const struct pace *pace)
{
	return pace->overhead_ppm == 0 || pace->phase == PACE_MEASURE;
}

/* A distance that varies does not fall into step with what the program does every so often. */
static uint32_t random_below(struct pace *pace, uint32_t limit)
{
	pace->random ^= pace->random << 13;
	pace->random ^= pace->random >> 17;
	pace->random ^= pace->random << 5;
	return pace->random % limit;
}

/*
 * The middle of the last runs' costs, longer runs weighing more: one run beside a long load says
 * nothing, and the noise of one sample little.
 */
static double typical_extra(const struct pace *pace)
{
	uint32_t count = pace->runs < PACE_RUNS ? pace->runs : PACE_RUNS, below = 0, all = 0;
	uint32_t order[PACE_RUNS];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i;

		for (; at > 0 && pace->known[order[at - 1]].extra > pace->known[i].extra; at--)
			order[at] = order[at - 1];
		order[at] = i;
		all += pace->known[i].samples;
	}
	for (uint32_t i = 0; i < count; i++) {
		below += pace->known[order[i]].samples;
		if (2 * below >= all)
			return pace->known[order[i]].extra > 0 ? pace->known[order[i]].extra : 0;
	}
	return 0;
}

/* A run and its tail, against the samples before and after it. */
static void learn(struct pace *pace)
{
	uint32_t samples = pace->before.samples + pace->after.samples;
	double base, run = (double)(pace->run.cpu_ns + pace->tail.cpu_ns);

	if (samples == 0 || pace->run.samples == 0)
		return;
	base = (double)(pace->before.cpu_ns + pace->after.cpu_ns) / samples;
	run -= base * (pace->run.samples + pace->tail.samples);
	if (base <= 0)
		return;
	pace->newest = run / base / pace->run.samples;
	pace->known[pace->runs % PACE_RUNS].extra = pace->newest;
	pace->known[pace->runs++ % PACE_RUNS].samples = pace->run.samples;
}

/*
 * What measuring is to come to. What is known of a small cost is wrong by as much as itself, and
 * many samples are measured at such a cost: the limit must not be missed by all of that.
 */
static double aim(const struct pace *pace, double extra)
{
	double share = 2 * extra;

	if (share < AIM_LEAST)
		share = AIM_LEAST;
	return (share < AIM_MOST ? share : AIM_MOST) * pace->overhead_ppm * 1e-6;
}

/* Longer only step by step; much shorter at once, should the cost have risen. */
static double in_steps(const struct pace *pace, double count, double extra)
{
	double most = 2.0 * pace->last_run, high = 4e-6 * pace->overhead_ppm;

	if (extra < CHEAP && most < CHEAP_RUN)
		most = CHEAP_RUN;
	if (count > most)
		count = most;
	if (high < CHEAP)
		high = CHEAP;
	if (pace->newest > high && pace->newest > 2 * extra && count > pace->last_run / 4)
		count = pace->last_run >= 8 ? pace->last_run / 4 : 1;
	return count;
}

/* How many samples may be measured now. */
static uint32_t affordable(const struct pace *pace)
{
	double extra = typical_extra(pace), limit = aim(pace, extra);
	double count = PACE_RUN_MAX;

	if (extra > limit)
		count = (limit * pace->all - extra * pace->measured) / (extra - limit);
	if (extra < CHEAP && count < CHEAP_RUN)
		return 0;
	count = in_steps(pace, count, extra);
	if (count > PACE_RUN_MAX)
		count = PACE_RUN_MAX;
	return count >= 1 ? (uint32_t)count : 0;
}

static void start_rest(struct pace *pace)
{
	pace->phase = PACE_REST;
	pace->left = PACE_BASE + random_below(pace, 4);
	if (pace->runs < LEARN_RUNS)
		pace->left = LEARN_REST << pace->runs;
	pace->after = (struct pace_sum){0};
}

static void try_run(struct pace *pace)
{
	uint32_t count;

	learn(pace);
	pace->run = (struct pace_sum){0}; /* its cost is known now */
	count = pace->runs <= LEARN_RUNS ? 1 : affordable(pace);
	if (count == 0) {
		pace->left = 1; /* the rest goes on */
		return;
	}
	pace->phase = PACE_MEASURE;
	pace->left = pace->last_run = count;
	pace->before = pace->after;
	pace->tail = (struct pace_sum){0};
}

static void add(struct pace_sum *sum, uint64_t cpu_ns)
{
	if (sum->samples >= PACE_RUN_MAX) { /* a long rest: what is near counts */
		sum->cpu_ns -= sum->cpu_ns / sum->samples;
		sum->samples--;
	}
	sum->cpu_ns += cpu_ns;
	sum->samples++;
}

/* A load that comes now and then is not what a sample costs. */
static uint64_t without_load(const struct pace_sum *sum, uint64_t cpu_ns)
{
	uint64_t limit = sum->samples >= 2 ? sum->cpu_ns / sum->samples * 4 : UINT64_MAX;

	return cpu_ns > limit ? limit : cpu_ns;
}

static void count(struct pace *pace)
{
	pace->all += 1;
	pace->measured += pace->phase == PACE_MEASURE;
	if (pace->all >= SAMPLES_KEPT) {
		pace->all /= 2;
		pace->measured /= 2;
	}
}

void pace_sample(struct pace *pace, uint64_t cpu_ns)
{
	bool first = pace->runs == 0 && pace->all == 0; /* it pays for the program's start */

	if (pace->overhead_ppm == 0)
		return;
	count(pace);
	if (!first && pace->phase == PACE_MEASURE)
		add(&pace->run, cpu_ns);
	else if (!first && pace->phase == PACE_TAIL_OF_RUN)
		add(&pace->tail, cpu_ns);
	else if (!first)
		add(&pace->after, without_load(&pace->after, cpu_ns));
	if (pace->left > 1) {
		pace->left--;
		return;
	}
	if (pace->phase == PACE_MEASURE) {
		pace->phase = PACE_TAIL_OF_RUN;
		pace->left = PACE_TAIL;
	} else if (pace->phase == PACE_TAIL_OF_RUN) {
		start_rest(pace);
	} else {
		try_run(pace);
	}
}
