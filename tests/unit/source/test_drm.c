/*
 * The DRM source where calls fail: the switch of a driver's accounting is put back whatever fails,
 * and what a client did is not lost with one reading of it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "devices/tree.h"
#include "source/drm/drm.h"

#define GUARD  77
#define PIPE   8000
#define FOLDER "/sys/devices/platform/gpu"
#define SWITCH FOLDER "/profiling"
#define DESCRIPTOR                                                                                 \
	"descriptor 50 3 /dev/dri/renderD128\n\tdrm-driver:\tpanthor\n\tdrm-client-id:\t4\n"

/* A tree with failing calls, and a guard that does what the real one does when its pipe ends. */
struct world {
	struct tree tree;
	struct sx_sys sys;
	int fail_at, calls, pipes_open;
	bool byte, guarded;
	int unreadable; /* readings of descriptors that fail from now on */
};

static struct world *of(void *user)
{
	return user;
}

static bool fails(struct world *w)
{
	errno = EIO;
	return ++w->calls == w->fail_at;
}

static int world_open(void *user, const char *path, int flags)
{
	struct world *w = of(user);
	return fails(w) ? -1 : w->tree.sys.open(&w->tree, path, flags);
}

/* The guard puts the switch back when the pipe ends without a word, and so without us. */
static void end_guard(struct world *w)
{
	char value[24];
	w->guarded = false;
	w->tree.sys.read_file(&w->tree, SWITCH, value, sizeof(value));
	if (!w->byte)
		tree_put(&w->tree, SWITCH, "0\n", 2);
}

static int world_close(void *user, int fd)
{
	struct world *w = of(user);
	if (fd < PIPE)
		return -1;
	if (fd >= PIPE + 2)
		return w->tree.sys.close(&w->tree, fd);
	w->pipes_open--;
	if (fd == PIPE + 1 && w->guarded)
		end_guard(w);
	return 0;
}

static ssize_t world_write(void *user, int fd, const void *buf, size_t size)
{
	struct world *w = of(user);
	if (fails(w))
		return -1;
	if (fd != PIPE + 1)
		return w->tree.sys.write(&w->tree, fd, buf, size);
	w->byte = true;
	return (ssize_t)size;
}

static ssize_t world_read_file(void *user, const char *path, char *buf, size_t size)
{
	struct world *w = of(user);
	if (strstr(path, "fdinfo") && w->unreadable && w->unreadable--) {
		errno = EIO;
		return -1;
	}
	return fails(w) ? -1 : w->tree.sys.read_file(&w->tree, path, buf, size);
}

static int world_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			  void *arg)
{
	struct world *w = of(user);
	return fails(w) ? -1 : w->tree.sys.list_dir(&w->tree, path, visit, arg);
}

static ssize_t world_read_link(void *user, const char *path, char *buf, size_t size)
{
	struct world *w = of(user);
	return fails(w) ? -1 : w->tree.sys.read_link(&w->tree, path, buf, size);
}

static int world_clock_gettime(void *user, clockid_t clock, struct timespec *out)
{
	struct world *w = of(user);
	return fails(w) ? -1 : w->tree.sys.clock_gettime(&w->tree, clock, out);
}

static int world_pipe(void *user, int fds[2])
{
	struct world *w = of(user);
	if (fails(w))
		return -1;
	fds[0] = PIPE;
	fds[1] = PIPE + 1;
	w->pipes_open += 2;
	return 0;
}

static pid_t world_fork(void *user)
{
	struct world *w = of(user);
	if (fails(w))
		return -1;
	w->guarded = true;
	return GUARD;
}

static pid_t world_wait(void *user, pid_t pid, int *status, int flags, struct rusage *usage)
{
	return pid;
}

static void begin(struct world *w)
{
	*w = (struct world){.fail_at = 0};
	tree_init(&w->tree, NULL);
	if (!tree_add(&w->tree, "file " SWITCH " 0644\n\t0\nprocess 1 0 0 init\n"
				"process 50 1 0 game\n" DESCRIPTOR
				"\tdrm-engine-panthor:\t{9+100000000/s} ns\n"))
		fail_msg("%s", w->tree.why);
	w->sys = (struct sx_sys){.user = w,
				 .open = world_open,
				 .close = world_close,
				 .write = world_write,
				 .read_file = world_read_file,
				 .list_dir = world_list_dir,
				 .read_link = world_read_link,
				 .clock_gettime = world_clock_gettime,
				 .pipe = world_pipe,
				 .fork = world_fork,
				 .wait = world_wait};
}

static const struct drm_card card = {
    .card = 0, .render = 128, .driver = "panthor", .device = FOLDER, .profiling = SWITCH};

