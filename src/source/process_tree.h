/*
 * What /proc says of processes: their files, their pids and thread ids, their parents, and what
 * their threads do.
 */
#ifndef SOURCE_PROCESS_TREE_H
#define SOURCE_PROCESS_TREE_H

#include "base/sys.h"

/* As read_file() of sx_sys: a file of a process, and of one of its threads. */
ssize_t process_file(const struct sx_sys *sys, pid_t pid, const char *name, char *out, size_t size);
ssize_t process_task_file(const struct sx_sys *sys, pid_t pid, pid_t tid, const char *name,
			  char *out, size_t size);
/* The path of the executable (pid 0: of this process); false, and errno, when it cannot be read. */
bool process_program(const struct sx_sys *sys, pid_t pid, char *out, size_t size);
/* Calls visit for each process, or thread of one, until it returns non-zero; 0, or an errno. */
int process_each(const struct sx_sys *sys, int (*visit)(void *user, pid_t pid), void *user);
int process_each_thread(const struct sx_sys *sys, pid_t pid, int (*visit)(void *user, pid_t tid),
			void *user);

/* /proc/PID/stat */
struct process_stat {
	bool ended; /* and waits to be waited for, at most */
	pid_t parent, group;
	uint64_t begun; /* start time in the kernel's ticks: distinguishes processes of one pid */
	/* Of a whole text: with children that it has waited for, but `ticks`. */
	bool whole;
	uint64_t faults, major_faults; /* faults: minor and major ones */
	uint64_t ticks, waited_ticks;  /* of CPU time */
};
/* False, and errno, when it cannot be read; numbers that are missing are 0. */
bool process_stat_read(const struct sx_sys *sys, pid_t pid, struct process_stat *out);
/* Whether a process is gone, or has ended and waits to be waited for. */
bool process_ended(const struct sx_sys *sys, pid_t pid);
/* The name of a process, or "?"; as text that can be shown. */
void process_name_read(const struct sx_sys *sys, pid_t pid, char *out, size_t size);

/* What the kernel passed to the loader of a program, in the auxiliary vector. */
enum process_begin {
	PROCESS_HIDDEN, /* nothing: it may not be read, or is empty, as early in exec and at the end
			 */
	PROCESS_LOADING, /* its end alone: the kernel is still loading what it executes */
	PROCESS_PLAIN,
	PROCESS_SECURE, /* rights are at stake: the loader takes nothing from its caller */
};
enum process_begin process_begin(const struct sx_sys *sys, pid_t pid);

#define PROCESS_FAMILY_MOST 64u
/*
 * A process and all that descend from it and still run, itself first, PROCESS_FAMILY_MOST at most;
 * it alone where the kernel does not list children. Returns how many.
 */
size_t process_family(const struct sx_sys *sys, pid_t pid, pid_t out[PROCESS_FAMILY_MOST]);

struct process_node {
	pid_t pid, parent, group;
	uint64_t begun;	 /* start time: distinguishes processes of one pid */
	bool ours, here; /* ours: it is of the program; here: it ran at the last look */
};

/*
 * A program and its descendants, as far as they can be found: by parents, and by its process group
 * where it has one of its own. (It shares ours where it has not, so that a terminal serves it;
 * other processes in our group are not of the run.) Zero-initialise, then set what is marked;
 * process_tree_finish() frees.
 */
struct process_tree {
	const struct sx_sys *sys; /* set */
	pid_t root; /* set: the program; it was not waited for yet, so its pid is not reused */
	struct process_node *items; /* parents before their children */
	size_t count, cap;
};

/* Updates which known processes still run, and adds new ones. Without /proc: none. */
void process_tree_look(struct process_tree *tree);
/* Whether any but the program itself ran at the last look. */
bool process_tree_any(const struct process_tree *tree);
/* Sends a signal to all of them that ran at the last look, and in any case to the program. */
void process_tree_signal(const struct process_tree *tree, int signal_number);
void process_tree_finish(struct process_tree *tree);

/*
 * What the threads of programs do, from /proc: which one is busiest. Time in which a thread was
 * ready but waited for a CPU is separate, so that a loaded machine does not make the thread look
 * idle.
 */

#define THREADS_MOST 1024u /* threads that are tracked; of more the busiest is not known */

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

/*
 * Reads all threads of some processes. The first reading gives no result; threads that appear later
 * began in between. false: no memory.
 */
bool threads_read(struct threads *threads, const pid_t *pids, size_t count,
		  struct threads_busiest *out);
void threads_finish(struct threads *threads);

#endif
