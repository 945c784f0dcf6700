/* Chooses runs of measured samples by their cost; see pace.h. */
#include "guest/pace.h"

/* After so many samples the sums are halved, if the limit then still allows RUNS_KEPT runs. */
#define SAMPLES_KEPT 4096.0
#define RUNS_KEPT    4.0
/* The first runs come at fixed distances, so that the cost is soon known. */
#define LEARN_RUNS 3u
#define LEARN_RUN  2u /* samples; even, in case a program alternates between two kinds */
#define LEARN_REST 8u /* the first distance; each further one is twice as long */
/* After an expensive first run, the second begins after so many samples at the earliest, */
#define LEARN_DEAR   64u
#define LEARN_LATEST 128u /* and at the latest, or when the cost is */
#define DEBT	     4.0  /* times the limit at most. */
/* Share of the limit for later runs, while the first runs have exceeded it. */
#define SPREAD 0.6
/* Shares of the limit to aim at: for a small cost, which noise hides, and for a large one. */
#define AIM_LEAST 0.15
#define AIM_MOST  0.9
/* Largest uncertainty that is added to the cost, in frames. */
#define UNCERTAINTY_MOST 0.06
/* Mean number of samples until the next decision. */
#define WAIT 8u
/* Below this cost, runs have at least CHEAP_RUN samples: begin and end cost as much as five. */
#define CHEAP	  0.6
#define CHEAP_RUN 12u
/* A late cost above this, in samples, is no noise. */
#define LATE_LEAST 8.0
/* After so many samples, results are no longer waited for. */
#define LATE_MOST 4096u
/* No query costs so much: it is the program's start, or deferred work. */
#define UNLIKELY 64.0
/* Deferred work is certain after so many runs, because one may coincide with another load, */
#define SURE_RUNS 2u
/* or when results are so many samples late, after the first run. */
#define SURE_LATE 32u

void pace_start(struct pace *pace, uint32_t overhead_ppm, uint32_t before)
{
	uint32_t first = before == 0 ? PACE_FIRST : PACE_FIRST_OF_MORE;
	*pace = (struct pace){.overhead_ppm = overhead_ppm,
			      .phase = PACE_MEASURE,
			      .left = first,
			      .last_run = first,
			      .random = (before + 1) * 0x9e3779b9u};
}

bool pace_measures(const struct pace *pace)
{
	return pace->overhead_ppm == 0 || pace->phase == PACE_MEASURE;
}

/* Random distances do not coincide with a period of the program. */
static uint32_t random_below(struct pace *pace, uint32_t limit)
{
	pace->random ^= pace->random << 13;
	pace->random ^= pace->random >> 17;
	pace->random ^= pace->random << 5;
	return pace->random % limit;
}

