/*
 * libGPUPerfAPIGL through the other ways to a context: OpenGL ES (argument "es", without a window)
 * and GLX (argument "glx", on $DISPLAY).
 */
#include <epoxy/gl.h>
#include <epoxy/egl.h>
#include <epoxy/glx.h>
#include <stdio.h>
#include <string.h>

#include "gpa/GPUPerfAPI.h"
#include "check.h"

static void *open_es(void)
{
	static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
	EGLDisplay d =
	    eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	if (!eglInitialize(d, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))
		return NULL;
	EGLContext c = eglCreateContext(d, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
	return c && eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c) ? c : NULL;
}

static void *open_glx(void)
{
	int want[] = {GLX_RGBA, None};
	Display *d = XOpenDisplay(NULL);
	if (!d)
		return NULL;
	XVisualInfo *visual = glXChooseVisual(d, DefaultScreen(d), want);
	if (!visual)
		return NULL;
	XSetWindowAttributes a = {
	    .colormap = XCreateColormap(d, DefaultRootWindow(d), visual->visual, AllocNone)};
	Window w = XCreateWindow(d, DefaultRootWindow(d), 0, 0, 64, 64, 0, visual->depth,
				 InputOutput, visual->visual, CWColormap, &a);
	GLXContext c = glXCreateContext(d, visual, NULL, True);
	XFree(visual);
	return c && glXMakeCurrent(d, w, c) ? c : NULL;
}

static void make_framebuffer(void)
{
	GLuint f, r;
	glGenFramebuffers(1, &f);
	glBindFramebuffer(GL_FRAMEBUFFER, f);
	glGenRenderbuffers(1, &r);
	glBindRenderbuffer(GL_RENDERBUFFER, r);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 64, 64);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, r);
	glViewport(0, 0, 64, 64);
}

static void make_program(bool es)
{
	static const char *const vertex[] = {
	    "#version 140\nvoid main() { gl_Position = vec4(gl_VertexID & 1, gl_VertexID >> 1, 0, "
	    "1); "
	    "}",
	    "#version 300 es\nvoid main() { gl_Position = vec4(float(gl_VertexID & 1), "
	    "float(gl_VertexID >> 1), 0, 1); }"};
	static const char *const fragment[] = {
	    "#version 140\nout vec4 c; void main() { c = vec4(1); }",
	    "#version 300 es\nprecision mediump float; out vec4 c; void main() { c = vec4(1); }"};
	const GLenum stages[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
	const char *const code[] = {vertex[es], fragment[es]};
	GLuint program = glCreateProgram();
	for (int i = 0; i < 2; i++) {
		GLuint shader = glCreateShader(stages[i]);
		glShaderSource(shader, 1, &code[i], NULL);
		glCompileShader(shader);
		glAttachShader(program, shader);
	}
	glLinkProgram(program);
	glUseProgram(program);
}

static void check(const char *name, double least, double most, gpa_uint32 session)
{
	gpa_uint32 index = 0;
	gpa_uint64 count = 0;
	gpa_float64 number = -1;
	GPA_Type type = GPA_TYPE__LAST;
	OK(GPA_GetCounterIndex(name, &index));
	OK(GPA_GetCounterDataType(index, &type));
	if (type == GPA_TYPE_UINT64) {
		OK(GPA_GetSampleUInt64(session, 0, index, &count));
		number = (double)count;
	} else {
		OK(GPA_GetSampleFloat64(session, 0, index, &number));
	}
	CHECK(number >= least && number <= most, "%s: %g", name, number);
}

int main(int argc, char **argv)
{
	bool es = argc > 1 && strcmp(argv[1], "es") == 0;
	void *context = es ? open_es() : open_glx();
	gpa_uint32 session = 0, passes = 0;
	if (!context) {
		printf("SKIP: no such context here\n");
		return 77;
	}
	if (es)
		make_framebuffer();
	make_program(es);
	OK(GPA_OpenContext(context));
	OK(GPA_EnableAllCounters());
	OK(GPA_BeginSession(&session));
	OK(GPA_GetPassCount(&passes));
	CHECK(passes == 2, "%u passes", passes);
	for (gpa_uint32 p = 0; p < passes; p++) {
		OK(GPA_BeginPass());
		OK(GPA_BeginSample(0));
		glDrawArrays(GL_TRIANGLES, 0, 3);
		OK(GPA_EndSample());
		OK(GPA_EndPass());
	}
	OK(GPA_EndSession());
	check("GPUTime", 0, 10000, session);
	check("PrimsStorageNeed", 1, 1, session);
	if (!es)
		check("IAVertices", 3, 3, session);
	CHECK(glGetError() == GL_NO_ERROR, "an error was left behind");
	OK(GPA_CloseContext());
	printf("%d failures\n", failures);
	return failures != 0;
}
