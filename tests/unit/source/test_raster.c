/* A rasteriser's threads, watched on a kernel that is played: what an hour of frames takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
#define RING 65536u

/* The clock, and the kernel's notes of one thread's switches. */
struct played {
	struct sx_sys sys;
	uint64_t now_ns;
	uint8_t *pages; /* the one that tells how much there is, and the ring */
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
	(void)user, (void)path;
	visit(arg, "43");
	return 0;
}

static ssize_t played_file(void *user, const char *path, char *text, size_t size)
{
	const char *says = strstr(path, "comm")	       ? "llvmpipe-0\n"
			   : strstr(path, "schedstat") ? "0 0 0\n"
						       : "43 (llvmpipe-0) S 1\n";
	(void)user;
	strncpy(text, says, size);
	return (ssize_t)strlen(says);
}

static int played_open(void *user, void *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	(void)user, (void)attr, (void)pid, (void)cpu, (void)group, (void)flags;
	return 7;
}

static int played_close(void *user, int fd)
{
	(void)user, (void)fd;
	return 0;
}

static void *played_map(void *user, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct played *played = user;
	(void)prot, (void)flags, (void)fd, (void)offset;
	played->pages = calloc(1, size);
	return played->pages;
}

static int played_unmap(void *user, void *address, size_t size)
{
	(void)user, (void)size;
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

/* The thread goes on a CPU or leaves it, at this time. */
static void switch_at(struct played *played, uint64_t time_ns, bool on)
{
	struct perf_event_mmap_page *page = (void *)played->pages;
	uint8_t *data = played->pages + sysconf(_SC_PAGESIZE);
	struct {
		struct perf_event_header header;
		uint64_t time_ns;
	} record = {{.type = PERF_RECORD_SWITCH, .size = sizeof(record)}, time_ns};
	record.header.misc = on ? 0 : PERF_RECORD_MISC_SWITCH_OUT;
	assert_int_equal(RING % sizeof(record), 0);
	memcpy(data + page->data_head % RING, &record, sizeof(record));
	page->data_head += sizeof(record);
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
	assert_true(raster_meet(&raster, &played.sys, PID));
	assert_non_null(played.pages);
	play_frames(&played, &raster, 1000);
	size_t early = heap_bytes();
	play_frames(&played, &raster, 500000);
	size_t late = heap_bytes();
	raster_finish(&raster);
	if (late > early + (32u << 10))
		fail_msg("%zu KiB after 1,000 frames, %zu KiB after 501,000", early >> 10,
			 late >> 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_hour_of_frames_takes_what_a_second_takes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
