/* The query objects of the fake, and the functions that it replaces. */
#include "fake_intel.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <GL/gl.h>
#include <GL/glext.h>

#define OBJECTS 256u

struct counter {
	const char *name, *about;
	GLuint kind, type;
	double value;
};

struct query {
	const char *name;
	const struct counter *counters;
	unsigned count;
};

#define EVENT GL_PERFQUERY_COUNTER_EVENT_INTEL
#define RAW   GL_PERFQUERY_COUNTER_DURATION_RAW_INTEL
#define NORM  GL_PERFQUERY_COUNTER_DURATION_NORM_INTEL
#define U32   GL_PERFQUERY_COUNTER_DATA_UINT32_INTEL
#define U64   GL_PERFQUERY_COUNTER_DATA_UINT64_INTEL
#define F32   GL_PERFQUERY_COUNTER_DATA_FLOAT_INTEL
#define F64   GL_PERFQUERY_COUNTER_DATA_DOUBLE_INTEL
#define BOOL  GL_PERFQUERY_COUNTER_DATA_BOOL32_INTEL

/* Names of the first set are from Intel's descriptions, those of the second are made up. */
static const struct counter render[] = {
    {"GPU Time Elapsed", "Time elapsed on the GPU", RAW, U64, 9007199254740993.0},
    {"GPU Busy", "", NORM, F32, 62.5},
    {"VS Threads Dispatched", "", EVENT, U64, 1234567},
};
static const struct counter other[] = {
    {"Odd  name, 1", "What it says", EVENT, U32, 77},
    {"Exact", "", EVENT, F64, 0.125},
    {"Flag", "", EVENT, BOOL, 1},
    {"Odd  name, 1", "A second one of the name", EVENT, U32, 78},
};
static const struct query queries[] = {
    {"Render Metrics Basic set", render, sizeof(render) / sizeof(render[0])},
    {"Other things", other, sizeof(other) / sizeof(other[0])},
};
#define QUERIES (sizeof(queries) / sizeof(queries[0]))

static struct {
	const char *lie;
	struct {
		unsigned query; /* from 1; 0: free */
		bool running, done;
	} objects[OBJECTS];
	GLenum error;
	struct fake_intel_log log;
} intel;

static bool lies(const char *how)
{
	return intel.lie && strcmp(intel.lie, how) == 0;
}

static void fail(GLenum error)
{
	if (!intel.error)
		intel.error = error;
}

static GLuint offset_of(const struct query *q, unsigned counter)
{
	GLuint at = 0;
	for (unsigned i = 0; i < counter; i++)
		at += q->counters[i].type == U64 || q->counters[i].type == F64 ? 8 : 4;
	return at;
}

static const struct query *get_query(GLuint id)
{
	if (id >= 1 && id <= QUERIES)
		return &queries[id - 1];
	fail(GL_INVALID_VALUE);
	return NULL;
}

static void first(GLuint *id)
{
	*id = 1;
}

static void next(GLuint id, GLuint *out)
{
	*out = id < QUERIES ? id + 1 : 0;
}

static void by_name(GLchar *name, GLuint *id)
{
	for (unsigned i = 0; i < QUERIES; i++) {
		if (strcmp(queries[i].name, name) == 0) {
			*id = i + 1;
			return;
		}
	}
	fail(GL_INVALID_VALUE);
}

static void info(GLuint id, GLuint size, GLchar *name, GLuint *bytes, GLuint *counters,
		 GLuint *instances, GLuint *caps)
{
	const struct query *q = get_query(id);
	if (!q)
		return;
	snprintf(name, size, "%s", q->name);
	*bytes = offset_of(q, q->count);
	*counters = q->count;
	*instances = 0;
	*caps = GL_PERFQUERY_SINGLE_CONTEXT_INTEL;
}

static void counter_info(GLuint id, GLuint counter, GLuint size, GLchar *name, GLuint about_size,
			 GLchar *about, GLuint *offset, GLuint *bytes, GLuint *kind, GLuint *type,
			 GLuint64 *most)
{
	const struct query *q = get_query(id);
	if (!q || counter < 1 || counter > q->count) {
		fail(GL_INVALID_VALUE);
		return;
	}
	const struct counter *c = &q->counters[counter - 1];
	snprintf(name, size, "%s", c->name);
	snprintf(about, about_size, "%s", c->about);
	*offset = offset_of(q, counter - 1);
	*bytes = c->type == U64 || c->type == F64 ? 8 : 4;
	*kind = c->kind;
	*type = c->type;
	*most = 0;
}

