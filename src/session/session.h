/* A session's parts; shared by the files of this folder only. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <sextant/session.h>

#include <poll.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "base/mem.h"
#include "decode/decode.h"
#include "source/source.h"

/*
 * Multiplexed metric sets of one device: a session device for each set, which share the source.
 * While one is counted, the others get rows that were skipped.
 */
struct session_turns {
	uint32_t first, count; /* devices of the session */
	uint32_t active;       /* the device with the set that is programmed */
	uint64_t since_ns, turn_ns;
	uint64_t until_ns; /* the last row ends; SX_TIME_UNKNOWN: there is none yet */
	bool fresh;	   /* no row of this turn yet */
};

#define SESSION_NOTES_MAX 16

/* A device while it is measured. */
struct session_device {
	const struct source_ops *ops;
	struct source *source;
	char *recorded_source; /* of a capture: where it was recorded; NULL: a live device */
	struct decoder *decoder;
	struct sx_table *raw;
	struct sx_table *mixed;	   /* all rows, on their way through the filter; NULL: no filter */
	struct sx_table *programs; /* rows of programs beside the device's; or NULL */
	uint64_t others;	   /* rows of other contexts that were left out */
	struct sx_metrics *metrics;
	struct sx_constant_value *constants;
	const char *set;	     /* the set that is programmed and shown, or NULL */
	struct session_turns *turns; /* or NULL: the device has a source of its own */
	/* How the device's source is started, and the decoder made: the same in every turn of a
	 * run. */
	struct source_request request;
	bool started, ended;
	uint64_t record_last_ns;
	size_t record_next;	  /* of the rows that stay, the first that is not recorded */
	uint32_t recorded;	  /* the device's number in the capture */
	uint64_t unrecorded_lost; /* samples, before the device had a number; */
	bool unrecorded_more;	  /* and an unknown number */
	struct record_note *unrecorded_notes; /* the newest first; the run's arena has them */
	uint32_t unrecorded_note_count;
	uint64_t rows;				  /* rows that were ever added */
	uint64_t first_ns;			  /* when the first row begins; SX_TIME_UNKNOWN */
	struct sx_error note;			  /* the first thing that the user should know */
	const char *notes[SESSION_NOTES_MAX + 1]; /* notes of sources, complete; room for `note` */
	uint32_t note_count;			  /* in the arena of the run */
	struct sx_error failure;		  /* the first thing that went wrong on the way */
	struct sx_error silence;		  /* why there is not a single sample */
};

/* The program that is measured. Descriptors are -1 when there is none. */
struct session_child {
	pid_t pid; /* 0 when none runs */
	int go[2]; /* the word to go; both ends are kept, so that writing it never raises SIGPIPE */
	int report; /* says why exec failed */
	int fd;	    /* readable once the program has ended */
	bool over;  /* it had ended at the last look */
	bool fresh; /* which was after the last wait */
	struct sx_child_status status;
};

/* The state behind sx_session_descriptor(). */
struct session_watch {
	int fd, timer; /* -1: none yet */
	int *fds;      /* descriptors in `fd`, beside the timer */
	uint32_t count;
};

enum session_state { SESSION_IDLE, SESSION_RUNNING, SESSION_OVER };

