/* The raw counts that any OpenGL driver may offer through query objects. */
#ifndef GPA_GL_RAWS_H
#define GPA_GL_RAWS_H

#include "gpa/core.h"
#include "gpa/gl_api.h"

/* Numbers of raws; those of a driver's own counters come behind GL_RAW_COUNT. */
enum gl_raw {
	GL_RAW_TIME, /* ns between two timestamps */
	GL_RAW_OCCLUSION,
	GL_RAW_VERTICES,
	GL_RAW_PRIMITIVES,
	GL_RAW_VS,
	GL_RAW_TCS_PATCHES,
	GL_RAW_TES,
	GL_RAW_GS,
	GL_RAW_GS_PRIMITIVES,
	GL_RAW_FS,
	GL_RAW_CS,
	GL_RAW_CLIP_IN,
	GL_RAW_CLIP_OUT,
	GL_RAW_WRITTEN, /* four streams */
	GL_RAW_NEEDED = GL_RAW_WRITTEN + 4,
	GL_RAW_OVERFLOW = GL_RAW_NEEDED + 4, /* any stream */
	GL_RAW_STREAM_OVERFLOW,
	GL_RAW_FEEDBACK = GL_RAW_STREAM_OVERFLOW + 4, /* whether transform feedback was on */
	GL_RAW_COUNT
};

/* Classes of raws: one pass each. */
enum { GL_CLASS_TIME, GL_CLASS_QUERIES, GL_CLASS_MORE, GL_CLASS_COUNT };

struct gl_raws {
	bool have[GL_RAW_COUNT];
	uint8_t class_of[GL_RAW_COUNT];
	/* Query objects that wait for use, by raw: an object keeps its target for ever. */
	struct {
		GLuint *queries;
		size_t count, capacity;
	} spare[GL_RAW_COUNT];
};

/* One raw of a request while it counts: a query object, two for time. */
struct gl_count {
	uint32_t raw;
	GLuint queries[2];
	bool running, valid;
	uint64_t value; /* of raws that are not queries */
};

/* Asks the driver which raws count, and which do not go together. */
void gl_raws_probe(struct gl_raws *raws, const struct gl_api *gl);
void gl_raws_finish(struct gl_raws *raws, const struct gl_api *gl, bool current);

bool gl_count_begin(struct gl_raws *raws, const struct gl_api *gl, struct gl_count *count);
void gl_count_end(const struct gl_api *gl, struct gl_count *count);
/* GPA_READY and *value, or GPA_NOT_YET. */
enum gpa_answer gl_count_read(const struct gl_api *gl, const struct gl_count *count,
			      uint64_t *value);
/* Takes the query objects back. */
void gl_count_release(struct gl_raws *raws, const struct gl_api *gl, struct gl_count *count,
		      bool current);

#endif
