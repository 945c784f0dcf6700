/* The GL source: any OpenGL driver, measured from within the programs that Sextant starts. */
#include "source/gl/gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/guest/raster.h"
#include "source/guest/library.h"
#include "source/guest/processes.h"
#include "source/guest/program.h"

#define LOOK_EVERY_MS 5 /* a ring holds 1024 frames: enough for any frame rate */

struct gl_source {
	struct source base;
	struct processes processes;
	struct library_environment environment;
	struct source_desc desc;
	struct wire_sample *sample; /* what the last read() gave out, with its label behind it */
	char name[192], driver[328], note[256];
	bool stopped, told;
	pid_t program_pid;
	struct program program; /* while it has not shown any context */
	uint64_t lost;		/* before the sample */
	bool waits;		/* the sample waits for its GPU time */
	bool times_rasters;	/* GPU time is asked for */
	struct raster raster;
};

static const struct channel_wish gl_wish = {
    .kinds = 1u << WIRE_FRAME | 1u << WIRE_TIME,
    .counters = UINT64_MAX,
    .ring = WIRE_RING_RECORDS,
};

static struct gl_source *gl_source(struct source *source)
{
	return (struct gl_source *)source;
}

static enum sx_status prepare(struct gl_source *gl, struct sx_error *err)
{
	char library[4096];
	enum sx_status status = library_find(gl->base.sys, library, sizeof(library), err);
	if (status)
		return status;
	gl->sample = malloc(sizeof(*gl->sample) + CHANNEL_PATH_MOST);
	if (!gl->sample)
		return error_nomem(err, "opening the OpenGL source");
	status = processes_open(&gl->processes, gl->base.sys, &gl_wish, err);
	if (status)
		return status;
	return library_environment_make(&gl->environment, library, processes_path(&gl->processes),
					err);
}

static enum sx_status gl_open(const struct source_host *host, const char *id, struct source **out,
			      struct sx_error *err)
{
	struct gl_source *gl = calloc(1, sizeof(*gl));
	if (!gl)
		return error_nomem(err, "opening the OpenGL source");
	gl->base = (struct source){&source_gl, host->sys, host->catalogs};
	gl->desc = (struct source_desc){
	    .catalog = "opengl", .name = "OpenGL", .encloses_work = true, .tells_contexts = true};
	enum sx_status status = prepare(gl, err);
	if (status) {
		source_gl.close(&gl->base);
		return status;
	}
	*out = &gl->base;
	return SX_OK;
}

/* The context that the program draws with is the one with the most frames. */
static const struct context_info *main_context(const struct contexts *contexts)
{
	const struct context_info *best = NULL;
	for (size_t i = 0; i < contexts->count; i++)
		if (!best || contexts->items[i].frames > best->frames)
			best = &contexts->items[i];
	return best;
}

static const struct source_desc *gl_describe(struct source *source)
{
	struct gl_source *gl = gl_source(source);
	const struct context_info *info = main_context(&gl->processes.contexts);
	if (info) {
		snprintf(gl->name, sizeof(gl->name), "%s", info->renderer);
		snprintf(gl->driver, sizeof(gl->driver), "%s, OpenGL %s", info->vendor,
			 info->version);
		gl->desc.name = gl->name;
		gl->desc.driver = gl->driver;
	}
	return &gl->desc;
}

static uint64_t wire_bit(const char *name)
{
	static const char *const names[WIRE_COUNTERS] = {
#define QUERY(id, name, raw) name,
#include "wire/queries.def"
#undef QUERY
	};
	for (unsigned i = 0; i < WIRE_COUNTERS; i++)
		if (strcmp(names[i], name) == 0)
			return UINT64_C(1) << i;
	return 0;
}

/* A program runs the queries that are needed, and no others. */
static enum sx_status gl_start(struct source *source, const struct source_request *request,
			       struct sx_error *err)
{
	struct gl_source *gl = gl_source(source);
	struct channel_wish wish = gl_wish;
	wish.overhead_permille = request->overhead_permille;
	if (request->counters)
		wish.counters = 0;
	for (uint32_t i = 0; i < request->counter_count; i++)
		wish.counters |= wire_bit(request->counters[i]);
	processes_set_wish(&gl->processes, &wish);
	gl->times_rasters = wish.counters & UINT64_C(1) << WIRE_GPU_TIME;
	gl->stopped = false;
	gl->program_pid = request->pid;
	return SX_OK;
}

/* What is missing from the samples, once, at the end. */
static bool tell_missing(struct gl_source *gl)
{
	struct processes_activity seen = processes_activity(&gl->processes);
	char *note = gl->note;
	size_t size = sizeof(gl->note), at = 0;
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
	    {seen.refused_programs, "programs for which there was no channel"},
	    {seen.refused, "contexts beyond the 64 that a program may use at once"},
	    {seen.beyond, "contexts beyond the first 4096"},
	    {seen.broken, "records that made no sense"},
	    {seen.labels_lost, "debug groups without a name: there were too many"},
	};
	if (gl->told)
		return false;
	gl->told = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].count && at < size)
			at += (size_t)snprintf(note + at, size - at, "%s%llu %s",
					       at ? ", " : "not measured: ",
					       (unsigned long long)rows[i].count, rows[i].what);
	return at > 0;
}

