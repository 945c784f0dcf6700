/*
 * When any of several threads was on a CPU: their switches go in, in any order between threads, and
 * the union of their times comes out. Pure bookkeeping over times of one clock.
 */
#ifndef SOURCE_GUEST_RASTER_BUSY_H
#define SOURCE_GUEST_RASTER_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Remembered where nobody says what may be forgotten, seconds of a busy program: 5 MiB. Otherwise
 * twice as many as are of use, or BUSY_SPANS_FEW.
 */
#define BUSY_SPANS_MAX 131072u
#define BUSY_SPANS_FEW 256u

/* A thread goes on a CPU or leaves it. */
struct busy_switch {
	uint64_t time_ns;
	uint32_t thread; /* index, chosen by the caller */
	bool on;
};

struct busy_span {
	uint64_t begin_ns, end_ns;
	uint64_t before_ns; /* busy time of all spans before it */
	uint64_t sum_ns;    /* of all threads within it, and */
	uint64_t sum_before_ns;
};

/* What a range of time held. */
struct busy_time {
	uint64_t any_ns; /* at least one thread was on a CPU */
	uint64_t sum_ns; /* of all threads together */
};

/* Zero-initialise. */
struct busy {
	struct busy_switch *waiting; /* not settled yet */
	size_t waiting_count, waiting_cap;
	struct busy_span *spans;
	size_t span_count, span_cap;
	bool *on; /* of each thread */
	size_t thread_cap;
	uint32_t running; /* threads that are on a CPU */
	uint64_t since_ns, total_ns, sum_ns;
	uint64_t open_sum_ns, open_until_ns; /* of the span that is not over */
	uint64_t settled_ns;		     /* what happened before is known */
	uint64_t forgotten_ns;		     /* what happened before was forgotten */
};

void busy_finish(struct busy *busy);
/* Notes a switch. false: no memory. */
bool busy_note(struct busy *busy, const struct busy_switch *item);
/* No switch before `until_ns` is to come: works out what was busy until then. false: no memory. */
bool busy_settle(struct busy *busy, uint64_t until_ns);
/*
 * Nobody asks for times before this any more: they may be forgotten, and are where they are most of
 * what is kept.
 */
void busy_forget(struct busy *busy, uint64_t before_ns);
/* Busy time of a range that is settled and not forgotten. */
struct busy_time busy_between(const struct busy *busy, uint64_t from_ns, uint64_t to_ns);

#endif
