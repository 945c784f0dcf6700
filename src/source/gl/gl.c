/* The GL source: any OpenGL driver, measured from within the programs that Sextant starts. */
#include "source/gl/gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "source/guest/channel.h"
#include "source/guest/library.h"

#define LOOK_EVERY_MS 5 /* a ring holds 1024 frames: enough for any frame rate */

struct gl_source {
	struct source base;
	struct gl_channel channel;
	struct gl_environment environment;
	struct source_desc desc;
	struct gl_wire_sample sample; /* what the last read() gave out */
	char name[192], driver[328];
	bool stopped;
};

static struct gl_source *gl_source(struct source *source)
{
	return (struct gl_source *)source;
}

static enum sx_status prepare(struct gl_source *gl, struct sx_error *err)
{
	char library[4096], channel[64];
	enum sx_status status = gl_find_library(gl->base.sys, library, sizeof(library), err);
	if (status)
		return status;
	status = gl_channel_open(&gl->channel, gl->base.sys, err);
	if (status)
		return status;
	/* By this path every program of this user reaches it, whatever descriptors it inherits. */
	snprintf(channel, sizeof(channel), "/proc/%ld/fd/%d", (long)getpid(), gl->channel.fd);
	return gl_environment_make(&gl->environment, library, channel, err);
}

static enum sx_status gl_open(const struct source_host *host, const char *id, struct source **out,
			      struct sx_error *err)
{
	struct gl_source *gl = calloc(1, sizeof(*gl));
	if (!gl)
		return error_nomem(err, "opening the OpenGL source");
	gl->base = (struct source){&source_gl, host->sys, host->catalogs};
	gl->channel.fd = -1;
	gl->desc =
	    (struct source_desc){.catalog = "opengl", .name = "OpenGL", .encloses_work = true};
	enum sx_status status = prepare(gl, err);
	if (status) {
		source_gl.close(&gl->base);
		return status;
	}
	*out = &gl->base;
	return SX_OK;
}

/* The context that the program draws with is the one with the most frames. */
static const struct gl_context_info *main_context(const struct gl_channel *channel)
{
	const struct gl_context_info *best = NULL;
	for (size_t i = 0; i < channel->context_count; i++)
		if (!best || channel->contexts[i].frames > best->frames)
			best = &channel->contexts[i];
	return best;
}

static const struct source_desc *gl_describe(struct source *source)
{
	struct gl_source *gl = gl_source(source);
	const struct gl_context_info *info = main_context(&gl->channel);
	if (info) {
		snprintf(gl->name, sizeof(gl->name), "%s", info->renderer);
		snprintf(gl->driver, sizeof(gl->driver), "%s, OpenGL %s", info->vendor,
			 info->version);
		gl->desc.name = gl->name;
		gl->desc.driver = gl->driver;
	}
	return &gl->desc;
}

static enum sx_status gl_start(struct source *source, const struct source_request *request,
			       struct sx_error *err)
{
	gl_source(source)->stopped = false;
	return SX_OK;
}

static enum sx_status gl_read(struct source *source, int timeout_ms, struct raw_sample *out,
			      struct sx_error *err)
{
	struct gl_source *gl = gl_source(source);
	const struct sx_sys *sys = source->sys;
	uint64_t lost = 0;
	while (!gl_channel_next(&gl->channel, &gl->sample, &lost)) {
		if (gl->stopped)
			return SX_END;
		if (timeout_ms <= 0)
			return SX_AGAIN;
		int nap = timeout_ms < LOOK_EVERY_MS ? timeout_ms : LOOK_EVERY_MS;
		sys->poll(sys->user, NULL, 0, nap);
		timeout_ms -= nap;
	}
	*out = (struct raw_sample){
	    .kind = RAW_GL,
	    .flags = lost ? RAW_LOST : 0,
	    .begin_ns = gl->sample.record.begin_ns,
	    .end_ns = gl->sample.record.end_ns,
	    .lost = lost,
	    .data = (const uint8_t *)&gl->sample,
	    .size = sizeof(gl->sample),
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
	gl_environment_finish(&gl->environment);
	gl_channel_close(&gl->channel);
	free(gl);
}

static const char *const *gl_spawn_env(struct source *source)
{
	return (const char *const *)gl_source(source)->environment.items;
}

const struct gl_context_info *gl_source_contexts(struct source *source, size_t *count)
{
	struct gl_source *gl = gl_source(source);
	*count = gl->channel.context_count;
	return gl->channel.contexts;
}

struct gl_activity gl_source_activity(struct source *source)
{
	return gl_channel_activity(&gl_source(source)->channel);
}

enum sx_status gl_source_explain(struct source *source, struct sx_error *err)
{
	struct gl_activity seen = gl_source_activity(source);
	error_set(err, SX_ERR_UNSUPPORTED, "the program gave no OpenGL sample");
	if (seen.processes == 0) {
		error_because(err, "it did not load libsextant-gl.so: it is statically linked, "
				   "setuid, or clears LD_PRELOAD");
		error_try(err, "start the dynamically linked program itself, as the same user");
	} else if (seen.contexts == 0) {
		error_because(err, "no OpenGL context was made current in it");
		error_try(err, "check that it draws with OpenGL, not Vulkan or on the CPU");
	} else if (seen.refused > 0) {
		error_because(err, "more than %u contexts were in use at once", GL_WIRE_STREAMS);
		error_try(err, "measure one process at a time");
	} else {
		error_because(err, "it drew nothing, or ended before its first frame did");
		error_try(err, "let it run until it swaps buffers, or ends by itself");
	}
	return SX_ERR_UNSUPPORTED;
}

const struct source_ops source_gl = {
    .name = "gl",
    .raw = RAW_GL,
    .probe = gl_probe,
    .open = gl_open,
    .describe = gl_describe,
    .start = gl_start,
    .read = gl_read,
    .stop = gl_stop,
    .close = gl_close,
    .explain = gl_source_explain,
    .spawn_env = gl_spawn_env,
};
