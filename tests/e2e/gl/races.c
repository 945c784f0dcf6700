/*
 * Threads that do at once what could meet in the library's own data. The argument names the case,
 * a second one how many rounds; the number of frames that each draws is known to the test.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "window.h"

#define THREADS 4

static int rounds = 10;
static struct window display;
static pthread_barrier_t together;

static void draw_groups(int count)
{
	for (int i = 0; i < count; i++) {
		glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, i % 2 ? "odd" : "even");
		glDrawArrays(GL_TRIANGLES, 0, 3);
		glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 2, -1, "inner");
		glDrawArrays(GL_TRIANGLES, 0, 3);
		glPopDebugGroup();
		glPopDebugGroup();
	}
}

/* Two contexts take turns in a window of the thread's own; the second one swaps. */
static void *turn(void *arg)
{
	struct window windows[2] = {display, display};
	window_open(&windows[0], WINDOW_CORE);
	window_open(&windows[1], WINDOW_CORE);
	EGLSurface own = windows[1].surface;
	windows[1].surface = windows[0].surface;
	window_prepare(&windows[0]);
	window_prepare(&windows[1]);
	pthread_barrier_wait(&together);
	for (int i = 0; i < rounds; i++) {
		window_bind(&windows[0]);
		draw_groups(3);
		window_bind(&windows[1]);
		draw_groups(3);
		window_swap(&windows[1]);
	}
	windows[1].surface = own;
	window_close(&windows[1]);
	window_bind(&windows[0]);
	window_close(&windows[0]);
	return NULL;
}

static void *draw(void *arg)
{
	struct window window = display;
	window_open(&window, WINDOW_CORE);
	window_prepare(&window);
	pthread_barrier_wait(&together);
	for (int i = 0; i < rounds; i++) {
		draw_groups(5);
		window_swap(&window);
	}
	window_close(&window);
	return NULL;
}

/* Contexts of a frame each; every other one is destroyed while it is current. */
static void *come_and_go(void *arg)
{
	pthread_barrier_wait(&together);
	for (int i = 0; i < rounds; i++) {
		struct window window = display;
		window_open(&window, i % 3 ? WINDOW_CORE : WINDOW_COMPAT);
		window_prepare(&window);
		draw_groups(1);
		window_swap(&window);
		if (i % 2) {
			window_close(&window);
			continue;
		}
		eglDestroyContext(window.display, window.context);
		EXPECT(eglReleaseThread());
		eglDestroySurface(window.display, window.surface);
	}
	return NULL;
}

/* Children that touch no GL, from a thread that has no context. */
static void *forks(void *arg)
{
	pthread_barrier_wait(&together);
	for (int i = 0; i < rounds; i++) {
		int status = 0;
		pid_t child = fork();
		if (child == 0)
			_exit(3);
		EXPECT(waitpid(child, &status, 0) == child);
		EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	}
	return NULL;
}

/* Functions are looked up in each of the ways, as a loader of extensions does it. */
static void *look_up(void *arg)
{
	static const char *const names[] = {"glDrawArrays", "glPushDebugGroup", "eglSwapBuffers",
					    "glBeginQuery", "eglDestroyContext"};
	pthread_barrier_wait(&together);
	for (int i = 0; i < rounds; i++) {
		void *gl = dlopen("libGL.so.1", RTLD_NOW | RTLD_LOCAL);
		EXPECT(gl);
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			EXPECT(eglGetProcAddress(names[k]));
			EXPECT(dlsym(RTLD_DEFAULT, names[k]));
			EXPECT(dlsym(gl, names[k]) || names[k][0] == 'e');
		}
		dlclose(gl);
	}
	return NULL;
}

static const struct {
	const char *name;
	void *(*threads[THREADS])(void *arg);
} cases[] = {
    {"turns", {turn, turn, turn, turn}},
    {"draws", {draw, draw, draw, draw}},
    {"come-and-go", {come_and_go, come_and_go, come_and_go, come_and_go}},
    {"beside", {draw, come_and_go, turn, come_and_go}},
    {"forks", {draw, forks, come_and_go, forks}},
    {"look-up", {draw, look_up, come_and_go, look_up}},
};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	pthread_t ids[THREADS];
	rounds = argc > 2 ? atoi(argv[2]) : rounds;
	window_display(&display);
	pthread_barrier_init(&together, NULL, THREADS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, name) != 0)
			continue;
		for (int k = 0; k < THREADS; k++)
			EXPECT(pthread_create(&ids[k], NULL, cases[i].threads[k], NULL) == 0);
		for (int k = 0; k < THREADS; k++)
			pthread_join(ids[k], NULL);
		return 0;
	}
	return 2;
}
