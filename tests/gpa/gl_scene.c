/* The scenes, through epoxy and EGL's surfaceless platform. */
#include "gl_scene.h"

#include <epoxy/gl.h>
#include <epoxy/egl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 64

struct gl_scene {
	EGLDisplay display;
	EGLContext context;
	EGLConfig config;
	GLuint framebuffer, color, depth, vertices, query, results;
	GLuint triangles, compute, streams, patches, feedback[2];
};

static const char vertex_code[] = "#version 450\n"
				  "layout(location=0) in vec3 at;\n"
				  "void main() { gl_Position = vec4(at, 1); }\n";
static const char fragment_code[] = "#version 450\n"
				    "out vec4 color;\n"
				    "void main() { color = vec4(1); }\n";
static const char compute_code[] = "#version 450\n"
				   "layout(local_size_x=8, local_size_y=2) in;\n"
				   "layout(std430, binding=0) buffer B { uint n; };\n"
				   "void main() { atomicAdd(n, 1u); }\n";
static const char geometry_code[] =
    "#version 450\n"
    "layout(points) in;\n"
    "layout(points, max_vertices=4) out;\n"
    "layout(stream=0) out float a;\n"
    "layout(stream=1) out float b;\n"
    "void main() {\n"
    "  a = 1; gl_Position = vec4(0, 0, 0, 1); EmitStreamVertex(0); EndStreamPrimitive(0);\n"
    "  for (int i = 0; i < 3; i++) { b = 2; EmitStreamVertex(1); EndStreamPrimitive(1); }\n"
    "}\n";
static const char control_code[] = "#version 450\n"
				   "layout(vertices=3) out;\n"
				   "void main() {\n"
				   "  gl_out[gl_InvocationID].gl_Position =\n"
				   "      gl_in[gl_InvocationID].gl_Position;\n"
				   "  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = 2;\n"
				   "  gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 2;\n"
				   "}\n";
static const char evaluation_code[] =
    "#version 450\n"
    "layout(triangles) in;\n"
    "void main() {\n"
    "  gl_Position = gl_in[0].gl_Position * gl_TessCoord.x +\n"
    "      gl_in[1].gl_Position * gl_TessCoord.y + gl_in[2].gl_Position * gl_TessCoord.z;\n"
    "}\n";

static void attach(GLuint program, GLenum stage, const char *code)
{
	char log[512] = "";
	GLint ok = 0;
	GLuint shader = glCreateShader(stage);
	glShaderSource(shader, 1, &code, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
	glGetShaderInfoLog(shader, sizeof(log), NULL, log);
	if (!ok)
		fprintf(stderr, "shader: %s\n", log);
	glAttachShader(program, shader);
	glDeleteShader(shader);
}

static void make_programs(struct gl_scene *s)
{
	static const char *const captured[] = {"a", "gl_NextBuffer", "b"};
	s->triangles = glCreateProgram();
	attach(s->triangles, GL_VERTEX_SHADER, vertex_code);
	attach(s->triangles, GL_FRAGMENT_SHADER, fragment_code);
	glLinkProgram(s->triangles);
	s->compute = glCreateProgram();
	attach(s->compute, GL_COMPUTE_SHADER, compute_code);
	glLinkProgram(s->compute);
	s->patches = glCreateProgram();
	attach(s->patches, GL_VERTEX_SHADER, vertex_code);
	attach(s->patches, GL_TESS_CONTROL_SHADER, control_code);
	attach(s->patches, GL_TESS_EVALUATION_SHADER, evaluation_code);
	attach(s->patches, GL_FRAGMENT_SHADER, fragment_code);
	glLinkProgram(s->patches);
	s->streams = glCreateProgram();
	attach(s->streams, GL_VERTEX_SHADER, vertex_code);
	attach(s->streams, GL_GEOMETRY_SHADER, geometry_code);
	glTransformFeedbackVaryings(s->streams, 3, captured, GL_INTERLEAVED_ATTRIBS);
	glLinkProgram(s->streams);
}

static void make_buffers(struct gl_scene *s)
{
	/* Two small triangles, then two that cover everything at depth 0.5. */
	static const float at[] = {-.5f, -.5f, 0,   0,	 -.5f, 0,   -.25f, 0,  0,   .1f, .1f, 0,
				   .6f,	 .1f,  0,   .3f, .6f,  0,   -1,	   -1, .5f, 1,	 -1,  .5f,
				   -1,	 1,    .5f, -1,	 1,    .5f, 1,	   -1, .5f, 1,	 1,   .5f};
	GLuint array, buffer, storage;
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(at), at, GL_STATIC_DRAW);
	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glGenBuffers(1, &storage);
	glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, storage);
	glBufferData(GL_SHADER_STORAGE_BUFFER, 16, NULL, GL_STATIC_DRAW);
	glGenBuffers(2, s->feedback);
	for (int i = 0; i < 2; i++) {
		glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, s->feedback[i]);
		glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 8 * sizeof(float), NULL, GL_STATIC_DRAW);
	}
	glGenQueries(1, &s->query);
}

