/* A session's parts; shared by the files of this folder only. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <sextant/session.h>

#include <signal.h>
#include <sys/types.h>

#include "base/mem.h"
#include "decode/decode.h"
#include "source/source.h"

/* A device while it is measured. */
struct session_device {
	const struct source_ops *ops;
	struct source *source;
	struct decoder *decoder;
	struct sx_table *raw;
	struct sx_table *mixed; /* rows of every context, on their way to raw; NULL: no filter */
	uint64_t others;	/* rows of other contexts that were left out */
	struct sx_metrics *metrics;
	struct sx_constant_value *constants;
	bool started, ended;
	uint64_t sink_last_ns;
	uint32_t recorded;	 /* its number in the capture */
	uint64_t rows;		 /* that were ever added */
	struct sx_error note;	 /* the first thing that went wrong on the way */
	struct sx_error silence; /* why there is not a single sample */
};

/* The program that is measured. Descriptors are -1 when there is none. */
struct session_child {
	pid_t pid; /* 0 when none runs */
	int go[2]; /* the word to go; both ends are kept, so that writing it never raises SIGPIPE */
	int report; /* says why exec failed */
	int fd;	    /* readable once it has ended */
	struct sx_child_status status;
};

struct sx_session {
	struct sx_context *context;
	const struct sx_sys *sys;
	struct source_host host; /* of both */
	struct arena arena;
	struct sx_session_options options; /* strings are copied into the arena */
	struct session_device *devices;
	struct sx_session_device *infos; /* the public face of each */
	uint32_t device_count;
	size_t device_cap, info_cap;
	sx_session_sink_fn sink;
	void *sink_user;
	struct sx_capture_writer *writer; /* or NULL */
	uint64_t clocks_last_ns;
	struct session_child child;
	uint64_t begin_ns, end_ns;
	volatile sig_atomic_t stop, stop_signal;
};

/* Finds, opens and selects (open.c). */
enum sx_status session_open_devices(struct sx_session *session, struct sx_error *err);
/* Starts each source and creates its decoder and table (open.c). */
enum sx_status session_start_devices(struct sx_session *session, struct sx_error *err);

/* Whether each device tells contexts apart, where one is asked for (contexts.c). */
enum sx_status contexts_check(const struct sx_session *session, struct sx_error *err);
/* Moves the rows of the context that was asked for from mixed to raw. */
enum sx_status contexts_sift(const struct sx_session *session, struct session_device *device,
			     struct sx_error *err);

/* Before the first sample and after the last one (record.c). */
void record_begin(struct sx_session *session);
void record_end(struct sx_session *session);
/* Writes the rows of a device's table; what the disk is too slow for, the writer tells. */
void record_rows(struct sx_session *session, uint32_t index);
/* Writes what a raw sample says beside its values: losses, breaks, notes. */
void record_sample(struct sx_session *session, uint32_t index, const struct raw_sample *raw);
/* Writes the clocks, when it is time or at the end. */
void record_clocks(struct sx_session *session, bool now);

/* Forks the program, which then waits, so that sources can be started on it (child.c). */
enum sx_status child_fork(struct sx_session *session, char *const *argv, struct sx_error *err);
/* Lets it run; the status tells why the program could not be run. */
enum sx_status child_exec(struct sx_session *session, char *const *argv, struct sx_error *err);
/* Before anything else of a child. */
void child_init(struct sx_session *session);
/* Ends a child that was never let run. */
void child_abandon(struct sx_session *session);
/* True once the child has ended; its status is then in the session. */
bool child_ended(struct sx_session *session);
/* Sends a signal to the child if it still runs. */
void child_signal(struct sx_session *session, int signal_number);

#endif
