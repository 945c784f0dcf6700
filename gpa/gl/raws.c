/* Query objects: which exist, and one count from begin to result. */
#include "gpa/gl/backend.h"

#include <stdlib.h>

#include "base/mem.h"

#ifndef GL_TRANSFORM_FEEDBACK_ACTIVE
#define GL_TRANSFORM_FEEDBACK_ACTIVE 0x8E24
#endif

struct target {
	GLenum target;
	GLuint index;
};

static struct target target_of(uint32_t raw)
{
	static const GLenum plain[] = {
	    [RAW_TIME] = GL_TIMESTAMP,
	    [RAW_OCCLUSION] = GL_SAMPLES_PASSED,
	    [RAW_VERTICES] = GL_VERTICES_SUBMITTED,
	    [RAW_PRIMITIVES] = GL_PRIMITIVES_SUBMITTED,
	    [RAW_VS] = GL_VERTEX_SHADER_INVOCATIONS,
	    [RAW_TCS_PATCHES] = GL_TESS_CONTROL_SHADER_PATCHES,
	    [RAW_TES] = GL_TESS_EVALUATION_SHADER_INVOCATIONS,
	    [RAW_GS] = GL_GEOMETRY_SHADER_INVOCATIONS,
	    [RAW_GS_PRIMITIVES] = GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED,
	    [RAW_FS] = GL_FRAGMENT_SHADER_INVOCATIONS,
	    [RAW_CS] = GL_COMPUTE_SHADER_INVOCATIONS,
	    [RAW_CLIP_IN] = GL_CLIPPING_INPUT_PRIMITIVES,
	    [RAW_CLIP_OUT] = GL_CLIPPING_OUTPUT_PRIMITIVES,
	};
	if (raw < RAW_WRITTEN)
		return (struct target){plain[raw], 0};
	if (raw < RAW_NEEDED)
		return (struct target){GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, raw - RAW_WRITTEN};
	if (raw < RAW_OVERFLOW)
		return (struct target){GL_PRIMITIVES_GENERATED, raw - RAW_NEEDED};
	if (raw == RAW_OVERFLOW)
		return (struct target){GL_TRANSFORM_FEEDBACK_OVERFLOW, 0};
	return (struct target){GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW, raw - RAW_STREAM_OVERFLOW};
}

static bool at_least(const struct gl_api *gl, int major, int minor)
{
	return !gl->es && (gl->major > major || (gl->major == major && gl->minor >= minor));
}

/* Whether version and extensions have the query; its counter bits may still be 0. */
static bool promised(const struct gl_api *gl, uint32_t raw)
{
	if (raw == RAW_TIME)
		return gl->QueryCounter && gl->GetQueryObjectui64v &&
		       (gl->es || at_least(gl, 3, 3) || gl_api_has(gl, "GL_ARB_timer_query"));
	if (raw == RAW_OCCLUSION)
		return !gl->es;
	if (raw < RAW_WRITTEN)
		return at_least(gl, 4, 6) || gl_api_has(gl, "GL_ARB_pipeline_statistics_query");
	if (raw >= RAW_OVERFLOW)
		return at_least(gl, 4, 6) ||
		       gl_api_has(gl, "GL_ARB_transform_feedback_overflow_query");
	/* ES counts primitives written from 3.0 and those generated from 3.2 on. */
	if (target_of(raw).index == 0)
		return !gl->es || raw == RAW_WRITTEN || gl->major > 3 || gl->minor >= 2;
	return gl->BeginQueryIndexed && gl->EndQueryIndexed &&
	       (at_least(gl, 4, 0) || gl_api_has(gl, "GL_ARB_transform_feedback3"));
}

static bool counts(const struct gl_api *gl, uint32_t raw)
{
	GLint value = 0;
	if (!promised(gl, raw))
		return false;
	if (raw > RAW_WRITTEN && target_of(raw).index) {
		gl->GetIntegerv(GL_MAX_VERTEX_STREAMS, &value);
		if ((GLint)target_of(raw).index >= value)
			return false;
	}
	/* Overflow queries are booleans: drivers may report no bits for them. */
	if (raw >= RAW_OVERFLOW)
		return true;
	value = 0;
	if (gl->es && raw != RAW_TIME)
		return true; /* OpenGL ES does not report bits */
	gl->GetQueryiv(target_of(raw).target, GL_QUERY_COUNTER_BITS, &value);
	return value > 0;
}

