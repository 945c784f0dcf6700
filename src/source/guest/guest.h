/*
 * Programs that are measured from within: the reading end of their channels, how they get one,
 * which of them run, their kind and load. Shared by the files of this folder; inject.h is its
 * interface.
 */
#ifndef SOURCE_GUEST_GUEST_H
#define SOURCE_GUEST_GUEST_H

#include <pthread.h>
#include <sextant/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include "base/sys.h"
#include "wire/channel.h"
#include "wire/counters.h"

/*
 * The reading side of one process's channel. Everything in it may be garbage, or change while it is
 * read: it is copied first, checked, and bounded. No system calls.
 */

#define CHANNEL_CONTEXTS_MAX 4096 /* a program that makes more has a fault, or bad intentions */
#define CHANNEL_LABEL_DEPTH  256
#define CHANNEL_PATH_MOST    65536 /* bytes of one label path */

/* One context of a measured program. Texts are NUL-terminated, cut if need be. */
struct context_info {
	uint32_t process; /* number of its process */
	int32_t pid;
	uint32_t serial; /* of the context in its process, from 1 */
	uint32_t api;	 /* enum wire_api, as the program says */
	char name[32];	 /* of the process */
	char vendor[128], renderer[192], version[192];
	bool egl, core_profile;
	bool closed;	       /* the guest handed over all that it had */
	uint64_t frames;       /* read so far */
	struct wire_past past; /* of its samples that were given out */
	uint64_t lost;	       /* because they were not read in time */
	uint64_t broken;       /* records that made no sense */
};

/* The contexts of all processes, in order of appearance; those of a process as it made them. */
struct contexts {
	struct context_info *items;
	size_t count, cap;
	uint64_t beyond; /* contexts without a place here, because there are too many */
	uint64_t late;	 /* records that were lost behind the last one of their context */
	size_t again;	 /* where to look next for a number that may be used again */
};

struct channel_place {
	bool known;
	uint32_t generation;
	uint64_t tail;	  /* ours; the channel's copy is for the writer only */
	uint64_t lost;	  /* as last seen */
	bool head_broken; /* the head is impossible: it was overwritten */
	size_t context;	  /* index into the contexts, or CHANNEL_NO_CONTEXT */
	/* Samples that came in one record: those from `packed_at` on. */
	struct wire_record packed;
	uint32_t packed_at, packed_count;
};
#define CHANNEL_NO_CONTEXT SIZE_MAX

/* Zero-initialise, then set what is marked. */
struct channel {
	struct wire_header *memory; /* set: WIRE_BYTES(ring) of it */
	uint32_t ring;		    /* set */
	uint32_t process;	    /* set: the process's number */
	int32_t pid;		    /* set */
	char name[32];		    /* set */
	uint32_t value_most;	    /* set: values of a sample; 0: WIRE_DRIVER_MOST */
	bool ended;		    /* set: the writer has ended, and drafts count */
	uint64_t now_ns;	    /* set: now; 0: no draft is waited for */
	struct channel_place places[WIRE_STREAMS];
	unsigned next;	   /* stream to look at first, */
	uint64_t until_ns; /* for as long as its records end before those of others, */
	uint32_t stay;	   /* and for so many of them */
	/* Values of the driver's own counters that belong to the record last taken. */
	struct wire_value values[WIRE_VALUES_MOST];
};

/* A request: what to measure of a program. */
struct channel_wish {
	uint32_t kinds;		    /* bits of enum wire_kind */
	uint64_t counters;	    /* bits of enum wire_counter */
	uint32_t overhead_permille; /* 0: measure all */
	uint32_t ring;		    /* records, a power of two up to WIRE_RING_MOST */
	/* Counters of the driver's own, or NULL. Outlives the wish. */
	const uint8_t (*driver_ids)[WIRE_ID_BYTES];
	uint32_t driver_count; /* up to WIRE_DRIVER_MOST */
	/* The request of a channel of hardware counters, or NULL. Outlives the wish. */
	const struct wire_program *program;
};