/* Programs that were met since the last time are watched from now on. */
static void look_at_rasters(struct gl_source *gl)
{
	pid_t pid;
	if (!gl->times_rasters)
		return;
	while (processes_newcomer(&gl->processes, &pid))
		raster_meet(&gl->raster, gl->base.sys, pid);
	raster_look(&gl->raster);
}

/* False: it must wait. */
static bool fill_raster(struct gl_source *gl)
{
	const struct wire_sample *sample = gl->sample;
	bool has_frames = gl->processes.contexts.items[sample->context].frames > 0;
	return sample->why[WIRE_GPU_TIME] != WIRE_WHY_THREADS ||
	       raster_fill(&gl->raster, gl->sample, wire_is_row(&sample->record, has_frames));
}

/* The next sample, complete. */
static bool next(struct gl_source *gl)
{
	if (!gl->waits && !processes_next(&gl->processes, gl->sample, (char *)(gl->sample + 1),
					  CHANNEL_PATH_MOST, &gl->lost)) {
		look_at_rasters(gl);
		return false;
	}
	gl->waits = !fill_raster(gl);
	if (gl->waits) {
		look_at_rasters(gl);
		gl->waits = !fill_raster(gl);
	}
	return !gl->waits;
}

static enum sx_status gl_read(struct source *source, int timeout_ms, struct raw_sample *out,
			      struct sx_error *err)
{
	struct gl_source *gl = gl_source(source);
	const struct sx_sys *sys = source->sys;
	while (!next(gl)) {
		if (gl->program_pid > 0 && !gl->stopped && gl->processes.contexts.count == 0)
			program_look(&gl->program, sys, gl->program_pid);
		if (gl->stopped && !gl->waits && tell_missing(gl)) {
			*out = (struct raw_sample){.kind = RAW_NOTE,
						   .data = (const uint8_t *)gl->note,
						   .size = strlen(gl->note)};
			return SX_OK;
		}
		if (gl->stopped && !gl->waits)
			return SX_END;
		if (timeout_ms <= 0 && !gl->stopped)
			return SX_AGAIN;
		int nap = gl->waits ? 1 : LOOK_EVERY_MS;
		if (timeout_ms > 0 && nap > timeout_ms)
			nap = timeout_ms;
		sys->poll(sys->user, NULL, 0, nap);
		timeout_ms -= nap;
	}
	*out = (struct raw_sample){
	    .kind = RAW_GUEST,
	    .flags = gl->lost ? RAW_LOST : 0,
	    .begin_ns = gl->sample->record.begin_ns,
	    .end_ns = gl->sample->record.end_ns,
	    .lost = gl->lost,
	    .data = (const uint8_t *)gl->sample,
	    .size = sizeof(*gl->sample) + gl->sample->label_length,
	};
	return SX_OK;
}

static enum sx_status gl_stop(struct source *source, struct sx_error *err)
{
	gl_source(source)->stopped = true;
	return SX_OK;
}

static void gl_close(struct source *source)
{
	struct gl_source *gl = gl_source(source);
	if (!gl)
		return;
	raster_finish(&gl->raster);
	library_environment_finish(&gl->environment);
	processes_close(&gl->processes);
	free(gl->sample);
	free(gl);
}

static const char *const *gl_spawn_env(struct source *source)
{
	return (const char *const *)gl_source(source)->environment.items;
}

static bool gl_running(struct source *source)
{
	return processes_running(&gl_source(source)->processes);
}

static enum sx_status gl_explain(struct source *source, struct sx_error *err)
{
	struct processes_activity seen = processes_activity(&gl_source(source)->processes);
	const struct program *program = &gl_source(source)->program;
	error_set(err, SX_ERR_UNSUPPORTED, "the program gave no OpenGL sample");
	if (seen.refused_programs > 0) {
		error_because(err, "there was no memory for its channel");
		error_try(err, "raise the limits on memory and open files (ulimit)");
	} else if (seen.contexts == 0 && !(program->kind == PROGRAM_OTHER && seen.processes) &&
		   program_explain(program, err)) {
		return SX_ERR_UNSUPPORTED;
	} else if (seen.processes == 0) {
		error_because(err, "it did not load libsextant-gl.so: it is statically linked, "
				   "setuid, or clears LD_PRELOAD");
		error_try(err, "start the dynamically linked program itself, as the same user");
	} else if (seen.contexts == 0) {
		error_because(err, "no OpenGL context was made current in it");
		error_try(err, "check that it draws with OpenGL, not Vulkan or on the CPU");
	} else if (seen.refused > 0) {
		error_because(err, "more than %u contexts were in use at once", WIRE_STREAMS);
		error_try(err, "measure one process at a time");
	} else {
		error_because(err, "it drew nothing, or ended before its first frame did");
		error_try(err, "let it run until it swaps buffers, or ends by itself");
	}
	return SX_ERR_UNSUPPORTED;
}

const struct source_ops source_gl = {
    .name = "gl",
    .raw = RAW_GUEST,
    .probe = gl_probe,
    .open = gl_open,
    .describe = gl_describe,
    .start = gl_start,
    .read = gl_read,
    .stop = gl_stop,
    .close = gl_close,
    .running = gl_running,
    .explain = gl_explain,
    .spawn_env = gl_spawn_env,
};
