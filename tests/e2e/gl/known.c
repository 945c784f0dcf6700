/*
 * Programs with known GPU time: they draw for a known time, or wait, and at the end print how
 * much CPU time the rasteriser's threads (those named llvmpipe-N) took, and how long the driver's
 * threads, all but the first and the cache's, waited for a CPU. The argument names the case, a
 * second one the number of rounds.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "window.h"

#define SIDE 256

static struct window windows[8];

static void nap(unsigned ms)
{
	struct timespec time = {.tv_nsec = (long)ms * 1000000};

	nanosleep(&time, NULL);
}

static GLuint heavy_program(bool es)
{
	static const char *const desktop[] = {
	    "#version 330\nvoid main() { gl_Position = vec4(gl_VertexID % 3 == 1 ? 3 : -1,\n"
	    "	gl_VertexID % 3 == 2 ? 3 : -1, 0, 1); }\n",
	    "#version 330\nout vec4 color;\nvoid main() { vec2 z = gl_FragCoord.xy / 256.0;\n"
	    "	for (int i = 0; i < 40; i++) z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + "
	    "0.1;\n"
	    "	color = vec4(z, 0.5, 1); }\n"};
	static const char *const mobile[] = {
	    "#version 300 es\nvoid main() { gl_Position = vec4(gl_VertexID % 3 == 1 ? 3 : -1,\n"
	    "	gl_VertexID % 3 == 2 ? 3 : -1, 0, 1); }\n",
	    "#version 300 es\nprecision highp float;\nout vec4 color;\n"
	    "void main() { vec2 z = gl_FragCoord.xy / 256.0;\n"
	    "	for (int i = 0; i < 40; i++) z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + "
	    "0.1;\n"
	    "	color = vec4(z, 0.5, 1); }\n"};
	static const GLenum kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};

	return window_program(es ? mobile : desktop, kinds, 2, NULL, 0);
}

static void make_target(bool es)
{
	window_target(SIDE);
	glEnable(GL_BLEND);
	glBlendFunc(GL_ONE, GL_ONE);
	glUseProgram(heavy_program(es));
}

static void open_window(int index, enum window_kind kind)
{
	window_display(&windows[index]);
	window_open(&windows[index], kind);
	window_bind(&windows[index]);
	make_target(kind == WINDOW_ES);
}

/* Several milliseconds of rasterising. */
static void work(int draws)
{
	for (int i = 0; i < draws; i++)
		glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void read_back(void)
{
	static unsigned char pixels[SIDE * SIDE * 4];

	glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* A buffer that the GPU writes after drawing: mapping it waits for both. */
static void map_written(void)
{
	static GLuint buffers[2];

	if (buffers[0] == 0) {
		glGenBuffers(2, buffers);
		for (int i = 0; i < 2; i++) {
			glBindBuffer(i == 0 ? GL_COPY_READ_BUFFER : GL_COPY_WRITE_BUFFER,
				     buffers[i]);
			glBufferData(i == 0 ? GL_COPY_READ_BUFFER : GL_COPY_WRITE_BUFFER, 4096,
				     NULL, GL_DYNAMIC_READ);
		}
	}
	glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, 4096);
	glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, 4096, GL_MAP_READ_BIT);
	glUnmapBuffer(GL_COPY_WRITE_BUFFER);
}

/* Work before and after a hand-over, and a long rest of the GPU in between. */
static void rest_between(const char *how)
{
	int parts = strcmp(how, "often") == 0 ? 20 : 1;

	for (int part = 0; part < parts; part++) {
		work(2);
		if (strcmp(how, "finish") == 0) {
			glFinish();
		} else if (strcmp(how, "readback") == 0) {
			read_back();
		} else if (strcmp(how, "map") == 0) {
			map_written();
		} else if (strcmp(how, "fence") == 0) {
			GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);

			glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
			glDeleteSync(fence);
		} else {
			glFlush();
		}
		nap(parts == 1 ? 60 : 6);
	}
	work(2);
}

static void say_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	uint64_t waits_ns = 0;

	while (tasks && (entry = readdir(tasks))) {
		char path[300], name[64] = "";
		uint64_t run_ns = 0, wait_ns = 0;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		FILE *file = fopen(path, "r");
		if (!file)
			continue;
		if (!fgets(name, sizeof(name), file))
			name[0] = '\0';
		fclose(file);
		snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", entry->d_name);
		file = fopen(path, "r");
		if (file && fscanf(file, "%lu %lu", &run_ns, &wait_ns) == 2 &&
		    strncmp(name, "llvmpipe-", 9) == 0)
			printf("raster %lu\n", run_ns);
		if (atoi(entry->d_name) != getpid() && !strstr(name, ":disk$"))
			waits_ns += wait_ns;
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
	printf("waits %lu\n", waits_ns);
	fflush(stdout);
}

