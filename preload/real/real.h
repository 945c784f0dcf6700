/* The hooks, and how they find the real functions. */
#ifndef PRELOAD_REAL_REAL_H
#define PRELOAD_REAL_REAL_H

#include <stdbool.h>
#include <GL/glcorearb.h>

typedef unsigned long hook_xid; /* XID, so that the X headers are not needed */

#define HOOK_API __attribute__((visibility("default")))

/* Every hooked name once. The hook has the prototype of the real function. */
#define HOOK_LIST(X)                                                                               \
	X(glXGetProcAddress)                                                                       \
	X(glXGetProcAddressARB)                                                                    \
	X(glXSwapBuffers)                                                                          \
	X(glXSwapBuffersMscOML)                                                                    \
	X(glXMakeCurrent)                                                                          \
	X(glXMakeContextCurrent)                                                                   \
	X(glXMakeCurrentReadSGI)                                                                   \
	X(glXCreateContext)                                                                        \
	X(glXCreateNewContext)                                                                     \
	X(glXCreateContextAttribsARB)                                                              \
	X(glXDestroyContext)                                                                       \
	X(eglGetProcAddress)                                                                       \
	X(eglSwapBuffers)                                                                          \
	X(eglSwapBuffersWithDamageKHR)                                                             \
	X(eglSwapBuffersWithDamageEXT)                                                             \
	X(eglMakeCurrent)                                                                          \
	X(eglCreateContext)                                                                        \
	X(eglDestroyContext)                                                                       \
	X(eglTerminate)                                                                            \
	X(eglReleaseThread)                                                                        \
	X(XCloseDisplay)                                                                           \
	X(glGetError)                                                                              \
	X(glFlush)                                                                                 \
	X(glFinish)                                                                                \
	X(glFenceSync)                                                                             \
	X(glClientWaitSync)                                                                        \
	X(glBeginQuery)                                                                            \
	X(glBeginQueryARB)                                                                         \
	X(glBeginQueryEXT)                                                                         \
	X(glEndQuery)                                                                              \
	X(glEndQueryARB)                                                                           \
	X(glEndQueryEXT)                                                                           \
	X(glBeginQueryIndexed)                                                                     \
	X(glEndQueryIndexed)                                                                       \
	X(glGetQueryiv)                                                                            \
	X(glGetQueryivARB)                                                                         \
	X(glGetQueryivEXT)                                                                         \
	X(glGetQueryIndexediv)                                                                     \
	X(glIsQuery)                                                                               \
	X(glIsQueryARB)                                                                            \
	X(glIsQueryEXT)                                                                            \
	X(glDeleteQueries)                                                                         \
	X(glDeleteQueriesARB)                                                                      \
	X(glDeleteQueriesEXT)                                                                      \
	X(glBeginPerfMonitorAMD)                                                                   \
	X(glEndPerfMonitorAMD)                                                                     \
	X(glDeletePerfMonitorsAMD)                                                                 \
	X(glBeginPerfQueryINTEL)                                                                   \
	X(glEndPerfQueryINTEL)                                                                     \
	X(glDeletePerfQueryINTEL)                                                                  \
	X(glBeginTransformFeedback)                                                                \
	X(glBeginTransformFeedbackEXT)                                                             \
	X(glBeginTransformFeedbackNV)                                                              \
	X(glEndTransformFeedback)                                                                  \
	X(glEndTransformFeedbackEXT)                                                               \
	X(glEndTransformFeedbackNV)                                                                \
	X(glPauseTransformFeedback)                                                                \
	X(glPauseTransformFeedbackNV)                                                              \
	X(glResumeTransformFeedback)                                                               \
	X(glResumeTransformFeedbackNV)                                                             \
	X(glCreateShader)                                                                          \
	X(glCreateShaderObjectARB)                                                                 \
	X(glCreateShaderProgramv)                                                                  \
	X(glCreateShaderProgramvEXT)                                                               \
	X(glCreateShaderProgramEXT)                                                                \
	X(glProgramBinary)                                                                         \
	X(glProgramBinaryOES)                                                                      \
	X(glProgramStringARB)                                                                      \
	X(glNamedProgramStringEXT)                                                                 \
	X(glNewList)                                                                               \
	X(glEndList)                                                                               \
	X(glPushDebugGroup)                                                                        \
	X(glPushDebugGroupKHR)                                                                     \
	X(glPopDebugGroup)                                                                         \
	X(glPopDebugGroupKHR)                                                                      \
	X(glPushGroupMarkerEXT)                                                                    \
	X(glPopGroupMarkerEXT)                                                                     \
	X(glGetIntegerv)                                                                           \
	X(glGetInteger64v)                                                                         \
	X(glGetInteger64vEXT)                                                                      \
	X(glGetBooleanv)                                                                           \
	X(glGetFloatv)                                                                             \
	X(glBegin)                                                                                 \
	X(glEnd)

