/*
 * Asks in a child, with a context of its own, what a driver can count. The answer comes as lines: R
 * renderer, V vendor, S version, A the extension, G a group, C a counter of it, K the shape of the
 * chip, E the end; tabs separate parts.
 */
#include "source/gl/gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS_MOST   4096
#define COUNTERS_MOST 32768
#define NAME_MOST     256
#define GPIN_ASKS     1000 /* counters of GPIN are no work of the GPU: they are there at once */

enum {
	GL_VENDOR_ = 0x1f00,
	GL_RENDERER_ = 0x1f01,
	GL_VERSION_ = 0x1f02,
	GL_EXTENSIONS_ = 0x1f03,
	GL_NUM_EXTENSIONS_ = 0x821d,
	GL_UNSIGNED_INT_ = 0x1405,
	GL_FLOAT_ = 0x1406,
	GL_COUNTER_TYPE_AMD_ = 0x8bc0,
	GL_UNSIGNED_INT64_AMD_ = 0x8bc2,
	GL_PERCENTAGE_AMD_ = 0x8bc3,
	GL_PERFMON_RESULT_AVAILABLE_AMD_ = 0x8bc4,
	GL_PERFMON_RESULT_AMD_ = 0x8bc6,
	INTEL_COUNTER_DURATION_NORM = 0x94f1,
	INTEL_COUNTER_TIMESTAMP = 0x94f5,
	INTEL_DATA_UINT32 = 0x94f8,
	INTEL_DATA_UINT64 = 0x94f9,
	INTEL_DATA_FLOAT = 0x94fa,
	INTEL_DATA_DOUBLE = 0x94fb,
	INTEL_DATA_BOOL32 = 0x94fc,
};

struct gl {
	const unsigned char *(*get_string)(unsigned name);
	const unsigned char *(*get_string_i)(unsigned name, unsigned index);
	void (*get_integer)(unsigned name, int *value);
	void (*groups)(int *count, int size, unsigned *ids);
	void (*counters)(unsigned group, int *count, int *limit, int size, unsigned *ids);
	void (*group_string)(unsigned group, int size, int *length, char *text);
	void (*counter_string)(unsigned group, unsigned counter, int size, int *length, char *text);
	void (*counter_info)(unsigned group, unsigned counter, unsigned name, void *data);
	void (*gen)(int count, unsigned *ids);
	void (*select)(unsigned monitor, unsigned char on, unsigned group, int count,
		       unsigned *ids);
	void (*begin)(unsigned monitor);
	void (*end)(unsigned monitor);
	void (*data)(unsigned monitor, unsigned name, int size, unsigned *data, int *written);
	void (*first_query)(unsigned *id);
	void (*next_query)(unsigned id, unsigned *next);
	void (*query_info)(unsigned id, unsigned size, char *name, unsigned *bytes,
			   unsigned *counters, unsigned *instances, unsigned *caps);
	void (*query_counter)(unsigned query, unsigned id, unsigned size, char *name,
			      unsigned about_size, char *about, unsigned *offset, unsigned *bytes,
			      unsigned *kind, unsigned *type, unsigned long long *most);
	FILE *out;
};

static void *find(const struct egl *egl, const char *name)
{
	return egl->get_proc(name);
}

static bool counters_ask_load(struct gl *gl, const struct egl *egl)
{
	*(void **)&gl->get_string = find(egl, "glGetString");
	*(void **)&gl->get_string_i = find(egl, "glGetStringi");
	*(void **)&gl->get_integer = find(egl, "glGetIntegerv");
	*(void **)&gl->groups = find(egl, "glGetPerfMonitorGroupsAMD");
	*(void **)&gl->counters = find(egl, "glGetPerfMonitorCountersAMD");
	*(void **)&gl->group_string = find(egl, "glGetPerfMonitorGroupStringAMD");
	*(void **)&gl->counter_string = find(egl, "glGetPerfMonitorCounterStringAMD");
	*(void **)&gl->counter_info = find(egl, "glGetPerfMonitorCounterInfoAMD");
	*(void **)&gl->gen = find(egl, "glGenPerfMonitorsAMD");
	*(void **)&gl->select = find(egl, "glSelectPerfMonitorCountersAMD");
	*(void **)&gl->begin = find(egl, "glBeginPerfMonitorAMD");
	*(void **)&gl->end = find(egl, "glEndPerfMonitorAMD");
	*(void **)&gl->data = find(egl, "glGetPerfMonitorCounterDataAMD");
	*(void **)&gl->first_query = find(egl, "glGetFirstPerfQueryIdINTEL");
	*(void **)&gl->next_query = find(egl, "glGetNextPerfQueryIdINTEL");
	*(void **)&gl->query_info = find(egl, "glGetPerfQueryInfoINTEL");
	*(void **)&gl->query_counter = find(egl, "glGetPerfCounterInfoINTEL");
	return gl->get_string && gl->get_integer;
}

