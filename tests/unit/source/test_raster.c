/* A rasteriser's threads, watched on a kernel that is played: what an hour of frames takes. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <cmocka.h>

#include "source/guest/raster/raster.h"
#include "unit/heap.h"

#define US   UINT64_C(1000)
#define MS   UINT64_C(1000000)
#define PID  42
#define TID  43 /* of the rasteriser's thread */
#define RING 65536u
#define MAPS 4u

/* The clock, and the kernel's notes of threads' switches. */
struct played {
	struct sx_sys sys;
	uint64_t now_ns;
	struct {
		int tid;
		uint8_t *pages; /* the page with the head, and the ring */
	} maps[MAPS];
	uint32_t map_count;
	uint64_t cpu_ns; /* of each thread, before it is watched */
	bool none;	 /* there is no thread of the rasteriser yet */
	bool own;	 /* the program's first thread can be seen */
	bool refused;	 /* and may not be watched */
};

static int played_clock(void *user, clockid_t clock, struct timespec *out)
{
	const struct played *played = user;
	(void)clock;
	out->tv_sec = (time_t)(played->now_ns / (1000 * MS));
	out->tv_nsec = (long)(played->now_ns % (1000 * MS));
	return 0;
}

static int played_tasks(void *user, const char *path, int (*visit)(void *arg, const char *name),
			void *arg)
{
	const struct played *played = user;
	(void)path;
	if (played->own)
		visit(arg, "42");
	if (!played->none)
		visit(arg, "43");
	return 0;
}

static ssize_t played_file(void *user, const char *path, char *text, size_t size)
{
	const struct played *played = user;
	bool own = strstr(path, "/task/42/");
	if (strstr(path, "schedstat"))
		return snprintf(text, size, "%" PRIu64 " 0 1\n", played->cpu_ns);
	return snprintf(text, size, "%s",
			!strstr(path, "comm") ? "43 (llvmpipe-0) S 1\n"
			: own		      ? "program\n"
					      : "llvmpipe-0\n");
}

static int played_open(void *user, void *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	const struct played *played = user;
	(void)attr, (void)cpu, (void)group, (void)flags;
	if (!played->refused || pid != PID)
		return pid;
	errno = EACCES;
	return -1;
}

static int played_close(void *user, int fd)
{
	(void)user, (void)fd;
	return 0;
}

static void *played_map(void *user, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct played *played = user;
	(void)prot, (void)flags, (void)offset;
	assert_true(played->map_count < MAPS);
	played->maps[played->map_count].tid = fd;
	return played->maps[played->map_count++].pages = calloc(1, size);
}

static int played_unmap(void *user, void *address, size_t size)
{
	struct played *played = user;
	(void)size;
	for (uint32_t i = 0; i < played->map_count; i++)
		if (played->maps[i].pages == address)
			played->maps[i] = played->maps[--played->map_count];
	free(address);
	return 0;
}

static struct played play(void)
{
	struct played played = {.now_ns = 1000 * MS};
	played.sys = *sys_real();
	played.sys.clock_gettime = played_clock;
	played.sys.list_dir = played_tasks;
	played.sys.read_file = played_file;
	played.sys.perf_event_open = played_open;
	played.sys.close = played_close;
	played.sys.mmap = played_map;
	played.sys.munmap = played_unmap;
	return played;
}

static void note_switch(uint8_t *pages, uint64_t time_ns, bool on)
{
	struct perf_event_mmap_page *page = (void *)pages;
	uint8_t *data = pages + sysconf(_SC_PAGESIZE);
	struct {
		struct perf_event_header header;
		uint64_t time_ns;
	} record = {{.type = PERF_RECORD_SWITCH, .size = sizeof(record)}, time_ns};
	record.header.misc = on ? 0 : PERF_RECORD_MISC_SWITCH_OUT;
	assert_int_equal(RING % sizeof(record), 0);
	memcpy(data + page->data_head % RING, &record, sizeof(record));
	page->data_head += sizeof(record);
}

static void switch_of(struct played *played, int tid, uint64_t time_ns, bool on)
{
	for (uint32_t i = 0; i < played->map_count; i++)
		if (played->maps[i].tid == tid)
			note_switch(played->maps[i].pages, time_ns, on);
}

/* The rasteriser's thread goes on a CPU or leaves it, at this time. */
static void switch_at(struct played *played, uint64_t time_ns, bool on)
{
	switch_of(played, TID, time_ns, on);
}

static struct wire_sample frame_of(uint64_t begin_ns, uint64_t end_ns)
{
	struct wire_sample sample = {.pid = PID};
	sample.record.kind = WIRE_FRAME;
	sample.record.draws = 1;
	sample.record.begin_ns = begin_ns;
	sample.record.end_ns = end_ns;
	return sample;
}

/* A frame in 100 us, for 40 us of which its thread has the CPU, in two goes. */
static void play_frames(struct played *played, struct raster *raster, uint32_t frames)
{
	const struct wire_past past = {.frames = 1};
	for (uint32_t i = 0; i < frames; i++) {
		uint64_t begin_ns = played->now_ns;
		switch_at(played, begin_ns + 10 * US, true);
		switch_at(played, begin_ns + 20 * US, false);
		switch_at(played, begin_ns + 50 * US, true);
		switch_at(played, begin_ns + 80 * US, false);
		played->now_ns += 100 * US;
		if (i % 16)
			continue;
		struct wire_sample sample = frame_of(begin_ns, played->now_ns);
		played->now_ns += 200 * US; /* until nothing more is to come */
		raster_look(raster);
		assert_true(raster_fill(raster, &sample, &past));
		assert_int_equal(sample.record.states[WIRE_GPU_TIME], WIRE_VALID);
		assert_int_equal(sample.record.values[WIRE_GPU_TIME], 40 * US);
	}
}

