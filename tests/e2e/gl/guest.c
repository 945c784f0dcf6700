/*
 * A program with queries, errors and messages of its own, which checks that we do not
 * touch them. The argument names the case; every case draws a few frames.
 */
#include <errno.h>
#include <string.h>

#include "window.h"

#define TRIANGLES(count) (3 * (count))

static struct window window;
static unsigned messages;

static void setup(enum window_kind kind)
{
	static const char *const desktop[] = {
	    "#version 430\nvoid main() { gl_Position = vec4(gl_VertexID % 3 == 1 ? 3 : -1,\n"
	    "	gl_VertexID % 3 == 2 ? 3 : -1, 0, 1); }\n",
	    "#version 430\nout vec4 color;\nvoid main() { color = vec4(1); }\n"};
	static const char *const es[] = {
	    "#version 300 es\nvoid main() { gl_Position = vec4(gl_VertexID % 3 == 1 ? 3 : -1,\n"
	    "	gl_VertexID % 3 == 2 ? 3 : -1, 0, 1); }\n",
	    "#version 300 es\nprecision mediump float;\nout vec4 color;\n"
	    "void main() { color = vec4(1); }\n"};
	static const GLenum kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
	GLuint array;

	window_display(&window);
	window_open(&window, kind);
	window_bind(&window);
	EXPECT(glGetError() == GL_NO_ERROR);
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glUseProgram(window_program(kind == WINDOW_ES ? es : desktop, kinds, 2, NULL, 0));
}

static void frame(void)
{
	glDrawArrays(GL_TRIANGLES, 0, TRIANGLES(1));
	window_swap(&window);
}

static GLuint result(GLuint query)
{
	GLuint value = 0xdead;

	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &value);
	return value;
}

static GLint current(GLenum target)
{
	GLint name = -1;

	glGetQueryiv(target, GL_CURRENT_QUERY, &name);
	return name;
}

/* One query of each kind in frame 1, the rest of the frames without. */
static void own_queries(enum window_kind kind)
{
	const GLenum targets[] = {GL_SAMPLES_PASSED, GL_PRIMITIVES_GENERATED, GL_TIME_ELAPSED,
				  GL_VERTICES_SUBMITTED};
	const GLuint expected[] = {WINDOW_SIZE * WINDOW_SIZE, 1, 0, 3};
	GLuint queries[4];

	setup(kind);
	frame();
	glGenQueries(4, queries);
	for (int i = 0; i < 4; i++) {
		EXPECT(current(targets[i]) == 0);
		glBeginQuery(targets[i], queries[i]);
		EXPECT(current(targets[i]) == (GLint)queries[i]);
	}
	glDrawArrays(GL_TRIANGLES, 0, TRIANGLES(1));
	for (int i = 0; i < 4; i++) {
		glEndQuery(targets[i]);
		EXPECT(current(targets[i]) == 0);
	}
	for (int i = 0; i < 4; i++)
		EXPECT(targets[i] == GL_TIME_ELAPSED || result(queries[i]) == expected[i]);
	window_swap(&window);
	for (int i = 0; i < 4; i++)
		frame();
	glDeleteQueries(4, queries);
	EXPECT(glGetError() == GL_NO_ERROR);
}

/* A query that spans three frames, an indexed one, a predicate, and conditional rendering. */
static void long_queries(void)
{
	GLuint queries[3];
	GLint name = -1;

	setup(WINDOW_CORE);
	glGenQueries(3, queries);
	glBeginQuery(GL_ANY_SAMPLES_PASSED, queries[0]);
	frame();
	frame();
	frame();
	glEndQuery(GL_ANY_SAMPLES_PASSED);
	EXPECT(result(queries[0]) == 1);
	glGetQueryIndexediv(GL_PRIMITIVES_GENERATED, 2, GL_CURRENT_QUERY, &name);
	EXPECT(name == 0);
	glBeginQueryIndexed(GL_PRIMITIVES_GENERATED, 2, queries[1]);
	glGetQueryIndexediv(GL_PRIMITIVES_GENERATED, 2, GL_CURRENT_QUERY, &name);
	EXPECT(name == (GLint)queries[1]);
	glEndQueryIndexed(GL_PRIMITIVES_GENERATED, 2);
	EXPECT(result(queries[1]) == 0);
	glBeginConditionalRender(queries[0], GL_QUERY_WAIT);
	frame();
	glEndConditionalRender();
	frame();
	EXPECT(glGetError() == GL_NO_ERROR);
}

