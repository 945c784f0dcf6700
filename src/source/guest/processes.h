/*
 * The programs that are measured from within, from the moment that they fetch their channel until
 * they have ended and everything that they sent was read.
 */
#ifndef SOURCE_GUEST_PROCESSES_H
#define SOURCE_GUEST_PROCESSES_H

#include "base/sys.h"
#include "source/guest/handover.h"
#include "source/guest/heirs.h"

#define PROCESSES_VALUES (WIRE_VALUES_MOST * sizeof(struct wire_value))

struct process; /* one that lives, or has left something to read */

/* Of programs that tell it themselves, in ns. */
struct own_time {
	uint64_t own_ns;     /* that our own code took, as far as it is known */
	uint64_t program_ns; /* CPU time, with ours */
};

struct processes {
	const struct sx_sys *sys;
	struct handover handover;
	struct process *items;
	size_t count, cap;
	size_t next;	 /* to look at first */
	uint32_t number; /* of the next process that has a context */
	struct contexts contexts;
	struct heirs heirs; /* that have not come */
	bool hurry;
	bool commands; /* their samples are commands: OpenCL */
	uint32_t cpus; /* of the machine; 0: not known */
	/* Of processes that have gone. */
	uint64_t seen, made, refused, dropped, labels_lost;
	struct own_time time;
	uint64_t garbage;      /* counts of theirs that cannot be */
	uint64_t nested;       /* that are this very tool, which measures what it starts itself */
	uint64_t quiet_end_ns; /* when the last one that made no context ended, or 0 */
};

/* What became known about programs that a library of ours was loaded into. */
struct processes_activity {
	uint64_t processes;	   /* programs that fetched a channel */
	uint64_t nested;	   /* those of them that are the same tool as we */
	uint64_t refused_programs; /* programs that no channel was left for */
	uint64_t contexts;	   /* contexts that the programs made current */
	uint64_t refused;	   /* contexts without a place in their channel, */
	uint64_t dropped;	   /* and their samples */
	uint64_t beyond;	   /* contexts without a place in our list */
	uint64_t broken, lost; /* records; the former also what cannot be told apart from them */
	uint64_t late;	       /* of the lost, what came with no record */
	uint64_t labels_lost;
	struct own_time time; /* of all programs */
};

/* Errors: SX_ERR_IO, SX_ERR_NO_MEMORY. Not to be moved in memory while open. */
enum sx_status processes_open(struct processes *processes, const struct sx_sys *sys,
			      const struct channel_wish *wish, struct sx_error *err);
/* What programs that start from now on are asked for. */
void processes_set_wish(struct processes *processes, const struct channel_wish *wish);
/* The path of the socket, for WIRE_ENV. */
const char *processes_path(const struct processes *processes);
/*
 * The next sample of any process; false when there is none now. Its label path is written to path
 * (size bytes, and behind them PROCESSES_VALUES for what follows it); out->label_length says how
 * much of that is used, and out->driver_count how many values follow.
 */
bool processes_next(struct processes *processes, struct wire_sample *out, char *path, size_t size,
		    uint64_t *lost);
/* Samples do not wait any more for earlier ones of other contexts that are still to be written. */
void processes_hurry(struct processes *processes);
/*
 * Whether a program still runs that has made a context, or that came so short a while ago that it
 * may yet, or whether one has just ended that made none, and may have forked, or whether one that
 * was started with our environment may yet come: what a launcher started and left is measured to
 * its end.
 */
bool processes_running(struct processes *processes);
/*
 * A descriptor that is readable while a program has come that processes_next() has not seen yet.
 */
int processes_descriptor(const struct processes *processes);
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

#endif
