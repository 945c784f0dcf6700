/* GPUPerfAPI 2.x in 60 lines: every counter of one draw, on any OpenGL driver, without a window. */
#include <epoxy/gl.h>
#include <epoxy/egl.h>
#include <stdio.h>
#include <stdlib.h>
#include "gpa/GPUPerfAPI.h"

#define CHECK(call)                                                                                \
	if ((status = (call)) != GPA_STATUS_OK)                                                    \
	return fprintf(stderr, "%s: %s\n", #call, GPA_GetStatusAsStr(status))

static void make_context(void)
{
	EGLDisplay d = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
	if (!eglInitialize(d, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
	    !eglMakeCurrent(d, NULL, NULL, eglCreateContext(d, NULL, NULL, NULL)))
		exit(77);
	GLuint f, r;
	glGenFramebuffers(1, &f);
	glBindFramebuffer(GL_FRAMEBUFFER, f);
	glGenRenderbuffers(1, &r);
	glBindRenderbuffer(GL_RENDERBUFFER, r);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 256, 256);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, r);
	glViewport(0, 0, 256, 256);
}

int main(void)
{
	GPA_Status status;
	gpa_uint32 session, passes, count;
	make_context();
	CHECK(GPA_Initialize());
	CHECK(GPA_OpenContext(eglGetCurrentContext()));
	CHECK(GPA_EnableAllCounters());
	CHECK(GPA_BeginSession(&session));
	CHECK(GPA_GetPassCount(&passes));
	for (gpa_uint32 pass = 0; pass < passes; pass++) { /* the same work in every pass */
		CHECK(GPA_BeginPass());
		CHECK(GPA_BeginSample(0));
		glRectf(-0.5f, -0.5f, 0.5f, 0.5f);
		CHECK(GPA_EndSample());
		CHECK(GPA_EndPass());
	}
	CHECK(GPA_EndSession());
	CHECK(GPA_GetEnabledCount(&count));
	for (gpa_uint32 i = 0; i < count; i++) {
		const char *name;
		GPA_Type type;
		gpa_float64 number = 0;
		gpa_uint64 integer = 0;
		CHECK(GPA_GetCounterName(i, &name));
		CHECK(GPA_GetCounterDataType(i, &type));
		CHECK(type == GPA_TYPE_FLOAT64 ? GPA_GetSampleFloat64(session, 0, i, &number)
					       : GPA_GetSampleUInt64(session, 0, i, &integer));
		printf("%-22s %g\n", name, type == GPA_TYPE_FLOAT64 ? number : (double)integer);
	}
	CHECK(GPA_CloseContext());
	return GPA_Destroy() != GPA_STATUS_OK;
}