/* Fills in the head of new memory of WIRE_BYTES(wish->ring) zeros. */
void channel_prepare(struct wire_header *memory, const struct channel_wish *wish);
/*
 * Takes the next sample of any stream, those that ended first before others; false when there is
 * none now, or an earlier one is about to come. *lost: samples known to be lost before it. Of the
 * driver's own counters out->driver_count are in channel->values.
 */
bool channel_next(struct channel *channel, struct contexts *contexts, struct wire_sample *out,
		  uint64_t *lost);
/*
 * Writes the path of a label into out (size bytes, NUL-terminated, at least 1): its texts from the
 * top, joined by slashes, cut if need be; well-formed UTF-8 without control characters, with a
 * backslash before slashes and backslashes of their own. Returns its length, 0 when there is no
 * such label.
 */
size_t channel_label(const struct channel *channel, uint32_t id, char *out, size_t size);
/* Whether any stream has a record that was not read, or is still open. */
bool channel_in_use(const struct channel *channel);
/*
 * Copies text that a program wrote: printable UTF-8 only, NUL-terminated within size; nothing of
 * what is no text for the most part.
 */
void channel_copy_text(char *to, const char *from, size_t size);

/* Between channel.c and contexts.c. */
bool channel_has_identity(const struct wire_stream *stream);
/* A context that has written, or has gone without, and that we have not met before. */
bool channel_is_new(const struct channel_place *mine, const struct wire_stream *stream, bool ended);
/*
 * Contexts are numbered, and first read, in the order in which they were made: a young one may have
 * the stream of one that is gone, before those of its elders. What was opened behind our back while
 * we looked is found by looking again. Returns whether there was one, which is now next.
 */
bool channel_add_oldest(struct channel *channel, struct contexts *contexts);

/* Limits of what a record can say: its memory is the program's, which may write anything. */

/* Of one program; set what is marked, the rest is zero before its first sample. */
struct bounds {
	uint64_t came_ns;     /* set: when it got its channel, */
	uint64_t now_ns;      /* and now, before each sample */
	uint32_t cpus;	      /* set: that it may run on at once; 0: not known */
	bool commands;	      /* set: its samples are commands; else none is */
	bool cpu_known;	      /* its CPU clock has been seen, */
	uint64_t cpu_from_ns; /* and was this first */
};

/*
 * false: the sample cannot be, since it lies in the future or before the program came, is longer
 * than it was here, has more draws than that leaves time for, or is of another API. Values that no
 * device counts in that time become WIRE_IMPOSSIBLE; a size that no window has is not known, nor is
 * CPU time beyond what its CPUs had.
 */
bool bounds_hold(struct bounds *bounds, struct wire_sample *sample);

/*
 * Where programs fetch their channels: a socket in a folder of the user's, served by a thread, so
 * that a program does not wait at its start. Each one gets memory of its own, sealed: no program
 * can change its size under the reader, or reach another's.
 */

/* A program that has fetched its channel. */
struct newcomer {
	pid_t pid;
	int pidfd;	  /* or -1 where the kernel has none */
	uint64_t came_ns; /* CLOCK_MONOTONIC, before it had its channel */
	struct wire_header *memory;
	uint32_t ring;	     /* records of the channel's ring */
	uint32_t value_most; /* values of a sample; 0: the usual number */
};

struct handover {
	char folder[96];
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* of the socket */
	int listener, wake[2];
	int news[2]; /* readable while a program is in the queue */
	pthread_t thread;
	bool open, running;
	pthread_mutex_t lock;
	struct channel_wish wish; /* under lock, as all that follows */
	struct newcomer *queue;
	size_t count, cap, taken;
	bool reported;	  /* there is a byte in `news` */
	uint64_t refused; /* programs that there was no memory or descriptor for */
};

/*
 * Makes the folder and the socket, and starts the thread. Errors: SX_ERR_IO, SX_ERR_NO_MEMORY. Not
 * to be moved in memory while open.
 */
enum sx_status handover_open(struct handover *handover, const struct sx_sys *sys,
			     const struct channel_wish *wish, struct sx_error *err);
