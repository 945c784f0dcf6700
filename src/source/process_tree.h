/* What /proc says of processes and of their threads, for the sources that tell whose work is
 * measured. */
#ifndef SOURCE_PROCESS_TREE_H
#define SOURCE_PROCESS_TREE_H

#include "base/sys.h"

struct process_stat {
	char state; /* 'Z' and 'X': it has ended */
	pid_t parent, group;
	uint64_t begun; /* in the kernel's ticks: tells it from others of its number */
};

/* False, and errno, when it cannot be read; numbers that are missing are 0. */
bool process_stat_read(const struct sx_sys *sys, pid_t pid, struct process_stat *out);
/* Whether a process is gone, or has ended and waits to be waited for. */
bool process_ended(const struct sx_sys *sys, pid_t pid);
/* The name of a process, or "?"; as text that can be shown. */
void process_name_read(const struct sx_sys *sys, pid_t pid, char *out, size_t size);

/*
 * What the threads of programs do, from /proc: which one is busiest. Time in which a thread could
 * run but waited for a CPU is told apart, so that a loaded machine does not make it look idle.
 */

#define THREADS_MOST 1024u /* threads that are told apart; of more the busiest is not known */

struct thread_seen {
	pid_t pid, tid;
	int fd;			  /* of its times, or -1 */
	uint64_t run_ns, wait_ns; /* since the thread began */
	bool apart;		  /* the thread's name begins with the prefix */
	uint8_t names;		  /* how often the thread's name was read */
	bool here;		  /* in this reading */
};

/* Zero-initialise, then set what is marked. */
struct threads {
	const struct sx_sys *sys; /* set */
	const char *prefix;	  /* set: of threads that are looked at apart, or NULL */
	/*
	 * Set where readings are frequent: so many threads' files stay open, and after the first
	 * second new threads are looked for no more often than this.
	 */
	uint32_t keep_open;
	uint64_t list_every_ns;
	struct thread_seen *items;
	size_t count, cap;
	uint32_t open;
	uint64_t first_ns, listed_ns;
	bool begun; /* there was a first reading */
	bool too_many;
};

/* Since the reading before. */
struct threads_busiest {
	/* Of the thread with the largest sum of both; waits count up to 8 times its work. */
	uint64_t run_ns, wait_ns;
	/* The same of the threads apart. */
	uint64_t apart_run_ns, apart_wait_ns;
	uint64_t apart_sum_ns; /* CPU time of all of them */
	bool apart_ended;      /* one has ended: what it did since the reading before is unknown */
	bool known;	       /* some thread could be read */
	bool apart;	       /* there are threads apart */
};

#define THREADS_FAMILY_MOST 64u

/*
 * A process and all that descend from it and still run, itself first, THREADS_FAMILY_MOST at most;
 * it alone where the kernel does not list children. Returns how many.
 */
size_t threads_family(const struct sx_sys *sys, pid_t pid, pid_t out[THREADS_FAMILY_MOST]);
/*
 * Reads all threads of some processes. The first reading tells nothing; threads that come later
 * began in between. false: no memory.
 */
bool threads_read(struct threads *threads, const pid_t *pids, size_t count,
		  struct threads_busiest *out);
void threads_finish(struct threads *threads);

#endif