/* Names that are not the program's: asked for, used and deleted without harm. */
static void foreign_names(enum window_kind kind)
{
	GLuint query, wild[1000];

	setup(kind);
	frame();
	for (GLuint i = 1; i <= 1000; i++) {
		EXPECT(!glIsQuery(i));
		wild[i - 1] = i;
	}
	EXPECT(!glIsQuery(0xfffffffe) && !glIsQuery(0xfffffffd));
	glDeleteQueries(1000, wild);
	frame();
	frame();
	glGenQueries(1, &query);
	if (kind == WINDOW_COMPAT)
		EXPECT(query == 1);
	EXPECT(!glIsQuery(query)); /* it becomes an object when it is begun */
	glBeginQuery(GL_SAMPLES_PASSED, query);
	glEndQuery(GL_SAMPLES_PASSED);
	EXPECT(glIsQuery(query));
	glDeleteQueries(1, &query);
	frame();
	EXPECT(glGetError() == GL_NO_ERROR);
	if (kind == WINDOW_COMPAT) { /* a name of the program's own making */
		glBeginQuery(GL_SAMPLES_PASSED, 7);
		glEndQuery(GL_SAMPLES_PASSED);
		EXPECT(result(7) == 0);
	} else {
		glBeginQuery(GL_SAMPLES_PASSED, 7);
		EXPECT(glGetError() == GL_INVALID_OPERATION);
	}
	frame();
}

/* Errors come when the program makes them, once, and in its order. */
static void errors(void)
{
	GLuint query;

	setup(WINDOW_CORE);
	glEnable(0xdead);
	frame();
	EXPECT(glGetError() == GL_INVALID_ENUM);
	EXPECT(glGetError() == GL_NO_ERROR);
	glEndQuery(GL_SAMPLES_PASSED);
	EXPECT(glGetError() == GL_INVALID_OPERATION);
	glGenQueries(1, &query);
	glBeginQuery(GL_SAMPLES_PASSED, query);
	glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
	EXPECT(glGetError() == GL_INVALID_OPERATION);
	frame();
	glEndQuery(GL_SAMPLES_PASSED);
	EXPECT(result(query) == WINDOW_SIZE * WINDOW_SIZE);
	glBeginQuery(GL_VERTICES_SUBMITTED, 0);
	EXPECT(glGetError() == GL_INVALID_OPERATION);
	glBeginQueryIndexed(GL_PRIMITIVES_GENERATED, 99, query);
	EXPECT(glGetError() == GL_INVALID_VALUE);
	for (int i = 0; i < 4; i++)
		frame();
	EXPECT(glGetError() == GL_NO_ERROR);
}

static void APIENTRY message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
			     const GLchar *text, const void *user)
{
	if (type == GL_DEBUG_TYPE_ERROR)
		messages++;
}

static void debug(void)
{
	GLint logged = -1;

	setup(WINDOW_DEBUG);
	EXPECT(glIsEnabled(GL_DEBUG_OUTPUT));
	glGetIntegerv(GL_DEBUG_LOGGED_MESSAGES, &logged);
	printf("logged %d\n", logged);
	glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
	glDebugMessageCallback(message, NULL);
	for (int i = 0; i < 12; i++)
		frame();
	EXPECT(messages == 0);
	glEnable(0xdead);
	EXPECT(messages == 1);
}

/* Calls leave errno as the driver does. */
static void check_errno(void)
{
	setup(WINDOW_CORE);
	for (int i = 0; i < 8; i++) {
		frame();
		errno = 1234;
		window_swap(&window);
		printf("%d\n", errno);
	}
	errno = 1234;
	window_bind(&window);
	printf("%d\n", errno);
}

/* Queries in display lists run when the list does. */
static void lists(void)
{
	GLuint query;

	setup(WINDOW_COMPAT);
	glGenQueries(1, &query);
	GLuint list = glGenLists(1);
	frame();
	glNewList(list, GL_COMPILE);
	glBeginQuery(GL_SAMPLES_PASSED, query);
	glEndList();
	frame();
	glCallList(list);
	glDrawArrays(GL_TRIANGLES, 0, TRIANGLES(1));
	glEndQuery(GL_SAMPLES_PASSED);
	EXPECT(result(query) == WINDOW_SIZE * WINDOW_SIZE);
	frame();
	glNewList(list, GL_COMPILE); /* swaps inside a list are odd, but allowed */
	window_swap(&window);
	glEndList();
	frame();
	glCallList(list);
	frame();
	EXPECT(glGetError() == GL_NO_ERROR);
}

/* As lists keep it; arrays that are not there they leave out. */
static void old_triangles(int count)
{
	glBegin(GL_TRIANGLES);
	for (int i = 0; i < 3 * count; i++)
		glVertex2f(0, 0);
	glEnd();
}

