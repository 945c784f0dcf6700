/*
 * Lives of contexts, threads and processes. The argument names the case; the number of frames that
 * each draws is known to the test.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "window.h"

static void ahead(struct window *window)
{
	window_open(window, WINDOW_CORE);
	window_prepare(window);
	for (int i = 0; i < 300; i++) {
		glDrawArrays(GL_TRIANGLES, 0, 3);
		window_swap(window);
	}
	window_close(window);
}

/* All threads are in their frames at once, however busy the machine. */
static pthread_barrier_t together;

static void *thread(void *arg)
{
	struct window window = *(struct window *)arg;

	window_open(&window, WINDOW_CORE);
	window_prepare(&window);
	window_frames(&window, 20);
	pthread_barrier_wait(&together);
	/* A finish more than a second after the last swap would end a sample of time. */
	glDrawArrays(GL_TRIANGLES, 0, 3);
	window_swap(&window);
	window_frames(&window, 19);
	window_close(&window);
	return NULL;
}

static void threads(struct window *base)
{
	pthread_t ids[4];

	pthread_barrier_init(&together, NULL, 4);
	for (int i = 0; i < 4; i++)
		EXPECT(pthread_create(&ids[i], NULL, thread, base) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	pthread_barrier_destroy(&together);
}

/* One context goes from thread to thread. */
static void *turn(void *arg)
{
	const struct window *window = arg;

	window_bind(window);
	window_frames(window, 5);
	eglMakeCurrent(window->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	return NULL;
}

static void *keep(void *arg)
{
	const struct window *window = arg;

	window_bind(window);
	window_frames(window, 5);
	EXPECT(eglReleaseThread());
	return NULL;
}

static void handed(struct window *window)
{
	pthread_t id;

	window_open(window, WINDOW_CORE);
	window_prepare(window);
	eglMakeCurrent(window->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	for (int i = 0; i < 3; i++) {
		pthread_create(&id, NULL, turn, window);
		pthread_join(id, NULL);
	}
	pthread_create(&id, NULL, keep, window);
	pthread_join(id, NULL);
	window_bind(window);
	window_frames(window, 5);
	window_close(window);
}

static void churn(struct window *window)
{
	for (int i = 0; i < 150; i++) {
		window_open(window, i % 2 != 0 ? WINDOW_CORE : WINDOW_COMPAT);
		window_prepare(window);
		window_frames(window, 2);
		if (i % 3 != 0) {
			window_close(window);
			continue;
		}
		eglDestroyContext(window->display, window->context); /* while it is current */
		eglMakeCurrent(window->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
		eglDestroySurface(window->display, window->surface);
	}
}

/* Two contexts by turns in one thread, within one frame of each. */
static void alternate(struct window *window)
{
	struct window other = *window;

	window_open(window, WINDOW_CORE);
	window_open(&other, WINDOW_CORE);
	window_prepare(window);
	window_prepare(&other);
	for (int i = 0; i < 20; i++) {
		window_bind(window);
		glDrawArrays(GL_TRIANGLES, 0, 3);
		window_bind(&other);
		glDrawArrays(GL_TRIANGLES, 0, 6);
		window_bind(window);
		glDrawArrays(GL_TRIANGLES, 0, 3);
		glFinish();
		window_swap(window);
		window_bind(&other);
		glFinish();
		window_swap(&other);
	}
	window_close(&other);
	window_bind(window);
	window_close(window);
}

/* The child touches no GL; it starts this program anew. */
static void forks(struct window *window, const char *self)
{
	int status = 0;

	window_open(window, WINDOW_CORE);
	window_prepare(window);
	window_frames(window, 5);
	pid_t child = fork();
	if (child == 0)
		exit(3);
	waitpid(child, &status, 0);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	window_frames(window, 5);
	child = fork();
	if (child == 0) {
		execl(self, self, "plain", (char *)NULL);
		_exit(9);
	}
	waitpid(child, &status, 0);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	window_frames(window, 5);
	window_close(window);
}

/* Becomes another program while results are still to come, in each of libc's ways. */
static void executes(struct window *window, const char *self, const char *way)
{
	char *argv[] = {(char *)self, "plain", NULL};
	char *none[] = {"none", NULL};
	window_open(window, WINDOW_CORE);
	window_prepare(window);
	window_frames(window, 20);
	errno = 0;
	EXPECT(execv("/nonexistent/program", none) == -1 && errno == ENOENT);
	EXPECT(execlp("sextant-no-such-program", "a", "b", (char *)NULL) == -1 && errno == ENOENT);
	EXPECT(glGetError() == GL_NO_ERROR);
	window_frames(window, 10);
	if (strcmp(way, "exec-vp") == 0)
		execvp(self, argv);
	else if (strcmp(way, "exec-le") == 0)
		execle(self, self, "plain", (char *)NULL, environ);
	else if (strcmp(way, "exec-ve") == 0)
		execve(self, argv, environ);
	else
		execl(self, self, "plain", (char *)NULL);
	_exit(9);
}

/* Draws into a window without a swap, and finishes. */
static void *finishes(void *arg)
{
	struct window *window = arg;
	window_open(window, WINDOW_CORE);
	window_prepare(window);
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 4; k++)
			glDrawArrays(GL_TRIANGLES, 0, 3);
		if (i % 4 == 3)
			glFinish();
	}
	return NULL;
}

/* A thread ends with its context current: its results cannot be read then. */
static void left_current(struct window *window)
{
	struct window other = *window;
	pthread_t id;
	pthread_create(&id, NULL, finishes, &other);
	pthread_join(id, NULL);
}

/* A child that has our memory becomes another program: nothing of ours is over. */
static void executes_in_child(struct window *window, const char *self)
{
	char *argv[] = {(char *)self, "plain", NULL};
	int status = 0;
	window_open(window, WINDOW_CORE);
	window_prepare(window);
	window_frames(window, 10);
	pid_t child = vfork();
	if (child == 0) {
		execv("/nonexistent/program", argv);
		execv(self, argv);
		_exit(9);
	}
	waitpid(child, &status, 0);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	window_frames(window, 10);
	window_close(window);
}

/* Two children draw, 10 and 20 frames, before their parent has touched GL, which it does then. */
static void forks_first(struct window *window)
{
	for (int child = 1; child <= 3; child++) {
		int status = 0;
		pid_t pid = child < 3 ? fork() : 0;

		if (pid == 0) {
			window_display(window);
			window_open(window, WINDOW_CORE);
			window_prepare(window);
			window_frames(window, 10 * child);
			window_close(window);
			if (child < 3)
				exit(0);
			return;
		}
		waitpid(pid, &status, 0);
		EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

static void draw_unswapped(struct window *window)
{
	window_open(window, WINDOW_CORE);
	window_prepare(window);
	for (int i = 0; i < 4; i++) {
		glDrawArrays(GL_TRIANGLES, 0, 3);
		printf("%08x\n", window_hash());
	}
}

static void leave(int number)
{
	exit(7);
}

/*
 * exit() from a signal handler, as Ctrl-C has it in many programs. Raised where no lock is held:
 * elsewhere such a program may hang by its own doing.
 */
static void interrupted(struct window *window)
{
	window_open(window, WINDOW_CORE);
	window_prepare(window);
	signal(SIGALRM, leave);
	window_frames(window, 20);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	raise(SIGALRM);
}

/* Draws for a while without a swap; 60 draws of 3 vertices. With a drawable it might swap yet. */
static void draw_long(struct window *window, bool drawable, void (*hand_over)(void), unsigned pause)
{
	window_open(window, WINDOW_CORE);
	if (!drawable)
		window->surface = EGL_NO_SURFACE;
	window_prepare(window);
	if (!drawable) {
		GLuint target[2];

		glGenFramebuffers(1, &target[0]);
		glBindFramebuffer(GL_FRAMEBUFFER, target[0]);
		glGenRenderbuffers(1, &target[1]);
		glBindRenderbuffer(GL_RENDERBUFFER, target[1]);
		glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 64, 64);
		glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
					  target[1]);
	}
	for (int i = 0; i < 60; i++) {
		glDrawArrays(GL_TRIANGLES, 0, 3);
		hand_over();
		usleep(pause);
	}
}

static void fence(void)
{
	GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);

	glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
	glDeleteSync(sync);
}

/*
 * Ends with work that the driver has not done yet: 10 layers of a large picture, 3 vertices each.
 * Nothing waits for them.
 */
static void draw_much(struct window *window)
{
	GLuint target[2];

	window_open(window, WINDOW_CORE);
	window_prepare(window);
	window_frames(window, 3);
	glGenFramebuffers(1, &target[0]);
	glBindFramebuffer(GL_FRAMEBUFFER, target[0]);
	glGenRenderbuffers(1, &target[1]);
	glBindRenderbuffer(GL_RENDERBUFFER, target[1]);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 1024, 1024);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target[1]);
	glViewport(0, 0, 1024, 1024);
	glEnable(GL_BLEND);
	glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
	for (int i = 0; i < 10; i++)
		glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void busy_closed(struct window *window)
{
	draw_much(window);
	window_close(window);
}