/* Sorts the known runs by cost, ascending. Returns their number. */
static uint32_t sort_known(const struct pace *pace, uint32_t order[PACE_RUNS])
{
	uint32_t count = pace->runs < PACE_RUNS ? pace->runs : PACE_RUNS;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i;
		for (; at > 0 && pace->known[order[at - 1]].extra > pace->known[i].extra; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return count;
}

/* The uncertainty of the median: interquartile range divided by the root of the count. */
static double uncertainty(const struct pace *pace, const uint32_t *order, uint32_t count)
{
	double root = 1, spread = pace->known[order[count - 1 - count / 4]].extra -
				  pace->known[order[count / 4]].extra;
	while ((root + 1) * (root + 1) <= count)
		root += 1;
	return spread / root < UNCERTAINTY_MOST ? spread / root : UNCERTAINTY_MOST;
}

/*
 * The median cost of the last runs, weighted by their length, plus its uncertainty. The median
 * ignores a run that coincides with another load. The uncertainty is added because on a busy
 * machine the cost is hidden by noise, and too many samples would be measured.
 */
static double typical_extra(const struct pace *pace)
{
	uint32_t order[PACE_RUNS], count = sort_known(pace, order), below = 0, all = 0, i;
	if (count == 0)
		return 0;
	for (i = 0; i < count; i++)
		all += pace->known[i].samples;
	for (i = 0; i + 1 < count; i++) {
		below += pace->known[order[i]].samples;
		if (2 * below >= all)
			break;
	}
	double middle = pace->known[order[i]].extra;
	return (middle > 0 ? middle : 0) + uncertainty(pace, order, count);
}

/*
 * A driver (llvmpipe) may defer rendering until results are read. Then it renders all frames since
 * the last time, in its own threads, during later samples. Returns that cost.
 */
static double learn_late(struct pace *pace, double base)
{
	double cost = (double)pace->late.cpu_ns - base * pace->late.samples;
	pace->each = pace->before_run != 0 ? cost / base / pace->before_run : 0;
	bool sure = pace->runs > 0 && pace->late.samples >= SURE_LATE;
	bool deferred = cost > LATE_LEAST * base && pace->each > 1;
	pace->deferred = !deferred ? 0 : sure ? SURE_RUNS : pace->deferred + 1;
	return cost;
}

/* Whether a run would make the driver execute more deferred work than the limit allows. */
static bool exceeds_with_deferred(const struct pace *pace)
{
	return pace->deferred >= SURE_RUNS &&
	       pace->each * pace->since > 1e-6 * pace->overhead_ppm * pace->all;
}

/* The cost of a run and its tail: their CPU time minus that of the samples before and after. */
static void learn(struct pace *pace)
{
	uint32_t samples = pace->before.samples + pace->after.samples;
	double run = (double)(pace->run.cpu_ns + pace->tail.cpu_ns);
	if (samples == 0 || pace->run.samples == 0)
		return;
	double base = (double)(pace->before.cpu_ns + pace->after.cpu_ns) / samples;
	run -= base * (pace->run.samples + pace->tail.samples);
	if (base <= 0)
		return;
	run += learn_late(pace, base);
	pace->newest = run / base / pace->run.samples;
	pace->known[pace->runs % PACE_RUNS].extra = pace->newest;
	/* The first run may include the program's start, so it gets a small weight. */
	pace->known[pace->runs % PACE_RUNS].samples = pace->runs == 0 ? 1 : pace->run.samples;
	pace->runs++;
}

/*
 * The overhead to aim at, a part of the limit. A small cost has a relative error of about 100 %,
 * and at a small cost many samples are measured, so the target is lower then.
 */
static double aim(const struct pace *pace, double extra)
{
	double share = 1.5 * extra;
	if (share < AIM_LEAST)
		share = AIM_LEAST;
	return (share < AIM_MOST ? share : AIM_MOST) * pace->overhead_ppm * 1e-6;
}

/* A run is at most twice as long as the last; after a rise of the cost it is much shorter. */
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
		count = pace->last_run / 4 > LEARN_RUN ? pace->last_run / 4 : LEARN_RUN;
	return count;
}

/*
 * How many samples the next run may have. The second formula leaves out the first two runs, because
 * otherwise an expensive start would stop measuring for a long time.
 */
static uint32_t affordable(const struct pace *pace)
{
	double extra = typical_extra(pace), limit = aim(pace, extra);
	double count = PACE_RUN_MAX, later;
	if (extra > limit) {
		count = (limit * pace->all - extra * pace->measured) / (extra - limit);
		later = (SPREAD * limit * pace->all - extra * pace->later) / extra;
		if (later > count)
			count = later;
	}
	if (extra < CHEAP && count < CHEAP_RUN)
		return 0;
	count = in_steps(pace, count, extra);
	if (count > PACE_RUN_MAX)
		count = PACE_RUN_MAX;
	return count >= LEARN_RUN ? (uint32_t)count / LEARN_RUN * LEARN_RUN : 0;
}

static void start_rest(struct pace *pace)
{
	pace->phase = PACE_REST;
	pace->left = PACE_BASE + random_below(pace, 4);
	if (pace->runs < LEARN_RUNS && !pace->late.samples)
		pace->left = (LEARN_REST << pace->runs) - random_below(pace, LEARN_REST / 2);
	pace->after = (struct pace_sum){0};
}

/*
 * After an expensive first run the second waits until its cost is at most DEBT times the limit, but
 * not longer than LEARN_LATEST samples, because the driver's deferred work may grow. With `parts` a
 * measured frame may take a hundred times as long, so then it waits without that bound.
 */
static bool is_too_early(const struct pace *pace, double extra)
{
	double most = DEBT * 1e-6 * pace->overhead_ppm * pace->all;
	bool latest = pace->all >= LEARN_LATEST || extra > UNLIKELY;
	if (pace->runs != 1 || (latest && !pace->parts))
		return false;
	return pace->all < LEARN_DEAR || extra * (pace->measured + LEARN_RUN) > most;
}

/* The length of the run that begins now; 0: none begins. */
static uint32_t next_run(struct pace *pace)
{
	double extra = typical_extra(pace);
	bool expensive = pace->runs > 0 && extra > CHEAP;
	if (exceeds_with_deferred(pace))
		return 0;
	if (pace->deferred != 0 && pace->deferred < SURE_RUNS)
		return LEARN_RUN;
	if (expensive && is_too_early(pace, extra))
		return 0;
	if (pace->runs <= LEARN_RUNS && (!expensive || pace->runs == 1))
		return LEARN_RUN;
	return affordable(pace);
}

