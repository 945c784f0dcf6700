/*
 * Opaque quads over the whole window, again and again: a tile rasteriser skips the
 * hidden ones at no cost, unless samples are counted. Arguments: frames, quads in each. Says what
 * CPU time the process took, how often its CPU clock was asked in how many milliseconds, and a hash
 * of the last picture.
 */
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "window.h"

#define SIDE 512

static long asked;

/* Replaces libc's for all libraries of the process. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
	asked += clock == CLOCK_PROCESS_CPUTIME_ID;
	return (int)syscall(SYS_clock_gettime, clock, now);
}

static double seconds(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void make_target(void)
{
	static const char *const sources[] = {
	    "#version 330\nvoid main() { gl_Position = vec4(gl_VertexID % 3 == 1 ? 3 : -1,\n"
	    "	gl_VertexID % 3 == 2 ? 3 : -1, 0, 1); }\n",
	    "#version 330\nuniform vec4 shade;\nout vec4 color;\n"
	    "void main() { color = shade * 0.5 + 0.25; }\n"};
	static const GLenum kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
	window_target(SIDE);
	glUseProgram(window_program(sources, kinds, 2, NULL, 0));
}

int main(int argc, char **argv)
{
	int frames = argc > 1 ? atoi(argv[1]) : 200, quads = argc > 2 ? atoi(argv[2]) : 20;
	struct window window;
	double begin = seconds(CLOCK_MONOTONIC);

	window_display(&window);
	window_open(&window, WINDOW_CORE);
	window_bind(&window);
	make_target();
	for (int i = 0; i < frames; i++) {
		for (int k = 0; k < quads; k++)
			glDrawArrays(GL_TRIANGLES, 0, 3);
		glFinish();
		window_swap(&window);
	}
	EXPECT(glGetError() == GL_NO_ERROR);
	printf("picture %08x\n", window_hash());
	fprintf(stderr, "asked %ld in %.0f ms\n", asked, 1e3 * (seconds(CLOCK_MONOTONIC) - begin));
	fprintf(stderr, "cpu %.6f\n", seconds(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