/* Contexts are left for another one with work to do, and destroyed then. */
static void left_for_another(struct window *window)
{
	struct window other = *window;

	window_open(window, WINDOW_CORE);
	for (int i = 0; i < 3; i++) {
		draw_much(&other);
		window_bind(window);
		eglDestroyContext(other.display, other.context);
		eglDestroySurface(other.display, other.surface);
	}
}

static void busy_destroyed(struct window *window)
{
	draw_much(window);
	eglDestroyContext(window->display, window->context); /* while it is current */
	EXPECT(eglReleaseThread());
}

/* Two contexts are left behind at exit, neither of them current. */
static void left_behind(struct window *window)
{
	for (int i = 0; i < 2; i++) {
		window_open(window, WINDOW_CORE);
		window_prepare(window);
		for (int k = 0; k < 4; k++)
			glDrawArrays(GL_TRIANGLES, 0, 3);
		glFinish();
		EXPECT(eglMakeCurrent(window->display, EGL_NO_SURFACE, EGL_NO_SURFACE,
				      EGL_NO_CONTEXT));
	}
}

/* Everything goes at once, with a context that is still current. */
static void terminated(struct window *window)
{
	for (int i = 0; i < 3; i++) {
		window_open(window, WINDOW_CORE);
		window_prepare(window);
		window_frames(window, 3);
		eglTerminate(window->display);
		EXPECT(eglReleaseThread());
		window_display(window);
	}
}

