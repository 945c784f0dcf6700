/* OpenGL: queries on any driver, and AMD's hardware counters where the driver exposes them. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpa/gl/backend.h"

#define GLX_RENDERER_DEVICE_ID_MESA 0x8184

/* EGL knows the file of the device's node. */
static void ask_egl(const struct gl_api *gl, struct amdgpu_device *out)
{
	EGLDisplay (*display)(void);
	EGLBoolean (*attribute)(EGLDisplay, EGLint, EGLAttrib *);
	const char *(*string)(EGLDeviceEXT, EGLint);
	EGLAttrib device = 0;
	const char *node = NULL;
	GL_API_STORE(display, gl->get_proc("eglGetCurrentDisplay"));
	GL_API_STORE(attribute, gl->get_proc("eglQueryDisplayAttribEXT"));
	GL_API_STORE(string, gl->get_proc("eglQueryDeviceStringEXT"));
	if (!display || !attribute || !string || !attribute(display(), EGL_DEVICE_EXT, &device) ||
	    !device)
		return;
	EGLDeviceEXT handle = (EGLDeviceEXT)device;
	const char *extensions = string(handle, EGL_EXTENSIONS);
	if (!extensions)
		return;
	if (strstr(extensions, "EGL_EXT_device_drm_render_node"))
		node = string(handle, EGL_DRM_RENDER_NODE_FILE_EXT);
	if (!node && strstr(extensions, "EGL_EXT_device_drm"))
		node = string(handle, EGL_DRM_DEVICE_FILE_EXT);
	if (node && strlen(node) < sizeof(out->node))
		snprintf(out->node, sizeof(out->node), "%s", node);
}

/* GLX knows the PCI id alone. */
static void ask_glx(const struct gl_api *gl, struct amdgpu_device *out)
{
	int (*query)(int attribute, unsigned *value);
	unsigned id = 0;
	GL_API_STORE(query, gl->get_proc("glXQueryCurrentRendererIntegerMESA"));
	if (query && query(GLX_RENDERER_DEVICE_ID_MESA, &id) && id != UINT32_MAX)
		out->pci_id = id;
}

void gl_device_find(const struct gl_api *gl, struct amdgpu_device *out)
{
	*out = (struct amdgpu_device){0};
	if (gl->egl)
		ask_egl(gl, out);
	else
		ask_glx(gl, out);
}

/* One sample of one pass. */
struct gpa_request {
	struct gl_count *counts; /* of raws that are queries */
	uint32_t count;
	const uint32_t *raws; /* the pass's list; lives longer */
	uint32_t raw_count;
	struct gl_amd_sample *amd; /* hardware counters of this sample, or NULL */
	bool flushed;
};

static bool is_current(const struct gpa_context *context)
{
	const struct gl_backend *b = context->impl;
	return b->gl.current() == context->native;
}

static GPA_Status fill(struct gpa_context *context)
{
	struct gl_backend *b = context->impl;
	struct gpa_list list = {0};
	const char *catalog = gl_amd_catalog(&b->gl);
	if (!guide_open(&b->guide, catalog ? catalog : "amd-gcn3"))
		return GPA_STATUS_ERROR_FAILED;
	gl_raws_probe(&b->raws, &b->gl);
	if (catalog && !gl_amd_open(b, &context->settings, &list))
		gpa_log(GPA_LOGGING_MESSAGE, "the driver has no hardware counter of %s", catalog);
	b->hardware_count = (uint32_t)list.count;
	bool ok = query_counters_add(&b->guide, b->raws.have, QUERY_OPENGL, &list);
	context->counters = list.items;
	context->counter_count = (uint32_t)list.count;
	context->device_name = (const char *)b->gl.GetString(GL_RENDERER);
	context->device_id = b->device_id;
	context->generation = gl_amd_generation(catalog);
	if (!ok)
		return GPA_STATUS_ERROR_FAILED;
	return list.count ? GPA_STATUS_OK : GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED;
}

static GPA_Status gl_open(struct gpa_context *context)
{
	const char *why;
	struct gl_backend *b = calloc(1, sizeof(*b));
	if (!b)
		return GPA_STATUS_ERROR_FAILED;
	context->impl = b;
	if (!gl_api_load(&b->gl, context->native, &why)) {
		gpa_log(GPA_LOGGING_ERROR, "%s", why);
		return GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED;
	}
	b->loaded = true;
	GLenum pending = gl_api_take_error(&b->gl);
	GPA_Status status = fill(context);
	gl_api_restore_error(&b->gl, pending);
	return status;
}

