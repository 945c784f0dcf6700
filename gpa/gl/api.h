/* The OpenGL functions that counting needs, found in the program's own driver. */
#ifndef GPA_GL_API_H
#define GPA_GL_API_H

#include <stdbool.h>
#include <string.h>
#include <GL/gl.h>
#include <GL/glext.h>

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
 * Finds the window-system library whose current context is `native`, and its functions. On failure
 * *why says what is missing.
 */
bool gl_api_load(struct gl_api *gl, void *native, const char **why);
/* Whether the current context has an extension. */
bool gl_api_has(const struct gl_api *gl, const char *extension);
/*
 * Takes the error that the program has pending, so that errors of ours can be told from it; the
 * second call drops ours and leaves the program's pending again.
 */
GLenum gl_api_take_error(const struct gl_api *gl);
void gl_api_restore_error(const struct gl_api *gl, GLenum pending);

#endif
