/*
 * Sessions: open devices, run a program or wait, and get samples as tables, in the same way for
 * every source. A session is used by one thread; only sx_session_stop() may be called from any
 * thread or from a signal handler.
 */
#ifndef SEXTANT_SESSION_H
#define SEXTANT_SESSION_H

#include <sextant/capture.h>
#include <sextant/metric.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_session;

/* What to open and how. All members may be zero; everything is copied. */
struct sx_session_options {
	const char *const *devices; /* selectors, see sx_device_means(); NULL: what fits */
	uint32_t device_count;
	const char *const *metrics; /* patterns over all devices; NULL: all metrics and counters */
	uint32_t metric_count;
	/*
	 * Events of the kernel's PMUs that feed a counter of this name, or become one:
	 * "NAME=PMU/EVENT/"; or an event by itself. For the source pmu.
	 */
	const char *const *maps;
	uint32_t map_count;
	const char *set;
	const char *variant;
	const struct sx_constant_value *constants; /* override those of the device */
	uint32_t constant_count;
	uint64_t interval_ns; /* ns, of sources that sample time; 0: each source's default */
	bool child;	      /* open sources that need a program to run */
	bool beside;	      /* with a child: open what measures the machine as well */
	uint32_t pid;	      /* a running process, for sources that measure one; or 0 */
	bool keep_instances;  /* columns for each core or slice, as in recordings */
	const char *input;    /* a capture to replay instead of this machine's devices */
	bool realtime;	      /* replay at the speed of the recording, not as fast as possible */
	/*
	 * The overhead that measuring may cause, in thousandths of the program's CPU time; only
	 * some samples are measured then. 0: every sample is measured, without a limit.
	 */
	uint32_t overhead_permille;
	/*
	 * What a sample encloses, for devices that enclose work: SX_SAMPLE_FRAME, _PASS, _GROUP,
	 * _DRAW, _KERNEL or _COMMANDS; _PROCESS is an interval of one program, for devices that see
	 * programs. SX_SAMPLE_TIME: each device's default. At least one device must support it,
	 * else SX_ERR_USAGE.
	 */
	enum sx_sample_kind per;
	const char *catalog; /* for named devices that no known catalog describes; or NULL */
	/* Only rows of one hardware context; for devices that report contexts. */
	bool only_context;
	uint32_t context;
	const char *process; /* only rows of one program, by name or pid; NULL: of all */
	/*
	 * Allows switching on a driver's accounting for the run, where it reports nothing without.
	 */
	bool profiling;
	/*
	 * Rows of each program in a table of their own, beside those of the device; of devices that
	 * see programs.
	 */
	bool programs;
	/*
	 * With sx_session_record(), rows stay in the tables until they are dropped, as without it.
	 */
	bool keep_rows;
	/*
	 * With a child: it runs in a session of its own, without a controlling terminal, so that
	 * keys are the caller's alone.
	 */
	bool own_session;
};

/*
 * When to end; the first limit that is reached counts. All zero: when the child ends, or at
 * sx_session_stop(). Limits are exact: the first device gives no more samples than asked for, the
 * others none that begins after its last one, and none begins after the duration is over. A replay
 * uses the recording's time.
 */
struct sx_session_limits {
	uint64_t duration_ns;
	uint64_t samples; /* of the first device */
};

/* One device of a session. Strings and pointers live as long as the session. */
struct sx_session_device {
	struct sx_catalog *catalog;
	struct sx_device_facts facts; /* constants: as used; number: of `input`, else its place */
	struct sx_run_facts run; /* complete only after the run; until then failure and notes */
	const struct sx_metrics *metrics; /* the selection; NULL: nothing of this device */
	const struct sx_table *raw;	  /* raw counters, one row a sample */
	/*
	 * The same columns, one row a program and sample, with the label of its process; only with
	 * `programs` of the options. They are not recorded. Or NULL.
	 */
	const struct sx_table *programs;
	uint64_t samples;	   /* rows of the run, including those dropped since */
	uint64_t begin_ns, end_ns; /* of the first and the last; or SX_TIME_UNKNOWN */
};

/* What ended a program: itself, a limit of the session, or a call of sx_session_stop(). */
enum sx_ended_by {
	SX_ENDED_BY_ITSELF,
	SX_ENDED_BY_DURATION,
	SX_ENDED_BY_COUNT,
	SX_ENDED_BY_REQUEST,
};

struct sx_child_status {
	bool ran;
	int exit_code;	 /* of a normal end */
	int term_signal; /* or 0 */
	enum sx_ended_by ended_by;
	uint64_t user_ns, system_ns;
	/*
	 * The pid of a program that no signal could end (another user's, or one that hangs in the
	 * kernel): it still runs, and the caller may wait for it; nothing else of it is known. Or
	 * 0.
	 */
	uint32_t running_pid;
};

/*
 * Opens the devices and makes the selection. A device that cannot be opened is left out when the
 * caller did not name it. *out is owned by the caller. Errors: SX_ERR_NOT_FOUND, SX_ERR_PERMISSION,
 * SX_ERR_BUSY, SX_ERR_UNSUPPORTED (one context of a device without such), and those of
 * sx_metrics_create().
 */
