/* Chooses the commands that are timed: one time budget for all queues (guest/budget.h). */
#include "guest/budget.h"
#include "guest/clock.h"
#include "layer/opencl/layer.h"

/* CPU time is read at most so often, because reading it is a system call. */
#define ASK_NS UINT64_C(500000)
/* In calls; a prime, so that probes do not coincide with draining or skipping. */
#define PROBE_EVERY 61u
/* Per call; more means that another thread was scheduled meanwhile. */
#define PROBE_MOST_NS 20000u
#define CLOCK_TRIES   16

static struct budget budget; /* under the lock */
static uint64_t cpu_ns;	     /* of the process at asked_ns; under the lock */
static uint64_t asked_ns;    /* under the lock */
static bool all;	     /* atomic: every command is timed */
static pthread_mutex_t budget_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t started = PTHREAD_ONCE_INIT;
static uint64_t clock_ns;   /* duration of guest_now_ns() */
static uint64_t began_ns;   /* CPU time of the process at the start */
static uint64_t counted_ns; /* atomic: when program_ns was last written */
static __thread uint32_t calls __attribute__((tls_model("initial-exec")));

/* CPU time of the process; wall-clock time in a sandbox without system calls. */
static uint64_t program_time(uint64_t now_ns)
{
	if (now_ns - asked_ns < ASK_NS)
		return cpu_ns;
	asked_ns = now_ns;
	uint64_t cpu = guest_cpu_ns();
	cpu_ns = cpu ? cpu : now_ns;
	return cpu_ns;
}

static uint64_t measure_clock(void)
{
	uint64_t least = UINT64_MAX, before = guest_now_ns();
	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint64_t now = guest_now_ns();
		least = now - before < least ? now - before : least;
		before = now;
	}
	return least;
}

static void sampling_begin(void)
{
	const struct wire_header *channel = guest_channel();
	uint32_t ppm = channel ? channel->overhead_permille * 1000 : 0;
	clock_ns = measure_clock();
	began_ns = guest_cpu_ns();
	budget_start(&budget, ppm, program_time(guest_now_ns()));
	__atomic_store_n(&all, ppm == 0, __ATOMIC_RELAXED);
}

void sampling_start(void)
{
	pthread_once(&started, sampling_begin);
}

/* Whether this command is one of those to skip. */
static bool skips(struct queue *q)
{
	uint32_t left = __atomic_load_n(&q->skip, __ATOMIC_RELAXED);
	while (left > 0)
		if (__atomic_compare_exchange_n(&q->skip, &left, left - 1, true, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	return false;
}

bool sampling_selects(struct queue *q, uint64_t *now_ns)
{
	if (skips(q))
		return false;
	*now_ns = guest_now_ns();
	if (__atomic_load_n(&all, __ATOMIC_RELAXED))
		return true;
	pthread_mutex_lock(&budget_lock);
	uint32_t left = budget_ask(&budget, program_time(*now_ns));
	pthread_mutex_unlock(&budget_lock);
	if (left == 0)
		return true;
	__atomic_store_n(&q->skip, left - 1, __ATOMIC_RELAXED);
	return false;
}

void sampling_spend(uint64_t own_ns, uint32_t commands)
{
	if (__atomic_load_n(&all, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&budget_lock);
	budget_spend(&budget, own_ns, commands);
	pthread_mutex_unlock(&budget_lock);
}

bool sampling_probes(uint64_t *now_ns)
{
	if (++calls % PROBE_EVERY != 0)
		return false;
	*now_ns = guest_now_ns();
	return true;
}

/* Writes the program's CPU time since the first queue. */
static void note_program(struct wire_header *channel, uint64_t now_ns)
{
	uint64_t before = __atomic_load_n(&counted_ns, __ATOMIC_RELAXED);
	if (now_ns - before < ASK_NS ||
	    !__atomic_compare_exchange_n(&counted_ns, &before, now_ns, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return;
	uint64_t cpu = guest_cpu_ns();
	if (cpu > began_ns)
		__atomic_store_n(&channel->program_ns, cpu - began_ns, __ATOMIC_RELAXED);
}

void sampling_probed(uint64_t own_ns, uint64_t now_ns)
{
	struct wire_header *channel = guest_channel();
	uint64_t clocks = 2 * clock_ns; /* one before and one after the driver's call */
	own_ns = own_ns > clocks ? own_ns - clocks : 0;
	own_ns = own_ns < PROBE_MOST_NS ? own_ns : PROBE_MOST_NS;
	if (!channel)
		return;
	__atomic_add_fetch(&channel->own_ns, PROBE_EVERY * own_ns, __ATOMIC_RELAXED);
	note_program(channel, now_ns);
}

void sampling_add_own(uint64_t own_ns)
{
	struct wire_header *channel = guest_channel();
	if (channel)
		__atomic_add_fetch(&channel->own_ns, own_ns, __ATOMIC_RELAXED);
}