static void expect_switch(struct world *w, const char *value)
{
	char text[24];
	int saved = w->fail_at;
	w->fail_at = 0;
	assert_true(w->tree.sys.read_file(&w->tree, SWITCH, text, sizeof(text)) > 0);
	w->fail_at = saved;
	text[strcspn(text, "\n")] = '\0';
	assert_string_equal(text, value);
}

static void the_switch_is_put_back(void **state)
{
	bool reached = true;
	for (int k = 0; reached; k++) {
		struct world w;
		struct drm_profiling p;
		struct sx_error err = {0};
		begin(&w);
		w.fail_at = k;
		enum sx_status status = drm_profiling_begin(&p, &w.sys, &card, &err);
		if (status == SX_OK)
			expect_switch(&w, "3");
		else
			assert_true(err.message[0] && err.remedy[0]);
		drm_profiling_end(&p, &w.sys);
		drm_profiling_end(&p, &w.sys); /* twice does no harm */
		expect_switch(&w, "0");
		assert_int_equal(w.tree.open_fds, 0);
		assert_int_equal(w.pipes_open, 0);
		assert_false(w.guarded);
		reached = k == 0 || w.calls >= k;
		tree_finish(&w.tree);
	}
}

/* Killed between begin and end: the pipe ends with the process. */
static void a_guard_puts_it_back(void **state)
{
	struct world w;
	struct drm_profiling p;
	begin(&w);
	assert_int_equal(drm_profiling_begin(&p, &w.sys, &card, NULL), SX_OK);
	expect_switch(&w, "3");
	world_close(&w, PIPE + 1);
	expect_switch(&w, "0");
	tree_finish(&w.tree);
}

static uint64_t read_after(struct world *w, struct drm_clients *c, uint64_t ns)
{
	struct drm_sum sum;
	tree_advance(&w->tree, ns);
	drm_clients_read(c);
	drm_clients_sum(c, true, 0, &sum);
	return sum.engine_ns[DRM_ENGINE_PANTHOR];
}

/* What one reading missed, the next one has. */
static void one_bad_reading_loses_nothing(void **state)
{
	for (int bad = 1; bad <= 2; bad++) {
		struct world w;
		begin(&w);
		struct drm_clients c = {.sys = &w.sys, .card = &card, .all = true};
		assert_int_equal(drm_clients_init(&c, NULL), SX_OK);
		read_after(&w, &c, 0);
		assert_int_equal(read_after(&w, &c, 100000000), 10000000);
		w.unreadable = bad;
		for (int i = 0; i < bad; i++)
			assert_int_equal(read_after(&w, &c, 100000000), 0);
		assert_int_equal(read_after(&w, &c, 100000000), 10000000 * (bad + 1));
		drm_clients_finish(&c);
		tree_finish(&w.tree);
	}
}

/* Any one call that fails: never more than was done, and right again afterwards. */
static void no_failure_counts_too_much(void **state)
{
	bool reached = true;
	for (int k = 1; reached; k++) {
		struct world w;
		begin(&w);
		struct drm_clients c = {.sys = &w.sys, .card = &card, .root = 50};
		assert_int_equal(drm_clients_init(&c, NULL), SX_OK);
		w.fail_at = k;
		uint64_t did = 0;
		read_after(&w, &c, 0);
		for (int i = 0; i < 5; i++)
			did += read_after(&w, &c, 100000000);
		reached = w.calls >= k;
		w.fail_at = 0;
		did += read_after(&w, &c, 100000000); /* what the last one missed */
		assert_true(did <= 60000000);
		assert_int_equal(read_after(&w, &c, 100000000), 10000000);
		drm_clients_finish(&c);
		tree_finish(&w.tree);
	}
}

/* A machine in which process 50 is measured with what it starts: what is measured, in ms. */
#define STEPS 10
struct story {
	struct world w;
	struct drm_card card;
	uint64_t did_ms[STEPS + 1], all_ms; /* of all engines, at 100 ms, 200 ms ... */
	bool known[STEPS + 1];
};

static void run_story(struct story *s, const char *driver, const char *text)
{
	begin(&s->w);
	if (!tree_add(&s->w.tree, "gone /proc/50/fd/3\ngone /proc/50/fdinfo/3\n") ||
	    !tree_add(&s->w.tree, text))
		fail_msg("%s", s->w.tree.why);
	s->card = (struct drm_card){.card = 0, .render = 128, .device = FOLDER};
	snprintf(s->card.driver, sizeof(s->card.driver), "%s", driver);
	if (strcmp(driver, "panthor") == 0)
		snprintf(s->card.profiling, sizeof(s->card.profiling), "%s", SWITCH);
	struct drm_clients c = {.sys = &s->w.sys, .card = &s->card, .root = 50};
	assert_int_equal(drm_clients_init(&c, NULL), SX_OK);
	s->all_ms = 0;
	for (int i = 0; i <= STEPS; i++) {
		struct drm_sum sum;
		tree_advance(&s->w.tree, i ? 100000000 : 0);
		drm_clients_read(&c);
		drm_clients_sum(&c, true, 0, &sum);
		s->did_ms[i] = 0;
		s->known[i] = sum.knows_engines;
		for (uint32_t e = 0; e < DRM_ENGINES; e++)
			s->did_ms[i] += (sum.engine_ns[e] + 500000) / 1000000;
		s->all_ms += s->did_ms[i];
	}
	drm_clients_finish(&c);
	tree_finish(&s->w.tree);
}

