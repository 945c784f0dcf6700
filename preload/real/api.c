/* Reads a context's version and features, with calls that every context supports. */
#include <stdio.h>
#include <string.h>

#include "preload/real/api.h"
#include "preload/real/real.h"

/* A look-up may return an address for any name; only the features say what may be called. */
static void *load(bool egl, const char *name, bool extension_first)
{
	static const char *const suffixes[] = {"EXT", "", "EXT", "ARB"};
	void *found = NULL;

	for (size_t i = extension_first ? 0 : 1; !found && i < 4; i++) {
		char full[64];
		snprintf(full, sizeof(full), "gl%s%s", name, suffixes[i]);
		found = real_gl_function(egl, full);
	}
	return found;
}

/* Features of an extension or a version. */
struct promise {
	const char *extension;
	size_t feature;
	int desktop, es; /* first version that has it without the extension; 0: none */
};
#define FEATURE(name) offsetof(struct api_features, name)

static const struct promise promises[] = {
    {"GL_ARB_occlusion_query", FEATURE(occlusion), 15, 0},
    {"GL_ARB_occlusion_query2", FEATURE(occlusion_any), 33, 30},
    {"GL_EXT_occlusion_query_boolean", FEATURE(occlusion_any), 0, 0},
    {"GL_ARB_ES3_compatibility", FEATURE(conservative), 43, 30},
    {"GL_EXT_occlusion_query_boolean", FEATURE(conservative), 0, 0},
    {"GL_ARB_pipeline_statistics_query", FEATURE(statistics), 46, 0},
    {"GL_ARB_timer_query", FEATURE(timer), 33, 0},
    {"GL_EXT_disjoint_timer_query", FEATURE(timer), 0, 0},
    {"GL_EXT_disjoint_timer_query", FEATURE(disjoint), 0, 0},
    {"GL_EXT_transform_feedback", FEATURE(feedback), 30, 30},
    {"GL_EXT_transform_feedback", FEATURE(generated), 30, 32},
    {"GL_EXT_geometry_shader", FEATURE(generated), 0, 0},
    {"GL_OES_geometry_shader", FEATURE(generated), 0, 0},
    {"GL_ARB_transform_feedback3", FEATURE(indexed), 40, 0},
    {"GL_ARB_transform_feedback_overflow_query", FEATURE(overflow), 46, 0},
    {"GL_ARB_transform_feedback2", FEATURE(pausable), 40, 30},
    {"GL_ARB_timer_query", FEATURE(results64), 33, 0},
    {"GL_EXT_disjoint_timer_query", FEATURE(results64), 0, 0},
    {"GL_KHR_debug", FEATURE(debug), 43, 32},
    {"GL_AMD_performance_monitor", FEATURE(amd_monitor), 0, 0},
    {"GL_INTEL_performance_query", FEATURE(intel_query), 0, 0},
    {"GL_ARB_query_buffer_object", FEATURE(query_buffer), 44, 0},
    {"GL_AMD_query_buffer_object", FEATURE(query_buffer), 0, 0},
    {"GL_KHR_context_flush_control", FEATURE(flush_control), 45, 0},
};
#define PROMISE_COUNT (sizeof(promises) / sizeof(promises[0]))

static void grant(struct api *gl, const struct promise *promise)
{
	*((bool *)&gl->has + promise->feature) = true;
}

static void grant_extension(struct api *gl, const char *name, size_t length)
{
	for (size_t i = 0; i < PROMISE_COUNT; i++) {
		if (strlen(promises[i].extension) == length &&
		    memcmp(promises[i].extension, name, length) == 0)
			grant(gl, &promises[i]);
	}
}

static void grant_extension_string(struct api *gl)
{
	const char *text = (const char *)gl->GetString(GL_EXTENSIONS);
	while (text && *text != '\0') {
		size_t length = strcspn(text, " ");
		grant_extension(gl, text, length);
		text += length + strspn(text + length, " ");
	}
}

static void find_features(struct api *gl)
{
	GLint count = 0;
	for (size_t i = 0; i < PROMISE_COUNT; i++) {
		int since = gl->es ? promises[i].es : promises[i].desktop;
		if (since != 0 && gl->version >= since)
			grant(gl, &promises[i]);
	}
	if (gl->version >= 30 && gl->GetStringi) {
		gl->GetIntegerv(GL_NUM_EXTENSIONS, &count);
		for (GLuint i = 0; i < (GLuint)count; i++) {
			const char *name = (const char *)gl->GetStringi(GL_EXTENSIONS, i);
			if (name)
				grant_extension(gl, name, strlen(name));
		}
	} else {
		grant_extension_string(gl);
	}
}