static GLuint take_query(struct gl_raws *raws, const struct gl_api *gl, uint32_t raw)
{
	GLuint query = 0;
	if (raws->spare[raw].count)
		return raws->spare[raw].queries[--raws->spare[raw].count];
	gl->GenQueries(1, &query);
	return query;
}

static GLuint raws_running(const struct gl_api *gl, GLenum target, GLuint index)
{
	GLint query = 0;
	if (gl->GetQueryIndexediv)
		gl->GetQueryIndexediv(target, index, GL_CURRENT_QUERY, &query);
	else
		gl->GetQueryiv(target, GL_CURRENT_QUERY, &query);
	return (GLuint)query;
}

/* Whether an active query of the program conflicts with ours. */
static bool taken(const struct gl_api *gl, uint32_t raw)
{
	struct target t = target_of(raw);
	if (raws_running(gl, t.target, t.index))
		return true;
	if (raw != RAW_OCCLUSION)
		return false;
	/* Drivers allow one active query of all occlusion targets. */
	return (at_least(gl, 3, 3) && raws_running(gl, GL_ANY_SAMPLES_PASSED, 0)) ||
	       (at_least(gl, 4, 3) && raws_running(gl, GL_ANY_SAMPLES_PASSED_CONSERVATIVE, 0));
}

static void begin_target(const struct gl_api *gl, uint32_t raw, GLuint query)
{
	struct target t = target_of(raw);
	if (gl->BeginQueryIndexed)
		gl->BeginQueryIndexed(t.target, t.index, query);
	else
		gl->BeginQuery(t.target, query);
}

static void end_target(const struct gl_api *gl, uint32_t raw)
{
	struct target t = target_of(raw);
	if (gl->EndQueryIndexed)
		gl->EndQueryIndexed(t.target, t.index);
	else
		gl->EndQuery(t.target);
}

/* Begins all raws of `class` without a place; those that conflict wait for the next pass. */
static void place_class(struct gl_raws *raws, const struct gl_api *gl, bool *placed, uint8_t class)
{
	struct gl_count counts[RAW_COUNT] = {0};
	for (uint32_t raw = RAW_OCCLUSION; raw < RAW_FEEDBACK; raw++) {
		counts[raw].raw = raw;
		if (!raws->have[raw] || placed[raw])
			continue;
		raws->class_of[raw] = class;
		gl_count_begin(raws, gl, &counts[raw]);
		if (counts[raw].running && gl->GetError() != GL_NO_ERROR)
			counts[raw].running = false;
		placed[raw] = counts[raw].running;
	}
	for (uint32_t raw = RAW_OCCLUSION; raw < RAW_FEEDBACK; raw++) {
		gl_count_end(gl, &counts[raw]);
		gl_count_release(raws, gl, &counts[raw], true);
	}
}

void gl_raws_probe(struct gl_raws *raws, const struct gl_api *gl)
{
	bool placed[RAW_COUNT] = {0};
	gl_api_take_error(gl);
	for (uint32_t raw = 0; raw < RAW_FEEDBACK; raw++)
		raws->have[raw] = counts(gl, raw);
	raws->have[RAW_FEEDBACK] = raws->have[RAW_OVERFLOW];
	raws->class_of[RAW_TIME] = CLASS_TIME;
	raws->class_of[RAW_FEEDBACK] = CLASS_QUERIES;
	gl_api_take_error(gl);
	place_class(raws, gl, placed, CLASS_QUERIES);
	place_class(raws, gl, placed, CLASS_MORE);
	gl_api_take_error(gl);
}

void gl_raws_finish(struct gl_raws *raws, const struct gl_api *gl, bool current)
{
	for (uint32_t raw = 0; raw < RAW_COUNT; raw++) {
		if (current && raws->spare[raw].count)
			gl->DeleteQueries((GLsizei)raws->spare[raw].count,
					  raws->spare[raw].queries);
		free(raws->spare[raw].queries);
	}
	*raws = (struct gl_raws){0};
}

