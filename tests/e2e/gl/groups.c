/*
 * Debug groups with known numbers of vertices: nested, beside each other, deep, and open over a
 * swap. The arguments are the number of frames, and "still" for one that never swaps.
 */
#include <stdbool.h>
#include <stdlib.h>

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
	push("Main");
	draw_deep();
	draw(1000);
	glPopDebugGroup();
	if (frame % 2 == 0) {
		push("open");
		draw(5);
	}
}

int main(int argc, char **argv)
{
	const char *const sources[] = {vertex, fragment};
	const GLenum kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
	int frames = argc > 1 ? atoi(argv[1]) : 1;
	bool swaps = argc < 3;
	struct window window;
	GLuint array;

	window_display(&window);
	window_open(&window, WINDOW_CORE);
	window_bind(&window);
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	glUseProgram(window_program(sources, kinds, 2, NULL, 0));
	for (int i = 0; i < frames; i++) {
		glClear(GL_COLOR_BUFFER_BIT);
		draw_frame(i);
		if (swaps)
			window_swap(&window);
		else
			glFinish();
	}
	printf("%08x %04x\n", window_hash(), glGetError());
	window_close(&window);
	return 0;
}