/*
 * Swaps while a list is compiled and executed: it is not known which work belongs to which frame. A
 * glNewList() that fails opens no list.
 */
static void list_swaps(void)
{
	setup(WINDOW_COMPAT);
	GLuint list = glGenLists(1);
	frame();
	frame();
	glDrawArrays(GL_TRIANGLES, 0, TRIANGLES(2));
	glNewList(list, GL_COMPILE);
	old_triangles(4); /* runs when the list is called */
	window_swap(&window);
	window_swap(&window);
	window_swap(&window);
	glEndList();
	frame();
	glCallList(list);
	frame();
	glNewList(list, GL_COMPILE_AND_EXECUTE);
	old_triangles(1);
	window_swap(&window);
	old_triangles(1);
	window_swap(&window);
	old_triangles(1);
	glEndList();
	frame();
	frame();
	glCallList(list);
	frame();
	glNewList(0, GL_COMPILE);
	EXPECT(glGetError() == GL_INVALID_VALUE);
	frame();
	frame();
	EXPECT(glGetError() == GL_NO_ERROR);
}

/* More swaps within a list than samples may wait. */
static void list_long(void)
{
	setup(WINDOW_COMPAT);
	GLuint list = glGenLists(1);
	frame();
	glDrawArrays(GL_TRIANGLES, 0, TRIANGLES(2));
	glNewList(list, GL_COMPILE);
	for (int i = 0; i < 600; i++)
		window_swap(&window);
	glEndList();
	frame();
	frame();
	EXPECT(glGetError() == GL_NO_ERROR);
}

/* OpenGL ES has a few queries only. */
static void es(void)
{
	GLuint query;

	setup(WINDOW_ES);
	frame();
	glGenQueries(1, &query);
	glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
	glDrawArrays(GL_TRIANGLES, 0, TRIANGLES(1));
	glEndQuery(GL_ANY_SAMPLES_PASSED);
	EXPECT(result(query) == 1);
	frame();
	for (int i = 0; i < 6; i++)
		frame();
	EXPECT(glGetError() == GL_NO_ERROR);
}

/* Only results of the program's queries go to its buffer, which stays bound. */
static void query_buffer(void)
{
	GLuint buffer, other, query, values[16];
	GLint bound = 0;

	setup(WINDOW_COMPAT);
	NEED(strstr((const char *)glGetString(GL_EXTENSIONS), "GL_ARB_query_buffer_object"));
	memset(values, 0xab, sizeof(values));
	glGenBuffers(1, &buffer);
	glGenBuffers(1, &other);
	glGenQueries(1, &query);
	glBindBuffer(GL_QUERY_BUFFER, buffer);
	glBufferData(GL_QUERY_BUFFER, sizeof(values), values, GL_DYNAMIC_READ);
	for (int i = 0; i < 20; i++)
		frame();
	glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
	glDrawArrays(GL_TRIANGLES, 0, TRIANGLES(1));
	glEndQuery(GL_ANY_SAMPLES_PASSED);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, (GLuint *)8);
	for (int i = 0; i < 20; i++)
		frame();
	glGetIntegerv(GL_QUERY_BUFFER_BINDING, &bound);
	EXPECT(bound == (GLint)buffer);
	memset(values, 0, sizeof(values));
	glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof(values), values);
	for (size_t i = 0; i < 16; i++)
		EXPECT(values[i] == (i == 2 ? 1 : 0xabababab));
	glBindBuffer(GL_QUERY_BUFFER, other); /* never filled: too small for any result */
	for (int i = 0; i < 10; i++)
		frame();
	EXPECT(glGetError() == GL_NO_ERROR);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (strcmp(name, "own-core") == 0)
		own_queries(WINDOW_CORE);
	else if (strcmp(name, "own-compat") == 0)
		own_queries(WINDOW_COMPAT);
	else if (strcmp(name, "long") == 0)
		long_queries();
	else if (strcmp(name, "names-core") == 0)
		foreign_names(WINDOW_CORE);
	else if (strcmp(name, "names-compat") == 0)
		foreign_names(WINDOW_COMPAT);
	else if (strcmp(name, "errors") == 0)
		errors();
	else if (strcmp(name, "debug") == 0)
		debug();
	else if (strcmp(name, "errno") == 0)
		check_errno();
	else if (strcmp(name, "lists") == 0)
		lists();
	else if (strcmp(name, "list-swaps") == 0)
		list_swaps();
	else if (strcmp(name, "list-long") == 0)
		list_long();
	else if (strcmp(name, "query-buffer") == 0)
		query_buffer();
	else if (strcmp(name, "es") == 0)
		es();
	else
		return 2;
	printf("%08x\n", window_hash());
	window_close(&window);
	return 0;
}