struct sx_session {
	bool keep_neutral; /* neutral names without a source are columns without data */
	struct sx_context *context;
	const struct sx_sys *sys;
	struct source_host host;	   /* of both */
	struct arena arena;		   /* of the session: options, devices */
	struct arena run_arena;		   /* of one run */
	struct sx_session_options options; /* copied into the arena */
	struct session_device *devices;
	struct sx_session_device *infos; /* the public face of each */
	uint32_t device_count;
	size_t device_cap, info_cap;
	struct sx_capture_writer *writer; /* or NULL */
	uint64_t clocks_last_ns;
	int64_t wall_ahead_ns; /* CLOCK_REALTIME before CLOCK_MONOTONIC, when they were read last */
	struct session_child child;
	/* One run. */
	enum session_state state;
	bool has_program;
	struct sx_session_limits limits;
	uint64_t begin_ns, end_ns;
	uint64_t cut_ns;	  /* rows that begin then or later are beyond the limits */
	uint64_t program_end_ns;  /* since then only what may yet come is awaited; or 0 */
	uint64_t asked_ns;	  /* when the program first got a signal but SIGINT, or 0 */
	uint64_t signalled_ns;	  /* when it last got any, or 0 */
	uint64_t replay_begin_ns; /* of the recording; SX_TIME_UNKNOWN */
	struct pollfd *fds;	  /* one for each device and two more */
	bool drained;		  /* the sources had nothing more when they were asked last */
	struct session_watch watch;
	/*
	 * A pipe that sx_session_stop() writes to, from any thread at any time: as old as the
	 * session, or -1 where that could not be made.
	 */
	int wake[2];
	atomic_bool stop;	      /* asked to end */
	atomic_ullong signals, typed; /* for the program: bit n is signal n */
};

/* As sx_session_create(), on any table of system calls, which must outlive the session. */
enum sx_status session_create_on(const struct sx_sys *sys, struct sx_context *context,
				 const struct sx_session_options *options, struct sx_session **out,
				 struct sx_error *err);

/* Finds and opens (open.c). */
enum sx_status session_open_devices(struct sx_session *session, struct sx_error *err);
/* Makes each device's selection (select.c). */
enum sx_status session_select(struct sx_session *session, struct sx_error *err);
/* Names and globs of metrics; none: everything. */
struct session_patterns {
	const char *const *items;
	uint32_t count;
};
/* The selection where a set (NULL: none) is programmed. */
struct session_choice {
	const char *set;
	const struct session_patterns *patterns;
};
/* Creates the selection of a choice on a device (select.c). */
enum sx_status select_create(const struct sx_session *session, uint32_t index,
			     struct session_choice choice, struct sx_metrics **out,
			     struct sx_error *err);
/* Makes that the device's selection, with the set that it has. */
enum sx_status select_in_set(struct sx_session *session, uint32_t index,
			     const struct session_patterns *patterns, struct sx_error *err);
/* Whether a set of a device that is programmed by sets has the pattern (sets.c). */
bool sets_have(const struct sx_session *session, uint32_t index, const char *pattern);
/* Plans which sets are programmed for the patterns; of several each gets a device and turns. */
enum sx_status sets_select(struct sx_session *session, uint32_t index,
			   const struct session_patterns *patterns, struct sx_error *err);
/* Starts each source and creates its decoder and table (start.c). */
enum sx_status session_start_devices(struct sx_session *session, struct sx_error *err);
/*
 * Fills in the passes of a device's request after its counters were chosen; those of one metric are
 * in one pass. What fits no single pass has no data over frames, and a note says so (passes.c).
 */
enum sx_status passes_plan(struct sx_session *session, uint32_t index, struct sx_error *err);
/* Starts a device's source once more in a run, with a new decoder for the same tables. */
enum sx_status session_start_again(struct sx_session *session, uint32_t index,
				   struct sx_error *err);
/*
 * Whether a device is one of several ways into the program, the user did not name it, and it gave
 * no sample (drive/conclude.c).
 */
bool session_is_unused(const struct sx_session *session, uint32_t index);
/* Forgets what the run before left: tables, decoders, notes. */
void session_forget_run(struct sx_session *session);

/* Makes one device `count` that take turns, itself the first (slices.c). */
enum sx_status turns_split(struct sx_session *session, uint32_t index, uint32_t count,
			   struct sx_error *err);
/* Whether a device is counted now; always, where it takes no turns. */
bool turns_active(const struct sx_session *session, uint32_t index);
/* Before the first turn of a run. */
void turns_begin(struct sx_session *session);
/* Goes on to the next set where its time has come. */
void turns_update(struct sx_session *session);
/* When the next turn is due; UINT64_MAX: there are none. */
uint64_t turns_due_ns(const struct sx_session *session);
/*
 * Decodes a sample of a device that takes turns: those that share its source get as many rows, in
 * which nothing was measured, and all get one for the time in which the set was changed. Errors: of
 * the decoder.
 */