static bool has(const struct gl *gl, const char *name)
{
	int count = 0;
	size_t length = strlen(name);
	const char *all = (const char *)gl->get_string(GL_EXTENSIONS_);
	for (const char *at = all; at && (at = strstr(at, name)); at += length)
		if (at[length] == ' ' || !at[length])
			return true;
	gl->get_integer(GL_NUM_EXTENSIONS_, &count);
	for (int i = 0; gl->get_string_i && i < count; i++) {
		const char *one = (const char *)gl->get_string_i(GL_EXTENSIONS_, (unsigned)i);
		if (one && strcmp(one, name) == 0)
			return true;
	}
	return false;
}

/* Names with control characters would break lines: such a one is left out. */
static bool is_plain(const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		if (*at < ' ' || *at == 0x7f)
			return false;
	return *text != '\0';
}

static int amd_type(const struct gl *gl, unsigned group, unsigned counter, bool *share)
{
	unsigned type = 0;
	gl->counter_info(group, counter, GL_COUNTER_TYPE_AMD_, &type);
	*share = type == GL_PERCENTAGE_AMD_;
	switch (type) {
	case GL_UNSIGNED_INT_:
		return WIRE_TYPE_U32;
	case GL_UNSIGNED_INT64_AMD_:
		return WIRE_TYPE_U64;
	case GL_FLOAT_:
	case GL_PERCENTAGE_AMD_:
		return WIRE_TYPE_F32;
	default:
		return 0;
	}
}

static void note_group_counters(const struct gl *gl, unsigned group, int count)
{
	int got = 0, limit = 0;
	unsigned *ids = calloc((size_t)count, sizeof(*ids));
	if (!ids)
		return;
	gl->counters(group, &got, &limit, count, ids);
	for (int i = 0; i < count && i < got; i++) {
		char name[NAME_MOST] = "";
		int length = 0;
		bool share = false;
		gl->counter_string(group, ids[i], sizeof(name), &length, name);
		name[sizeof(name) - 1] = '\0';
		int type = amd_type(gl, group, ids[i], &share);
		if (type && is_plain(name))
			fprintf(gl->out, "C\t%u\t%d\t%d\t%s\t\n", ids[i], type, share ? 2 : 0,
				name);
	}
	free(ids);
}

/* Counters 1 and 4 of radeonsi's group GPIN are constants of the chip. */
static void note_shape(const struct gl *gl, unsigned group)
{
	unsigned monitor = 0, wanted[2] = {1, 4}, answer[6] = {0}, there = 0;
	int written = 0;
	if (!gl->gen || !gl->select || !gl->begin || !gl->end || !gl->data)
		return;
	gl->gen(1, &monitor);
	gl->select(monitor, 1, group, 2, wanted);
	gl->begin(monitor);
	gl->end(monitor);
	for (int i = 0; i < GPIN_ASKS && !there; i++)
		gl->data(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD_, sizeof(there), &there,
			 &written);
	if (!there)
		return;
	written = 0;
	gl->data(monitor, GL_PERFMON_RESULT_AMD_, sizeof(answer), answer, &written);
	for (int i = 0; i + 2 < written / 4 && i + 2 < 6; i += 3)
		fprintf(gl->out, "K\t%u\t%u\n", answer[i + 1], answer[i + 2]);
}