enum hook_id {
#define HOOK_ENUM(name) HOOK_##name,
	HOOK_LIST(HOOK_ENUM)
#undef HOOK_ENUM
#define DRAW(name, parameters, arguments) HOOK_##name,
#include "preload/real/draws.def"
#undef DRAW
#define READ(name, parameters, arguments)	HOOK_##name,
#define MAP(name, parameters, arguments, reads) HOOK_##name,
#include "preload/real/reads.def"
#undef READ
#undef MAP
	    HOOK_COUNT
};

/* Index of a hooked name, or -1. `name` may be any string. */
int hook_find(const char *name);
/* Our function for a hooked name. */
void *hook_address(int id);

/* libc's own dlsym(), even if other libraries hook it. Never NULL on glibc. */
void *(*real_dlsym(void))(void *handle, const char *name);
/* The next dlsym(): a hook of a library behind us, else libc's. */
void *(*real_next_dlsym(void))(void *handle, const char *name);
/* Records the result of a look-up of a hooked name; keeps the first. Ignores NULL and our own. */
void real_note(int id, void *address);
/* Sets the window system: that of the context that was made current last. */
void real_set_egl(bool egl);
/*
 * The real function: the next one in look-up order, or the one in scope of the module of `caller`
 * (an address in it, or NULL), or that of any loaded GL. NULL: there is none. Clears dlerror().
 */
void *real_find(int id, const void *caller);
/* The driver's function, even if other libraries hook it. */
void *real_beneath(int id, const void *caller);
/* The driver's function of any GL name, by eglGetProcAddress() (`egl`) or glXGetProcAddress(). */
void *real_gl_function(bool egl, const char *name);

/* A function of libc, even if other libraries hook it; NULL: unknown C library. */
void *scope_libc(const char *name);
/* A function of a loaded library of OpenGL, EGL or X. */
void *scope_driver(const char *name);
/*
 * The function of this name in the libraries that the module of `caller` (an address) is linked
 * with, which may not be in the program's scope. NULL: there is none.
 */
void *scope_of_caller(const void *caller, const char *name);
/* Whether the module of `caller` exports this name itself, and was loaded after ours. */
bool scope_hooks_behind(const void *caller, const char *name);
/* Whether the object at an address was loaded after ours. */
bool scope_is_behind(const void *address);
/* Keeps the library at an address loaded, because we keep its address. */
void scope_pin(const void *address);

/* The real function behind a hook, with its type; may be NULL. */
#define BENEATH(name) ((__typeof__(&name))real_beneath(HOOK_##name, NULL))

/*
 * A hook's body begins with HOOK(name), which declares `real`. If another library's hook calls it
 * again, the call goes to the driver directly and is not measured: until it returns, guest_active()
 * is false in this thread.
 */
