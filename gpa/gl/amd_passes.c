/* Passes of AMD's counters, and one sample of them with a performance monitor. */
#include "gpa/gl/backend.h"

#include <stdlib.h>
#include <string.h>

/* Counters of the catalog that a hardware counter reads, without repetition. */
static uint32_t catalog_counters(const struct gl_backend *b, const struct gpa_counter *c,
				 uint32_t *out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->raw_count; i++) {
		uint32_t counter = c->raws[i] < RAW_COUNT
				       ? b->amd->time_counter
				       : b->amd->raws[c->raws[i] - RAW_COUNT].counter;
		uint32_t k = 0;
		while (k < n && out[k] != counter)
			k++;
		if (k == n)
			out[n++] = counter;
	}
	return n;
}

static struct sx_plan *plan_hardware(struct gpa_context *context, const struct gl_backend *b,
				     const struct gpa_schedule *s)
{
	struct sx_plan *plan = NULL;
	struct sx_error err = {0};
	struct arena arena = {0};
	const struct sx_plan_options options = {.block_limits = b->amd->block_limits};
	struct sx_plan_item *items = arena_alloc(&arena, (s->enabled_count + 1) * sizeof(*items));
	for (uint32_t i = 0; items && i < s->enabled_count; i++) {
		const struct gpa_counter *c = &context->counters[s->enabled[i]];
		if (s->enabled[i] >= b->hardware_count)
			continue;
		uint32_t *list = arena_alloc(&arena, (c->raw_count + 1) * sizeof(*list));
		if (!list) {
			items = NULL;
			break;
		}
		items[i].counters = list;
		items[i].count = catalog_counters(b, c, list);
	}
	const struct sx_plan_request request = {items, s->enabled_count, &options};
	if (items && sx_plan_create(b->guide.catalog, &request, &plan, &err) != SX_OK)
		gpa_log(GPA_LOGGING_ERROR, "%s", err.message);
	arena_finish(&arena);
	return plan;
}

/* The pass that a query of the API joins: a hardware pass if there is one, but time never. */
static uint32_t query_pass(const struct gl_backend *b, const struct sx_plan *plan, uint32_t raw,
			   uint32_t *count)
{
	uint32_t n;
	const struct sx_plan_pass *passes = sx_plan_passes(plan, &n);
	bool time = raw == RAW_TIME;
	for (uint32_t p = 0; p < n; p++)
		if ((passes[p].count == 1 && passes[p].counters[0] == b->amd->time_counter) == time)
			return p;
	/* Otherwise a pass for time and one for queries, behind the others. */
	uint32_t extra = n + (time ? 0 : 1);
	if (*count < n + 2)
		*count = n + 2;
	return extra;
}

static void place(struct gpa_context *context, const struct gl_backend *b, struct gpa_schedule *s,
		  const struct sx_plan *plan, uint32_t i)
{
	const struct gpa_counter *c = &context->counters[s->enabled[i]];
	uint32_t count = 0;
	for (uint32_t k = 0; k < c->raw_count; k++) {
		uint32_t raw = c->raws[k], pass;
		if (s->enabled[i] >= b->hardware_count)
			pass = query_pass(b, plan, raw, &count);
		else
			pass =
			    sx_plan_source(plan, i,
					   raw < RAW_COUNT ? b->amd->time_counter
							   : b->amd->raws[raw - RAW_COUNT].counter);
		s->places[i][k] = pass;
		gpa_pass_plan_add(&s->passes[pass], raw);
	}
}

GPA_Status gl_amd_plan(struct gpa_context *context, struct gl_backend *b,
		       struct gpa_schedule *schedule)
{
	uint32_t n;
	struct sx_plan *plan = plan_hardware(context, b, schedule);
	if (!plan)
		return GPA_STATUS_ERROR_FAILED;
	sx_plan_passes(plan, &n);
	bool ok = gpa_schedule_alloc(context, schedule, n + 2);
	for (uint32_t i = 0; ok && i < schedule->enabled_count; i++)
		place(context, b, schedule, plan, i);
	if (ok)
		gpa_schedule_trim(context, schedule);
	sx_plan_destroy(plan);
	return ok ? GPA_STATUS_OK : GPA_STATUS_ERROR_FAILED;
}

struct gl_amd_sample {
	GLuint monitor;
	const uint32_t *raws;
	uint32_t count;
	bool running;
};

static void select_events(const struct gl_backend *b, const struct gl_amd_sample *sample)
{
	for (uint32_t i = 0; i < sample->count; i++) {
		const struct amd_raw *raw = &b->amd->raws[sample->raws[i] - RAW_COUNT];
		for (uint32_t k = 0; k < raw->count; k++) {
			struct amd_event *e = &b->amd->events[raw->first + k];
			b->gl.SelectPerfMonitorCountersAMD(sample->monitor, GL_TRUE, e->group, 1,
							   &e->counter);
		}
	}
}

