/* Threads of another process and when any was on a CPU. Shared by the files of this folder. */
#ifndef SOURCE_GUEST_RASTER_WATCH_H
#define SOURCE_GUEST_RASTER_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sys.h"

/*
 * When a program's threads are watched, so that watching costs it no more than it may: the kernel's
 * note of a switch is written on the thread's own time. Plain arithmetic: no clock, no system call.
 */

/* 0.54 us where it was measured (two threads that wake each other, with and without). */
#define AWAKE_SWITCH_NS	 UINT64_C(1000)
#define AWAKE_START_NS	 UINT64_C(2000000)  /* may be spent at once: short programs are watched */
#define AWAKE_LEAST_NS	 UINT64_C(50000000) /* of a window */
#define AWAKE_REMEMBERED 16u

struct awake_window {
	uint64_t from_ns, to_ns;
};

/* Zero-initialise, with `window_ns` the time of now: one window that never ends. */
struct awake {
	uint32_t overhead_ppm; /* of the program's CPU time; 0: there is no limit */
	bool resting;
	uint64_t switches;     /* noted so far */
	uint64_t window_cost;  /* ns of the least window, as dear as the last one that is over */
	uint64_t window_first; /* switches before the window that is open */
	uint64_t window_ns;    /* when the window was opened */
	struct awake_window
	    over[AWAKE_REMEMBERED]; /* a ring: window n is at n % AWAKE_REMEMBERED */
	uint64_t count;		    /* of windows that are over */
};

enum awake_step { AWAKE_GO_ON, AWAKE_CLOSE, AWAKE_OPEN };

/* What to do now, `cpu_ns` of the program's CPU time after its start; 0: not known yet. */
enum awake_step awake_decide(const struct awake *awake, uint64_t now_ns, uint64_t cpu_ns);
/* All threads are watched from now on, or none any more. */
void awake_open(struct awake *awake, uint64_t now_ns);
void awake_close(struct awake *awake, uint64_t now_ns);
/* Whether a range of time lies in one window. */
bool awake_was(const struct awake *awake, uint64_t from_ns, uint64_t to_ns);

/*
 * When any of several threads was on a CPU: their switches go in, in any order between threads, and
 * the union of their times comes out. Pure bookkeeping over times of one clock.
 */

/*
 * Spans that are kept where no caller says what may be forgotten: seconds of a busy program, 5 MiB.
 * Otherwise twice as many as are of use, or BUSY_SPANS_FEW.
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
	struct busy_switch *waiting; /* not merged into spans yet */
	size_t waiting_count, waiting_cap;
	struct busy_span *spans;
	size_t span_count, span_cap;
	bool *on; /* of each thread */
	size_t thread_cap;
	uint32_t running; /* threads that are on a CPU */
	uint64_t since_ns, total_ns, sum_ns;
	uint64_t open_sum_ns, open_until_ns; /* of the span that is not over */
	uint64_t resolved_ns;		     /* what happened before is known */
	uint64_t forgotten_ns;		     /* what happened before was forgotten */
};

void busy_finish(struct busy *busy);
/* Notes a switch. false: no memory. */
bool busy_note(struct busy *busy, const struct busy_switch *item);
/* No switch before `until_ns` is to come: works out what was busy until then. false: no memory. */
bool busy_resolve(struct busy *busy, uint64_t until_ns);
/*
 * Times before this are not needed any more: they may be forgotten, and are where they are most of
 * what is kept.
 */
void busy_forget(struct busy *busy, uint64_t before_ns);
/* Busy time of a range that is complete and not forgotten. */
struct busy_time busy_between(const struct busy *busy, uint64_t from_ns, uint64_t to_ns);

/*
 * Some threads of another process, those of one name, and when any of them was on a CPU. The kernel
 * records each switch (perf's context switch records, which need no right beyond that of tracing
 * the process); nothing is done inside the process.
 */

#define WATCH_THREADS_MAX 256u

struct watch_thread {
	pid_t tid;
	int fd;
	uint8_t *ring;
	uint64_t born_ns;   /* not before; 0: unknown */
	uint64_t from_ns;   /* watched since */
	uint64_t missed_ns; /* CPU time that it took before */
};

enum watch_state { WATCH_LOOKING, WATCH_FOUND, WATCH_REFUSED };

struct watch {
	const struct sx_sys *sys;
	pid_t pid;
	const char *prefix; /* of the threads' names; static */
	enum watch_state state;
	bool seen;		      /* the process was there when its threads were looked for, */
	bool gone;		      /* and is no longer */
	bool missed;		      /* a thread had ended when it was to be watched */
	struct watch_thread *threads; /* WATCH_THREADS_MAX */
	uint32_t thread_count;
	struct busy busy;
	struct awake awake;
	uint64_t lost_ns;   /* up to here switches were lost */
	uint64_t looked_ns; /* when threads were last looked for, or 0 */
	uint64_t look_ns;   /* when to look for threads again */
	uint32_t look_count;
};

/* Begins to watch, at no limit of its cost unless awake.overhead_ppm is set. false: no memory. */
bool watch_start(struct watch *watch, const struct sx_sys *sys, pid_t pid, const char *prefix);
/* New threads are to be expected: another program runs in the process now. */
void watch_expect(struct watch *watch);
void watch_finish(struct watch *watch);
/*
 * Reads what the kernel has recorded, and looks for new threads now and then. To be called often;
 * where the watch's own cost has a limit, the process has taken `cpu_ns` of CPU time so far.
 */
void watch_look(struct watch *watch, uint64_t cpu_ns);

enum watch_answer {
	WATCH_KNOWN,
	WATCH_NOT_YET,	 /* look again in a millisecond */
	WATCH_UNKNOWN,	 /* a part of the range was not watched, or lost */
	WATCH_RESTED,	 /* the thread was not watched, to keep the cost down */
	WATCH_NO_THREAD, /* there is no thread of that name */
	WATCH_NO_RIGHT,	 /* the kernel refuses the records */
};
/* Time of a range in which threads were on CPUs. */
enum watch_answer watch_busy(const struct watch *watch, uint64_t from_ns, uint64_t to_ns,
			     struct busy_time *out);

#endif
