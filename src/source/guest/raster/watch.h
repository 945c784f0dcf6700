/*
 * Some threads of another process, those of one name, and when any of them was on a CPU. The kernel
 * tells each switch (perf's context switch records, which need no right beyond that of tracing the
 * process); nothing is done inside the process.
 */
#ifndef SOURCE_GUEST_RASTER_WATCH_H
#define SOURCE_GUEST_RASTER_WATCH_H

#include "base/sys.h"
#include "source/guest/raster/awake.h"
#include "source/guest/raster/busy.h"

#define WATCH_THREADS_MAX 256u

struct watch_thread {
	pid_t tid;
	int fd;
	uint8_t *ring;
	uint64_t born_ns;   /* not before; 0: nobody knows */
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
 * Reads what the kernel has told, and looks for new threads now and then. To be called often; where
 * the watch's own cost has a limit, the process has taken `cpu_ns` of CPU time so far.
 */
void watch_look(struct watch *watch, uint64_t cpu_ns);

enum watch_answer {
	WATCH_KNOWN,
	WATCH_NOT_YET,	 /* look again in a millisecond */
	WATCH_UNKNOWN,	 /* a part of the range was not watched, or lost */
	WATCH_RESTED,	 /* the thread was not watched, to keep the cost down */
	WATCH_NO_THREAD, /* there is no thread of that name */
	WATCH_NO_RIGHT,	 /* the kernel refuses to tell */
};
/* Time of a range in which threads were on CPUs. */
enum watch_answer watch_busy(const struct watch *watch, uint64_t from_ns, uint64_t to_ns,
			     struct busy_time *out);

#endif