enum sx_status turns_feed(struct sx_session *session, uint32_t index, const struct raw_sample *raw,
			  struct sx_error *err);

/* The table that a device's decoder writes to (drive/take.c). */
struct sx_table *session_newest(const struct session_device *device);
/* Takes what one source has; false when nothing came (drive/take.c). */
bool session_take(struct sx_session *session, uint32_t index);
/* Notes what went wrong on the way, once for each device, with its time. */
void session_fail(struct sx_session *session, uint32_t index, const struct sx_error *why);

/* Like sx_devices_probe(), of one source or of all (NULL), on any table (devices.c). */
enum sx_status devices_probe(const struct source_host *host, const char *source,
			     struct sx_device_list **out, struct sx_error *err);

/* Whether each device reports contexts, where one is asked for (filter.c). */
enum sx_status filter_check(const struct sx_session *session, struct sx_error *err);
/* Whether rows must pass the filter: limits, or one context. */
bool filter_needed(const struct sx_session *session);
/* Moves the rows that are wanted from mixed to raw, and drops the others. */
enum sx_status filter_rows(struct sx_session *session, uint32_t index, struct sx_error *err);

/*
 * Fills s->fds with what to wait for; returns when to look anyway, UINT64_MAX: never
 * (drive/wait.c).
 */
uint64_t session_gather_wakes(struct sx_session *session, nfds_t *count);
/* Updates a descriptor that was given out; `over`: it becomes ready (watch.c). */
enum sx_status watch_update(struct sx_session *session, bool over, struct sx_error *err);
/* The pipe that ends a wait, as old as the session (drive/wait.c). */
enum sx_status wake_open(struct sx_session *session, struct sx_error *err);
void wake_close(struct sx_session *session);
/* Descriptors may be others now, by the same numbers: all are watched anew. */
void watch_forget(struct sx_session *session);
void watch_close(struct sx_session *session);

/* Before the first sample and after the last one (record.c). */
void record_begin(struct sx_session *session);
void record_end(struct sx_session *session);
/* Writes the rows of a device's table, when it is time or at the end, and drops them. */
void record_rows(struct sx_session *session, uint32_t index, bool now);
/* Writes what a raw sample says beside its values: losses, breaks, notes. */
void record_sample(struct sx_session *session, uint32_t index, const struct raw_sample *raw);
/* Writes that a device's samples end here, and why. */
void record_failure(struct sx_session *session, uint32_t index);
/* Writes the clocks, when it is time or at the end. */
void record_clocks(struct sx_session *session, bool now);

/* Before anything else of a child (child.c). */
void child_init(struct sx_session *session);
/* Forks the program, which then waits, so that sources can be started on it. */
enum sx_status child_fork(struct sx_session *session, char *const *argv, struct sx_error *err);
/* Lets the program run; the status says why it could not be run. */
enum sx_status child_exec(struct sx_session *session, char *const *argv, struct sx_error *err);
/* Ends a child that was never let run. */
void child_abandon(struct sx_session *session);
/* Asks the kernel once a wake whether the child has ended; child_ended() returns the answer. */
void child_look(struct sx_session *session);
/* True after the child was seen to have ended, or if there is none. /proc still has it. */
bool child_ended(const struct sx_session *session);
/* Takes the status of a child that has ended; true when there is none left. */
bool child_reap(struct sx_session *session);
/* Leaves a child that cannot be ended to itself. */
void child_leave(struct sx_session *session);
/* Whether the program runs in a process group of its own. */
bool child_left_group(const struct sx_session *session);
/* Sends a signal to the child if it still runs; false: it is another user's, and gets none. */
bool child_signal(struct sx_session *session, int signal_number);

/*
 * As sx_raw_record(), through any table of system calls, so that tests can use a fake kernel
 * (record_raw.c).
 */
enum sx_status record_raw(const struct source_host *host, const struct sx_raw_recording *recording,
			  bool (*write)(void *user, const uint8_t *data, size_t size), void *user,
			  struct sx_error *err);

#endif
