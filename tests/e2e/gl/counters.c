/*
 * A program on a driver with hardware counters. Arguments: frames, and what it does beside drawing:
 * plain, own (counts with monitors of its own in every third frame), own-intel, two (contexts, in
 * turn), error (raises one in each frame and asks for it), exit (with its context current), es
 * (OpenGL ES).
 */
#include <string.h>

#include "window.h"

static GLenum (*get_error)(void);

static void *need(const char *name)
{
	void *found = (void *)eglGetProcAddress(name);
	NEED(found);
	return found;
}

/* The program's own monitor counts what it counts without us, and raises no error. */
static void count_own(void)
{
	static void (*gen)(GLsizei, GLuint *), (*begin)(GLuint), (*end)(GLuint);
	static void (*select)(GLuint, GLboolean, GLuint, GLint, GLuint *);
	static void (*destroy)(GLsizei, GLuint *);
	static void (*data)(GLuint, GLenum, GLsizei, GLuint *, GLint *);
	GLuint monitor = 0, counter = 3, there = 0;
	*(void **)&gen = need("glGenPerfMonitorsAMD");
	*(void **)&begin = need("glBeginPerfMonitorAMD");
	*(void **)&end = need("glEndPerfMonitorAMD");
	*(void **)&select = need("glSelectPerfMonitorCountersAMD");
	*(void **)&destroy = need("glDeletePerfMonitorsAMD");
	*(void **)&data = need("glGetPerfMonitorCounterDataAMD");
	gen(1, &monitor);
	select(monitor, GL_TRUE, 0, 1, &counter);
	begin(monitor);
	EXPECT(get_error() == GL_NO_ERROR);
	glClear(GL_COLOR_BUFFER_BIT);
	end(monitor);
	EXPECT(get_error() == GL_NO_ERROR);
	data(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD, sizeof(there), &there, NULL);
	EXPECT(there);
	destroy(1, &monitor);
	EXPECT(get_error() == GL_NO_ERROR);
}

static void count_own_intel(void)
{
	void (*create)(GLuint, GLuint *), (*begin)(GLuint), (*end)(GLuint), (*destroy)(GLuint);
	GLuint query = 0;
	*(void **)&create = need("glCreatePerfQueryINTEL");
	*(void **)&begin = need("glBeginPerfQueryINTEL");
	*(void **)&end = need("glEndPerfQueryINTEL");
	*(void **)&destroy = need("glDeletePerfQueryINTEL");
	create(2, &query);
	begin(query);
	EXPECT(get_error() == GL_NO_ERROR);
	glClear(GL_COLOR_BUFFER_BIT);
	end(query);
	destroy(query);
	EXPECT(get_error() == GL_NO_ERROR);
}

static void draw_frame(const char *what, int frame)
{
	glClearColor((float)(frame % 7) / 7, 0, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	if (strcmp(what, "own") == 0 && frame % 3 == 0)
		count_own();
	if (strcmp(what, "own-intel") == 0 && frame % 3 == 0)
		count_own_intel();
	if (strcmp(what, "error") == 0)
		glEnable(0xdead);
}

int main(int argc, char **argv)
{
	int frames = argc > 1 ? atoi(argv[1]) : 10;
	const char *what = argc > 2 ? argv[2] : "plain";
	int contexts = strcmp(what, "two") == 0 ? 2 : 1;
	struct window windows[2];

	for (int i = 0; i < contexts; i++) {
		window_display(&windows[i]);
		window_open(&windows[i], i			   ? WINDOW_COMPAT
					 : strcmp(what, "es") == 0 ? WINDOW_ES
								   : WINDOW_CORE);
	}
	*(void **)&get_error = need("glGetError");
	for (int frame = 0; frame < frames; frame++) {
		for (int i = 0; i < contexts; i++) {
			window_bind(&windows[i]);
			draw_frame(what, frame);
			window_swap(&windows[i]);
			/* An error of its own is reported once, with its own number; ours never. */
			EXPECT(get_error() ==
			       (strcmp(what, "error") == 0 ? GL_INVALID_ENUM : GL_NO_ERROR));
			EXPECT(get_error() == GL_NO_ERROR);
		}
	}
	printf("picture %08x\n", window_hash());
	for (int i = 0; strcmp(what, "exit") != 0 && i < contexts; i++) {
		window_bind(&windows[i]);
		window_close(&windows[i]);
	}
	return 0;
}