/* Sets the request for programs that fetch a channel from now on. */
void handover_set_wish(struct handover *handover, const struct channel_wish *wish);
/* The next program that came; what it holds is the caller's. */
bool handover_take(struct handover *handover, struct newcomer *out);
uint64_t handover_refused(struct handover *handover);
/* Stops, and removes socket and folder. Not opened, or zero: nothing happens. */
void handover_close(struct handover *handover);

/*
 * Programs that were started with our environment, and run on after their starter has ended: a
 * launcher's, which may load our library late, or never. They are found in /proc, by the socket's
 * path in their environment.
 */

#define DESCENDANTS_MOST 64u

struct descendant {
	pid_t pid;
	char program[64]; /* the end of its path: one that executes another begins anew */
	bool sure;	  /* it has the path; not so one that has no environment */
	bool begins;	  /* it has none yet: the kernel is loading its program */
	uint64_t since_ns;
	bool here; /* in this look */
};

/* Zero-initialise. */
struct descendants {
	struct descendant items[DESCENDANTS_MOST];
	size_t count;
	uint64_t looked_ns;
	uint64_t sure_ns; /* when one was last known to be awaited, or the first look */
	bool any;	  /* at the last look */
};

/*
 * A program is there that may start others: a process that begins from now on may be a descendant.
 */
void descendants_expect(struct descendants *descendants);
/*
 * Whether one began so recently, as far as these looks have seen, that it may yet be measured.
 * Looks are some milliseconds apart, however often this is called. Processes that only may be
 * descendants have one waiting time together: on some machines foreign processes with no readable
 * environment start one after another. Processes for which `lives` is true are known already and do
 * not count.
 */
bool descendants_awaited(struct descendants *descendants, const struct sx_sys *sys,
			 const char *path, bool (*lives)(void *user, pid_t pid), void *user);

/*
 * The programs that are measured from within, from the moment that they fetch their channel until
 * they have ended and everything that they sent was read.
 */

#define PROCESSES_VALUES (WIRE_VALUES_MOST * sizeof(struct wire_value))

struct process; /* one that lives, or has left something to read */

/* Of programs that report it themselves, in ns. */
struct own_time {
	uint64_t own_ns;     /* that our own code took, as far as it is known */
	uint64_t program_ns; /* CPU time, with ours */
};

/* Facts about programs that loaded our library. */
struct processes_activity {
	uint64_t processes;	   /* programs that fetched a channel */
	uint64_t nested;	   /* those of them that are the same tool as we */
	uint64_t refused_programs; /* programs that no channel was left for */
	uint64_t contexts;	   /* contexts that the programs made current */
	uint64_t refused;	   /* contexts without a place in their channel, */
	uint64_t dropped;	   /* and their samples */
	uint64_t beyond;	   /* contexts without a place in our list */
	uint64_t broken, lost;	   /* records; broken: also what looks like it */
	uint64_t late;		   /* of the lost, those that no record reported */
	uint64_t labels_lost;
	struct own_time time; /* of all programs */
};

struct processes {
	const struct sx_sys *sys;
	struct handover handover;
	struct process *items;
	size_t count, cap;
	size_t next;	 /* to look at first */
	uint32_t number; /* of the next process that has a context */
	struct contexts contexts;
	struct descendants descendants; /* that have not come */
	bool hurry;    /* set: no sample waits for earlier ones that are still to be written */
	bool commands; /* their samples are commands: OpenCL */
	uint32_t cpus; /* of the machine; 0: not known */
	/* What processes that have ended reported, and how many there were. */
	struct processes_activity gone;
	uint64_t quiet_end_ns; /* when the last one that made no context ended, or 0 */
};

/* Errors: SX_ERR_IO, SX_ERR_NO_MEMORY. Not to be moved in memory while open. */
enum sx_status processes_open(struct processes *processes, const struct sx_sys *sys,
			      const struct channel_wish *wish, struct sx_error *err);
/* Sets the request for programs that start from now on. */
void processes_set_wish(struct processes *processes, const struct channel_wish *wish);
/*
 * The next sample of any process; false when there is none now. Its label path is written to path
 * (size bytes, and behind them PROCESSES_VALUES for what follows it); out->label_length says how
 * much of that is used, and out->driver_count how many values follow.
 */