#define CHILD "process 60 50 0 child\n"
#define OPENS(pid, fd, id)                                                                         \
	"descriptor " pid " " fd " /dev/dri/renderD128\n\tdrm-driver:\tx\n\tdrm-client-id:\t" id   \
	"\n"

/* What a child does from its begin on counts, whatever the driver says it in. */
static void a_child_counts_on_every_driver(void **state)
{
	static const struct {
		const char *driver, *work;
	} drivers[] = {
	    {"amdgpu", "\tdrm-engine-gfx:\t{0+200000000/s} ns\n"},
	    {"i915", "\tdrm-engine-render:\t{0+200000000/s} ns\n"},
	    {"xe", "\tdrm-cycles-rcs:\t{0+3840000/s}\n"
		   "\tdrm-total-cycles-rcs:\t{5044293186233+19200000/s}\n"},
	    {"xe", "\tdrm-cycles-ccs:\t{0+15360000/s}\n\tdrm-engine-capacity-ccs:\t4\n"
		   "\tdrm-total-cycles-ccs:\t{5044293186233+19200000/s}\n"},
	    {"msm", "\tdrm-engine-gpu:\t{0+200000000/s} ns\n\tdrm-cycles-gpu:\t{0+7/s}\n"
		    "\tdrm-maxfreq-gpu:\t800000000 Hz\n"},
	    {"panfrost", "\tdrm-engine-fragment:\t{0+200000000/s} ns\n"},
	    {"panthor", "\tdrm-engine-panthor:\t{0+200000000/s} ns\n"},
	    {"v3d", "\tdrm-engine-render:\t{0+200000000/s} ns\n"},
	    {"lima", "\tdrm-engine-pp:\t{0+200000000/s} ns\n"},
	};
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		struct story s;
		char text[512];
		snprintf(text, sizeof(text), "at 250ms\n" CHILD OPENS("60", "5", "9") "%s",
			 drivers[i].work);
		run_story(&s, drivers[i].driver, text);
		assert_int_equal(s.all_ms, 200);
	}
}

/* Cycles have no value while their clock is not known. */
static void cycles_wait_for_their_clock(void **state)
{
	struct story s;
	run_story(
	    &s, "xe",
	    "at 250ms\n" CHILD OPENS("60", "5", "9") "\tdrm-cycles-rcs:\t{0+3840000/s}\n"
						     "\tdrm-total-cycles-rcs:\t{7+19200000/s}\n");
	assert_false(s.known[3]);
	assert_true(s.known[4]);
	assert_int_equal(s.did_ms[4], 80);
	assert_int_equal(s.did_ms[5], 20);
}

/* An orphan with an unseen parent belongs to the program by its process group. */
static void an_orphan_counts_by_its_group(void **state)
{
	static const int groups[] = {50, 1};
	for (int i = 0; i < 2; i++) {
		struct story s;
		char text[512];
		snprintf(text, sizeof(text),
			 "at 250ms\nprocess 60 1 0 orphan\nfile /proc/60/stat\n"
			 "\t60 (orphan) S 1 %d 60 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 125\n" OPENS(
			     "60", "5", "9") "\tdrm-engine-gfx:\t{0+200000000/s} ns\n",
			 groups[i]);
		run_story(&s, "amdgpu", text);
		assert_int_equal(s.all_ms, i ? 0 : 200);
	}
}

/* A count of all cycles that leaps, or begins again, takes nothing away from those of a client. */
static void a_clock_that_leaps(void **state)
{
	static const char *const then[] = {"9000000000000", "0"};
	for (int i = 0; i < 2; i++) {
		struct story s;
		char text[1024];
		snprintf(text, sizeof(text),
			 "at 50ms\n" CHILD OPENS(
			     "60", "5", "9") "\tdrm-cycles-rcs:\t{0+3840000/s}\n"
					     "\tdrm-total-cycles-rcs:\t{1000000000+19200000/s}\n"
					     "at 450ms\n" OPENS(
						 "60", "5",
						 "9") "\tdrm-cycles-rcs:\t{0+3840000/s}\n"
						      "\tdrm-total-cycles-rcs:\t{%s+19200000/s}\n",
			 then[i]);
		run_story(&s, "xe", text);
		assert_int_equal(s.all_ms, 200);
	}
}

