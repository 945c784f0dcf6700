/* Sessions: creating, destroying and queries. The run is in drive/. */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool copy_text(struct sx_session *s, const char **text)
{
	if (*text)
		*text = arena_strndup(&s->arena, *text, strlen(*text));
	return *text != NULL;
}

static bool copy_texts(struct sx_session *s, const char *const **list, uint32_t count)
{
	const char **copy = arena_alloc(&s->arena, (count + 1) * sizeof(*copy));
	for (uint32_t i = 0; copy && i < count; i++) {
		copy[i] = (*list)[i];
		if (!copy_text(s, &copy[i]))
			return false;
	}
	*list = copy;
	return copy != NULL;
}

/* Nothing of the caller's options need outlive the call. */
static bool copy_options(struct sx_session *s, const struct sx_session_options *from)
{
	struct sx_session_options *o = &s->options;
	*o = *from;
	const char **texts[] = {&o->set, &o->variant, &o->input, &o->catalog, &o->process};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (*texts[i] && !copy_text(s, texts[i]))
			return false;
	struct sx_constant_value *constants =
	    arena_alloc(&s->arena, (o->constant_count + 1) * sizeof(*constants));
	for (uint32_t i = 0; constants && i < o->constant_count; i++) {
		constants[i] = o->constants[i];
		if (!copy_text(s, &constants[i].name))
			return false;
	}
	o->constants = constants;
	return constants && copy_texts(s, &o->devices, o->device_count) &&
	       copy_texts(s, &o->metrics, o->metric_count) && copy_texts(s, &o->maps, o->map_count);
}

/* "PMU/EVENT/" among the metrics is an event as it is. */
static bool is_event(const char *pattern)
{
	size_t length = strlen(pattern);
	return length > 3 && pattern[length - 1] == '/' &&
	       strchr(pattern, '/') < pattern + length - 1;
}

static bool gather_maps(struct sx_session *s)
{
	const struct sx_session_options *o = &s->options;
	const char **maps =
	    arena_alloc(&s->arena, (o->map_count + o->metric_count + 1) * sizeof(*maps));
	uint32_t count = 0;
	for (uint32_t i = 0; maps && i < o->map_count; i++)
		maps[count++] = o->maps[i];
	for (uint32_t i = 0; maps && i < o->metric_count; i++)
		if (is_event(o->metrics[i]))
			maps[count++] = o->metrics[i];
	s->host.metrics = o->metrics;
	s->host.metric_count = o->metric_count;
	s->host.maps = maps;
	s->host.map_count = count;
	return maps != NULL;
}

enum sx_status session_create_on(const struct sx_sys *sys, struct sx_context *context,
				 const struct sx_session_options *options, struct sx_session **out,
				 struct sx_error *err)
{
	static const struct sx_session_options none;
	struct sx_session *s = calloc(1, sizeof(*s));
	if (!s)
		return error_nomem(err, "creating a session");
	s->context = context;
	s->sys = sys;
	s->wake[0] = s->wake[1] = -1;
	s->watch.fd = s->watch.timer = -1;
	s->replay_begin_ns = SX_TIME_UNKNOWN;
	child_init(s);
	enum sx_status status = copy_options(s, options ? options : &none)
				    ? SX_OK
				    : error_nomem(err, "creating a session");
	if (!status)
		status = wake_open(s, err);
	s->host =
	    (struct source_host){.sys = sys, .catalogs = context, .catalog = s->options.catalog};
	if (!status && !gather_maps(s))
		status = error_nomem(err, "creating a session");
	if (!status)
		status = session_open_devices(s, err);
	if (!status)
		status = session_select(s, err);
	if (status) {
		sx_session_destroy(s);
		return status;
	}
	*out = s;
	return SX_OK;
}

enum sx_status sx_session_create(struct sx_context *context,
				 const struct sx_session_options *options, struct sx_session **out,
				 struct sx_error *err)
{
	return session_create_on(sys_real(), context, options, out, err);
}

void sx_session_destroy(struct sx_session *s)
{
	if (!s)
		return;
	sx_session_finish(s, NULL);
	session_forget_run(s);
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		if (!d->turns || d->turns->first == i)
			d->ops->close(d->source);
		sx_metrics_destroy(d->metrics);
		free(d->recorded_source);
		sx_catalog_unref(s->infos[i].catalog);
	}
	wake_close(s);
	free(s->devices);
	free(s->infos);
	arena_finish(&s->run_arena);
	arena_finish(&s->arena);
	free(s);
}

const struct sx_session_device *sx_session_devices(const struct sx_session *s, uint32_t *count)
{
	*count = s->device_count;
	return s->infos;
}

/* From the first begin to the last end of all rows. */
static uint64_t rows_duration_ns(const struct sx_session *s)
{
	uint64_t first = UINT64_MAX, last = 0;
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct sx_session_device *info = &s->infos[i];
		if (info->begin_ns == SX_TIME_UNKNOWN || info->end_ns == SX_TIME_UNKNOWN)
			continue;
		first = info->begin_ns < first ? info->begin_ns : first;
		last = info->end_ns > last ? info->end_ns : last;
	}
	return last > first ? last - first : 0;
}

uint64_t sx_session_duration_ns(const struct sx_session *s)
{
	if (s->options.input)
		return rows_duration_ns(s);
	return s->end_ns - s->begin_ns;
}

struct sx_child_status sx_session_child(const struct sx_session *s)
{
	return s->child.status;
}

void sx_session_record(struct sx_session *s, struct sx_capture_writer *writer)
{
	s->writer = writer;
	if (s->state == SESSION_RUNNING && writer)
		record_begin(s);
}
