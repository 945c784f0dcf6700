/* The union of times that threads spend on CPUs. */
#include "source/guest/raster/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void busy_finish(struct busy *busy)
{
	free(busy->waiting);
	free(busy->spans);
	free(busy->on);
	*busy = (struct busy){0};
}

bool busy_note(struct busy *busy, const struct busy_switch *item)
{
	size_t before = busy->thread_cap;
	if (!mem_grow(&busy->waiting, &busy->waiting_cap, busy->waiting_count + 1,
		      sizeof(*busy->waiting)) ||
	    !mem_grow(&busy->on, &busy->thread_cap, (size_t)item->thread + 1, sizeof(*busy->on)))
		return false;
	memset(busy->on + before, 0, (busy->thread_cap - before) * sizeof(*busy->on));
	busy->waiting[busy->waiting_count++] = *item;
	return true;
}

/* By time; at one time, off before on, so that a thread that takes a CPU over makes no gap. */
static int busy_compare(const void *a, const void *b)
{
	const struct busy_switch *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (int)x->on - (int)y->on;
}

static void forget_first(struct busy *busy, size_t count)
{
	busy->forgotten_ns = busy->spans[count - 1].end_ns;
	memmove(busy->spans, busy->spans + count,
		(busy->span_count - count) * sizeof(*busy->spans));
	busy->span_count -= count;
}

/* Half of them at once: what is moved then was added since. */
void busy_forget(struct busy *busy, uint64_t before_ns)
{
	size_t half = busy->span_count / 2;
	if (half >= BUSY_SPANS_FEW / 2 && busy->spans[half - 1].end_ns <= before_ns)
		forget_first(busy, half);
}

/* The time since since_ns, in which threads ran for open_sum_ns. */
static bool add_span(struct busy *busy, uint64_t end_ns)
{
	struct busy_span *last = busy->span_count ? &busy->spans[busy->span_count - 1] : NULL;
	struct busy_span span = {busy->since_ns, end_ns, busy->total_ns, busy->open_sum_ns,
				 busy->sum_ns};
	if (end_ns <= busy->since_ns)
		return true;
	busy->total_ns += end_ns - busy->since_ns;
	busy->sum_ns += busy->open_sum_ns;
	if (last && last->end_ns == span.begin_ns) {
		last->end_ns = end_ns;
		last->sum_ns += span.sum_ns;
		return true;
	}
	if (busy->span_count == BUSY_SPANS_MAX)
		forget_first(busy, BUSY_SPANS_MAX / 2);
	if (!mem_grow(&busy->spans, &busy->span_cap, busy->span_count + 1, sizeof(*busy->spans)))
		return false;
	busy->spans[busy->span_count++] = span;
	return true;
}

/* A switch to where the thread is already says nothing new. */
static bool apply(struct busy *busy, const struct busy_switch *item)
{
	if (busy->on[item->thread] == item->on)
		return true;
	busy->on[item->thread] = item->on;
	if (busy->running == 0) { /* work begins again here */
		busy->since_ns = item->time_ns;
		busy->open_sum_ns = 0;
	} else {
		busy->open_sum_ns += busy->running * (item->time_ns - busy->open_until_ns);
	}
	busy->open_until_ns = item->time_ns;
	if (item->on) {
		busy->running++;
		return true;
	}
	return --busy->running > 0 || add_span(busy, item->time_ns);
}

bool busy_resolve(struct busy *busy, uint64_t until_ns)
{
	size_t done = 0;
	bool fine = true;
	if (until_ns <= busy->resolved_ns)
		return true;
	if (busy->waiting_count)
		qsort(busy->waiting, busy->waiting_count, sizeof(*busy->waiting), busy_compare);
	while (fine && done < busy->waiting_count && busy->waiting[done].time_ns < until_ns)
		fine = apply(busy, &busy->waiting[done++]);
	if (done)
		memmove(busy->waiting, busy->waiting + done,
			(busy->waiting_count - done) * sizeof(*busy->waiting));
	busy->waiting_count -= done;
	busy->resolved_ns = until_ns;
	return fine;
}

/* Within a span the threads' sum is taken to be even. */
static uint64_t part_of_sum(const struct busy_span *span, uint64_t time_ns)
{
	double share = (double)(time_ns - span->begin_ns) / (double)(span->end_ns - span->begin_ns);
	return (uint64_t)((double)span->sum_ns * share);
}

static struct busy_time up_to_span(const struct busy_span *span, uint64_t time_ns)
{
	if (time_ns >= span->end_ns)
		return (struct busy_time){span->before_ns + (span->end_ns - span->begin_ns),
					  span->sum_before_ns + span->sum_ns};
	return (struct busy_time){span->before_ns + (time_ns - span->begin_ns),
				  span->sum_before_ns + part_of_sum(span, time_ns)};
}

/* Busy time from the beginning up to a time. */
static struct busy_time busy_until(const struct busy *busy, uint64_t time_ns)
{
	size_t low = 0, high = busy->span_count;
	struct busy_time sum = {0};
	while (low < high) { /* the first span that begins at or after the time */
		size_t middle = low + (high - low) / 2;
		if (busy->spans[middle].begin_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		sum = up_to_span(&busy->spans[low - 1], time_ns);
	else if (busy->span_count)
		sum = (struct busy_time){busy->spans[0].before_ns, busy->spans[0].sum_before_ns};
	if (busy->running && time_ns > busy->since_ns) {
		sum.any_ns += time_ns - busy->since_ns;
		sum.sum_ns += busy->open_sum_ns;
		if (time_ns > busy->open_until_ns)
			sum.sum_ns += busy->running * (time_ns - busy->open_until_ns);
	}
	return sum;
}

struct busy_time busy_between(const struct busy *busy, uint64_t from_ns, uint64_t to_ns)
{
	struct busy_time to = busy_until(busy, to_ns), from = busy_until(busy, from_ns);
	if (to_ns <= from_ns)
		return (struct busy_time){0};
	return (struct busy_time){to.any_ns - from.any_ns,
				  to.sum_ns > from.sum_ns ? to.sum_ns - from.sum_ns : 0};
}