static uint64_t feedback_active(const struct gl_api *gl)
{
	GLint active = 0;
	gl->GetIntegerv(GL_TRANSFORM_FEEDBACK_ACTIVE, &active);
	return active != 0;
}

bool gl_count_begin(struct gl_raws *raws, const struct gl_api *gl, struct gl_count *count)
{
	count->valid = true;
	if (count->raw == RAW_FEEDBACK) {
		count->value = feedback_active(gl);
		count->running = true;
		return true;
	}
	count->queries[0] = take_query(raws, gl, count->raw);
	if (count->raw == RAW_TIME) {
		count->queries[1] = take_query(raws, gl, count->raw);
		gl->QueryCounter(count->queries[0], GL_TIMESTAMP);
		/* Ends the scene: the timestamp of a scene is written after all its work. */
		if (gl->tiles)
			gl->Flush();
		count->running = true;
	} else if (!taken(gl, count->raw)) {
		begin_target(gl, count->raw, count->queries[0]);
		count->running = true;
	}
	count->valid = count->running;
	return count->running;
}

static void end_time(const struct gl_api *gl, struct gl_count *count)
{
	if (gl->tiles)
		gl->Flush();
	gl->QueryCounter(count->queries[1], GL_TIMESTAMP);
}

static bool is_ours(const struct gl_api *gl, const struct gl_count *count)
{
	struct target t = target_of(count->raw);
	return raws_running(gl, t.target, t.index) == count->queries[0];
}

void gl_count_end(const struct gl_api *gl, struct gl_count *count)
{
	if (!count->running)
		return;
	count->running = false;
	if (count->raw == RAW_FEEDBACK)
		count->value |= feedback_active(gl);
	else if (count->raw == RAW_TIME)
		end_time(gl, count);
	else if (is_ours(gl, count))
		end_target(gl, count->raw);
	else
		count->valid = false; /* the program has ended it with its own */
}

/* A deleted buffer that is still bound could not be bound again. */
bool gl_counts_take_over(const struct gl_api *gl, GLuint *buffer)
{
	GLint bound = 0;
	if (gl->query_buffer)
		gl->GetIntegerv(GL_QUERY_BUFFER_BINDING, &bound);
	*buffer = (GLuint)bound;
	if (!bound)
		return true;
	if (!gl->IsBuffer(*buffer))
		return false;
	gl->BindBuffer(GL_QUERY_BUFFER, 0);
	return true;
}

void gl_counts_give_back(const struct gl_api *gl, GLuint buffer)
{
	if (buffer)
		gl->BindBuffer(GL_QUERY_BUFFER, buffer);
}

static bool read_query(const struct gl_api *gl, GLuint query, uint64_t *value)
{
	GLuint there = 0, small = 0;
	gl->GetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, &there);
	if (!there)
		return false;
	if (gl->GetQueryObjectui64v) {
		GLuint64 large = 0;
		gl->GetQueryObjectui64v(query, GL_QUERY_RESULT, &large);
		*value = large;
	} else {
		gl->GetQueryObjectuiv(query, GL_QUERY_RESULT, &small);
		*value = small;
	}
	return true;
}

enum gpa_answer gl_count_read(const struct gl_api *gl, const struct gl_count *count,
			      uint64_t *value)
{
	uint64_t first = 0, last = 0;
	*value = count->value;
	if (!count->valid || count->raw == RAW_FEEDBACK)
		return GPA_READY;
	if (!read_query(gl, count->queries[0], &first) ||
	    (count->raw == RAW_TIME && !read_query(gl, count->queries[1], &last)))
		return GPA_NOT_YET;
	*value = count->raw != RAW_TIME ? first : last > first ? last - first : 0;
	return GPA_READY;
}

void gl_count_release(struct gl_raws *raws, const struct gl_api *gl, struct gl_count *count,
		      bool current)
{
	for (int i = 0; i < 2; i++) {
		if (!count->queries[i])
			continue;
		if (mem_grow(&raws->spare[count->raw].queries, &raws->spare[count->raw].capacity,
			     raws->spare[count->raw].count + 1, sizeof(GLuint)))
			raws->spare[count->raw].queries[raws->spare[count->raw].count++] =
			    count->queries[i];
		else if (current)
			gl->DeleteQueries(1, &count->queries[i]);
		count->queries[i] = 0;
	}
}