static void swap_cases(const char *name, int rounds)
{
	bool es = strncmp(name, "es", 2) == 0, asks = strcmp(name, "es-disjoint") == 0;
	int shown = 0;

	open_window(0, es ? WINDOW_ES : WINDOW_CORE);
	for (int i = 0; i < rounds; i++) {
		if (strcmp(name, "idle") == 0) {
			work(1);
			window_swap(&windows[0]);
			nap(20);
			continue;
		}
		if (strncmp(name, "rest-", 5) == 0) {
			rest_between(name + 5);
			window_swap(&windows[0]);
			continue;
		}
		work(20);
		if (strcmp(name, "flush") == 0) {
			glFlush();
			nap(20); /* the rasteriser works meanwhile, and then rests */
		} else if (strcmp(name, "finish") == 0) {
			glFinish();
			nap(5);
		} else if (asks) {
			GLint disjoint = 0;

			glFinish();
			glGetIntegerv(0x8fbb /* GL_GPU_DISJOINT_EXT */, &disjoint);
			shown += disjoint;
		} else if (strcmp(name, "readback") == 0) {
			read_back();
		} else if (strcmp(name, "parts") == 0) {
			for (int part = 0; part < 4; part++) {
				work(5);
				glFlush();
			}
		}
		window_swap(&windows[0]);
	}
	glFinish();
	window_swap(&windows[0]);
	if (asks)
		printf("told %d times\n", shown);
}

static void never_swap(int rounds)
{
	open_window(0, WINDOW_CORE);
	for (int i = 0; i < rounds; i++) {
		work(20);
		glFinish();
	}
}

/* Two contexts in one thread, each with work of its own. */
static void two_contexts(int rounds)
{
	open_window(0, WINDOW_CORE);
	open_window(1, WINDOW_CORE);
	for (int i = 0; i < rounds; i++) {
		for (int w = 0; w < 2; w++) {
			window_bind(&windows[w]);
			work(w == 0 ? 15 : 5);
			window_swap(&windows[w]);
		}
	}
	glFinish();
	window_swap(&windows[1]);
}

/* Contexts that draw once and are left for the next one, and are all there at the end. */
static void left_alone(int rounds)
{
	for (int i = 0; i < 8; i++) {
		open_window(i, WINDOW_CORE);
		work(2 * rounds);
		glFinish();
	}
}

static int64_t process_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static pthread_barrier_t together;
static bool over;

static void *draw_until_over(void *arg)
{
	struct window *window = arg;

	window_open(window, WINDOW_CORE);
	window_bind(window);
	make_target(false);
	pthread_barrier_wait(&together);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, "all");
		work(1);
		glFinish();
		glPopDebugGroup();
		window_swap(window);
	}
	pthread_barrier_wait(&together);
	return NULL;
}

/* Four contexts that draw at once, and the process's CPU time: meanwhile, and to the end. */
static void four_threads(int ms)
{
	pthread_t ids[4];

	window_display(&windows[0]);
	pthread_barrier_init(&together, NULL, 5);
	for (int i = 0; i < 4; i++) {
		windows[i] = windows[0];
		EXPECT(pthread_create(&ids[i], NULL, draw_until_over, &windows[i]) == 0);
	}
	pthread_barrier_wait(&together);
	int64_t begin_ns = process_ns();
	nap((unsigned)ms);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	pthread_barrier_wait(&together);
	int64_t end_ns = process_ns();
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	printf("process %lld %lld\n", (long long)(end_ns - begin_ns), (long long)process_ns());
}

static void two_processes(const char *self, char *rounds)
{
	for (int i = 0; i < 2; i++) {
		if (fork() == 0) {
			execl(self, self, i == 0 ? "busy" : "finish", rounds, (char *)NULL);
			_exit(127);
		}
	}
	for (int i = 0; i < 2; i++) {
		int status;

		wait(&status);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 40;

	NEED(argc > 1);
	if (strcmp(argv[1], "two-processes") == 0)
		two_processes(argv[0], argc > 2 ? argv[2] : "40");
	else if (strcmp(argv[1], "two-contexts") == 0)
		two_contexts(rounds);
	else if (strcmp(argv[1], "left-alone") == 0)
		left_alone(rounds);
	else if (strcmp(argv[1], "four-threads") == 0)
		four_threads(rounds);
	else if (strcmp(argv[1], "never-swap") == 0)
		never_swap(rounds);
	else
		swap_cases(argv[1], rounds);
	EXPECT(glGetError() == GL_NO_ERROR);
	say_threads();
	return 0;
}