struct hook_call {
	int id;
	bool nested;
	void *real;
};
struct hook_call hook_enter(int id, const void *caller);
void hook_leave(const struct hook_call *call);
#define HOOK(name)                                                                                 \
	const struct hook_call call __attribute__((cleanup(hook_leave))) =                         \
	    hook_enter(HOOK_##name, __builtin_return_address(0));                                  \
	__typeof__(&name) real = (__typeof__(&name))call.real

/* Prototypes as in GL/glx.h, EGL/egl.h and X11/Xlib.h, with plain C types. */
HOOK_API void *dlsym(void *restrict handle, const char *restrict name);
/* libc declares both with variable arguments; the calling convention is the same. */
typedef long syscall_fn(long number, long a, long b, long c, long d, long e, long f);
typedef int prctl_fn(int option, unsigned long a, unsigned long b, unsigned long c,
		     unsigned long d);
HOOK_API syscall_fn syscall;
HOOK_API prctl_fn prctl;
syscall_fn *real_syscall(void);
prctl_fn *real_prctl(void);
HOOK_API void (*glXGetProcAddress(const GLubyte *name))(void);
HOOK_API void (*glXGetProcAddressARB(const GLubyte *name))(void);
HOOK_API void glXSwapBuffers(void *display, hook_xid drawable);
HOOK_API int64_t glXSwapBuffersMscOML(void *display, hook_xid drawable, int64_t target,
				      int64_t divisor, int64_t remainder);
HOOK_API int glXMakeCurrent(void *display, hook_xid drawable, void *context);
HOOK_API int glXMakeContextCurrent(void *display, hook_xid draw, hook_xid read, void *context);
HOOK_API int glXMakeCurrentReadSGI(void *display, hook_xid draw, hook_xid read, void *context);
HOOK_API void *glXCreateContext(void *display, void *visual, void *share, int direct);
HOOK_API void *glXCreateNewContext(void *display, void *config, int type, void *share, int direct);
HOOK_API void *glXCreateContextAttribsARB(void *display, void *config, void *share, int direct,
					  const int *attributes);
HOOK_API void glXDestroyContext(void *display, void *context);
HOOK_API void (*eglGetProcAddress(const char *name))(void);
HOOK_API unsigned eglSwapBuffers(void *display, void *surface);
HOOK_API unsigned eglSwapBuffersWithDamageKHR(void *display, void *surface, const int *rects,
					      int count);
HOOK_API unsigned eglSwapBuffersWithDamageEXT(void *display, void *surface, const int *rects,
					      int count);
HOOK_API unsigned eglMakeCurrent(void *display, void *draw, void *read, void *context);
HOOK_API void *eglCreateContext(void *display, void *config, void *share, const int *attributes);
HOOK_API unsigned eglDestroyContext(void *display, void *context);
HOOK_API unsigned eglTerminate(void *display);
HOOK_API unsigned eglReleaseThread(void);
HOOK_API int XCloseDisplay(void *display);

HOOK_API GLenum glGetError(void);
HOOK_API void glGetIntegerv(GLenum pname, GLint *values);
HOOK_API void glGetInteger64v(GLenum pname, GLint64 *values);
HOOK_API void glGetInteger64vEXT(GLenum pname, GLint64 *values);
HOOK_API void glGetBooleanv(GLenum pname, GLboolean *values);
HOOK_API void glGetFloatv(GLenum pname, GLfloat *values);
HOOK_API void glFlush(void);
HOOK_API void glFinish(void);
HOOK_API void *glFenceSync(GLenum condition, GLbitfield flags); /* a GLsync, as below */
HOOK_API GLenum glClientWaitSync(void *fence, GLbitfield flags, GLuint64 timeout);
HOOK_API void glBeginQuery(GLenum target, GLuint id);
HOOK_API void glBeginQueryARB(GLenum target, GLuint id);
HOOK_API void glBeginQueryEXT(GLenum target, GLuint id);
HOOK_API void glEndQuery(GLenum target);
HOOK_API void glEndQueryARB(GLenum target);
HOOK_API void glEndQueryEXT(GLenum target);
HOOK_API void glBeginQueryIndexed(GLenum target, GLuint index, GLuint id);
HOOK_API void glEndQueryIndexed(GLenum target, GLuint index);
HOOK_API void glGetQueryiv(GLenum target, GLenum pname, GLint *params);
HOOK_API void glGetQueryivARB(GLenum target, GLenum pname, GLint *params);
HOOK_API void glGetQueryivEXT(GLenum target, GLenum pname, GLint *params);
HOOK_API void glGetQueryIndexediv(GLenum target, GLuint index, GLenum pname, GLint *params);
HOOK_API GLboolean glIsQuery(GLuint id);
HOOK_API GLboolean glIsQueryARB(GLuint id);
HOOK_API GLboolean glIsQueryEXT(GLuint id);
HOOK_API void glDeleteQueries(GLsizei count, const GLuint *ids);
HOOK_API void glDeleteQueriesARB(GLsizei count, const GLuint *ids);
HOOK_API void glDeleteQueriesEXT(GLsizei count, const GLuint *ids);
HOOK_API void glBeginPerfMonitorAMD(GLuint monitor);
HOOK_API void glEndPerfMonitorAMD(GLuint monitor);
HOOK_API void glDeletePerfMonitorsAMD(GLsizei count, GLuint *monitors);
HOOK_API void glBeginPerfQueryINTEL(GLuint query);
HOOK_API void glEndPerfQueryINTEL(GLuint query);
HOOK_API void glDeletePerfQueryINTEL(GLuint query);
HOOK_API void glBeginTransformFeedback(GLenum mode);
HOOK_API void glBeginTransformFeedbackEXT(GLenum mode);
HOOK_API void glBeginTransformFeedbackNV(GLenum mode);
HOOK_API void glEndTransformFeedback(void);
HOOK_API void glEndTransformFeedbackEXT(void);
HOOK_API void glEndTransformFeedbackNV(void);
HOOK_API void glPauseTransformFeedback(void);
HOOK_API void glPauseTransformFeedbackNV(void);
HOOK_API void glResumeTransformFeedback(void);
HOOK_API void glResumeTransformFeedbackNV(void);
HOOK_API GLuint glCreateShader(GLenum type);
HOOK_API void *glCreateShaderObjectARB(GLenum type); /* a handle: an integer or a pointer */
HOOK_API GLuint glCreateShaderProgramv(GLenum type, GLsizei count, const GLchar *const *strings);
HOOK_API GLuint glCreateShaderProgramvEXT(GLenum type, GLsizei count, const GLchar *const *strings);
HOOK_API GLuint glCreateShaderProgramEXT(GLenum type, const GLchar *string);
HOOK_API void glProgramBinary(GLuint program, GLenum format, const void *binary, GLsizei length);
HOOK_API void glProgramBinaryOES(GLuint program, GLenum format, const void *binary, GLint length);
HOOK_API void glProgramStringARB(GLenum target, GLenum format, GLsizei length, const void *string);
HOOK_API void glNamedProgramStringEXT(GLuint program, GLenum target, GLenum format, GLsizei length,
				      const void *string);
HOOK_API void glNewList(GLuint list, GLenum mode);
HOOK_API void glEndList(void);
HOOK_API void glPushDebugGroup(GLenum source, GLuint id, GLsizei length, const GLchar *message);
HOOK_API void glPushDebugGroupKHR(GLenum source, GLuint id, GLsizei length, const GLchar *message);
HOOK_API void glPopDebugGroup(void);
HOOK_API void glPopDebugGroupKHR(void);
HOOK_API void glPushGroupMarkerEXT(GLsizei length, const GLchar *marker);
HOOK_API void glPopGroupMarkerEXT(void);
HOOK_API void glBegin(GLenum mode);
HOOK_API void glEnd(void);
#define DRAW(name, parameters, arguments) HOOK_API void name parameters;
#include "preload/real/draws.def"
#undef DRAW
#define READ(name, parameters, arguments)	HOOK_API void name parameters;
#define MAP(name, parameters, arguments, reads) HOOK_API void *name parameters;
#include "preload/real/reads.def"
#undef READ
#undef MAP

#endif
