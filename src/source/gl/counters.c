/*
 * Hardware counters of any OpenGL driver, measured from within the programs that Sextant starts,
 * without privileges: GL_AMD_performance_monitor, GL_INTEL_performance_query.
 */
#include "source/gl/gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "source/guest/inject.h"

#define COUNTERS_MOST 30000u /* a catalog holds 32,768 entries of a kind */
#define GROUPS_MOST   4096u

/* The part up to the next tab; NULL when there is none left. */
static char *part(char **at)
{
	char *begin = *at;
	if (!begin)
		return NULL;
	char *tab = strchr(begin, '\t');
	if (tab)
		*tab = '\0';
	*at = tab ? tab + 1 : NULL;
	return begin;
}

static bool number(char **at, uint32_t *out)
{
	const char *text = part(at);
	return text && number_u32(text, strlen(text), out);
}

static bool add_group(struct gl_lines *l, char *at)
{
	struct gl_list *list = l->list;
	struct gl_group group = {.first = (uint32_t)list->counter_count};
	if (!number(&at, &group.limit) || !at || !*at)
		return true;
	if (list->group_count == GROUPS_MOST)
		return true;
	group.name = arena_strndup(&list->texts, at, strlen(at));
	if (!group.name ||
	    !mem_grow(&list->groups, &list->group_cap, list->group_count + 1, sizeof(group)))
		return false;
	list->groups[list->group_count++] = group;
	return true;
}

static bool add_counter(struct gl_lines *l, char *at)
{
	struct gl_list *list = l->list;
	struct gl_counter counter = {0};
	uint32_t type = 0, kind = 0;
	if (!list->group_count || list->counter_count == COUNTERS_MOST)
		return true;
	if (!number(&at, &counter.id) || !number(&at, &type) || !number(&at, &kind) ||
	    type < WIRE_TYPE_U32 || type > WIRE_TYPE_F64)
		return true;
	const char *name = part(&at);
	if (!name || !*name || strlen(name) >= WIRE_PROGRAM_NAME_MAX)
		return true;
	counter.name = arena_strndup(&list->texts, name, strlen(name));
	counter.about = at ? arena_strndup(&list->texts, at, strlen(at)) : "";
	counter.group = (uint32_t)list->group_count - 1;
	counter.type = (uint8_t)type;
	counter.is_share = kind == 2;
	counter.is_level = kind != 0;
	if (!counter.name || !counter.about ||
	    !mem_grow(&list->counters, &list->counter_cap, list->counter_count + 1,
		      sizeof(counter)))
		return false;
	list->counters[list->counter_count++] = counter;
	list->groups[counter.group].count++;
	return true;
}

static void add_shape(struct gl_list *list, char *at)
{
	uint32_t which, value;
	if (!number(&at, &which) || !number(&at, &value))
		return;
	if (which == 1)
		list->units = value;
	if (which == 4)
		list->engines = value;
}

static bool take_line(struct gl_lines *l, char *line)
{
	struct gl_list *list = l->list;
	char *at = line[0] && line[1] == '\t' ? line + 2 : NULL;
	uint32_t api = 0;
	if (line[0] == 'E' && !line[1])
		l->ended = true;
	if (!at)
		return true;
	switch (line[0]) {
	case 'V':
		snprintf(list->vendor, sizeof(list->vendor), "%s", at);
		return true;
	case 'R':
		snprintf(list->renderer, sizeof(list->renderer), "%s", at);
		return true;
	case 'S':
		snprintf(list->version, sizeof(list->version), "%s", at);
		return true;
	case 'A':
		if (number(&at, &api) && (api == WIRE_AMD_MONITOR || api == WIRE_INTEL_QUERY))
			list->api = (enum wire_counter_api)api;
		return true;
	case 'G':
		return add_group(l, at);
	case 'C':
		return add_counter(l, at);
	case 'K':
		add_shape(list, at);
		return true;
	default:
		return true;
	}
}

bool gl_lines_take(struct gl_lines *l, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size && !l->failed && !l->ended; i++) {
		if (bytes[i] != '\n') {
			l->skipping |= l->length + 1 >= sizeof(l->rest);
			if (!l->skipping)
				l->rest[l->length++] = bytes[i] ? bytes[i] : ' ';
			continue;
		}
		l->rest[l->length] = '\0';
		if (!l->skipping)
			l->failed = !take_line(l, l->rest);
		l->length = 0;
		l->skipping = false;
	}
	return !l->failed && !l->ended;
}

void gl_list_finish(struct gl_list *list)
{
	arena_finish(&list->texts);
	free(list->groups);
	free(list->counters);
	*list = (struct gl_list){0};
}

#define DEADLINE_MS 10000	      /* some drivers compile shaders when they start */
#define SHOWN_MOST  ((size_t)8 << 20) /* 30,000 counters with long names and texts */

static const struct inject_api counters_api = {
    .bytes = sizeof(struct gl_counters),
    .ops = &source_gl_counters,
    .kinds = 1u << SX_SAMPLE_FRAME,
    .kinds_named = "frame",
    GL_API,
    .channel = WIRE_ENV_COUNTERS,
    .no_sample = "it drew nothing, or ended before its first frame did, or samples of parts of "
		 "frames were asked for",
    .have_sample = "let it run until it swaps buffers, without --per",
};

/* Which driver there is, and what it counts, is only known with a context: open() asks. */
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
	char *reported = malloc(SHOWN_MOST);
	if (!reported)
		return error_nomem(err, "asking the OpenGL driver");
	gl_lines_take(&lines, reported,
		      guest_ask(gl_counters_ask, NULL, DEADLINE_MS, reported, SHOWN_MOST));
	free(reported);
	if (lines.ended && list->api && list->counter_count)
		return SX_OK;
	if (!lines.ended) {
		error_set(err, SX_ERR_UNSUPPORTED,
			  "no OpenGL driver reported its hardware counters");
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
