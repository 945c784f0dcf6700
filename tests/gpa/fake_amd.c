/* The monitor objects of the fake, and the functions that it replaces. */
#include "fake_amd.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <GL/gl.h>
#include <GL/glext.h>

#ifndef FAKE_REAL_EGL
#define FAKE_REAL_EGL "libEGL.so.1"
#endif

#define GROUPS_MAX   256
#define MONITORS_MAX 4096
#define EVENTS_MAX   256

struct group {
	char name[32];
	unsigned counters, limit;
	int stage;     /* of SQ: 1 for all stages, 2 and up for one; 0: another block */
	bool windowed; /* counts inside waves of the monitor's stage alone */
	bool small;    /* its counters have 32 bits */
};

struct monitor {
	bool used, running, done;
	unsigned count;
	struct {
		GLuint group, counter;
	} events[EVENTS_MAX];
};

static struct {
	bool on;
	char renderer[128];
	struct group groups[GROUPS_MAX];
	unsigned group_count, units, engines;
	struct monitor monitors[MONITORS_MAX];
	struct fake_amd_log log;
	GLenum error;
	const char *lie;
	bool exclusive;
	unsigned asked;
} amd;

static bool lies(const char *how)
{
	return amd.lie && strcmp(amd.lie, how) == 0;
}

void fake_amd_lie(const char *how)
{
	amd.lie = how;
}

void fake_amd_exclusive(void)
{
	amd.exclusive = true;
}

static void add_group(const char *name, unsigned counters, unsigned limit, int stage)
{
	struct group *g = &amd.groups[amd.group_count++];
	snprintf(g->name, sizeof(g->name), "%s", name);
	g->counters = counters;
	g->limit = limit;
	g->stage = stage;
	g->windowed = strncmp(name, "TA", 2) == 0 || strncmp(name, "TD", 2) == 0 ||
		      strncmp(name, "TCP", 3) == 0;
}

static void add_instances(const char *name, unsigned instances, unsigned counters, unsigned limit)
{
	char full[32];
	for (unsigned i = 0; i < instances; i++) {
		snprintf(full, sizeof(full), "%s%u", name, i);
		add_group(full, counters, limit, 0);
	}
}

/* The shape of the chip, which the driver reports as counters. */
static void add_gpin(unsigned units, unsigned engines)
{
	add_group("GPIN", 5, 5, 0);
	amd.groups[amd.group_count - 1].small = true;
	amd.units = units;
	amd.engines = engines;
}

static void start(const char *chip)
{
	memset(&amd, 0, sizeof(amd));
	snprintf(amd.renderer, sizeof(amd.renderer),
		 "AMD Radeon Graphics (radeonsi, %s, LLVM 15.0.6, DRM 3.49, 6.1.0)", chip);
	amd.on = true;
}

void fake_amd_enable_split(const char *chip, unsigned engines, unsigned ta)
{
	char name[16];
	start(chip);
	add_group("GRBM", 34, 2, 0);
	for (unsigned e = 0; e < engines; e++) {
		snprintf(name, sizeof(name), "SPI%u", e);
		add_group(name, 186, 6, 0);
		snprintf(name, sizeof(name), "TA%u_", e);
		add_instances(name, ta, 111, 2);
	}
}

void fake_amd_enable(const char *chip, unsigned ta, unsigned rb, unsigned tcc)
{
	static const char *const stages[] = {"", "_ES", "_GS", "_VS", "_PS", "_LS", "_HS", "_CS"};
	start(chip);
	add_instances("CB", rb, 396, 4);
	add_group("CPF", 17, 2, 0);
	add_instances("DB", rb, 257, 4);
	add_group("GRBM", 34, 2, 0);
	add_group("GRBMSE", 15, 4, 0);
	add_group("PA_SU", 153, 4, 0);
	add_group("PA_SC", 395, 8, 0);
	add_group("SPI", 186, 6, 0);
	for (int i = 0; i < 8; i++) {
		char name[16];
		snprintf(name, sizeof(name), "SQ%s", stages[i]);
		add_group(name, 251, 16, i + 1);
	}
	add_group("SX", 32, 4, 0);
	add_instances("TA", ta, 111, 2);
	add_instances("TD", ta, 55, 2);
	add_instances("TCA", 2, 35, 4);
	add_instances("TCC", tcc, 160, 4);
	add_instances("TCP", ta, 154, 4);
	add_group("GDS", 121, 4, 0);
	add_group("VGT", 140, 4, 0);
	add_group("IA", 22, 4, 0);
	add_gpin(44, 4);
}

