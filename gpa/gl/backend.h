/* What the files of the OpenGL back end share. */
#ifndef GPA_GL_BACKEND_H
#define GPA_GL_BACKEND_H

#include <stdbool.h>
#include <string.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <sextant/metric.h>
#include <sextant/plan.h>

#include "base/sys.h"
#include "gpa/queries.h"

/* The OpenGL functions that counting needs, found in the program's own driver (api.c). */

/* Functions that every desktop context of version 3.0 has, and those that may be NULL. */
#define GL_API_NEEDED(X)                                                                           \
	X(PFNGLGETQUERYIVPROC, GetQueryiv)                                                         \
	X(PFNGLGENQUERIESPROC, GenQueries)                                                         \
	X(PFNGLDELETEQUERIESPROC, DeleteQueries)                                                   \
	X(PFNGLBEGINQUERYPROC, BeginQuery)                                                         \
	X(PFNGLENDQUERYPROC, EndQuery)                                                             \
	X(PFNGLGETQUERYOBJECTUIVPROC, GetQueryObjectuiv)                                           \
	X(PFNGLGETSTRINGIPROC, GetStringi)
#define GL_API_OPTIONAL(X)                                                                         \
	X(PFNGLBEGINQUERYINDEXEDPROC, BeginQueryIndexed)                                           \
	X(PFNGLENDQUERYINDEXEDPROC, EndQueryIndexed)                                               \
	X(PFNGLGETQUERYINDEXEDIVPROC, GetQueryIndexediv)                                           \
	X(PFNGLQUERYCOUNTERPROC, QueryCounter)                                                     \
	X(PFNGLGETQUERYOBJECTUI64VPROC, GetQueryObjectui64v)                                       \
	X(PFNGLBINDBUFFERPROC, BindBuffer)                                                         \
	X(PFNGLISBUFFERPROC, IsBuffer)                                                             \
	X(PFNGLGETPERFMONITORGROUPSAMDPROC, GetPerfMonitorGroupsAMD)                               \
	X(PFNGLGETPERFMONITORCOUNTERSAMDPROC, GetPerfMonitorCountersAMD)                           \
	X(PFNGLGETPERFMONITORGROUPSTRINGAMDPROC, GetPerfMonitorGroupStringAMD)                     \
	X(PFNGLGETPERFMONITORCOUNTERINFOAMDPROC, GetPerfMonitorCounterInfoAMD)                     \
	X(PFNGLGENPERFMONITORSAMDPROC, GenPerfMonitorsAMD)                                         \
	X(PFNGLDELETEPERFMONITORSAMDPROC, DeletePerfMonitorsAMD)                                   \
	X(PFNGLSELECTPERFMONITORCOUNTERSAMDPROC, SelectPerfMonitorCountersAMD)                     \
	X(PFNGLBEGINPERFMONITORAMDPROC, BeginPerfMonitorAMD)                                       \
	X(PFNGLENDPERFMONITORAMDPROC, EndPerfMonitorAMD)                                           \
	X(PFNGLGETPERFMONITORCOUNTERDATAAMDPROC, GetPerfMonitorCounterDataAMD)

/* A function pointer out of what dlsym() and the like return. */
#define GL_API_STORE(to, value)                                                                    \
	do {                                                                                       \
		void *value_ = (value);                                                            \
		memcpy(&(to), &value_, sizeof(to));                                                \
	} while (0)

struct gl_api {
	bool egl;   /* the context is EGL's, else GLX's */
	bool tiles; /* a rasteriser by tiles: a time stamp is taken while the last tile is drawn */
	void *(*current)(void); /* the context that is current on this thread */
	void *(*get_proc)(const char *name);
	const GLubyte *(*GetString)(GLenum name);
	void (*GetIntegerv)(GLenum name, GLint *out);
	GLenum (*GetError)(void);
	void (*Flush)(void);
#define GL_API_MEMBER(type, name) type name;
	GL_API_NEEDED(GL_API_MEMBER)
	GL_API_OPTIONAL(GL_API_MEMBER)
#undef GL_API_MEMBER
	bool es;	   /* an OpenGL ES context */
	bool query_buffer; /* results can be made to go to a buffer */
	int major, minor;
};

/*
 * Finds the window-system library that has `native` as its current context, and its functions. On
 * failure *why names what is missing.
 */
bool gl_api_load(struct gl_api *gl, void *native, const char **why);
/* Whether the current context has an extension. */
bool gl_api_has(const struct gl_api *gl, const char *extension);
/*
 * Reads a pending error of the program, to distinguish ours from it; the second call drops our
 * errors and makes the program's pending again.
 */
GLenum gl_api_take_error(const struct gl_api *gl);
void gl_api_restore_error(const struct gl_api *gl, GLenum pending);

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
 * Before reading: unbinds a GL_QUERY_BUFFER of the program, into which our results would be
 * written. False: nothing can be read now; otherwise *buffer goes to gl_counts_give_back().
 */
bool gl_counts_take_over(const struct gl_api *gl, GLuint *buffer);
void gl_counts_give_back(const struct gl_api *gl, GLuint buffer);
/* GPA_READY and *value, or GPA_NOT_YET. */
enum gpa_answer gl_count_read(const struct gl_api *gl, const struct gl_count *count,
			      uint64_t *value);
/* Takes the query objects back. */
void gl_count_release(struct gl_raws *raws, const struct gl_api *gl, struct gl_count *count,
		      bool current);

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

#define AMDGPU_CONSTANTS_MAX 16

struct amdgpu_constants {
	struct sx_constant_value items[AMDGPU_CONSTANTS_MAX];
	uint32_t count;
	uint32_t device_id; /* PCI; 0: unknown */
	char names[1024];   /* of constants that the user gave */
};

/* What is known of the device behind a context. */
struct amdgpu_device {
	char node[64];	 /* its DRM node ("/dev/dri/renderD129"), or "" */
	uint32_t pci_id; /* PCI device id, or 0 */
};

/* Engines, compute units and what follows from them. */
void amdgpu_set_shape(struct amdgpu_constants *constants, double engines, double units);

/*
 * Reads constants of a device from the kernel (amdgpu or radeon): from its node; without one, from
 * the node with its PCI id; without that, from the only AMD GPU. Several different GPUs: reads
 * none.
 */
void amdgpu_read_kernel(struct amdgpu_constants *out, const struct amdgpu_device *device,
			const struct sx_sys *sys);

/*
 * Sets the user's constants ("NUM_SIMDS=176, NUM_CUS=44"). An entry without a finite number, or
 * with a name that is not in `known`, is skipped and logged.
 */
void amdgpu_read_user(struct amdgpu_constants *constants, const char *text,
		      bool (*known)(const void *user, const char *name), const void *user);

/* A counter of a group of the driver. */
struct amd_event {
	GLuint group, counter;
	GLenum type;
};

/* A raw count: the sum of events; without events (an instance that the chip lacks) it is 0. */
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
/*
 * Finds or adds the raw of a catalog's counter; UINT32_MAX: the driver does not have it. Sets the
 * limit of its block to that of the driver's groups.
 */
uint32_t amd_raw_find(struct gl_amd *amd, const struct gl_api *gl, const struct sx_catalog *catalog,
		      uint32_t counter, uint32_t instance);

/* Sets what the driver reports of the device. Leaves no GL error. */
void gl_device_find(const struct gl_api *gl, struct amdgpu_device *out);

#endif
