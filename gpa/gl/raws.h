/* The raw counts that any OpenGL driver may offer through query objects. */
#ifndef GPA_GL_RAWS_H
#define GPA_GL_RAWS_H

#include "gpa/gl/api.h"
#include "gpa/queries.h"

struct gl_raws {
	bool have[RAW_COUNT];
	uint8_t class_of[RAW_COUNT];
	/* Query objects that wait for use, by raw: an object keeps its target for ever. */
	struct {
		GLuint *queries;
		size_t count, capacity;
	} spare[RAW_COUNT];
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
/*
 * Around reading: where the program has bound a buffer for results, ours would be written into it.
 * False when nobody may read now; otherwise *buffer goes to gl_counts_give_back().
 */
bool gl_counts_take_over(const struct gl_api *gl, GLuint *buffer);
void gl_counts_give_back(const struct gl_api *gl, GLuint buffer);
/* GPA_READY and *value, or GPA_NOT_YET. */
enum gpa_answer gl_count_read(const struct gl_api *gl, const struct gl_count *count,
			      uint64_t *value);
/* Takes the query objects back. */
void gl_count_release(struct gl_raws *raws, const struct gl_api *gl, struct gl_count *count,
		      bool current);

#endif
