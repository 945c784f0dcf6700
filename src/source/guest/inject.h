/*
 * A source that measures programs from within, whichever graphics API they use: the programs' end
 * is a library of ours, which sends records through the channel. What is one API's own is a table.
 */
#ifndef SOURCE_GUEST_INJECT_H
#define SOURCE_GUEST_INJECT_H

#include "source/guest/library.h"
#include "source/guest/load.h"
#include "source/guest/processes.h"
#include "source/guest/program.h"
#include "source/guest/raster/raster.h"
#include "source/guest/rate.h"
#include "source/source.h"

struct inject_api {
	size_t bytes; /* of what open() makes, with a struct inject_source in front; 0: of that */
	const struct source_ops *ops;
	const char *catalog, *title; /* "opengl", "OpenGL" */
	uint32_t kinds;		     /* of samples, bits of enum sx_sample_kind */
	const char *kinds_named;     /* the same in words */
	/* The variable of the environment that loads the library, and a part of its value. */
	const char *variable, *holds;
	/* Names of the counters in the channel's order; others are known without a query. */
	const char *const *counters;
	unsigned counter_count;
	/* Where the library, or what names it, lies. Errors: those of place_find(). */
	enum sx_status (*find_library)(const struct sx_sys *sys, char *path, size_t size,
				       struct sx_error *err);
	/* What a child needs so that the library is loaded and finds `socket`. */
	enum sx_status (*environment)(const struct sx_sys *sys, const char *socket,
				      struct library_environment *out, struct sx_error *err);
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
	bool stopped, told;
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
 * The device that an API's probe() tells of, without a name: programs are measured by it, or the
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

#endif
