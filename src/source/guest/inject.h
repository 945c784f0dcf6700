/*
 * A source that measures programs from within, for any graphics API: our injected library sends
 * records through the channel. A table holds what differs between APIs.
 */
#ifndef SOURCE_GUEST_INJECT_H
#define SOURCE_GUEST_INJECT_H

#include <sextant/source.h>
#include <sextant/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/sys.h"
#include "source/guest/guest.h"
#include "source/guest/raster/raster.h"
#include "source/source.h"

/* Drivers may print, hang or crash when they are asked something, so that a forked child asks. */

/*
 * Runs `ask` in a child of its own, which is silent, has the user's own rights and no LD_PRELOAD,
 * and is killed after half of deadline_ms, when another one is asked, and that after all of it.
 * What it writes to the descriptor goes to `out`, at most `cap` bytes. Returns how many; 0 when it
 * returned false, ended otherwise, or took too long.
 */
size_t guest_ask(bool (*ask)(int to, void *user), void *user, int deadline_ms, void *out,
		 size_t cap);

/* Where a file for measured programs lies, and lists of an environment that may hold it already. */

#define PLACE_FOLDERS 6u

struct place {
	const char *file;
	const char *variable;		 /* of the environment: names a folder */
	const char *near[PLACE_FOLDERS]; /* behind that folder, where it is another library's */
	bool elsewhere_too;		 /* what is not there may be in one of the folders below */
	/* Behind the folder of the command, in this order; NULL: no more. */
	const char *beside[PLACE_FOLDERS];
	const char *installed;	     /* the last folder */
	const char *list, *no_chars; /* the variable that is to hold it, and what it cannot hold */
};

bool place_is_there(const struct sx_sys *sys, const char *path);
/* Path of the file. Errors: SX_ERR_NOT_FOUND, SX_ERR_UNSUPPORTED (the list cannot hold it). */
enum sx_status place_find(const struct sx_sys *sys, const struct place *place, char *path,
			  size_t size, struct sx_error *err);

/* "NAME=first:second", without what is NULL or empty. Owned by the caller; NULL: no memory. */
char *place_list(const char *name, const char *first, const char *second);
/* Whether a list, or NULL, holds this one; its parts are separated by any of `separators`. */
bool place_holds(const char *list, const char *separators, const char *item);

/* The library for measured programs, and the environment that loads it into a child. */

#define LIBRARY_VARIABLES 5u

/* "NAME=VALUE" texts, NULL-terminated. */
struct library_environment {
	char *items[LIBRARY_VARIABLES + 1];
};

/*
 * Path of libsextant-gl.so: in $SEXTANT_PRELOAD_DIR, else beside the command, in its build tree, or
 * where it is installed. Errors: SX_ERR_NOT_FOUND, SX_ERR_UNSUPPORTED (a path that LD_PRELOAD
 * cannot hold).
 */
enum sx_status library_find(const struct sx_sys *sys, char *path, size_t size,
			    struct sx_error *err);
/*
 * Environment for programs with an AddressSanitizer of their own, which must otherwise be the first
 * library, in addition to what the user set for it. Every program gets it, since its children may
 * be such. NULL: out of memory. Owned by the caller.
 */
char *library_sanitizer(void);
/*
 * As inject_api.environment, of this library, or another one. What LD_PRELOAD holds already is
 * kept.
 */
enum sx_status library_environment(const struct sx_sys *sys, const char *channel,
				   const char *socket, struct library_environment *out,
				   struct sx_error *err);
enum sx_status library_environment_make(struct library_environment *environment,
					const char *library, const char *channel,
					const char *socket, struct sx_error *err);
