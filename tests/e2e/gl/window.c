/* EGL without a window system, for the test programs. */
#include "window.h"

void window_display(struct window *window)
{
	PFNEGLGETPLATFORMDISPLAYEXTPROC get =
	    (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
	NEED(get);
	window->display = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	NEED(window->display);
	NEED(eglInitialize(window->display, NULL, NULL));
}

void window_open(struct window *window, enum window_kind kind)
{
	const EGLint surface[] = {EGL_WIDTH, WINDOW_SIZE, EGL_HEIGHT, WINDOW_SIZE, EGL_NONE};
	const EGLint config[] = {EGL_SURFACE_TYPE,
				 EGL_PBUFFER_BIT,
				 EGL_RENDERABLE_TYPE,
				 kind == WINDOW_ES ? EGL_OPENGL_ES3_BIT : EGL_OPENGL_BIT,
				 EGL_RED_SIZE,
				 8,
				 EGL_DEPTH_SIZE,
				 24,
				 EGL_NONE};
	const EGLint desktop[] = {EGL_CONTEXT_MAJOR_VERSION,
				  4,
				  EGL_CONTEXT_MINOR_VERSION,
				  5,
				  EGL_CONTEXT_OPENGL_PROFILE_MASK,
				  kind == WINDOW_COMPAT
				      ? EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
				      : EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
				  EGL_CONTEXT_OPENGL_DEBUG,
				  kind == WINDOW_DEBUG,
				  EGL_NONE};
	const EGLint es[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
	EGLint count = 0;

	NEED(eglBindAPI(kind == WINDOW_ES ? EGL_OPENGL_ES_API : EGL_OPENGL_API));
	NEED(eglChooseConfig(window->display, config, &window->config, 1, &count) && count == 1);
	window->surface = eglCreatePbufferSurface(window->display, window->config, surface);
	NEED(window->surface);
	window->context = eglCreateContext(window->display, window->config, EGL_NO_CONTEXT,
					   kind == WINDOW_ES ? es : desktop);
	NEED(window->context);
}

void window_bind(const struct window *window)
{
	EXPECT(eglMakeCurrent(window->display, window->surface, window->surface, window->context));
}

void window_swap(const struct window *window)
{
	EXPECT(eglSwapBuffers(window->display, window->surface));
}

void window_close(struct window *window)
{
	eglMakeCurrent(window->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglDestroyContext(window->display, window->context);
	eglDestroySurface(window->display, window->surface);
}

unsigned window_hash(void)
{
	static _Thread_local unsigned char pixels[WINDOW_SIZE * WINDOW_SIZE * 4];
	unsigned hash = 2166136261u;

	glReadPixels(0, 0, WINDOW_SIZE, WINDOW_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	for (size_t i = 0; i < sizeof(pixels); i++)
		hash = (hash ^ pixels[i]) * 16777619u;
	return hash;
}

GLuint window_program(const char *const *sources, const GLenum *kinds, int count,
		      const char *const *captured, int captured_count)
{
	GLuint program = glCreateProgram();
	GLint ok = 0;

	for (int i = 0; i < count; i++) {
		GLuint shader = glCreateShader(kinds[i]);

		glShaderSource(shader, 1, &sources[i], NULL);
		glCompileShader(shader);
		glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
		EXPECT(ok);
		glAttachShader(program, shader);
	}
	if (captured_count > 0)
		glTransformFeedbackVaryings(program, captured_count, captured,
					    GL_INTERLEAVED_ATTRIBS);
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &ok);
	EXPECT(ok);
	return program;
}

void window_target(int side)
{
	GLuint array, texture, framebuffer;

	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	glViewport(0, 0, side, side);
}

void window_prepare(const struct window *window)
{
	static const char *const sources[] = {
	    "#version 430\nvoid main() { gl_Position = vec4(gl_VertexID % 3 == 1 ? 3 : -1,\n"
	    "	gl_VertexID % 3 == 2 ? 3 : -1, 0, 1); }\n",
	    "#version 430\nout vec4 color;\nvoid main() { color = vec4(1); }\n"};
	static const GLenum kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
	GLuint array;

	window_bind(window);
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glUseProgram(window_program(sources, kinds, 2, NULL, 0));
}

/* Nothing slows a pbuffer's swap down; waiting keeps the driver from falling behind. */
void window_frames(const struct window *window, int count)
{
	for (int i = 0; i < count; i++) {
		glDrawArrays(GL_TRIANGLES, 0, 3);
		glFinish();
		window_swap(window);
	}
}
