/*
 * Hardware counters of whatever OpenGL driver is here, measured from within the programs that
 * Sextant starts, without privileges: GL_AMD_performance_monitor, GL_INTEL_performance_query.
 */
#include "source/gl/counters.h"

#include <stdlib.h>

#include "base/error.h"
#include "source/guest/inject.h"

#define DEADLINE_MS 10000	      /* some drivers compile shaders when they start */
#define TOLD_MOST   ((size_t)8 << 20) /* 30,000 counters with long names and texts */

static enum sx_status counters_environment(const struct sx_sys *sys, const char *socket,
					   struct library_environment *out, struct sx_error *err)
{
	char library[4096];
	enum sx_status status = library_find(sys, library, sizeof(library), err);
	return status ? status
		      : library_environment_make(out, library, WIRE_ENV_COUNTERS, socket, err);
}

static const struct inject_api counters_api = {
    .bytes = sizeof(struct gl_counters),
    .ops = &source_gl_counters,
    .title = "OpenGL",
    .kinds = 1u << SX_SAMPLE_FRAME,
    .kinds_named = "frame",
    .variable = "LD_PRELOAD",
    .holds = "libsextant-",
    .find_library = library_find,
    .environment = counters_environment,
    .not_loaded = "it did not load libsextant-gl.so: it is statically linked, setuid, or clears "
		  "LD_PRELOAD",
    .load_it = "start the dynamically linked program itself, as the same user",
    .no_context = "no OpenGL context was made current in it",
    .use_context = "check that it draws with OpenGL, not Vulkan or on the CPU",
    .no_sample = "it drew nothing, or ended before its first frame did, or samples of parts of "
		 "frames were asked for",
    .have_sample = "let it run until it swaps buffers, without --per",
};

/* Only a context tells which driver it has, and what that counts: open() asks. */
static void counters_probe(const struct source_host *host, source_found_fn found, void *user)
{
	struct sx_error err = {0};
	struct sx_device device = inject_device(&counters_api, host, &err);
	device.name = "Hardware counters of the OpenGL driver, if it has any";
	found(user, &device);
}

static struct gl_counters *counters_from(struct source *source)
{
	return (struct gl_counters *)(void *)source;
}

static void counters_close(struct source *source)
{
	struct gl_counters *s = counters_from(source);
	struct gl_list list = s->list;
	struct arena texts = s->texts;
	struct sx_catalog *catalog = s->catalog, *units = s->units;
	inject_close(source);
	sx_catalog_unref(catalog);
	sx_catalog_unref(units);
	gl_list_finish(&list);
	arena_finish(&texts);
}

/* A child of a process that has threads could wait for a lock of theirs: nothing is open yet. */
static enum sx_status counters_query(struct gl_list *list, struct sx_error *err)
{
	struct gl_lines lines = {.list = list};
	char *told = malloc(TOLD_MOST);
	if (!told)
		return error_nomem(err, "asking the OpenGL driver");
	gl_lines_take(&lines, told, guest_ask(gl_counters_ask, NULL, DEADLINE_MS, told, TOLD_MOST));
	free(told);
	if (lines.ended && list->api && list->counter_count)
		return SX_OK;
	if (!lines.ended) {
		error_set(err, SX_ERR_UNSUPPORTED, "no OpenGL driver told its hardware counters");
		error_because(err, "%s",
			      lines.failed ? "there was no memory for them"
					   : "none made a context through libEGL.so.1, "
					     "or it died or hung meanwhile");
		error_try(err, "sextant devices -v says which driver answers");
		return SX_ERR_UNSUPPORTED;
	}
	error_set(err, SX_ERR_UNSUPPORTED, "%s has no hardware counters",
		  list->renderer[0] ? list->renderer : "this OpenGL driver");
	error_because(err, "it has neither GL_AMD_performance_monitor nor "
			   "GL_INTEL_performance_query, or no counters in it");
	error_try(err, "-d gl counts what every driver does");
	return SX_ERR_UNSUPPORTED;
}

static enum sx_status counters_open(const struct source_host *host, const char *id,
				    struct source **out, struct sx_error *err)
{
	struct source *source = NULL;
	struct gl_list list = {0};
	enum sx_status status = counters_query(&list, err);
	if (!status)
		status = inject_open(&counters_api, host, &source, err);
	if (status) {
		gl_list_finish(&list);
		return status;
	}
	counters_from(source)->list = list;
	status = gl_counters_describe(counters_from(source), err);
	if (status)
		counters_close(source);
	else
		*out = source;
	return status;
}

/* The name is that of the driver that was asked, whichever the program brings. */
static const struct source_desc *counters_describe(struct source *source)
{
	return &counters_from(source)->in.desc;
}

static enum sx_status counters_start(struct source *source, const struct source_request *request,
				     struct sx_error *err)
{
	enum sx_status status = gl_counters_program(counters_from(source), request, err);
	return status ? status : inject_start(source, request, err);
}

const struct source_ops source_gl_counters = {
    .name = "gl_counters",
    .raw = RAW_COUNTERS,
    .only_named = true,
    .probe = counters_probe,
    .open = counters_open,
    .describe = counters_describe,
    .start = counters_start,
    .read = inject_read,
    .stop = inject_stop,
    .close = counters_close,
    .running = inject_running,
    .explain = inject_explain,
    .spawn_env = inject_spawn_env,
};