bool processes_next(struct processes *processes, struct wire_sample *out, char *path, size_t size,
		    uint64_t *lost);
/*
 * Whether a program still runs that has made a context, or that came so short a while ago that it
 * may yet, or whether one has just ended that made none, and may have forked, or whether one that
 * was started with our environment may yet come: what a launcher started and left is measured to
 * its end.
 */
bool processes_running(struct processes *processes);
/* Whether one came a short while ago that has not made a context yet. */
bool processes_awaited(const struct processes *processes);
/* Whether none that came is left. */
bool processes_waiting(struct processes *processes);
/*
 * The next program that has made a context since it was asked last; each is given once. false:
 * there is none.
 */
bool processes_newcomer(struct processes *processes, pid_t *pid);
struct processes_activity processes_activity(struct processes *processes);
void processes_close(struct processes *processes);

/* The kind of program that a process runs, as far as it decides whether a library can be loaded. */

enum program_kind {
	PROGRAM_UNKNOWN,
	PROGRAM_DYNAMIC, /* a library should have been loaded */
	PROGRAM_STATIC,	 /* has no loader */
	PROGRAM_OTHER,	 /* of another word size or CPU than ours */
	PROGRAM_GUARDED, /* set-user-ID or the like: it cannot be inspected, and the loader loads
			    nothing */
	PROGRAM_CLEARED, /* what loads the library is not in its environment */
	PROGRAM_FOREIGN, /* of another user, without access to the channel */
};

/* Zero-initialise, then set what is marked. */
struct program {
	const char *variable, *holds; /* set: of the environment, and a part of its value */
	enum program_kind kind;
	char path[256]; /* of what it runs */
	long user;	/* the user of it, of PROGRAM_FOREIGN */
	bool bare;	/* it had no environment at the last look, as within exec */
};

/*
 * Looks at what the process runs now, if that is something else than at the last look. What it runs
 * is not known before it has executed its program.
 */
void program_look(struct program *program, const struct sx_sys *sys, pid_t pid);
/* Why a library was not loaded into it, and the remedy. False when the kind says nothing. */
bool program_explain(const struct program *program, struct sx_error *err);

/* The load of programs: what their busiest threads did during each sample. */

struct load_process;

/* Zero-initialise. */
struct load {
	struct load_process **items;
	size_t count, cap;
};

/* This process is measured from now on. false: no memory. */
bool load_add_process(struct load *load, const struct sx_sys *sys, pid_t pid);
/* To be called every few milliseconds; reads the threads of each process every 20 ms. */
void load_look(struct load *load);
/*
 * Gives a sample what the busiest threads of its process did in it. Samples overlap where a process
 * has several contexts: what an earlier one was given (is_row: wire_is_row()) is not given again.
 * false: it is not known yet; look again in a few milliseconds.
 */
bool load_fill(struct load *load, struct wire_sample *sample, bool is_row);
void load_finish(struct load *load);

/* How fast records come, so that they are fetched before their rings are full, and no oftener. */

/* Zero-initialise. */
struct rate {
	uint64_t records;	    /* since the start; the caller counts them, */
	uint64_t before, before_ns; /* until the look before */
	uint64_t peak;
};

#define RATE_LEAST_NS UINT64_C(5000000) /* shorter intervals are bursts that the rings can hold */
#define RATE_KEPT(n)  ((n) / 16 * 15)	/* of a peak, from one interval to the next */

/* Records a second in the fastest interval between two looks; old ones decay. */
static inline uint64_t rate_peak(struct rate *rate, uint64_t now_ns)
{
	uint64_t since_ns = now_ns - rate->before_ns;
	if (since_ns < RATE_LEAST_NS)
		return rate->peak;
	uint64_t since = (rate->records - rate->before) * 1000000 / (since_ns / 1000);
	rate->peak = since > RATE_KEPT(rate->peak) ? since : RATE_KEPT(rate->peak);
	rate->before = rate->records;
	rate->before_ns = now_ns;
	return rate->peak;
}

#endif