static bool note_amd(const struct gl *gl)
{
	int count = 0;
	if (!gl->groups || !gl->counters || !gl->group_string || !gl->counter_string ||
	    !gl->counter_info)
		return false;
	gl->groups(&count, 0, NULL);
	if (count <= 0 || count > GROUPS_MOST)
		return false;
	unsigned *ids = calloc((size_t)count, sizeof(*ids));
	if (!ids)
		return false;
	gl->groups(&count, count, ids);
	fputs("A\t1\n", gl->out);
	for (int i = 0; i < count; i++) {
		char name[NAME_MOST] = "";
		int length = 0, counters = 0, limit = 0;
		gl->group_string(ids[i], sizeof(name), &length, name);
		name[sizeof(name) - 1] = '\0';
		gl->counters(ids[i], &counters, &limit, 0, NULL);
		if (!is_plain(name) || counters <= 0 || counters > COUNTERS_MOST)
			continue;
		fprintf(gl->out, "G\t%d\t%s\n", limit > 0 ? limit : 0, name);
		note_group_counters(gl, ids[i], counters);
		if (strcmp(name, "GPIN") == 0)
			note_shape(gl, ids[i]);
	}
	free(ids);
	return true;
}

static int intel_type(unsigned type)
{
	switch (type) {
	case INTEL_DATA_UINT32:
	case INTEL_DATA_BOOL32:
		return WIRE_TYPE_U32;
	case INTEL_DATA_UINT64:
		return WIRE_TYPE_U64;
	case INTEL_DATA_FLOAT:
		return WIRE_TYPE_F32;
	case INTEL_DATA_DOUBLE:
		return WIRE_TYPE_F64;
	default:
		return 0;
	}
}

static void note_query(const struct gl *gl, unsigned query)
{
	char name[NAME_MOST] = "";
	unsigned bytes = 0, count = 0, instances = 0, caps = 0;
	gl->query_info(query, sizeof(name), name, &bytes, &count, &instances, &caps);
	name[sizeof(name) - 1] = '\0';
	if (!is_plain(name) || count > COUNTERS_MOST)
		return;
	fprintf(gl->out, "G\t0\t%s\n", name);
	for (unsigned id = 1; id <= count; id++) {
		char counter[NAME_MOST] = "", about[NAME_MOST] = "";
		unsigned offset = 0, size = 0, kind = 0, type = 0;
		unsigned long long most = 0;
		gl->query_counter(query, id, sizeof(counter), counter, sizeof(about), about,
				  &offset, &size, &kind, &type, &most);
		counter[sizeof(counter) - 1] = about[sizeof(about) - 1] = '\0';
		bool adds = kind != INTEL_COUNTER_DURATION_NORM && kind != INTEL_COUNTER_TIMESTAMP;
		if (intel_type(type) && is_plain(counter))
			fprintf(gl->out, "C\t%u\t%d\t%d\t%s\t%s\n", id, intel_type(type),
				adds && type != INTEL_DATA_FLOAT && type != INTEL_DATA_DOUBLE ? 0
											      : 1,
				counter, is_plain(about) ? about : "");
	}
}

static bool note_intel(const struct gl *gl)
{
	unsigned query = 0;
	if (!gl->first_query || !gl->next_query || !gl->query_info || !gl->query_counter)
		return false;
	gl->first_query(&query);
	if (!query)
		return false;
	fputs("A\t2\n", gl->out);
	for (int i = 0; query && i < GROUPS_MOST; i++) {
		unsigned next = 0;
		note_query(gl, query);
		gl->next_query(query, &next);
		query = next != query ? next : 0;
	}
	return true;
}

static void note_text(const struct gl *gl, char what, unsigned name)
{
	const char *text = (const char *)gl->get_string(name);
	if (text && is_plain(text))
		fprintf(gl->out, "%c\t%.191s\n", what, text);
}

bool gl_counters_ask(int to, void *unused)
{
	struct egl egl;
	struct gl gl = {.out = fdopen(to, "w")};
	if (!gl.out || !egl_begin(&egl) || !counters_ask_load(&gl, &egl))
		return false;
	note_text(&gl, 'V', GL_VENDOR_);
	note_text(&gl, 'R', GL_RENDERER_);
	note_text(&gl, 'S', GL_VERSION_);
	/* Where a driver has both, AMD's extension describes counters in more detail. */
	if (!(has(&gl, "GL_INTEL_performance_query") && note_intel(&gl)) &&
	    has(&gl, "GL_AMD_performance_monitor"))
		note_amd(&gl);
	fputs("E\n", gl.out);
	return fflush(gl.out) == 0;
}
