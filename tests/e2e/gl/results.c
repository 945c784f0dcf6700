/*
 * Where the results of a program's own queries go: into buffers, named or bound, of which one is
 * deleted while it is bound. The argument names the case; each draws 3 vertices a frame.
 */
#include <string.h>

#include "window.h"

#define VALUES	  8
#define UNTOUCHED 0xabababab

static struct window window;

static void frames(int count)
{
	for (int i = 0; i < count; i++) {
		glDrawArrays(GL_TRIANGLES, 0, 3);
		window_swap(&window);
	}
}

static void fill(GLuint values[VALUES])
{
	for (int i = 0; i < VALUES; i++)
		values[i] = UNTOUCHED;
}

/* Results at 8 and 16 bytes, and nothing else. */
static void expect_values(const GLuint values[VALUES], GLuint first, GLuint second)
{
	for (int i = 0; i < VALUES; i++)
		EXPECT(values[i] == (i == 2 ? first : i == 4 ? second : UNTOUCHED));
}

/* By name, while another buffer is bound. */
static void named(void)
{
	GLuint buffers[2], query, values[VALUES];
	GLint bound = 0;

	window_open(&window, WINDOW_CORE);
	window_prepare(&window);
	fill(values);
	glCreateBuffers(2, buffers);
	glNamedBufferData(buffers[0], sizeof(values), values, GL_DYNAMIC_READ);
	glNamedBufferData(buffers[1], sizeof(values), values, GL_DYNAMIC_READ);
	glCreateQueries(GL_PRIMITIVES_GENERATED, 1, &query);
	glBindBuffer(GL_QUERY_BUFFER, buffers[1]);
	frames(10);
	glBeginQuery(GL_PRIMITIVES_GENERATED, query);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glEndQuery(GL_PRIMITIVES_GENERATED);
	glGetQueryBufferObjectuiv(query, buffers[0], GL_QUERY_RESULT, 8);
	glGetQueryBufferObjectiv(query, buffers[0], GL_QUERY_RESULT_AVAILABLE, 16);
	window_swap(&window);
	frames(10);
	glGetNamedBufferSubData(buffers[0], 0, sizeof(values), values);
	EXPECT(values[4] <= 1);
	expect_values(values, 1, values[4]);
	glGetNamedBufferSubData(buffers[1], 0, sizeof(values), values);
	expect_values(values, UNTOUCHED, UNTOUCHED);
	glGetIntegerv(GL_QUERY_BUFFER_BINDING, &bound);
	EXPECT(bound == (GLint)buffers[1]);
}

/* Another context deletes it; it lives on where it is bound, and could not be bound again. */
static void deleted(void)
{
	GLuint buffer, query, values[VALUES];
	GLint bound = 0;

	window_open(&window, WINDOW_CORE);
	window_prepare(&window);
	fill(values);
	glGenBuffers(1, &buffer);
	glGenQueries(1, &query);
	glBindBuffer(GL_QUERY_BUFFER, buffer);
	glBufferData(GL_QUERY_BUFFER, sizeof(values), values, GL_DYNAMIC_READ);
	EGLContext other = eglCreateContext(window.display, window.config, window.context, NULL);
	NEED(other);
	frames(5);
	EXPECT(eglMakeCurrent(window.display, EGL_NO_SURFACE, EGL_NO_SURFACE, other));
	glDeleteBuffers(1, &buffer);
	window_bind(&window);
	EXPECT(eglDestroyContext(window.display, other));
	frames(20);
	glBeginQuery(GL_PRIMITIVES_GENERATED, query);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glEndQuery(GL_PRIMITIVES_GENERATED);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, (GLuint *)8);
	window_swap(&window);
	glGetIntegerv(GL_QUERY_BUFFER_BINDING, &bound);
	EXPECT(bound == (GLint)buffer);
	glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof(values), values);
	expect_values(values, 1, UNTOUCHED);
	glBindBuffer(GL_QUERY_BUFFER, 0);
	frames(10);
}

/* OpenGL ES has no such binding, by no extension: asking for one is the program's error alone. */
static void es(void)
{
	GLuint buffer;

	window_open(&window, WINDOW_ES);
	window_bind(&window);
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_QUERY_BUFFER, buffer);
	EXPECT(glGetError() == GL_INVALID_ENUM);
	for (int i = 0; i < 10; i++) {
		glClear(GL_COLOR_BUFFER_BIT);
		window_swap(&window);
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	window_display(&window);
	if (strcmp(name, "named") == 0)
		named();
	else if (strcmp(name, "deleted") == 0)
		deleted();
	else if (strcmp(name, "es") == 0)
		es();
	else
		return 2;
	EXPECT(glGetError() == GL_NO_ERROR);
	window_close(&window);
	return 0;
}