static void make_framebuffer(struct gl_scene *s)
{
	glGenFramebuffers(1, &s->framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
	glGenRenderbuffers(1, &s->color);
	glBindRenderbuffer(GL_RENDERBUFFER, s->color);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, s->color);
	glGenRenderbuffers(1, &s->depth);
	glBindRenderbuffer(GL_RENDERBUFFER, s->depth);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, SIZE, SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, s->depth);
	glViewport(0, 0, SIZE, SIZE);
}

static EGLContext create_context(const struct gl_scene *s, EGLContext shared)
{
	static const EGLint context_of[] = {EGL_CONTEXT_MAJOR_VERSION,
					    4,
					    EGL_CONTEXT_MINOR_VERSION,
					    5,
					    EGL_CONTEXT_OPENGL_PROFILE_MASK,
					    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
					    EGL_NONE};
	return eglCreateContext(s->display, s->config, shared, context_of);
}

struct gl_scene *scene_create(void)
{
	static const EGLint config_of[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
	struct gl_scene *s = calloc(1, sizeof(*s));
	EGLint count = 0;
	if (!s)
		return NULL;
	s->display =
	    eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	if (!eglInitialize(s->display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
	    !eglChooseConfig(s->display, config_of, &s->config, 1, &count) || count < 1)
		s->config = NULL;
	s->context = create_context(s, EGL_NO_CONTEXT);
	if (s->context == EGL_NO_CONTEXT || !scene_bind(s, true)) {
		free(s);
		return NULL;
	}
	make_programs(s);
	make_buffers(s);
	make_framebuffer(s);
	return s;
}

void scene_destroy(struct gl_scene *s)
{
	if (!s)
		return;
	scene_bind(s, false);
	eglDestroyContext(s->display, s->context);
	free(s);
}

void *scene_context(const struct gl_scene *s)
{
	return s->context;
}

const char *scene_renderer(void)
{
	return (const char *)glGetString(GL_RENDERER);
}

bool scene_bind(struct gl_scene *s, bool bind)
{
	return eglMakeCurrent(s->display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			      bind ? s->context : EGL_NO_CONTEXT);
}

void scene_triangles(struct gl_scene *s)
{
	glUseProgram(s->triangles);
	glDrawArrays(GL_TRIANGLES, 0, 6);
}

void scene_compute(struct gl_scene *s)
{
	glUseProgram(s->compute);
	glDispatchCompute(3, 2, 1);
}

void scene_streams(struct gl_scene *s)
{
	glUseProgram(s->streams);
	glEnable(GL_RASTERIZER_DISCARD);
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, s->feedback[0]);
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, s->feedback[1]);
	glBeginTransformFeedback(GL_POINTS);
	glDrawArrays(GL_POINTS, 0, 5);
	glEndTransformFeedback();
	glDisable(GL_RASTERIZER_DISCARD);
}

void scene_patches(struct gl_scene *s)
{
	glUseProgram(s->patches);
	glPatchParameteri(GL_PATCH_VERTICES, 3);
	glDrawArrays(GL_PATCHES, 0, 6);
}

void scene_depth(struct gl_scene *s)
{
	glUseProgram(s->triangles);
	glEnable(GL_DEPTH_TEST);
	glDepthFunc(GL_LESS);
	glClear(GL_DEPTH_BUFFER_BIT);
	glDrawArrays(GL_TRIANGLES, 6, 6);
	glDrawArrays(GL_TRIANGLES, 6, 6);
	glDisable(GL_DEPTH_TEST);
}

void scene_own_query_begin(struct gl_scene *s)
{
	glBeginQuery(GL_SAMPLES_PASSED, s->query);
}

unsigned scene_own_query_end(struct gl_scene *s)
{
	GLuint passed = 0;
	glEndQuery(GL_SAMPLES_PASSED);
	glGetQueryObjectuiv(s->query, GL_QUERY_RESULT, &passed);
	return passed;
}

static const GLuint untouched[4] = {0xabababab, 0xabababab, 0xabababab, 0xabababab};

void scene_query_buffer(struct gl_scene *s)
{
	glGenBuffers(1, &s->results);
	glBindBuffer(GL_QUERY_BUFFER, s->results);
	glBufferData(GL_QUERY_BUFFER, sizeof(untouched), untouched, GL_DYNAMIC_READ);
}

bool scene_query_buffer_is_whole(struct gl_scene *s)
{
	GLuint values[4] = {0};
	GLint bound = 0;
	glGetIntegerv(GL_QUERY_BUFFER_BINDING, &bound);
	glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof(values), values);
	return bound == (GLint)s->results && memcmp(values, untouched, sizeof(values)) == 0;
}

void scene_query_buffer_delete(struct gl_scene *s)
{
	EGLContext other = create_context(s, s->context);
	eglMakeCurrent(s->display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
	glDeleteBuffers(1, &s->results);
	scene_bind(s, true);
	eglDestroyContext(s->display, other);
}

void scene_query_buffer_end(struct gl_scene *s)
{
	glBindBuffer(GL_QUERY_BUFFER, 0);
	if (s->results)
		glDeleteBuffers(1, &s->results); /* ignored if it is gone */
	s->results = 0;
}
