/* The GL source: any OpenGL driver, measured from within the programs that Sextant starts. */
#include "source/gl/gl.h"

#include "source/guest/inject.h"
#include "wire/channel.h"

static const char *const counters[] = {
#define QUERY(id, name, raw) name,
#include "wire/queries.def"
#undef QUERY
};

static enum sx_status gl_environment(const struct sx_sys *sys, const char *socket,
				     struct library_environment *out, struct sx_error *err)
{
	char library[4096];
	enum sx_status status = library_find(sys, library, sizeof(library), err);
	return status ? status : library_environment_make(out, library, WIRE_ENV, socket, err);
}

const struct inject_api gl_api = {
    .ops = &source_gl,
    .catalog = "opengl",
    .title = "OpenGL",
    .kinds = 1u << SX_SAMPLE_FRAME | 1u << SX_SAMPLE_GROUP | 1u << SX_SAMPLE_DRAW,
    .kinds_named = "frame, group, draw",
    .variable = "LD_PRELOAD",
    .holds = "libsextant-",
    .counters = counters,
    .counter_count = sizeof(counters) / sizeof(counters[0]),
    .find_library = library_find,
    .environment = gl_environment,
    .not_loaded = "it did not load libsextant-gl.so: it is statically linked, setuid, or clears "
		  "LD_PRELOAD",
    .load_it = "start the dynamically linked program itself, as the same user",
    .no_context = "no OpenGL context was made current in it",
    .use_context = "check that it draws with OpenGL, not Vulkan or on the CPU",
    .no_sample = "it drew nothing, or ended before its first frame did",
    .have_sample = "let it run until it swaps buffers, or ends by itself",
};

static enum sx_status gl_open(const struct source_host *host, const char *id, struct source **out,
			      struct sx_error *err)
{
	return inject_open(&gl_api, host, out, err);
}

const struct source_ops source_gl = {
    .name = "gl",
    .raw = RAW_GUEST,
    .probe = gl_probe,
    .open = gl_open,
    .describe = inject_describe,
    .start = inject_start,
    .read = inject_read,
    .wake = inject_wake,
    .stop = inject_stop,
    .close = inject_close,
    .running = inject_running,
    .waiting = inject_waiting,
    .explain = inject_explain,
    .spawn_env = inject_spawn_env,
};