struct gl_amd_sample *gl_amd_begin(struct gl_backend *b, const uint32_t *raws, uint32_t count)
{
	struct gl_amd_sample *sample = calloc(1, sizeof(*sample));
	if (!sample)
		return NULL;
	sample->raws = raws;
	sample->count = count;
	GLenum pending = gl_api_take_error(&b->gl);
	b->gl.GenPerfMonitorsAMD(1, &sample->monitor);
	select_events(b, sample);
	b->gl.BeginPerfMonitorAMD(sample->monitor);
	sample->running = b->gl.GetError() == GL_NO_ERROR;
	gl_api_restore_error(&b->gl, pending);
	if (sample->running)
		return sample;
	gpa_log(GPA_LOGGING_ERROR, "the driver refuses this set of counters");
	gl_amd_release(b, sample, true);
	return NULL;
}

void gl_amd_end(struct gl_backend *b, struct gl_amd_sample *sample)
{
	if (!sample || !sample->running)
		return;
	b->gl.EndPerfMonitorAMD(sample->monitor);
	sample->running = false;
}

static size_t value_size(GLenum type)
{
	return type == GL_UNSIGNED_INT64_AMD ? 8 : 4;
}

static uint64_t read_value(const unsigned char *bytes, GLenum type)
{
	uint64_t large;
	uint32_t small;
	float number;
	if (type == GL_UNSIGNED_INT64_AMD) {
		memcpy(&large, bytes, sizeof(large));
		return large;
	}
	if (type == GL_UNSIGNED_INT) {
		memcpy(&small, bytes, sizeof(small));
		return small;
	}
	memcpy(&number, bytes, sizeof(number));
	return number > 0 ? (uint64_t)number : 0;
}

/* One result of the driver; its type is found with its event. */
struct amd_result {
	GLuint group, counter;
	unsigned char bytes[8];
	GLenum type;
};

/* Adds one result to the raws that it belongs to. */
static void spread(const struct gl_backend *b, const struct gl_amd_sample *sample,
		   struct amd_result *result, uint64_t *values)
{
	for (uint32_t i = 0; i < sample->count; i++) {
		const struct amd_raw *raw = &b->amd->raws[sample->raws[i] - RAW_COUNT];
		for (uint32_t k = 0; k < raw->count; k++) {
			const struct amd_event *e = &b->amd->events[raw->first + k];
			if (e->group != result->group || e->counter != result->counter)
				continue;
			result->type = e->type;
			values[i] += read_value(result->bytes, e->type);
		}
	}
}

/* The driver's list of (group, counter, value), in any order. */
static void parse(const struct gl_backend *b, const struct gl_amd_sample *sample,
		  const unsigned char *bytes, size_t size, uint64_t *values)
{
	size_t at = 0;
	while (size - at >= 12) {
		struct amd_result result = {.type = GL_UNSIGNED_INT64_AMD};
		memcpy(&result.group, bytes + at, 4);
		memcpy(&result.counter, bytes + at + 4, 4);
		memcpy(result.bytes, bytes + at + 8, size - at - 8 < 8 ? size - at - 8 : 8);
		spread(b, sample, &result, values);
		at += 8 + value_size(result.type);
		if (at > size)
			return;
	}
}

enum gpa_answer gl_amd_collect(struct gl_backend *b, struct gl_amd_sample *sample, uint64_t *values,
			       bool *valid)
{
	GLuint there = 0, size = 0;
	GLint written = 0;
	b->gl.GetPerfMonitorCounterDataAMD(sample->monitor, GL_PERFMON_RESULT_AVAILABLE_AMD,
					   sizeof(there), &there, &written);
	if (!there)
		return GPA_NOT_YET;
	b->gl.GetPerfMonitorCounterDataAMD(sample->monitor, GL_PERFMON_RESULT_SIZE_AMD,
					   sizeof(size), &size, &written);
	unsigned char *bytes = calloc(1, size + 1);
	if (!bytes)
		return GPA_LOST;
	written = 0;
	b->gl.GetPerfMonitorCounterDataAMD(sample->monitor, GL_PERFMON_RESULT_AMD, (GLsizei)size,
					   (GLuint *)(void *)bytes, &written);
	memset(values, 0, sample->count * sizeof(*values));
	if (written > 0 && (GLuint)written <= size)
		parse(b, sample, bytes, (size_t)written, values);
	for (uint32_t i = 0; i < sample->count; i++)
		valid[i] = written > 0;
	free(bytes);
	return GPA_READY;
}

void gl_amd_release(struct gl_backend *b, struct gl_amd_sample *sample, bool current)
{
	if (!sample)
		return;
	if (current) {
		gl_amd_end(b, sample);
		b->gl.DeletePerfMonitorsAMD(1, &sample->monitor);
	}
	free(sample);
}