/* Clients that were opened before the first reading: their first value is where they begin. */
static void a_history_is_no_jump(void **state)
{
	struct story s;
	run_story(
	    &s, "amdgpu",
	    "at 250ms\n" CHILD OPENS("60", "5", "9") "\tdrm-engine-gfx:\t{5000000000+200000000/s} "
						     "ns\n");
	assert_int_equal(s.all_ms, 140);
	run_story(
	    &s, "xe",
	    "at 250ms\n" CHILD OPENS("60", "5", "9") "\tdrm-cycles-rcs:\t{96000000+3840000/s}\n"
						     "\tdrm-total-cycles-rcs:\t{7+19200000/s}\n");
	assert_int_equal(s.all_ms, 120); /* the first of two readings that a clock needs is lost */
	/* Opened by a server, long before, and passed on: little, but not of this run. */
	run_story(&s, "amdgpu",
		  "process 40 1 0 server\n" OPENS(
		      "40", "7",
		      "9") "\tdrm-engine-gfx:\t50000000 ns\n"
			   "at 250ms\n" CHILD OPENS(
			       "60", "5",
			       "9") "\tdrm-engine-gfx:\t50000000 ns\n"
				    "at 450ms\n" OPENS("60", "5",
						       "9") "\tdrm-engine-gfx:\t60000000 ns\n");
	assert_int_equal(s.all_ms, 10);
	/* A known client's engine that shows up with the driver's accounting. */
	run_story(&s, "panthor",
		  "at 150ms\n" CHILD OPENS(
		      "60", "5",
		      "9") "\tdrm-curfreq-panthor:\t7 Hz\n"
			   "at 450ms\n" OPENS("60", "5",
					      "9") "\tdrm-engine-panthor:\t{70000000+200000000/s} "
						   "ns\n");
	assert_int_equal(s.all_ms, 100);
}

/* A number that is used again for another client, as Mesa's loader does, takes nothing away. */
static void a_reopened_descriptor_counts(void **state)
{
	struct story s;
	run_story(&s, "amdgpu",
		  "at 150ms\n" OPENS(
		      "50", "5",
		      "9") "\tdrm-engine-gfx:\t10000000 ns\n"
			   "at 350ms\n" OPENS(
			       "50", "5",
			       "11") "\tdrm-engine-gfx:\t30000000 ns\n"
				     "at 550ms\ngone /proc/50/fd/5\ngone /proc/50/fdinfo/5\n"
				     "at 750ms\n" OPENS("50", "5",
							"11") "\tdrm-engine-gfx:\t70000000 ns\n");
	assert_int_equal(s.all_ms, 40);
}

static void open_files(char *text, size_t size, const char *pid, int count)
{
	size_t used = strlen(text);
	for (int i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used,
					 "link /proc/%s/fd/%d /dev/null\n", pid, 10000 + i);
}

/* However many files a program and its children have open, the card's are found among them. */
static void no_descriptor_is_out_of_reach(void **state)
{
	static char text[400000];
	struct story s;
	snprintf(text, sizeof(text), "at 50ms\n");
	for (int i = 0; i < 8; i++) {
		char pid[16], line[64];
		snprintf(pid, sizeof(pid), "%d", 51 + i);
		snprintf(line, sizeof(line), "process %s 50 0 helper\n", pid);
		strcat(text, line);
		open_files(text, sizeof(text), pid, 400);
	}
	strcat(text, "process 60 50 0 wine\n");
	open_files(text, sizeof(text), "60", 2500);
	strcat(text,
	       "at 150ms\n" OPENS("60", "90000", "9") "\tdrm-engine-gfx:\t{0+200000000/s} ns\n");
	run_story(&s, "amdgpu", text);
	assert_int_equal(s.all_ms, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_switch_is_put_back),
	    cmocka_unit_test(a_guard_puts_it_back),
	    cmocka_unit_test(one_bad_reading_loses_nothing),
	    cmocka_unit_test(no_failure_counts_too_much),
	    cmocka_unit_test(a_child_counts_on_every_driver),
	    cmocka_unit_test(cycles_wait_for_their_clock),
	    cmocka_unit_test(a_clock_that_leaps),
	    cmocka_unit_test(an_orphan_counts_by_its_group),
	    cmocka_unit_test(a_history_is_no_jump),
	    cmocka_unit_test(a_reopened_descriptor_counts),
	    cmocka_unit_test(no_descriptor_is_out_of_reach),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
