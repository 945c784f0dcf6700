/*
 * A program that is held back in a way that is known: `loads KIND [FRAMES [SEED]]`. KIND is cpu
 * (one thread computes all the time), gpu (a heavy fragment shader, frames in flight), turns (as
 * much of each, and glFinish between them), paced (little work at each tick of 60 Hz), overlap,
 * half, ticks or close (work of both sides at each tick, see `ticking`), starved (little work, then
 * it waits for events that come by chance), sleeps (little work, then 5 to 25 ms of sleep by
 * chance) or changes (half of its frames cpu, then gpu). Amounts of work are CPU time of the thread
 * that does it, so that they hold on a busy machine. It ends with what its threads did, in percent
 * of the time: on a CPU, and ready without one.
 */
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../gl/window.h"

#define SIDE	512
#define WORK_NS 10000000 /* of each side, a frame */
#define TICK_NS 16666667

static GLint rounds_at;
static int rounds = 16;

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void make_target(void)
{
	static const char *const sources[] = {
	    "#version 330\nvoid main() { gl_Position = vec4(gl_VertexID % 3 == 1 ? 3 : -1,\n"
	    "	gl_VertexID % 3 == 2 ? 3 : -1, 0, 1); }\n",
	    "#version 330\nuniform int rounds;\nout vec4 color;\n"
	    "void main() { vec4 c = gl_FragCoord * 0.001;\n"
	    "	for (int i = 0; i < rounds; i++) c = fract(c.yzwx * 1.7 + c * c);\n"
	    "	color = c; }\n"};
	static const GLenum kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};

	window_target(SIDE);
	GLuint program = window_program(sources, kinds, 2, NULL, 0);
	glUseProgram(program);
	rounds_at = glGetUniformLocation(program, "rounds");
}

static void draw(int count)
{
	glUniform1i(rounds_at, count);
	glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void compute(int64_t ns)
{
	int64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

/* CPU time of the rasteriser's threads: all but this one's. */
static int64_t raster_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) - clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* How heavy the shader must be. */
static void calibrate(void)
{
	int64_t took = 0;

	draw(rounds);
	glFinish(); /* compiles it */
	while (took < WORK_NS / 2 && rounds < 1 << 20) {
		int64_t before = raster_ns();
		draw(rounds);
		glFinish();
		took = raster_ns() - before;
		if (took < WORK_NS / 2)
			rounds *= 2;
	}
	if (took > 0)
		rounds = (int)((int64_t)rounds * WORK_NS / took);
}

/* Two frames in flight, as behind a window: without, a pbuffer's would be queued without end. */
static void queue(void)
{
	static GLsync ends[2];
	static unsigned count;
	GLsync *end = &ends[count++ % 2];
	if (*end) {
		glClientWaitSync(*end, GL_SYNC_FLUSH_COMMANDS_BIT, UINT64_C(1000000000));
		glDeleteSync(*end);
	}
	*end = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
	glFlush(); /* else the next frame covers this one before it is drawn */
}

static void wait_until(int64_t at)
{
	struct timespec t = {at / 1000000000, at % 1000000000};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* Time to the next of events that come by chance, 30 ms apart in the mean. */
static int64_t event_ns(void)
{
	double chance = (rand() + 1.0) / (RAND_MAX + 2.0);
	return (int64_t)(-log(chance) * 30e6);
}

/* When the next frame is due: at a tick, or after a time that comes by chance. */
static int64_t next_ns(const char *kind, int64_t last)
{
	if (strcmp(kind, "paced") == 0)
		return last + TICK_NS;
	int64_t now = clock_ns(CLOCK_MONOTONIC);
	return now + (strcmp(kind, "sleeps") == 0 ? 5000000 + rand() % 20000000 : event_ns());
}

/* What a thread did so far, by the kernel. */
struct account {
	long long run_ns, wait_ns;
};

static struct account thread_account(const char *thread)
{
	char path[300];
	struct account a = {0};
	snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", thread);
	FILE *file = fopen(path, "r");
	if (file && fscanf(file, "%lld %lld", &a.run_ns, &a.wait_ns) != 2)
		a = (struct account){0};
	if (file)
		fclose(file);
	return a;
}

/* This thread, and the rasteriser's (LP_NUM_THREADS=1). */
static void read_accounts(struct account out[2])
{
	DIR *tasks = opendir("/proc/self/task");
	char own[32], path[300], name[32];
	snprintf(own, sizeof(own), "%d", (int)getpid());
	out[0] = thread_account(own);
	out[1] = (struct account){0};
	for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		FILE *file = fopen(path, "r");
		if (file && fgets(name, sizeof(name), file) && strncmp(name, "llvmpipe-", 9) == 0)
			out[1] = thread_account(entry->d_name);
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
}

/* Work of each side at each tick, in percent of WORK_NS: at once, or one after the other. */
static const struct ticking {
	const char *kind;
	int percent;
	bool at_once;
} ticking[] = {
    {"overlap", 100, true},
    {"half", 80, true},
    {"ticks", 50, false},
    {"close", 75, false},
};

static bool tick(const char *kind, int64_t *next)
{
	const struct ticking *t = ticking;
	while (t < ticking + sizeof(ticking) / sizeof(ticking[0]) && strcmp(kind, t->kind) != 0)
		t++;
	if (t == ticking + sizeof(ticking) / sizeof(ticking[0]))
		return false;
	if (!t->at_once)
		compute((int64_t)WORK_NS * t->percent / 100);
	draw(rounds * t->percent / 100);
	if (t->at_once) {
		glFlush();
		compute((int64_t)WORK_NS * t->percent / 100);
	} else {
		glFinish();
	}
	*next += TICK_NS;
	wait_until(*next);
	return true;
}

static void frame(const char *kind, int64_t *next)
{
	if (tick(kind, next))
		return;
	if (strcmp(kind, "cpu") == 0) {
		compute(WORK_NS);
		draw(1);
	} else if (strcmp(kind, "gpu") == 0) {
		draw(rounds);
		queue();
	} else if (strcmp(kind, "turns") == 0) {
		compute(WORK_NS);
		draw(rounds);
		glFinish();
	} else {
		compute(WORK_NS / 20);
		draw(1);
		*next = next_ns(kind, *next);
		wait_until(*next);
	}
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "gpu";
	int frames = argc > 2 ? atoi(argv[2]) : 100;
	srand(argc > 3 ? (unsigned)atoi(argv[3]) : 1);
	bool changes = strcmp(kind, "changes") == 0;
	struct window window;

	window_display(&window);
	window_open(&window, WINDOW_CORE);
	window_bind(&window);
	make_target();
	calibrate();
	struct account before[2], after[2];
	int64_t begin = clock_ns(CLOCK_MONOTONIC), next = begin;
	read_accounts(before);
	for (int i = 0; i < frames; i++) {
		frame(changes ? i < frames / 2 ? "cpu" : "gpu" : kind, &next);
		window_swap(&window);
	}
	read_accounts(after);
	double percent = 100.0 / (double)(clock_ns(CLOCK_MONOTONIC) - begin);
	for (int i = 0; i < 2; i++) /* what the test holds the verdict against */
		printf("%s %.2f %.2f\n", i ? "raster" : "main",
		       (double)(after[i].run_ns - before[i].run_ns) * percent,
		       (double)(after[i].wait_ns - before[i].wait_ns) * percent);
	EXPECT(glGetError() == GL_NO_ERROR);
	return 0;
}
