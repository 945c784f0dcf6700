/* Which commands are timed: one budget for all queues, asked seldom where it is spent. */
#include "guest/budget.h"
#include "guest/clock.h"
#include "layer/opencl/layer.h"

#define ASK_NS UINT64_C(500000) /* CPU time is asked for after so long: that is a system call */

static struct budget budget; /* under the lock, as are */
static uint64_t cpu_ns;	     /* of the process, as asked for last, */
static uint64_t asked_ns;    /* at that time */
static bool all;	     /* atomic: nothing is left out */
static pthread_mutex_t budget_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t started = PTHREAD_ONCE_INIT;

/* The program's time; where nothing may be asked any more, that of the clock on the wall. */
static uint64_t time_of_program(uint64_t now_ns)
{
	if (now_ns - asked_ns < ASK_NS)
		return cpu_ns;
	asked_ns = now_ns;
	uint64_t cpu = guest_cpu_ns();
	cpu_ns = cpu ? cpu : now_ns;
	return cpu_ns;
}

static void share_begin(void)
{
	const struct wire_header *channel = guest_channel();
	uint32_t ppm = channel ? channel->overhead_permille * 1000 : 0;
	budget_start(&budget, ppm, time_of_program(guest_now_ns()));
	__atomic_store_n(&all, ppm == 0, __ATOMIC_RELAXED);
}

void share_start(void)
{
	pthread_once(&started, share_begin);
}

/* One of those that are left out, unless none is. */
static bool rests(struct queue *q)
{
	uint32_t left = __atomic_load_n(&q->resting, __ATOMIC_RELAXED);
	while (left > 0)
		if (__atomic_compare_exchange_n(&q->resting, &left, left - 1, true,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
	return false;
}

bool share_takes(struct queue *q, uint64_t *now_ns)
{
	if (rests(q))
		return false;
	*now_ns = guest_now_ns();
	if (__atomic_load_n(&all, __ATOMIC_RELAXED))
		return true;
	pthread_mutex_lock(&budget_lock);
	uint32_t left = budget_ask(&budget, time_of_program(*now_ns));
	pthread_mutex_unlock(&budget_lock);
	if (left == 0)
		return true;
	__atomic_store_n(&q->resting, left - 1, __ATOMIC_RELAXED);
	return false;
}

void share_spend(uint64_t own_ns, uint32_t commands)
{
	if (__atomic_load_n(&all, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&budget_lock);
	budget_spend(&budget, own_ns, commands);
	pthread_mutex_unlock(&budget_lock);
}
