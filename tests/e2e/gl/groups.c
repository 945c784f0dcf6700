/*
 * Debug groups with known numbers of vertices: nested, beside each other, deep, and open over a
 * swap. The arguments are the number of frames, and "still" for a program that never swaps or "old"
 * for one that draws as OpenGL 1 did.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

#define DEEP 60

static const char vertex[] = "#version 430\n"
			     "void main() { gl_Position = vec4(0, 0, 0, 1); }\n";
static const char fragment[] = "#version 430\n"
			       "out vec4 color;\n"
			       "void main() { color = vec4(1); }\n";

static void push(const char *name)
{
	glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, name);
}

static void draw(GLsizei vertices)
{
	glDrawArrays(GL_POINTS, 0, vertices);
}

static void draw_deep(void)
{
	for (int i = 0; i < DEEP; i++)
		push("n");
	draw(3);
	for (int i = 0; i < DEEP; i++)
		glPopDebugGroup();
}

static void draw_frame(int frame)
{
	if (frame % 2 == 1) { /* it was opened in the frame before */
		draw(7);
		glPopDebugGroup();
	}
	draw(1);
	push("Shadow");
	draw(10);
	push("Cascade 0");
	draw(100);
	glPopDebugGroup();
	draw(20);
	glPopDebugGroup();
	glPushDebugGroup(GL_DEBUG_SOURCE_API, 1, -1, "refused"); /* the driver's own source */
	draw(2);
	if (glGetError() != GL_INVALID_ENUM)
		exit(1);
	push("Main");
	draw_deep();
	draw(1000);
	glPopDebugGroup();
	if (frame % 2 == 0) {
		push("open");
		draw(5);
	}
}

static void old_points(GLsizei vertices)
{
	glBegin(GL_POINTS);
	for (GLsizei i = 0; i < vertices; i++)
		glVertex2f(0, 0);
	glEnd();
}

static void draw_old(void)
{
	GLuint list = glGenLists(1);

	old_points(4);
	glNewList(list, GL_COMPILE);
	old_points(6);
	push("listed"); /* not in the list: executed at once */
	old_points(2);
	glPopDebugGroup();
	glEndList();
	glCallList(list);
	glCallLists(1, GL_UNSIGNED_INT, &list);
	glDeleteLists(list, 1);
}

static void draw_new(int frames, const struct window *window, bool swaps)
{
	const char *const sources[] = {vertex, fragment};
	const GLenum kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
	GLuint array;

	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glUseProgram(window_program(sources, kinds, 2, NULL, 0));
	for (int i = 0; i < frames; i++) {
		glClear(GL_COLOR_BUFFER_BIT);
		draw_frame(i);
		if (swaps)
			window_swap(window);
		else
			glFinish();
	}
}

int main(int argc, char **argv)
{
	int frames = argc > 1 ? atoi(argv[1]) : 1;
	const char *how = argc > 2 ? argv[2] : "";
	bool old = strcmp(how, "old") == 0;
	struct window window;

	window_display(&window);
	window_open(&window, old ? WINDOW_COMPAT : WINDOW_CORE);
	window_bind(&window);
	for (int i = 0; old && i < frames; i++) {
		draw_old();
		window_swap(&window);
	}
	if (!old)
		draw_new(frames, &window, strcmp(how, "still") != 0);
	printf("%08x %04x\n", window_hash(), glGetError());
	window_close(&window);
	return 0;
}