static void gl_close(struct gpa_context *context)
{
	struct gl_backend *b = context->impl;
	if (!b)
		return;
	gl_raws_finish(&b->raws, &b->gl, b->loaded && is_current(context));
	gl_amd_close(b);
	guide_close(&b->guide);
	free(context->counters);
	free(b);
}

static uint32_t gl_class_of(const struct gpa_context *context, uint32_t raw)
{
	const struct gl_backend *b = context->impl;
	return b->raws.class_of[raw];
}

static GPA_Status gl_plan(struct gpa_context *context, struct gpa_schedule *schedule)
{
	struct gl_backend *b = context->impl;
	if (b->hardware_count)
		return gl_amd_plan(context, b, schedule);
	return gpa_plan_classes(context, schedule, gl_class_of, CLASS_COUNT);
}

static void gl_release(struct gpa_context *context, struct gpa_request *request)
{
	struct gl_backend *b = context->impl;
	bool current = is_current(context);
	for (uint32_t i = 0; i < request->count; i++) {
		if (current)
			gl_count_end(&b->gl, &request->counts[i]);
		gl_count_release(&b->raws, &b->gl, &request->counts[i], current);
	}
	gl_amd_release(b, request->amd, current);
	free(request->counts);
	free(request);
}

static struct gpa_request *gl_begin(struct gpa_context *context, void *commands,
				    const uint32_t *raws, uint32_t count)
{
	(void)commands;
	struct gl_backend *b = context->impl;
	if (!is_current(context)) {
		gpa_log(GPA_LOGGING_ERROR, "the opened OpenGL context is not current");
		return NULL;
	}
	struct gpa_request *r = calloc(1, sizeof(*r));
	if (!r || !(r->counts = calloc(count + 1, sizeof(*r->counts)))) {
		free(r);
		return NULL;
	}
	r->raws = raws;
	r->raw_count = count;
	uint32_t queries = 0;
	while (queries < count && raws[queries] < RAW_COUNT)
		queries++;
	if (queries < count && !(r->amd = gl_amd_begin(b, raws + queries, count - queries))) {
		gl_release(context, r);
		return NULL;
	}
	/* A query that the program itself has running has no value in this sample. */
	for (; r->count < queries; r->count++) {
		r->counts[r->count].raw = raws[r->count];
		gl_count_begin(&b->raws, &b->gl, &r->counts[r->count]);
	}
	return r;
}

static bool gl_end(struct gpa_context *context, void *commands, struct gpa_request *request)
{
	(void)commands;
	struct gl_backend *b = context->impl;
	if (!is_current(context)) {
		gpa_log(GPA_LOGGING_ERROR, "the opened OpenGL context is not current");
		return false;
	}
	for (uint32_t i = request->count; i-- > 0;)
		gl_count_end(&b->gl, &request->counts[i]);
	gl_amd_end(b, request->amd);
	return true;
}

static enum gpa_answer collect_counts(const struct gl_api *gl, const struct gpa_request *request,
				      uint64_t *values, bool *valid)
{
	enum gpa_answer answer = GPA_READY;
	GLuint buffer;
	if (!gl_counts_take_over(gl, &buffer))
		return GPA_CANNOT;
	for (uint32_t i = 0; i < request->count && answer == GPA_READY; i++) {
		answer = gl_count_read(gl, &request->counts[i], &values[i]);
		valid[i] = request->counts[i].valid;
	}
	gl_counts_give_back(gl, buffer);
	return answer;
}

static enum gpa_answer gl_collect(struct gpa_context *context, struct gpa_request *request,
				  uint64_t *values, bool *valid)
{
	struct gl_backend *b = context->impl;
	if (!is_current(context))
		return GPA_CANNOT;
	/* Without a flush an idle program's results would never come. */
	if (!request->flushed)
		b->gl.Flush();
	request->flushed = true;
	enum gpa_answer answer = collect_counts(&b->gl, request, values, valid);
	if (answer != GPA_READY || !request->amd)
		return answer;
	return gl_amd_collect(b, request->amd, values + request->count, valid + request->count);
}

static bool gl_value(struct gpa_context *context, uint32_t counter, const uint64_t *raws,
		     union gpa_value *out)
{
	struct gl_backend *b = context->impl;
	if (counter < b->hardware_count)
		return gl_amd_value(b, counter, raws, out);
	return query_counters_value(&context->counters[counter], raws, out);
}

const struct gpa_backend gpa_backend = {
    .open = gl_open,
    .close = gl_close,
    .plan = gl_plan,
    .begin = gl_begin,
    .end = gl_end,
    .collect = gl_collect,
    .release = gl_release,
    .value = gl_value,
};