static void long_finish(struct window *window)
{
	draw_long(window, false, glFinish, 10000);
}

static void long_flush(struct window *window)
{
	draw_long(window, false, glFlush, 10000);
}

static void long_fence(struct window *window)
{
	draw_long(window, false, fence, 10000);
}

static void long_drawable(struct window *window)
{
	draw_long(window, true, glFinish, 30000);
}

static void long_killed(struct window *window)
{
	long_finish(window);
	raise(SIGKILL);
}

static void unswapped_closed(struct window *window)
{
	draw_unswapped(window);
	window_close(window);
}

/* Frames, and one of the ways out; returns main()'s value. */
static int frames(struct window *window, const char *end, int count)
{
	window_open(window, WINDOW_CORE);
	window_prepare(window);
	window_frames(window, count);
	if (strcmp(end, "killed") == 0)
		raise(SIGKILL);
	if (strcmp(end, "quick-exit") == 0)
		quick_exit(4);
	if (strcmp(end, "crash") == 0)
		raise(SIGSEGV);
	if (strcmp(end, "abort") == 0)
		abort();
	if (strcmp(end, "quick") == 0)
		_exit(4);
	if (strcmp(end, "status") == 0)
		return 42;
	EXPECT(strcmp(end, "plain") == 0);
	window_close(window);
	return 0;
}

static const struct {
	const char *name;
	void (*run)(struct window *window);
} lives[] = {
    {"threads", threads},
    {"handed", handed},
    {"ahead", ahead},
    {"churn", churn},
    {"alternate", alternate},
    {"interrupted", interrupted},
    {"terminated", terminated},
    {"long-finish", long_finish},
    {"long-flush", long_flush},
    {"long-fence", long_fence},
    {"long-drawable", long_drawable},
    {"long-killed", long_killed},
    {"left-behind", left_behind},
    {"left-current", left_current},
    {"left-for-another", left_for_another},
    {"busy-exit", draw_much},
    {"busy-closed", busy_closed},
    {"busy-destroyed", busy_destroyed},
    {"unswapped", draw_unswapped}, /* and exits with its context current */
    {"unswapped-closed", unswapped_closed},
};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	struct window window;

	if (strcmp(name, "no-gl") == 0)
		return 5;
	if (strcmp(name, "fork-first") == 0) {
		forks_first(&window);
		return 0;
	}
	window_display(&window);
	if (strcmp(name, "fork") == 0) {
		forks(&window, argv[0]);
		return 0;
	}
	if (strncmp(name, "exec-", 5) == 0) {
		executes(&window, argv[0], name);
		return 0;
	}
	if (strcmp(name, "vfork") == 0) {
		executes_in_child(&window, argv[0]);
		return 0;
	}
	for (size_t i = 0; i < sizeof(lives) / sizeof(lives[0]); i++)
		if (strcmp(lives[i].name, name) == 0) {
			lives[i].run(&window);
			return 0;
		}
	return frames(&window, name, argc > 2 ? atoi(argv[2]) : 20);
}