SX_API enum sx_status sx_session_create(struct sx_context *context,
					const struct sx_session_options *options,
					struct sx_session **out, struct sx_error *err);
/* Stops everything, restores the drivers' settings, and releases the session; NULL is fine. */
SX_API void sx_session_destroy(struct sx_session *session);

/*
 * Runs `argv` (NULL: nothing) and samples until it ends or a limit is reached. The child gets the
 * caller's standard streams, ignored signals and mask. A session may run again; that discards the
 * rows of the run before. Errors: SX_ERR_NOT_FOUND and SX_ERR_PERMISSION when the program cannot be
 * run, those of the devices, SX_INCOMPLETE when samples were lost or a device failed during the
 * run: all other samples stay.
 */
SX_API enum sx_status sx_session_run(struct sx_session *session, char *const *argv,
				     const struct sx_session_limits *limits, struct sx_error *err);

/*
 * The same run driven by the caller: start, then poll until SX_END, then finish. Between polls the
 * tables of sx_session_devices() hold the rows that came since the last sx_session_drop_rows(), so
 * that memory does not grow with the run.
 *
 * Starts the devices and then the program. Errors: as sx_session_run(), SX_ERR_USAGE (it runs).
 */
SX_API enum sx_status sx_session_start(struct sx_session *session, char *const *argv,
				       const struct sx_session_limits *limits,
				       struct sx_error *err);
/*
 * Collects new samples; waits for them for at most timeout_ms (-1: without a limit). SX_OK: there
 * may be new rows. SX_AGAIN: there are none yet. SX_END: the run is over, call sx_session_finish().
 * Errors: SX_ERR_USAGE (it does not run).
 */
SX_API enum sx_status sx_session_poll(struct sx_session *session, int timeout_ms,
				      struct sx_error *err);
/*
 * A descriptor that is readable when sx_session_poll() has something to do, for callers that wait
 * for other things as well. It is valid from sx_session_start() to sx_session_finish(), and owned
 * by the session. -1 when there is none, with the reason in `err`.
 */
SX_API int sx_session_descriptor(struct sx_session *session, struct sx_error *err);
/* Drops the rows of all tables; the tables stay. */
SX_API void sx_session_drop_rows(struct sx_session *session);
/*
 * Ends the run: first the program, if it still runs, then the devices, after their last samples are
 * collected. Does nothing when there is no run. Errors: SX_INCOMPLETE, as sx_session_run().
 */
SX_API enum sx_status sx_session_finish(struct sx_session *session, struct sx_error *err);
/* Or-ed to a signal number: it came from a terminal. */
#define SX_FROM_TERMINAL 0x100
/*
 * Asks a running session to end: the child gets `signal_number` when that is not 0.
 * Async-signal-safe, and callable from any thread. Or-ed with SX_FROM_TERMINAL, the child gets the
 * signal only if it has left the caller's process group, since a terminal signals that whole group.
 * With a child, the run goes on until the child ends. If it ends within ten seconds, its own
 * children are not waited for. A child that is still alive ten seconds after any signal but SIGINT
 * is ended; so is the run with a child of another user, which our signals cannot reach. A stop
 * before the first run ends that run; one after a run has no effect, also on the next one.
 */
SX_API void sx_session_stop(struct sx_session *session, int signal_number);

/*
 * The devices; they live as long as the session, and the rows of their tables until they are
 * dropped or the session runs again. The table and notes of each are complete after
 * sx_session_run().
 */
SX_API const struct sx_session_device *sx_session_devices(const struct sx_session *session,
							  uint32_t *count);
/* Wall time of the run in ns; for a replay, of the recording. */
SX_API uint64_t sx_session_duration_ns(const struct sx_session *session);
/* How the child of the last run ended. */
SX_API struct sx_child_status sx_session_child(const struct sx_session *session);

/*
 * Writes all samples of the session into a capture: raw rows, losses, notes and, from time to time,
 * clocks. Tables then keep only the newest rows, unless the options have `keep_rows`. Call it
 * before sx_session_run(), or between sx_session_start() and the first sx_session_poll(); the
 * writer must outlive the run.
 */
SX_API void sx_session_record(struct sx_session *session, struct sx_capture_writer *writer);

/* How to record raw samples. All members except the device may be zero. */
struct sx_raw_recording {
	const char *device;		/* "i915:card0" */
	const char *set;		/* NULL: the source's own */
	const char *const *definitions; /* user-defined counters, "A14=eu(...)" */
	uint32_t definition_count;
	uint64_t interval_ns, duration_ns; /* 0: the source's own; 10 s */
	bool (*stop)(void *user);	   /* called several times a second; true: end; or NULL */
};

/*
 * Records a device's samples in the file format that its driver's own tools read: for Intel's OA
 * unit, that of i915-perf-recorder. `write` gets whole records and returns false to end early.
 * Blocks for the duration. Errors: SX_ERR_NOT_FOUND (no such device, or one without such a format),
 * those of the source, SX_ERR_IO when nothing could be written.
 */
SX_API enum sx_status sx_raw_record(struct sx_context *context,
				    const struct sx_raw_recording *recording,
				    bool (*write)(void *user, const uint8_t *data, size_t size),
				    void *user, struct sx_error *err);

#ifdef __cplusplus
}
#endif

#endif
