/*
 * Finds counters of the current context by name: ids, and the number of counters of a group, depend
 * on the chip, the driver's version and its environment.
 */
#include <stdlib.h>
#include <string.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include "preload/monitor/monitor.h"

#define GROUPS_MOST   65536
#define COUNTERS_MOST 65536

/* Names of the last group: events of a group follow one another. */
struct search {
	struct monitor *monitor;
	GLuint *groups;
	GLint group_count;
	const char *group_name;
	GLuint group;
	bool found;
	GLuint *counters;
	GLint counter_count;
};

static void read_groups(struct search *s)
{
	const struct monitor_api *call = &s->monitor->call;
	GLint count = 0;
	call->GetPerfMonitorGroupsAMD(&count, 0, NULL);
	if (monitor_failed(s->monitor) || count <= 0 || count > GROUPS_MOST)
		return;
	s->groups = calloc((size_t)count, sizeof(*s->groups));
	if (!s->groups)
		return;
	call->GetPerfMonitorGroupsAMD(&count, count, s->groups);
	if (!monitor_failed(s->monitor))
		s->group_count = count;
}

static bool group_is(const struct search *s, GLuint group, const char *name)
{
	char text[WIRE_PROGRAM_NAME_MAX] = "";
	GLsizei length = 0;
	s->monitor->call.GetPerfMonitorGroupStringAMD(group, sizeof(text), &length, text);
	text[sizeof(text) - 1] = '\0';
	return !monitor_failed(s->monitor) && strcmp(text, name) == 0;
}

static bool counter_is(const struct search *s, GLuint counter, const char *name)
{
	char text[WIRE_PROGRAM_NAME_MAX] = "";
	GLsizei length = 0;
	s->monitor->call.GetPerfMonitorCounterStringAMD(s->group, counter, sizeof(text), &length,
							text);
	text[sizeof(text) - 1] = '\0';
	return !monitor_failed(s->monitor) && strcmp(text, name) == 0;
}

static void read_counters(struct search *s)
{
	const struct monitor_api *call = &s->monitor->call;
	GLint count = 0, most = 0;
	free(s->counters);
	s->counters = NULL;
	s->counter_count = 0;
	call->GetPerfMonitorCountersAMD(s->group, &count, &most, 0, NULL);
	if (monitor_failed(s->monitor) || count <= 0 || count > COUNTERS_MOST)
		return;
	s->counters = calloc((size_t)count, sizeof(*s->counters));
	if (!s->counters)
		return;
	call->GetPerfMonitorCountersAMD(s->group, &count, &most, count, s->counters);
	if (!monitor_failed(s->monitor))
		s->counter_count = count;
}

static void find_group(struct search *s, const char *name)
{
	if (s->group_name == name)
		return;
	s->group_name = name;
	s->found = false;
	for (GLint i = 0; i < s->group_count && !s->found; i++) {
		s->group = s->groups[i];
		s->found = group_is(s, s->group, name);
	}
	if (s->found)
		read_counters(s);
}

static uint8_t amd_type(const struct search *s, GLuint counter)
{
	GLenum type = 0;
	s->monitor->call.GetPerfMonitorCounterInfoAMD(s->group, counter, GL_COUNTER_TYPE_AMD,
						      &type);
	if (monitor_failed(s->monitor))
		return 0;
	switch (type) {
	case GL_UNSIGNED_INT:
		return WIRE_TYPE_U32;
	case GL_UNSIGNED_INT64_AMD:
		return WIRE_TYPE_U64;
	case GL_FLOAT:
	case GL_PERCENTAGE_AMD:
		return WIRE_TYPE_F32;
	default:
		return 0;
	}
}

static void find_amd(struct search *s, const struct wire_event *wanted, struct monitor_event *out)
{
	const char *texts = wire_program_texts(s->monitor->program);
	out->never = WIRE_NEVER_NO_COUNTER;
	find_group(s, texts + wanted->group);
	for (GLint i = 0; s->found && i < s->counter_count; i++) {
		if (!counter_is(s, s->counters[i], texts + wanted->counter))
			continue;
		out->group = s->group;
		out->counter = s->counters[i];
		out->never = amd_type(s, out->counter) == wanted->type ? 0 : WIRE_NEVER_OTHER_TYPE;
		return;
	}
}