static void create(GLuint id, GLuint *handle)
{
	if (!get_query(id))
		return;
	for (unsigned i = 1; i < OBJECTS; i++) {
		if (intel.objects[i].query)
			continue;
		intel.objects[i].query = id;
		intel.objects[i].running = intel.objects[i].done = false;
		intel.log.alive++;
		*handle = i;
		return;
	}
	fail(GL_OUT_OF_MEMORY);
}

static bool is_object(GLuint handle)
{
	if (handle >= 1 && handle < OBJECTS && intel.objects[handle].query)
		return true;
	fail(GL_INVALID_VALUE);
	return false;
}

static void delete (GLuint handle)
{
	if (!is_object(handle))
		return;
	intel.objects[handle].query = 0;
	intel.objects[handle].running = false;
	intel.log.alive--;
}

static void begin(GLuint handle)
{
	bool another = false;
	if (!is_object(handle))
		return;
	for (unsigned i = 1; i < OBJECTS; i++)
		another |= intel.objects[i].query && intel.objects[i].running;
	if (another || lies("no-begin")) {
		intel.log.refused++;
		fail(GL_INVALID_OPERATION);
		return;
	}
	intel.objects[handle].running = true;
	intel.objects[handle].done = false;
	intel.log.begun++;
}

static void end(GLuint handle)
{
	if (!is_object(handle))
		return;
	if (!intel.objects[handle].running) {
		fail(GL_INVALID_OPERATION);
		return;
	}
	intel.objects[handle].running = false;
	intel.objects[handle].done = true;
}

static void put(const struct counter *c, unsigned char *at)
{
	uint64_t large = strcmp(c->name, "GPU Time Elapsed") == 0 ? UINT64_C(9007199254740993)
								  : (uint64_t)c->value;
	uint32_t small = (uint32_t)c->value;
	float real = lies("nan") ? NAN : (float)c->value;
	if (c->type == U64)
		memcpy(at, &large, 8);
	else if (c->type == F64)
		memcpy(at, &c->value, 8);
	else if (c->type == F32)
		memcpy(at, &real, 4);
	else
		memcpy(at, &small, 4);
}

static void get_data(GLuint handle, GLuint flags, GLsizei size, void *data, GLuint *written)
{
	(void)flags;
	*written = 0;
	if (!is_object(handle) || !intel.objects[handle].done || lies("never-ready"))
		return;
	const struct query *q = &queries[intel.objects[handle].query - 1];
	GLuint bytes = offset_of(q, q->count);
	if ((GLuint)size < bytes) {
		fail(GL_INVALID_VALUE);
		return;
	}
	for (unsigned i = 0; i < q->count; i++)
		put(&q->counters[i], (unsigned char *)data + offset_of(q, i));
	*written = lies("long-answer") ? bytes + 4096 : lies("short-answer") ? 4 : bytes;
}

static GLenum take_error(void)
{
	GLenum mine = intel.error;
	intel.error = GL_NO_ERROR;
	return mine;
}

void fake_intel_enable(const char *lie)
{
	memset(&intel, 0, sizeof(intel));
	intel.lie = lie;
}

const char *fake_intel_renderer(void)
{
	return "Mesa Intel(R) HD Graphics 520 (SKL GT2)";
}

struct fake_intel_log fake_intel_report(void)
{
	return intel.log;
}

void *fake_intel_function(const char *name)
{
#define REPLACE(text, function)                                                                    \
	{                                                                                          \
		text, (void (*)(void))(function)                                                   \
	}
	static const struct {
		const char *name;
		void (*function)(void);
	} all[] = {
	    REPLACE("glGetFirstPerfQueryIdINTEL", first),
	    REPLACE("glGetNextPerfQueryIdINTEL", next),
	    REPLACE("glGetPerfQueryIdByNameINTEL", by_name),
	    REPLACE("glGetPerfQueryInfoINTEL", info),
	    REPLACE("glGetPerfCounterInfoINTEL", counter_info),
	    REPLACE("glCreatePerfQueryINTEL", create),
	    REPLACE("glDeletePerfQueryINTEL", delete),
	    REPLACE("glBeginPerfQueryINTEL", begin),
	    REPLACE("glEndPerfQueryINTEL", end),
	    REPLACE("glGetPerfQueryDataINTEL", get_data),
	    REPLACE("take error", take_error),
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		void *found;
		memcpy(&found, &all[i].function, sizeof(found));
		if (strcmp(all[i].name, name) == 0)
			return found;
	}
	return NULL;
}
