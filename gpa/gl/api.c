/* Finding OpenGL through EGL or GLX, whichever the program uses. */
#include "gpa/gl/backend.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gpa/core.h"

#define GL_API_NO_ENUM	   0x0BADu /* of nothing */
#define GL_API_ANY_SAMPLES 0x8C2Fu /* GL_ANY_SAMPLES_PASSED, of OpenGL and ES */

struct window_system {
	const char *library, *current, *get_proc;
};

static const struct window_system systems[] = {
    {"libEGL.so.1", "eglGetCurrentContext", "eglGetProcAddress"},
    {"libGLX.so.0", "glXGetCurrentContext", "glXGetProcAddressARB"},
    {"libGL.so.1", "glXGetCurrentContext", "glXGetProcAddressARB"},
};

/* A symbol of the program or, where it loaded the library privately, of the library. */
static void *symbol(const struct window_system *system, const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);
	if (found)
		return found;
	void *library = dlopen(system->library, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return NULL;
	found = dlsym(library, name);
	dlclose(library); /* the program keeps it loaded */
	return found;
}

static bool find_system(struct gl_api *gl, void *native, bool *any)
{
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		GL_API_STORE(gl->current, symbol(&systems[i], systems[i].current));
		GL_API_STORE(gl->get_proc, symbol(&systems[i], systems[i].get_proc));
		if (!gl->current || !gl->get_proc)
			continue;
		void *current = gl->current();
		*any = *any || current;
		gl->egl = i == 0;
		if (current == native)
			return true;
	}
	return false;
}

static void read_version(struct gl_api *gl)
{
	const char *text = (const char *)gl->GetString(GL_VERSION);
	if (!text)
		return;
	gl->es = strncmp(text, "OpenGL ES", 9) == 0;
	while (*text && (*text < '0' || *text > '9'))
		text++;
	char *end;
	gl->major = (int)strtol(text, &end, 10);
	gl->minor = *end == '.' ? (int)strtol(end + 1, NULL, 10) : 0;
}

/* A library may export what an OpenGL ES context does not have; time is there an extension. */
static void adapt_to_es(struct gl_api *gl)
{
	gl->BeginQueryIndexed = NULL;
	gl->EndQueryIndexed = NULL;
	gl->GetQueryIndexediv = NULL;
	gl->QueryCounter = NULL;
	gl->GetQueryObjectui64v = NULL;
	if (!gl_api_has(gl, "GL_EXT_disjoint_timer_query"))
		return;
	GL_API_STORE(gl->QueryCounter, gl->get_proc("glQueryCounterEXT"));
	GL_API_STORE(gl->GetQueryObjectui64v, gl->get_proc("glGetQueryObjectui64vEXT"));
}

static bool has_query_buffer(const struct gl_api *gl)
{
	bool since = gl->major > 4 || (gl->major == 4 && gl->minor >= 4);
	return !gl->es && gl->BindBuffer && gl->IsBuffer &&
	       (since || gl_api_has(gl, "GL_ARB_query_buffer_object") ||
		gl_api_has(gl, "GL_AMD_query_buffer_object"));
}

bool gl_api_load(struct gl_api *gl, void *native, const char **why)
{
	bool any = false;
	*gl = (struct gl_api){0};
	if (!find_system(gl, native, &any)) {
		*why = any ? "another OpenGL context is current on this thread"
			   : "no OpenGL context is current on this thread";
		return false;
	}
	GL_API_STORE(gl->GetString, gl->get_proc("glGetString"));
	GL_API_STORE(gl->GetIntegerv, gl->get_proc("glGetIntegerv"));
	GL_API_STORE(gl->GetError, gl->get_proc("glGetError"));
	GL_API_STORE(gl->Flush, gl->get_proc("glFlush"));
	bool all = gl->GetString && gl->GetIntegerv && gl->GetError && gl->Flush;
#define GL_API_LOAD(type, name)                                                                    \
	GL_API_STORE(gl->name, gl->get_proc("gl" #name));                                          \
	all = all && gl->name;
	GL_API_NEEDED(GL_API_LOAD)
#undef GL_API_LOAD
#define GL_API_LOAD(type, name) GL_API_STORE(gl->name, gl->get_proc("gl" #name));
	GL_API_OPTIONAL(GL_API_LOAD)
#undef GL_API_LOAD
	if (!all) {
		*why = "the driver lacks query objects";
		return false;
	}
	read_version(gl);
	if (gl->major < 3) {
		*why = "the context is older than OpenGL 3.0";
		return false;
	}
	if (gl->es)
		adapt_to_es(gl);
	gl->query_buffer = has_query_buffer(gl);
	const char *renderer = (const char *)gl->GetString(GL_RENDERER);
	gl->tiles = renderer && (strstr(renderer, "llvmpipe") || strstr(renderer, "softpipe"));
	return true;
}

bool gl_api_has(const struct gl_api *gl, const char *extension)
{
	GLint count = 0;
	gl->GetIntegerv(GL_NUM_EXTENSIONS, &count);
	for (GLint i = 0; i < count; i++) {
		const char *name = (const char *)gl->GetStringi(GL_EXTENSIONS, (GLuint)i);
		if (name && strcmp(name, extension) == 0)
			return true;
	}
	return false;
}

GLenum gl_api_take_error(const struct gl_api *gl)
{
	GLenum first = gl->GetError();
	/* Bounded: a lost context may report errors for ever. */
	for (int i = 0; first != GL_NO_ERROR && i < 64; i++)
		if (gl->GetError() == GL_NO_ERROR)
			break;
	return first;
}

/* An error cannot be put back, but the same one can be made again. */
void gl_api_restore_error(const struct gl_api *gl, GLenum pending)
{
	GLint unused;
	gl_api_take_error(gl);
	if (pending == GL_INVALID_ENUM)
		gl->GetIntegerv(GL_API_NO_ENUM, &unused);
	else if (pending == GL_INVALID_VALUE)
		gl->GetStringi(GL_EXTENSIONS, UINT32_MAX);
	else if (pending == GL_INVALID_OPERATION)
		gl->BeginQuery(GL_API_ANY_SAMPLES, 0); /* 0 is no query */
	else if (pending != GL_NO_ERROR)
		gpa_log(GPA_LOGGING_MESSAGE, "the program's pending error 0x%x was dropped",
			(unsigned)pending);
}
