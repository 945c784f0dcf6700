/*
 * Frames that are never read: a driver that defers rendering never renders them, unless results of
 * queries are read. Arguments: frames, draws in each, and "culled" if all triangles are culled, so
 * that only the calls cost time; or "computes", where one of the calls is
 * a dispatch instead; or "groups", where each draw has a debug group; or "empty", where the groups
 * are all there is. Says what CPU time the process took.
 */
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "window.h"

#define SIDE 256

static GLuint computing(void)
{
	static const char *const sources[] = {
	    "#version 430\nlayout(local_size_x = 1) in;\nvoid main() {}\n"};
	static const GLenum kinds[] = {GL_COMPUTE_SHADER};

	return window_program(sources, kinds, 1, NULL, 0);
}

/* Groups of a number of names, each with a draw in it or none. */
static void draw_groups(int count, bool draws)
{
	static char names[16][12];

	if (!*names[0]) {
		for (int i = 0; i < 16; i++)
			snprintf(names[i], sizeof(names[i]), "part %d", i);
	}
	for (int i = 0; i < count; i++) {
		glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, names[i % 16]);
		if (draws)
			glDrawArrays(GL_TRIANGLES, 0, 3);
		glPopDebugGroup();
	}
}

int main(int argc, char **argv)
{
	static const char *const sources[] = {
	    "#version 330\nvoid main() { gl_Position = vec4(gl_VertexID % 3 == 1 ? 1 : -1,\n"
	    "	gl_VertexID % 3 == 2 ? 1 : -1, 0, 1); }\n",
	    "#version 330\nout vec4 color;\nvoid main() { color = vec4(1, 0, 0, 1); }\n"};
	static const GLenum kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
	static const EGLint shape[] = {EGL_WIDTH, SIDE, EGL_HEIGHT, SIDE, EGL_NONE};
	int frames = argc > 1 ? atoi(argv[1]) : 4000;
	int draws = argc > 2 ? atoi(argv[2]) : 3;
	struct window window;
	struct timespec cpu;
	GLuint array;

	window_display(&window);
	window_open(&window, WINDOW_CORE);
	eglDestroySurface(window.display, window.surface);
	window.surface = eglCreatePbufferSurface(window.display, window.config, shape);
	NEED(window.surface);
	window_bind(&window);
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	GLuint drawing = window_program(sources, kinds, 2, NULL, 0);
	const char *how = argc > 3 ? argv[3] : "";
	bool computes = strcmp(how, "computes") == 0, empty = strcmp(how, "empty") == 0;
	bool groups = empty || strcmp(how, "groups") == 0;
	GLuint other = computes ? computing() : 0;
	glUseProgram(drawing);
	if (argc > 3) {
		glEnable(GL_CULL_FACE);
		glCullFace(GL_FRONT_AND_BACK);
	}
	for (int i = 0; i < frames; i++) {
		if (groups)
			draw_groups(draws, !empty);
		for (int k = computes; k < draws && !groups; k++)
			glDrawArrays(GL_TRIANGLES, 0, 3);
		if (computes) {
			glUseProgram(other);
			glDispatchCompute(1, 1, 1);
			glUseProgram(drawing);
		}
		window_swap(&window);
	}
	EXPECT(glGetError() == GL_NO_ERROR);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	fprintf(stderr, "cpu %.6f\n", (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9);
	return 0;
}
