/* Runs of measured samples, as long and as frequent as their cost allows. */
#include "guest/pace.h"

#define SAMPLES_KEPT 4096.0 /* after so many, old samples count half, */
#define RUNS_KEPT    4.0    /* and not before they pay for so many runs, however dear these are */
#define LEARN_RUNS   3u	    /* the first runs come at set distances, to know the cost well: */
#define LEARN_REST   8u	    /* the first of these distances; each is twice the one before */
#define LEARN_DEAR   64u /* samples before the second run where the first one was dear, at least, */
#define LEARN_LATEST 128u  /* and at most: until what all cost is no more than */
#define DEBT	     4.0   /* times what it may be */
#define LEARN_RUN    2u	   /* both of a program that does the one thing and the other by turns */
#define SPREAD	     0.6   /* of what may be measured, while the first samples are not paid for */
#define AIM_LEAST    0.15  /* of the limit, for what costs little: noise may hide more than that */
#define AIM_MOST     0.9   /* for what stands out of all noise */
#define DOUBT_MOST   0.06  /* frames' worth that an unsure cost is taken to be higher, at most */
#define WAIT	     8u	   /* samples until it is asked again what is affordable, on average */
#define CHEAP	     0.6   /* what costs less is measured in runs of at least */
#define LATE_LEAST   8.0   /* samples' worth that come late, from where on that is no noise */
#define LATE_MOST    4096u /* samples; after so many, results are no longer waited for */
#define UNLIKELY     64.0  /* what no query costs: it is the program's start, or was put off */
#define SURE_RUNS    2u	   /* that showed the same: one may have met the program's own load, */
#define SURE_LATE    32u   /* which no results wait for by so many samples, but at its start */
#define CHEAP_RUN    12u   /* samples: beginning and ending one costs as much as five of them do */

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

/* A distance that varies does not fall into step with what the program does every so often. */
static uint32_t random_below(struct pace *pace, uint32_t limit)
{
	pace->random ^= pace->random << 13;
	pace->random ^= pace->random >> 17;
	pace->random ^= pace->random << 5;
	return pace->random % limit;
}

/* Indices of the runs that are remembered, the cheapest first. Returns how many. */
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

/* By how much the middle of so many runs may be wrong, as they differ from each other. */
static double doubt(const struct pace *pace, const uint32_t *order, uint32_t count)
{
	double root = 1, spread = pace->known[order[count - 1 - count / 4]].extra -
				  pace->known[order[count / 4]].extra;
	while ((root + 1) * (root + 1) <= count)
		root += 1;
	return spread / root < DOUBT_MOST ? spread / root : DOUBT_MOST;
}

/*
 * The middle of the last runs' costs, longer runs weighing more: one run beside a long load says
 * nothing, and the noise of one sample little. What is not known well is taken to be dear: where a
 * busy machine hides the cost, all samples would else be measured at it.
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
	return (middle > 0 ? middle : 0) + doubt(pace, order, count);
}

/*
 * A driver may put off drawing for as long as nobody looks: until results are asked for. Then it
 * draws all since it last did, in threads of its own, while samples run that have nothing to do
 * with it. Returns what that cost.
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

/* What was put off since would be done for the next run, and is more than that may cost. */
static bool is_put_off(const struct pace *pace)
{
	return pace->deferred >= SURE_RUNS &&
	       pace->each * pace->since > 1e-6 * pace->overhead_ppm * pace->all;
}

/* A run and its tail, against the samples before and after it. */
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
	/* The first samples may pay for the program's start, too. */
	pace->known[pace->runs % PACE_RUNS].samples = pace->runs == 0 ? 1 : pace->run.samples;
	pace->runs++;
}

/*
 * What measuring is to come to. What is known of a small cost is wrong by as much as itself, and
 * many samples are measured at such a cost: the limit must not be missed by all of that.
 */
static double aim(const struct pace *pace, double extra)
{
	double share = 1.5 * extra;
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
		count = pace->last_run / 4 > LEARN_RUN ? pace->last_run / 4 : LEARN_RUN;
	return count;
}

/*
 * How many samples may be measured now: of a dear program, few. It must not be the first ones alone
 * until these are paid for.
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
 * The second run is for learning, and short runs are all learning: it may wait a little. Not where
 * much may have been put off, which is more and more. A frame whose parts are measured one by one
 * may take a hundred times as long: then it waits for as long as it takes.
 */
static bool is_too_early(const struct pace *pace, double extra)
{
	double most = DEBT * 1e-6 * pace->overhead_ppm * pace->all;
	bool latest = pace->all >= LEARN_LATEST || extra > UNLIKELY;
	if (pace->runs != 1 || (latest && !pace->parts))
		return false;
	return pace->all < LEARN_DEAR || extra * (pace->measured + LEARN_RUN) > most;
}

/* How long the run that may begin now is; 0: the rest goes on. */
static uint32_t next_run(struct pace *pace)
{
	double extra = typical_extra(pace);
	bool dear = pace->runs > 0 && extra > CHEAP;
	if (is_put_off(pace))
		return 0;
	if (pace->deferred != 0 && pace->deferred < SURE_RUNS)
		return LEARN_RUN;
	if (dear && is_too_early(pace, extra))
		return 0;
	if (pace->runs <= LEARN_RUNS && (!dear || pace->runs == 1))
		return LEARN_RUN;
	return affordable(pace);
}

static void try_run(struct pace *pace)
{
	learn(pace);
	pace->run = (struct pace_sum){0}; /* its cost is known now */
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

/* A long rest: what is near counts. */
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

/* A load that comes now and then is not what a sample costs. */
static uint64_t without_load(const struct pace_sum *sum, uint64_t cpu_ns, uint32_t samples)
{
	uint64_t limit = sum->samples >= 2 ? sum->cpu_ns / sum->samples * 4 * samples : UINT64_MAX;
	return cpu_ns > limit ? limit : cpu_ns;
}

/* What takes as long as a hundred others is a large share of the last few thousand. */
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

/* The first sample pays for the program's start. */
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

/* The tail is over, and results of the run are still to come. */
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

/* What is not known from when on belongs to what runs when it is known. */
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