static void try_run(struct pace *pace)
{
	learn(pace);
	pace->run = (struct pace_sum){0}; /* its cost is in `known` now */
	pace->typical = typical_extra(pace);
	uint32_t count = next_run(pace);
	if (count == 0) {
		pace->left = 1 + random_below(pace, 2 * WAIT - 1);
		return;
	}
	pace->phase = PACE_MEASURE;
	pace->left = pace->last_run = count;
	pace->before = pace->after;
	pace->tail = pace->late = (struct pace_sum){0};
}

/* Keeps at most PACE_RUN_MAX samples, so that in a long rest only the last ones count. */
static void add(struct pace_sum *sum, uint64_t cpu_ns, uint32_t samples)
{
	uint32_t most = PACE_RUN_MAX > samples ? PACE_RUN_MAX - samples : 0;
	if (sum->samples > most) {
		sum->cpu_ns = sum->cpu_ns / sum->samples * most;
		sum->samples = most;
	}
	sum->cpu_ns += cpu_ns;
	sum->samples += samples;
}

/* Limits an outlier to four times the mean: an occasional load is not the cost of a sample. */
static uint64_t without_load(const struct pace_sum *sum, uint64_t cpu_ns, uint32_t samples)
{
	uint64_t limit = sum->samples >= 2 ? sum->cpu_ns / sum->samples * 4 * samples : UINT64_MAX;
	return cpu_ns > limit ? limit : cpu_ns;
}

/* Whether the limit, over the samples so far, allows RUNS_KEPT runs at the typical cost. */
static bool pays_for_runs(const struct pace *pace)
{
	double runs = RUNS_KEPT * LEARN_RUN * pace->typical;
	return 1e-6 * pace->overhead_ppm * pace->all >= runs;
}

static void count(struct pace *pace)
{
	pace->all += 1;
	pace->since++;
	pace->measured += pace->phase == PACE_MEASURE;
	pace->later += pace->phase == PACE_MEASURE && pace->runs > 1;
	if (pace->all >= SAMPLES_KEPT && pays_for_runs(pace)) {
		pace->all /= 2;
		pace->measured /= 2;
		pace->later /= 2;
	}
}

static void end_phase(struct pace *pace)
{
	if (pace->phase == PACE_MEASURE) {
		pace->phase = PACE_TAIL_OF_RUN;
		pace->left = PACE_TAIL;
		pace->before_run = pace->since;
		pace->since = 0;
	} else if (pace->phase == PACE_TAIL_OF_RUN) {
		start_rest(pace);
	} else {
		try_run(pace);
	}
}

/* The first sample includes the program's start. */
static bool is_first(const struct pace *pace)
{
	return pace->runs == 0 && pace->all == 0;
}

void pace_await(struct pace *pace, bool awaits)
{
	pace->awaits = awaits;
}

void pace_drawn(struct pace *pace)
{
	pace->since = 0;
}

/* Whether the tail is over, and the run's results are not read yet. */
static bool is_late(const struct pace *pace)
{
	return pace->phase == PACE_TAIL_OF_RUN && pace->left <= 1 && pace->awaits &&
	       pace->since < LATE_MOST;
}

bool pace_wants_time(const struct pace *pace)
{
	bool ends = pace->left <= 1 && !(is_late(pace) && pace->tail.samples >= PACE_TAIL);
	return pace->overhead_ppm != 0 && (is_first(pace) || ends);
}

/* CPU time that spans phases counts for the phase in which it is read. */
static void add_all(struct pace_sum *sum, uint64_t cpu_ns, uint32_t samples)
{
	sum->cpu_ns += cpu_ns;
	sum->samples += samples;
}

void pace_sample(struct pace *pace, uint64_t cpu_ns)
{
	bool first = is_first(pace);
	uint32_t samples = pace->pending + 1;
	if (pace->overhead_ppm == 0)
		return;
	count(pace);
	pace->pending = cpu_ns == PACE_UNKNOWN ? samples : 0;
	if (cpu_ns == PACE_UNKNOWN || first)
		;
	else if (pace->phase == PACE_MEASURE)
		add(&pace->run, cpu_ns, samples);
	else if (pace->phase == PACE_TAIL_OF_RUN)
		add_all(pace->tail.samples < PACE_TAIL ? &pace->tail : &pace->late, cpu_ns,
			samples);
	else
		add(&pace->after, without_load(&pace->after, cpu_ns, samples), samples);
	if (pace->left > 1) {
		pace->left--;
		return;
	}
	if (!is_late(pace))
		end_phase(pace);
}