/*
 * Whether the first `count` texts of an environment are there; else all are released. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status library_environment_check(struct library_environment *environment, unsigned count,
					 struct sx_error *err);
void library_environment_finish(struct library_environment *environment);

struct inject_api {
	size_t bytes; /* of what open() makes, with a struct inject_source in front; 0: of that */
	const struct source_ops *ops;
	const char *catalog, *title; /* "opengl", "OpenGL" */
	uint32_t kinds;		     /* of samples, bits of enum sx_sample_kind */
	const char *kinds_named;     /* the same in words */
	/* The variable of the environment that loads the library, and a part of its value. */
	const char *variable, *holds;
	const char *channel; /* the variable that names the socket */
	/* Names of the counters in the channel's order; others are known without a query. */
	const char *const *counters;
	unsigned counter_count;
	/* Where the library, or what names it, lies. Errors: those of place_find(). */
	enum sx_status (*find_library)(const struct sx_sys *sys, char *path, size_t size,
				       struct sx_error *err);
	/* What a child needs so that the library is loaded and finds `socket`, by `channel`. */
	enum sx_status (*environment)(const struct sx_sys *sys, const char *channel,
				      const char *socket, struct library_environment *out,
				      struct sx_error *err);
	/* Why there is no sample, and the remedy, by how far programs came. */
	const char *not_loaded, *load_it;     /* no program has loaded the library */
	const char *no_context, *use_context; /* the library was loaded, but nothing was drawn on */
	const char *no_sample, *have_sample;  /* there was a context without a sample */
};

/* A counter that a driver brings itself, beside those of its API. */
struct inject_counter {
	const char *name;
	const uint8_t *id; /* WIRE_ID_BYTES of them */
};

struct inject_source {
	struct source base;
	const struct inject_api *api;
	struct processes processes;
	struct library_environment environment;
	struct source_desc desc;
	/* Of hardware counters, from start() on; what it was before is kept until close(). */
	const struct wire_program *wanted;
	struct wire_sample *sample; /* what the last read() gave out, with its label behind it */
	char name[192], driver[328], note[640];
	bool stopped, reported;
	uint32_t overhead_permille;
	struct own_time time;	/* of the programs, at the end */
	uint64_t kept, samples; /* kept: those that counted although they were to be left out */
	const char *lacks;	/* of its request */
	pid_t program_pid;
	uint64_t started_ns;
	struct program program; /* while the program has not shown any context */
	uint64_t program_ns;	/* when to look at it again */
	uint64_t met_ns;	/* when the last program came that has shown one */
	uint64_t lost;		/* before the sample */
	struct rate rate;
	bool waits;	    /* the sample waits for what is not known yet */
	bool filled;	    /* ... but has its GPU time */
	bool parts;	    /* samples are parts of frames */
	bool times_rasters; /* GPU time is asked for */
	struct raster raster;
	struct load load;
	/* The driver's own counters, which open() may find: the API's, until close(). */
	struct inject_counter *own;
	uint32_t own_count;
	struct sx_catalog *catalog; /* with the driver's own counters in it, or NULL */
	/* Counters that are measured. */
	const char *asked[WIRE_DRIVER_MOST];
	uint8_t asked_ids[WIRE_DRIVER_MOST][WIRE_ID_BYTES];
};

/*
 * The device that an API's probe() reports, without a name: programs are measured by it, or the
 * library is missing. Texts live as long as *err.
 */
struct sx_device inject_device(const struct inject_api *api, const struct source_host *host,
			       struct sx_error *err);
/* The calls of source_ops, all but probe(). */
enum sx_status inject_open(const struct inject_api *api, const struct source_host *host,
			   struct source **out, struct sx_error *err);
const struct source_desc *inject_describe(struct source *source);
enum sx_status inject_start(struct source *source, const struct source_request *request,
			    struct sx_error *err);
enum sx_status inject_read(struct source *source, int timeout_ms, struct raw_sample *out,
			   struct sx_error *err);
void inject_wake(struct source *source, struct source_wake *out);
enum sx_status inject_stop(struct source *source, struct sx_error *err);
void inject_close(struct source *source);
const char *const *inject_spawn_env(struct source *source);
bool inject_running(struct source *source);
bool inject_waiting(struct source *source);
enum sx_status inject_explain(struct source *source, struct sx_error *err);
/* All of these in the table of a source that has no call of its own for any. */
#define INJECT_OPS                                                                                 \
	.describe = inject_describe, .start = inject_start, .read = inject_read,                   \
	.wake = inject_wake, .stop = inject_stop, .close = inject_close,                           \
	.running = inject_running, .waiting = inject_waiting, .explain = inject_explain,           \
	.spawn_env = inject_spawn_env

/*
 * Once, after the last sample: writes the source's note, and how many samples were lost after the
 * last one. false: there is nothing to report, or it was reported.
 */
bool inject_write_note(struct inject_source *in);

#endif