static uint8_t intel_type(GLuint type)
{
	switch (type) {
	case GL_PERFQUERY_COUNTER_DATA_UINT32_INTEL:
	case GL_PERFQUERY_COUNTER_DATA_BOOL32_INTEL:
		return WIRE_TYPE_U32;
	case GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL:
		return WIRE_TYPE_U64;
	case GL_PERFQUERY_COUNTER_DATA_FLOAT_INTEL:
		return WIRE_TYPE_F32;
	case GL_PERFQUERY_COUNTER_DATA_DOUBLE_INTEL:
		return WIRE_TYPE_F64;
	default:
		return 0;
	}
}

static void find_query(struct search *s, const char *name, struct monitor_pass *pass)
{
	const struct monitor_api *call = &s->monitor->call;
	char copy[WIRE_PROGRAM_NAME_MAX], text[WIRE_PROGRAM_NAME_MAX] = "";
	GLuint bytes = 0, count = 0, instances = 0, caps = 0;
	if (s->group_name == name)
		return;
	s->group_name = name;
	strncpy(copy, name, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = '\0';
	call->GetPerfQueryIdByNameINTEL(copy, &s->group);
	s->found = !monitor_failed(s->monitor) && s->group != 0;
	if (!s->found)
		return;
	call->GetPerfQueryInfoINTEL(s->group, sizeof(text), text, &bytes, &count, &instances,
				    &caps);
	s->found = !monitor_failed(s->monitor) && count <= COUNTERS_MOST && bytes <= 1u << 20;
	s->counter_count = (GLint)count;
	pass->data_bytes = bytes;
}

static void find_intel(struct search *s, const struct wire_event *wanted, struct monitor_pass *pass,
		       struct monitor_event *out)
{
	const char *texts = wire_program_texts(s->monitor->program);
	out->never = WIRE_NEVER_NO_COUNTER;
	find_query(s, texts + wanted->group, pass);
	out->group = s->group;
	for (GLuint id = 1; s->found && id <= (GLuint)s->counter_count; id++) {
		char name[WIRE_PROGRAM_NAME_MAX] = "", about[8] = "";
		GLuint offset = 0, size = 0, kind = 0, type = 0;
		GLuint64 most = 0;
		s->monitor->call.GetPerfCounterInfoINTEL(s->group, id, sizeof(name), name,
							 sizeof(about), about, &offset, &size,
							 &kind, &type, &most);
		name[sizeof(name) - 1] = '\0';
		if (monitor_failed(s->monitor) || strcmp(name, texts + wanted->counter) != 0)
			continue;
		out->counter = id;
		out->offset = offset;
		out->never = intel_type(type) == wanted->type ? 0 : WIRE_NEVER_OTHER_TYPE;
		return;
	}
}

void monitor_resolve(struct monitor *monitor)
{
	const struct wire_program *program = monitor->program;
	const struct wire_event *wanted = wire_program_events(program);
	struct search s = {.monitor = monitor};
	uint32_t at = 0;
	if (program->api == WIRE_AMD_MONITOR)
		read_groups(&s);
	for (uint32_t p = 0; p < program->pass_count; p++) {
		struct monitor_pass *pass = &monitor->passes[p];
		pass->events = monitor->events + at;
		s.group_name = NULL;
		for (; at < program->event_count && wanted[at].pass == p; at++) {
			struct monitor_event *event = &pass->events[pass->event_count++];
			*event = (struct monitor_event){.value = wanted[at].value,
							.type = wanted[at].type};
			if (program->api == WIRE_AMD_MONITOR) {
				find_amd(&s, &wanted[at], event);
				pass->data_bytes += 8 + (uint32_t)wire_type_size(event->type);
			} else {
				find_intel(&s, &wanted[at], pass, event);
			}
		}
	}
	free(s.groups);
	free(s.counters);
}
