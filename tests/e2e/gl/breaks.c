/*
 * Things that programs do and that a measurement must survive. The argument names the case; the
 * number of frames that each draws is known to the test.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "window.h"

/* Kills for asking what time it is, and for naps. (Mesa itself calls getpid at each swap.) */
static void seal(long (*install)(struct sock_fprog *program))
{
	struct sock_filter filter[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 2, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_nanosleep, 1, 0),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	NEED(install(&program) == 0);
}

static long by_prctl(struct sock_fprog *program)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
}

static long by_syscall(struct sock_fprog *program)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program);
}

static void sandbox(struct window *window, long (*install)(struct sock_fprog *program))
{
	window_open(window, WINDOW_CORE);
	window_prepare(window);
	window_frames(window, 5);
	seal(install);
	window_frames(window, 15);
	printf("%08x\n", window_hash());
	fflush(stdout);
	eglMakeCurrent(window->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	_exit(6); /* whatever else runs at exit may ask for the time */
}

/* The sandbox is there before the program starts, as bubblewrap makes it. */
static void sandboxed(char **argv)
{
	char *again[] = {argv[0], (char *)(size_t) "plain", NULL};

	seal(by_prctl);
	execv("/proc/self/exe", again);
	exit(1);
}

/*
 * A context that is released without a flush: its draws to a shared texture are not yet visible in
 * another context.
 */
static void unflushed(struct window *window)
{
	const char *extensions = eglQueryString(window->display, EGL_EXTENSIONS);
	GLuint texture, buffer;
	unsigned char pixel[4] = {0};
	EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
			       3,
			       EGL_CONTEXT_OPENGL_PROFILE_MASK,
			       EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
			       EGL_CONTEXT_RELEASE_BEHAVIOR_KHR,
			       EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR,
			       EGL_NONE};

	NEED(strstr(extensions, "EGL_KHR_context_flush_control"));
	window_open(window, WINDOW_COMPAT);
	struct window other = *window;
	other.context =
	    eglCreateContext(window->display, window->config, window->context, attributes);
	NEED(other.context);
	window_bind(window);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
	glFinish();
	for (int i = 0; i < 3; i++) {
		window_bind(&other);
		glGenFramebuffers(1, &buffer);
		glBindFramebuffer(GL_FRAMEBUFFER, buffer);
		glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture,
				       0);
		glClearColor(0, (float)(i + 1) / 4, 0, 1);
		glClear(GL_COLOR_BUFFER_BIT);
		window_bind(window);
		glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
		printf("%02x\n", pixel[1]);
		window_bind(&other);
		glFinish();
		window_bind(window);
		window_swap(window);
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	struct window window;

	if (strcmp(name, "sandboxed") == 0)
		sandboxed(argv);
	window_display(&window);
	if (strcmp(name, "sandbox-prctl") == 0)
		sandbox(&window, by_prctl);
	if (strcmp(name, "sandbox-syscall") == 0)
		sandbox(&window, by_syscall);
	if (strcmp(name, "unflushed") == 0) {
		unflushed(&window);
		return 0;
	}
	EXPECT(strcmp(name, "plain") == 0);
	window_open(&window, WINDOW_CORE);
	window_prepare(&window);
	window_frames(&window, 20);
	_exit(6);
}