/* The union of a thread's times is remembered for as long as a sample may ask, not for the run. */
static void an_hour_of_frames_takes_what_a_second_takes(void **state)
{
	struct played played = play();
	struct raster raster = {0};
	(void)state;
	played.sys.user = &played;
	assert_true(raster_add_process(&raster, &played.sys, PID));
	assert_int_equal(played.map_count, 2);
	play_frames(&played, &raster, 1000);
	size_t early = heap_bytes();
	play_frames(&played, &raster, 500000);
	size_t late = heap_bytes();
	raster_finish(&raster);
	if (late > early + (32u << 10))
		fail_msg("%zu KiB after 1,000 frames, %zu KiB after 501,000", early >> 10,
			 late >> 10);
}

/* The state of the GPU time of a frame that lies between two looks, of which the second finds a
 * thread that ran for cpu_ns before it; and of a long frame after it. */
static void states_around_a_late_look(uint64_t cpu_ns, uint64_t frame_ns, uint8_t states[2])
{
	const struct wire_past past = {.frames = 1};
	struct played played = play();
	struct raster raster = {0};
	played.sys.user = &played;
	played.none = true;
	assert_true(raster_add_process(&raster, &played.sys, PID));
	struct wire_sample before = frame_of(played.now_ns + MS, played.now_ns + MS + frame_ns);
	played.none = false;
	played.cpu_ns = cpu_ns;
	played.now_ns += 30 * MS;
	raster_look(&raster);
	struct wire_sample after = frame_of(before.record.end_ns, played.now_ns + 100 * MS);
	switch_at(&played, played.now_ns + MS, true);
	switch_at(&played, played.now_ns + 99 * MS, false);
	played.now_ns += 101 * MS;
	raster_look(&raster);
	assert_true(raster_fill(&raster, &before, &past));
	assert_true(raster_fill(&raster, &after, &past));
	states[0] = before.record.states[WIRE_GPU_TIME];
	states[1] = after.record.states[WIRE_GPU_TIME];
	assert_true(after.record.values[WIRE_GPU_TIME] >= 98 * MS);
	raster_finish(&raster);
}

/* What a thread's start takes is no work; where it worked before it was found, frames of that time
 * have no GPU time, unless they are so short that there is little to be wrong about. */
static void a_thread_that_is_found_late_leaves_out_what_is_in_doubt(void **state)
{
	uint8_t states[2];
	(void)state;
	states_around_a_late_look(50 * US, 13 * US, states);
	assert_int_equal(states[0], WIRE_VALID);
	assert_int_equal(states[1], WIRE_VALID);
	states_around_a_late_look(4 * MS, 13 * US, states);
	assert_int_equal(states[0], WIRE_VALID);
	assert_int_equal(states[1], WIRE_VALID);
	states_around_a_late_look(4 * MS, 8 * MS, states);
	assert_int_equal(states[0], WIRE_LATE);
	states_around_a_late_look(20 * MS, 8 * MS, states);
	assert_int_equal(states[0], WIRE_LATE);
	assert_int_equal(states[1], WIRE_LATE);
}

/* Rasteriser and program at once for 4 ms, then the program alone for 2, then neither for 4. */
static struct wire_sample a_frame_of_both(bool own, bool refused)
{
	const struct wire_past past = {.frames = 1};
	struct played played = play();
	struct raster raster = {0};
	played.sys.user = &played;
	played.own = own;
	played.refused = refused;
	assert_true(raster_add_process(&raster, &played.sys, PID));
	uint64_t begin_ns = played.now_ns;
	struct wire_sample frame = frame_of(begin_ns, begin_ns + 10 * MS);
	switch_at(&played, begin_ns + MS, true);
	switch_of(&played, PID, begin_ns + MS, true);
	switch_at(&played, begin_ns + 5 * MS, false);
	switch_of(&played, PID, begin_ns + 7 * MS, false);
	played.now_ns += 11 * MS;
	raster_look(&raster);
	assert_true(raster_fill(&raster, &frame, &past));
	assert_int_equal(frame.record.states[WIRE_GPU_TIME], WIRE_VALID);
	assert_int_equal(frame.record.values[WIRE_GPU_TIME], 4 * MS);
	assert_int_equal(played.map_count, refused ? 1 : own ? 3 : 2);
	raster_finish(&raster);
	assert_int_equal(played.map_count, 0);
	return frame;
}

static void what_runs_at_once_counts_once(void **state)
{
	(void)state;
	struct wire_sample frame = a_frame_of_both(true, false);
	assert_int_equal(frame.any_state, WIRE_VALID);
	assert_int_equal(frame.any_ns, 6 * MS);
	frame = a_frame_of_both(false, false);
	assert_int_equal(frame.any_state, WIRE_VALID);
	assert_int_equal(frame.any_ns, 4 * MS);
}

/* GPU time needs the rasteriser's own threads alone. */
static void where_one_may_not_be_watched_any_is_not_known(void **state)
{
	(void)state;
	struct wire_sample frame = a_frame_of_both(true, true);
	assert_int_equal(frame.any_state, WIRE_NOT_COLLECTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_runs_at_once_counts_once),
	    cmocka_unit_test(where_one_may_not_be_watched_any_is_not_known),
	    cmocka_unit_test(a_thread_that_is_found_late_leaves_out_what_is_in_doubt),
	    cmocka_unit_test(an_hour_of_frames_takes_what_a_second_takes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