void fake_amd_enable_gfx6(void)
{
	start("pitcairn");
	add_gpin(20, 2);
}

void fake_amd_shuffle(void)
{
	struct group first = amd.groups[0];
	for (unsigned i = 0; i + 1 < amd.group_count; i++)
		amd.groups[i] = amd.groups[i + 1];
	amd.groups[amd.group_count - 1] = first;
	for (unsigned i = 0; i < amd.group_count; i++)
		amd.groups[i].counters += amd.groups[i].small ? 0 : 3;
}

void fake_amd_disable(void)
{
	amd.on = false;
}

struct fake_amd_log fake_amd_report(void)
{
	return amd.log;
}

uint32_t fake_amd_value(const char *group, unsigned counter)
{
	char text[40];
	uint64_t h = 0xcbf29ce484222325u;
	snprintf(text, sizeof(text), "%s/%u", group, counter);
	for (const char *c = text; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3u;
	return (uint32_t)(h % 1000000);
}

static void fail(GLenum error)
{
	if (!amd.error)
		amd.error = error;
}

static struct monitor *get_monitor(GLuint id)
{
	return id && id < MONITORS_MAX && amd.monitors[id].used ? &amd.monitors[id] : NULL;
}

static void get_groups(GLint *count, GLsizei size, GLuint *ids)
{
	if (count)
		*count = (GLint)amd.group_count;
	for (GLsizei i = 0; ids && i < size && (unsigned)i < amd.group_count; i++)
		ids[i] = (GLuint)i;
}

static void get_counters(GLuint group, GLint *count, GLint *limit, GLsizei size, GLuint *ids)
{
	if (group >= amd.group_count) {
		fail(GL_INVALID_VALUE);
		return;
	}
	if (count)
		*count = (GLint)amd.groups[group].counters;
	if (limit)
		*limit = (GLint)amd.groups[group].limit;
	for (GLsizei i = 0; ids && i < size; i++)
		ids[i] = (GLuint)i;
}

static void get_group_string(GLuint group, GLsizei size, GLsizei *length, GLchar *text)
{
	if (group >= amd.group_count) {
		fail(GL_INVALID_VALUE);
		return;
	}
	int n = snprintf(text, (size_t)size, "%s", amd.groups[group].name);
	if (length)
		*length = n;
}

static void get_counter_string(GLuint group, GLuint counter, GLsizei size, GLsizei *length,
			       GLchar *text)
{
	if (group >= amd.group_count || counter >= amd.groups[group].counters) {
		fail(GL_INVALID_VALUE);
		return;
	}
	int n = snprintf(text, (size_t)size, "%s_%04u", amd.groups[group].name, counter);
	if (length)
		*length = n;
}

static void get_counter_info(GLuint group, GLuint counter, GLenum name, void *data)
{
	GLenum type = GL_UNSIGNED_INT64_AMD;
	if (group < amd.group_count && amd.groups[group].small)
		type = GL_UNSIGNED_INT;
	if (group >= amd.group_count || counter >= amd.groups[group].counters)
		fail(GL_INVALID_VALUE);
	else if (name == GL_COUNTER_TYPE_AMD)
		memcpy(data, &type, sizeof(type));
}

static void gen_monitors(GLsizei count, GLuint *ids)
{
	for (GLsizei i = 0; i < count; i++) {
		GLuint id = 1;
		while (id < MONITORS_MAX - 1 && amd.monitors[id].used)
			id++;
		amd.monitors[id] = (struct monitor){.used = true};
		amd.log.alive++;
		ids[i] = id;
	}
}

static void delete_monitors(GLsizei count, GLuint *ids)
{
	for (GLsizei i = 0; i < count; i++) {
		struct monitor *m = get_monitor(ids[i]);
		if (!m) {
			fail(GL_INVALID_VALUE);
			continue;
		}
		m->used = false;
		amd.log.alive--;
	}
}

static void select_counters(GLuint id, GLboolean enable, GLuint group, GLint count, GLuint *list)
{
	struct monitor *m = get_monitor(id);
	if (!m || group >= amd.group_count || count < 0) {
		fail(GL_INVALID_VALUE);
		return;
	}
	for (GLint i = 0; i < count && enable; i++) {
		bool there = false;
		for (unsigned k = 0; k < m->count; k++)
			there = there ||
				(m->events[k].group == group && m->events[k].counter == list[i]);
		if (list[i] >= amd.groups[group].counters || m->count == EVENTS_MAX) {
			fail(GL_INVALID_VALUE);
			return;
		}
		if (there)
			continue;
		m->events[m->count].group = group;
		m->events[m->count++].counter = list[i];
	}
}

/* One shader stage, and no group beyond its limit. */
static bool allowed(const struct monitor *m)
{
	int stage = 0;
	for (unsigned i = 0; i < m->count; i++) {
		const struct group *g = &amd.groups[m->events[i].group];
		unsigned same = 0;
		if (g->stage && stage && g->stage != stage)
			return false;
		if (g->stage)
			stage = g->stage;
		for (unsigned k = 0; k < m->count; k++)
			same += m->events[k].group == m->events[i].group;
		if (same > g->limit)
			return false;
	}
	return true;
}

static void begin_monitor(GLuint id)
{
	struct monitor *m = get_monitor(id);
	if (!m) {
		fail(GL_INVALID_VALUE);
		return;
	}
	bool another = false;
	for (unsigned i = 0; i < MONITORS_MAX && amd.exclusive; i++)
		another |= amd.monitors[i].used && amd.monitors[i].running;
	amd.asked++;
	if (m->running || another || !allowed(m) || lies("no-begin") ||
	    (lies("later") && amd.asked >= 10)) {
		amd.log.refused++;
		fail(GL_INVALID_OPERATION);
		return;
	}
	m->running = true;
	amd.log.begun++;
	if (m->count > amd.log.most)
		amd.log.most = m->count;
}

static void end_monitor(GLuint id)
{
	struct monitor *m = get_monitor(id);
	if (!m || !m->running) {
		fail(GL_INVALID_OPERATION);
		return;
	}
	m->running = false;
	m->done = true;
}

/* The one stage that a monitor's SQ groups select; 0: none, or all of them. */
static int stage_of(const struct monitor *m)
{
	for (unsigned i = 0; i < m->count; i++)
		if (amd.groups[m->events[i].group].stage > 1)
			return amd.groups[m->events[i].group].stage;
	return 0;
}

static uint64_t value_of(const struct group *g, GLuint counter, int stage)
{
	if (g->small)
		return counter == 1 ? amd.units : counter == 4 ? amd.engines : 1;
	uint64_t value = fake_amd_value(g->name, counter);
	return g->windowed && stage ? value / (16u + (unsigned)stage) : value;
}

static size_t size_of(const struct monitor *m)
{
	size_t size = 0;
	for (unsigned i = 0; i < m->count; i++)
		size += amd.groups[m->events[i].group].small ? 12 : 16;
	return size;
}

static void write_results(const struct monitor *m, unsigned char *out)
{
	/* In an order of its own: clients must not count on theirs. */
	int stage = stage_of(m);
	for (unsigned i = m->count; i-- > 0;) {
		const struct group *g = &amd.groups[m->events[i].group];
		uint64_t value = value_of(g, m->events[i].counter, stage);
		memcpy(out, &m->events[i].group, 4);
		memcpy(out + 4, &m->events[i].counter, 4);
		memcpy(out + 8, &value, g->small ? 4 : 8);
		out += g->small ? 12 : 16;
	}
}

static void get_data(GLuint id, GLenum name, GLsizei size, GLuint *data, GLint *written)
{
	const struct monitor *m = get_monitor(id);
	GLuint value = 0;
	if (!m) {
		fail(GL_INVALID_VALUE);
		return;
	}
	if (name == GL_PERFMON_RESULT_AMD && lies("long-answer")) {
		if (written)
			*written = 1 << 20;
		return;
	}
	if (name == GL_PERFMON_RESULT_AMD && lies("garbage")) {
		memset(data, 0xa5, (size_t)size);
		if (written)
			*written = size;
		return;
	}
	if (name == GL_PERFMON_RESULT_AMD) {
		if (!m->done || (size_t)size < size_of(m))
			return;
		write_results(m, (unsigned char *)data);
		if (written)
			*written = (GLint)size_of(m);
		return;
	}
	value = name == GL_PERFMON_RESULT_AVAILABLE_AMD ? m->done : (GLuint)size_of(m);
	if (name == GL_PERFMON_RESULT_AVAILABLE_AMD && lies("never-ready"))
		value = 0;
	if (name == GL_PERFMON_RESULT_SIZE_AMD && lies("small-size"))
		value = 12;
	if (name == GL_PERFMON_RESULT_SIZE_AMD && lies("huge-size"))
		value = 0xfffffff0u;
	memcpy(data, &value, sizeof(value));
	if (written)
		*written = sizeof(value);
}

void fake_amd_try(const char *a, const char *b, unsigned counters)
{
	GLuint id;
	gen_monitors(1, &id);
	for (GLuint g = 0; g < amd.group_count; g++)
		for (GLuint c = 0; c < counters; c++)
			if (!strcmp(amd.groups[g].name, a) || !strcmp(amd.groups[g].name, b))
				select_counters(id, GL_TRUE, g, 1, &c);
	begin_monitor(id);
	delete_monitors(1, &id);
	amd.error = GL_NO_ERROR;
}

static void *real(const char *name)
{
	static void *library;
	void *(*get)(const char *);
	if (!library)
		library = dlopen(FAKE_REAL_EGL, RTLD_LAZY);
	void *symbol = library ? dlsym(library, "eglGetProcAddress") : NULL;
	memcpy(&get, &symbol, sizeof(get));
	return get ? get(name) : NULL;
}

static const GLubyte *get_string(GLenum name)
{
	const GLubyte *(*next)(GLenum);
	void *symbol = real("glGetString");
	memcpy(&next, &symbol, sizeof(next));
	return name == GL_RENDERER ? (const GLubyte *)amd.renderer : next(name);
}

static const GLubyte *get_string_i(GLenum name, GLuint index)
{
	const GLubyte *(*next)(GLenum, GLuint);
	void *symbol = real("glGetStringi");
	memcpy(&next, &symbol, sizeof(next));
	if (name == GL_EXTENSIONS && index == 0)
		return (const GLubyte *)"GL_AMD_performance_monitor";
	return next(name, index);
}

static GLenum get_error(void)
{
	GLenum (*next)(void);
	void *symbol = real("glGetError");
	GLenum mine = amd.error;
	memcpy(&next, &symbol, sizeof(next));
	amd.error = GL_NO_ERROR;
	return mine ? mine : next();
}

struct replacement {
	const char *name;
	void (*function)(void);
};
#define REPLACE(name, function)                                                                    \
	{                                                                                          \
		name, (void (*)(void))(function)                                                   \
	}

static const struct replacement replacements[] = {
    REPLACE("glGetString", get_string),
    REPLACE("glGetStringi", get_string_i),
    REPLACE("glGetError", get_error),
    REPLACE("glGetPerfMonitorGroupsAMD", get_groups),
    REPLACE("glGetPerfMonitorCountersAMD", get_counters),
    REPLACE("glGetPerfMonitorGroupStringAMD", get_group_string),
    REPLACE("glGetPerfMonitorCounterStringAMD", get_counter_string),
    REPLACE("glGetPerfMonitorCounterInfoAMD", get_counter_info),
    REPLACE("glGenPerfMonitorsAMD", gen_monitors),
    REPLACE("glDeletePerfMonitorsAMD", delete_monitors),
    REPLACE("glSelectPerfMonitorCountersAMD", select_counters),
    REPLACE("glBeginPerfMonitorAMD", begin_monitor),
    REPLACE("glEndPerfMonitorAMD", end_monitor),
    REPLACE("glGetPerfMonitorCounterDataAMD", get_data),
};

#ifndef FAKE_PROC
#define FAKE_PROC eglGetProcAddress
#endif

/* What the library under test finds before the real one. */
__attribute__((visibility("default"))) void *FAKE_PROC(const char *name);
void *FAKE_PROC(const char *name)
{
	for (size_t i = 0; amd.on && i < sizeof(replacements) / sizeof(replacements[0]); i++) {
		void *mine;
		memcpy(&mine, &replacements[i].function, sizeof(mine));
		if (strcmp(replacements[i].name, name) == 0)
			return mine;
	}
	return real(name);
}
