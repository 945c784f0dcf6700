/* What the files of the OpenGL back end share. */
#ifndef GPA_GL_BACKEND_H
#define GPA_GL_BACKEND_H

#include "gpa/gl/raws.h"

struct gl_amd;
struct gl_amd_sample;

struct gl_backend {
	struct gl_api gl;
	bool loaded;
	struct gl_raws raws;
	struct gpa_guide guide;
	struct gl_amd *amd;
	uint32_t hardware_count; /* counters from AMD's blocks; they come first */
	uint32_t device_id;
};

/*
 * AMD's hardware counters through GL_AMD_performance_monitor (amd.c). The catalog of the chip
 * when the driver has them, else NULL.
 */
const char *gl_amd_catalog(const struct gl_api *gl);
/* The graphics IP that a catalog of gl_amd_catalog() describes; 0 for NULL. */
uint32_t gl_amd_generation(const char *catalog);
/* Adds the counters that the driver can deliver; false when there are none. */
bool gl_amd_open(struct gl_backend *b, const struct gpa_settings *settings, struct gpa_list *list);
void gl_amd_close(struct gl_backend *b);
GPA_Status gl_amd_plan(struct gpa_context *context, struct gl_backend *b,
		       struct gpa_schedule *schedule);
/* One sample of raws (numbers from RAW_COUNT on); NULL sample is fine but for begin. */
struct gl_amd_sample *gl_amd_begin(struct gl_backend *b, const uint32_t *raws, uint32_t count);
void gl_amd_end(struct gl_backend *b, struct gl_amd_sample *sample);
enum gpa_answer gl_amd_collect(struct gl_backend *b, struct gl_amd_sample *sample, uint64_t *values,
			       bool *valid);
void gl_amd_release(struct gl_backend *b, struct gl_amd_sample *sample, bool current);
bool gl_amd_value(struct gl_backend *b, uint32_t counter, const uint64_t *raws,
		  union gpa_value *out);

#endif
