/*
 * Draws for a number of rounds of unlike length and never swaps; what is drawn differs from draw to
 * draw. Arguments: rounds, and "window" for a drawable that could be swapped, or "frames" for one
 * that is, 20 times, after the rounds. Prints how many vertices it drew. The clock ends rounds,
 * so that the number of samples does not depend on the machine.
 */
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "window.h"

#define SIDE 256

static double now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void make_target(void)
{
	GLuint target[2];

	glGenFramebuffers(1, &target[0]);
	glBindFramebuffer(GL_FRAMEBUFFER, target[0]);
	glGenRenderbuffers(1, &target[1]);
	glBindRenderbuffer(GL_RENDERBUFFER, target[1]);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIDE, SIDE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target[1]);
	glViewport(0, 0, SIDE, SIDE);
}

/* Finished every few draws, so that a round ends when it should; returns the vertices. */
static long draw_for(double seconds)
{
	double end = now() + seconds;
	long vertices = 0;

	while (now() < end) {
		for (int i = 0; i < 8; i++) {
			int count = i % 2 == 0 ? 3 : 9;

			glDrawArrays(GL_TRIANGLES, 0, count);
			vertices += count;
		}
		glFinish();
	}
	return vertices;
}

int main(int argc, char **argv)
{
	static const double lengths[] = {0.13, 0.06, 0.31, 0.11};
	int rounds = argc > 1 ? atoi(argv[1]) : 20;
	struct window window;
	long vertices = 0;

	window_display(&window);
	window_open(&window, WINDOW_CORE);
	if (argc < 3)
		window.surface = EGL_NO_SURFACE;
	window_prepare(&window);
	make_target();
	for (int i = 0; i < rounds; i++) {
		vertices += draw_for(lengths[i % 4]);
		usleep(i % 3 == 0 ? 40000 : 0);
	}
	if (argc > 2 && strcmp(argv[2], "frames") == 0) {
		window_frames(&window, 20);
		vertices += 20L * 3;
	}
	EXPECT(glGetError() == GL_NO_ERROR);
	fprintf(stderr, "vertices %ld\n", vertices);
	return 0;
}
