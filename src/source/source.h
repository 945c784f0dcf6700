/*
 * The one interface of all sources: a const table of functions each. probe and open are
 * mandatory, and start, read, stop and close where open() can succeed; the others may be NULL. No
 * call blocks longer than its timeout, lost data is reported as lost, and close leaves the driver
 * as it was found. A source is used by one thread at a time.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <sextant/device.h>
#include <sextant/source.h>
#include "base/note_sink.h"
#include "base/sys.h"
#include "wire/raw.h"

struct source; /* an opened device; each implementation embeds it as its first member */

/* Prefix of counter names that only the present driver knows. */
#define SOURCE_DRIVER_PREFIX "hw."

/* What the caller gives a source to probe or open. Both outlive every source opened so. */
struct source_host {
	const struct sx_sys *sys;
	/* The caller's catalogs, with the caller's search path; NULL: the source finds none. */
	struct sx_context *catalogs;
	/* probe() may load drivers and run programs to identify them; else it stays cheap. */
	bool ask_drivers;
	/* Of open(), for sources that serve any catalog which says where counters come from. */
	const char *catalog; /* the catalog that the user names, or NULL */
	/* Events that the user names for counters, "NAME=PMU/EVENT/", or by themselves. */
	const char *const *maps;
	uint32_t map_count;
	/* What the user names to be measured: names and globs; drivers are asked for few of them.
	 */
	const char *const *metrics;
	uint32_t metric_count;
};

/* Something about a started device as text, for recordings. */
struct source_property {
	const char *name, *value;
};

/* When read() is worth calling again. */
struct source_wake {
	int fd;		 /* readable (or broken) when there is something; -1: none */
	uint64_t due_ns; /* CLOCK_MONOTONIC; UINT64_MAX: only the descriptor decides */
};

/* What an opened device is and can do. Owned by the source. */
struct source_desc {
	const char *catalog; /* name */
	/* The catalog itself where open() made it, from what is here; else NULL. */
	struct sx_catalog *own;
	/* set: once started the one that is programmed, before it the one that will be when none is
	 * asked for; NULL: there are no sets, or it is unknown. The session adds the source.
	 */
	struct sx_device_facts facts;
	bool encloses_work; /* samples are frames or the like, not time slices */
	/* What its samples can enclose at choice: bits of enum sx_sample_kind; 0: no choice. */
	uint32_t kinds;
	bool shows_contexts; /* rows say which hardware context ran */
	/*
	 * Counters are programmed by sets of the catalog, one at a time: what another set programs
	 * is not counted. start() takes the set from the request.
	 */
	bool programs_sets;
	uint64_t clock_error_ns; /* error of its times against CLOCK_MONOTONIC */
	/* RAW_VALUES, once started: the catalog's names of the values, in their order; else NULL.
	 */
	const char *const *counters;
	/* Beside `counters`, why a value will never be had; NULL, also for a single value: it will
	 * be had. */
	const char *const *whys;
	uint32_t counter_count;
	bool set_is_fixed; /* recorded: no other can be chosen */
	/* Once started: the interval that the device really has; 0 where there is none. */
	uint64_t interval_ns;
	/* Once started: what else a recording must keep to be understood ("format", "exponent"). */
	const struct source_property *properties;
	uint32_t property_count;
	/*
	 * Not everything counts at once: the session makes passes of what is asked for, under the
	 * catalog's rules, and start() gets them. The source takes turns with them, a sample each.
	 */
	bool takes_passes;
	/* The default metrics where the user names none; NULL: everything of the catalog. */
	const char *const *usual;
	uint32_t usual_count;
	/* RAW_ROWS, RAW_COUNTERS: the columns of its rows. */
	const struct sx_column *columns;
	uint32_t column_count;
	enum sx_sample_kind kind; /* RAW_ROWS, RAW_GUEST, once started: what rows enclose */
};

/* Counters that are counted together: indices into those of the request. */
struct source_pass {
	const uint32_t *counters;
	uint32_t count;
};

struct source_request {
	/*
	 * Names of the catalog that are needed; NULL: all. Those that this device lacks are left
	 * out.
	 */
	const char *const *counters;
	uint32_t counter_count;
	/* Of a source that takes passes: in which each counter is, in one at least. */
	const struct source_pass *passes;
	uint32_t pass_count;
	/* Counters that the user defines ("A12=eu(...)"); sources that program none ignore them. */
	const char *const *definitions;
	uint32_t definition_count;
	/* What describes the device, with its register programs; NULL: the source's own. */
	struct sx_catalog *catalog;
	const char *set;      /* metric set or group, or NULL */
	uint64_t interval_ns; /* 0: the source's own */
	/*
	 * The program that is measured, not yet running, or 0; devices that serve all programs at
	 * once may ignore it.
	 */
	pid_t pid;
	bool child;    /* it is our child; its end wakes the reader */
	bool realtime; /* replay at the speed of the recording */
	/*
	 * What measuring may cost the program, in thousandths of its CPU time; 0: whatever it
	 * costs. Sources that cost it nothing ignore this.
	 */
	uint32_t overhead_permille;
	enum sx_sample_kind per; /* one of the descriptor's `kinds`, or SX_SAMPLE_TIME: its own */
	/* Rows of each program beside the device's, labelled; of sources with _PROCESS in `kinds`.
	 */
	bool programs;
	const char *lacks; /* the kind that was asked for and is none of them, or NULL; static */
	bool profiling; /* the source may switch a driver's accounting on, and puts the switch back
			 */
};

