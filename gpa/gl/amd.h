/* AMD's hardware counters through GL_AMD_performance_monitor: inner structures. */
#ifndef GPA_GL_AMD_H
#define GPA_GL_AMD_H

#include "gpa/gl/amdgpu.h"
#include "gpa/gl/backend.h"

#include <sextant/plan.h>

/* A counter of a group of the driver. */
struct amd_event {
	GLuint group, counter;
	GLenum type;
};

/* One raw count: the sum of events; none for an instance that this chip lacks, which counts 0. */
struct amd_raw {
	uint32_t counter, instance; /* of the catalog; SX_NONE: reduced */
	uint32_t first, count;	    /* in amd.events */
};

struct amd_group {
	GLuint id;
	GLint counters, limit;
	char name[64];
};

struct gl_amd {
	struct amdgpu_constants constants;
	struct amd_group *groups;
	size_t group_count;
	struct amd_event *events;
	size_t event_count, event_capacity;
	struct amd_raw *raws;
	size_t raw_count, raw_capacity;
	struct sx_metrics **metrics; /* one for each hardware counter; NULL: a raw event */
	size_t metric_count, metric_capacity;
	uint32_t *block_limits; /* one for each block of the catalog */
	uint32_t time_counter;	/* GPUTime.Bottom_To_Bottom in the catalog */
};

/* Reads the driver's groups (amd_groups.c). */
bool amd_groups_read(struct gl_amd *amd, const struct gl_api *gl);
/* Takes the shape of the chip from the driver's group GPIN, when it has that (amd_gpin.c). */
void amd_gpin_read(struct gl_amd *amd, const struct gl_api *gl);
/*
 * The raw of a counter of the catalog, found or made; UINT32_MAX when the driver does not have it.
 * Limits of the block become those of its groups.
 */
uint32_t amd_raw_find(struct gl_amd *amd, const struct gl_api *gl, const struct sx_catalog *catalog,
		      uint32_t counter, uint32_t instance);

/* Adds a counter for each raw event of the catalog that the driver has (amd_raw.c). */
bool amd_offer_raw(struct gl_backend *b, struct gpa_list *list);

#endif