/* Removes features without their functions. */
static void require_functions(struct api *gl)
{
	struct api_features *has = &gl->has;
	bool queries = gl->GenQueries && gl->DeleteQueries && gl->BeginQuery && gl->EndQuery &&
		       gl->GetQueryiv && gl->GetQueryObjectuiv;
	has->indexed &= gl->BeginQueryIndexed && gl->EndQueryIndexed && gl->GetQueryIndexediv;
	has->results64 &= gl->GetQueryObjectui64v != NULL;
	has->timer &= has->results64 && gl->QueryCounter;
	has->overflow &= has->indexed && has->pausable;
	has->query_buffer &= gl->BindBuffer && gl->IsBuffer;
	if (!queries)
		*has = (struct api_features){.debug = has->debug,
					     .lists = has->lists,
					     .amd_monitor = has->amd_monitor,
					     .intel_query = has->intel_query,
					     .flush_control = has->flush_control};
}

static void parse_version(struct api *gl, const char *text)
{
	static const char *const es_heads[] = {"OpenGL ES-CM ", "OpenGL ES-CL ", "OpenGL ES "};
	int major = 1, minor = 0;

	for (size_t i = 0; i < 3 && !gl->es; i++) {
		size_t length = strlen(es_heads[i]);
		gl->es = strncmp(text, es_heads[i], length) == 0;
		text += gl->es ? length : 0;
	}
	if (sscanf(text, "%d.%d", &major, &minor) == 2 && major < 100 && minor >= 0 && minor < 10)
		gl->version = major * 10 + minor;
}

static void copy_string(const struct api *gl, GLenum name, char *to, size_t size)
{
	const char *text = (const char *)gl->GetString(name);
	snprintf(to, size, "%s", text ? text : "");
}

static void api_describe(struct api *gl, struct channel_identity *identity)
{
	GLint flags = 0, profile = 0;
	copy_string(gl, GL_VENDOR, identity->vendor, sizeof(identity->vendor));
	copy_string(gl, GL_RENDERER, identity->renderer, sizeof(identity->renderer));
	copy_string(gl, GL_VERSION, identity->version, sizeof(identity->version));
	identity->api = gl->es ? WIRE_OPENGL_ES : WIRE_OPENGL;
	identity->major = (uint8_t)(gl->version / 10);
	identity->minor = (uint8_t)(gl->version % 10);
	if ((!gl->es && gl->version >= 30) || (gl->es && gl->version >= 32))
		gl->GetIntegerv(GL_CONTEXT_FLAGS, &flags);
	if (!gl->es && gl->version >= 32) {
		gl->GetIntegerv(GL_CONTEXT_PROFILE_MASK, &profile);
		identity->profile =
		    (profile & GL_CONTEXT_CORE_PROFILE_BIT) != 0 ? WIRE_CORE : WIRE_COMPATIBILITY;
	} else if (!gl->es) {
		identity->profile = WIRE_COMPATIBILITY;
	}
	if ((flags & GL_CONTEXT_FLAG_DEBUG_BIT) != 0)
		identity->context_flags |= WIRE_DEBUG_CONTEXT;
	if ((flags & GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT) != 0)
		identity->context_flags |= WIRE_ROBUST_CONTEXT;
	if ((flags & GL_CONTEXT_FLAG_NO_ERROR_BIT) != 0)
		identity->context_flags |= WIRE_NO_ERROR_CONTEXT;
}

bool api_load(struct api *gl, bool egl, struct channel_identity *identity)
{
	const char *version;
	*gl = (struct api){.version = 10};
	/* POSIX permits this conversion of an object pointer to a function pointer. */
#define API_LOAD(type, name) gl->name = (type)load(egl, #name, false);
	API_FUNCTIONS(API_LOAD)
	if (!gl->GetString || !gl->GetIntegerv || !gl->GetError)
		return false;
	version = (const char *)gl->GetString(GL_VERSION);
	if (!version)
		return false;
	parse_version(gl, version);
	api_describe(gl, identity);
	find_features(gl);
	/* OpenGL ES: queries before 3.0, and all of timer queries, exist as extensions only. */
#define API_LOAD_EXTENSION(type, name) gl->name = (type)load(egl, #name, true);
	if (gl->es && gl->version < 30) {
		API_QUERIES(API_LOAD_EXTENSION)
	}
	if (gl->es && gl->has.timer) {
		API_TIMER(API_LOAD_EXTENSION)
	}
	gl->has.bits = !gl->es;
	gl->has.lists = identity->profile == WIRE_COMPATIBILITY;
	gl->invents_names = identity->profile == WIRE_COMPATIBILITY;
	require_functions(gl);
	return true;
}