/* Called by probe for each device found, also for those that cannot be used. */
typedef void (*source_found_fn)(void *user, const struct sx_device *device);

/*
 * A device that probe() found and that cannot be measured, for this error, which outlives it. (What
 * is not there at all is SX_DEVICE_ABSENT instead.) open() is not called for either.
 */
void source_unusable(struct sx_device *device, const struct sx_error *err);

/* The clock that a source's times are taken from, beside ours. */
struct source_clock {
	const char *name;	       /* "monotonic": the source uses ours */
	uint64_t own_ns, monotonic_ns; /* the same moment on both */
	uint64_t error_ns; /* measured: of the moment, or how long a reading of all values took */
	uint32_t jumps;	   /* found between them so far */
};

struct source_ops {
	const char *name;
	enum raw_kind raw;
	/* Opened only when it is named: other sources say the same of most machines. */
	bool only_named;
	void (*probe)(const struct source_host *host, source_found_fn found, void *user);
	/* Opens the device with this id. *out is released by close(). */
	enum sx_status (*open)(const struct source_host *host, const char *id, struct source **out,
			       struct sx_error *err);
	/* Updates the source's `desc`, where that takes work, and returns it. */
	const struct source_desc *(*describe)(struct source *source);
	enum sx_status (*start)(struct source *source, const struct source_request *request,
				struct sx_error *err);
	/*
	 * The next raw sample. SX_OK and *out (valid until the next call); SX_AGAIN after
	 * timeout_ms without one; SX_END when no more will come; else an error.
	 */
	enum sx_status (*read)(struct source *source, int timeout_ms, struct raw_sample *out,
			       struct sx_error *err);
	/*
	 * While started: when to call read() again. NULL: every few milliseconds. read() with a
	 * timeout of 0 must then do.
	 */
	void (*wake)(struct source *source, struct source_wake *out);
	/* No more is collected; read() gives what is left, then SX_END, until close() or start().
	 * What was unread is kept: the last interval ends here, however short it is.
	 */
	enum sx_status (*stop)(struct source *source, struct sx_error *err);
	void (*close)(struct source *source);
	/*
	 * While started: its last reading of its clock; false: there was none yet. NULL: times are
	 * CLOCK_MONOTONIC as read where the samples were made.
	 */
	bool (*clock)(struct source *source, struct source_clock *out);
	/* Environment ("NAME=VALUE") that a child needs to be measured, from open() on;
	 * NULL-terminated, source's.
	 */
	const char *const *(*spawn_env)(struct source *source);
	/*
	 * After the program has ended: whether something that it started still runs and is
	 * measured, so that the run goes on. NULL: never.
	 */
	bool (*running)(struct source *source);
	/* With running(): whether nothing runs by now, and a program that may yet come is awaited.
	 */
	bool (*waiting)(struct source *source);
	/* After an end without a single sample: fills in why, and the remedy. May be NULL. */
	enum sx_status (*explain)(struct source *source, struct sx_error *err);
	/*
	 * What a file of raw samples of this source begins and ends with, from start() until
	 * close(), the end also after stop(): writes at most `cap` bytes and returns how many.
	 * NULL: its raw samples are no file format.
	 */
	size_t (*raw_head)(struct source *source, uint8_t *out, size_t cap);
	size_t (*raw_tail)(struct source *source, uint8_t *out, size_t cap);
	/*
	 * Counters that only the present driver knows, named SOURCE_DRIVER_PREFIX…; both NULL where
	 * there are none. catalog() opens the device's catalog with them in it; passes() splits
	 * some of them into passes, as sx_device_passes().
	 */
	enum sx_status (*catalog)(struct sx_context *catalogs, struct sx_catalog **out,
				  struct sx_error *err);
	enum sx_status (*passes)(const char *const *names, uint32_t count, uint32_t *pass_of,
				 uint32_t *pass_count, struct sx_error *err);
	/* Checks invariants of the hardware; writes findings, a line each. */
	enum sx_status (*selftest)(struct source *source, const struct note_sink *to,
				   struct sx_error *err);
};

struct source {
	const struct source_ops *ops;
	const struct sx_sys *sys;
	struct sx_context *catalogs; /* or NULL, see source_host */
	const struct source_desc *desc;
};

/* What an opened source is at the moment; see source_desc. */
static inline const struct source_desc *source_describe(struct source *source)
{
	return source->ops->describe ? source->ops->describe(source) : source->desc;
}

#define SOURCE(name) extern const struct source_ops source_##name;
#include "source/sources.def"
#undef SOURCE
/* All sources of this build, NULL-terminated. Static storage. */
const struct source_ops *const *source_all(void);
/* The source of this name, in which - and _ are the same, or NULL. */
const struct source_ops *source_find(const char *name);

#endif
