/* Finding OpenGL through EGL or GLX, whichever the program uses. */
#include "gpa/gl_api.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct window_system {
	const char *library, *current, *get_proc;
};

static const struct window_system systems[] = {
    {"libEGL.so.1", "eglGetCurrentContext", "eglGetProcAddress"},
    {"libGLX.so.0", "glXGetCurrentContext", "glXGetProcAddressARB"},
    {"libGL.so.1", "glXGetCurrentContext", "glXGetProcAddressARB"},
};

/* A function pointer out of what dlsym() and the like return. */
#define STORE(to, value)                                                                           \
	do {                                                                                       \
		void *value_ = (value);                                                            \
		memcpy(&(to), &value_, sizeof(to));                                                \
	} while (0)

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
		STORE(gl->current, symbol(&systems[i], systems[i].current));
		STORE(gl->get_proc, symbol(&systems[i], systems[i].get_proc));
		if (!gl->current || !gl->get_proc)
			continue;
		void *current = gl->current();
		*any = *any || current;
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
	STORE(gl->QueryCounter, gl->get_proc("glQueryCounterEXT"));
	STORE(gl->GetQueryObjectui64v, gl->get_proc("glGetQueryObjectui64vEXT"));
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
	STORE(gl->GetString, gl->get_proc("glGetString"));
	STORE(gl->GetIntegerv, gl->get_proc("glGetIntegerv"));
	STORE(gl->GetError, gl->get_proc("glGetError"));
	STORE(gl->Flush, gl->get_proc("glFlush"));
	bool all = gl->GetString && gl->GetIntegerv && gl->GetError && gl->Flush;
#define GL_API_LOAD(type, name)                                                                    \
	STORE(gl->name, gl->get_proc("gl" #name));                                                 \
	all = all && gl->name;
	GL_API_NEEDED(GL_API_LOAD)
#undef GL_API_LOAD
#define GL_API_LOAD(type, name) STORE(gl->name, gl->get_proc("gl" #name));
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

void gl_api_drop_errors(const struct gl_api *gl)
{
	/* Bounded: a lost context may report errors for ever. */
	for (int i = 0; i < 64 && gl->GetError() != GL_NO_ERROR; i++)
		continue;
}
