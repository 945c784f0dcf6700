/*
 * Two contexts that take turns in one window: each draws into its half in every frame, and the
 * second one swaps. Argument: frames. Says what CPU time the process took.
 */
#include <time.h>

#include "window.h"

#define DRAWS 3

int main(int argc, char **argv)
{
	int frames = argc > 1 ? atoi(argv[1]) : 2000;
	struct window windows[2];
	struct timespec cpu;

	window_display(&windows[0]);
	windows[1] = windows[0];
	for (int i = 0; i < 2; i++)
		window_open(&windows[i], WINDOW_CORE);
	windows[1].surface = windows[0].surface;
	for (int i = 0; i < 2; i++) {
		window_prepare(&windows[i]);
		glViewport(i * WINDOW_SIZE / 2, 0, WINDOW_SIZE / 2, WINDOW_SIZE);
	}
	for (int i = 0; i < frames; i++) {
		for (int turn = 0; turn < 2; turn++) {
			window_bind(&windows[turn]);
			for (int k = 0; k < DRAWS; k++)
				glDrawArrays(GL_TRIANGLES, 0, 3);
		}
		window_swap(&windows[1]);
	}
	EXPECT(glGetError() == GL_NO_ERROR);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	fprintf(stderr, "cpu %.6f\n", (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9);
	return 0;
}
