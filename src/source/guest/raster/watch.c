/*
 * Context switches of another process's threads, from the kernel's ring buffers, in windows as long
 * and as frequent as their cost allows.
 */
#include "source/guest/raster/watch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "source/process_tree.h"

#define PPM UINT64_C(1000000)

enum awake_step awake_decide(const struct awake *awake, uint64_t now_ns, uint64_t cpu_ns)
{
	uint64_t spent = awake->switches * AWAKE_SWITCH_NS;
	uint64_t may_spend = AWAKE_START_NS + cpu_ns / PPM * awake->overhead_ppm;
	if (!awake->overhead_ppm || !cpu_ns)
		return AWAKE_GO_ON;
	if (awake->resting)
		return spent + awake->window_cost <= may_spend ? AWAKE_OPEN : AWAKE_GO_ON;
	if (spent <= may_spend || now_ns < awake->window_ns + AWAKE_LEAST_NS)
		return AWAKE_GO_ON;
	return AWAKE_CLOSE;
}

void awake_open(struct awake *awake, uint64_t now_ns)
{
	awake->resting = false;
	awake->window_ns = now_ns;
	awake->window_first = awake->switches;
}

void awake_close(struct awake *awake, uint64_t now_ns)
{
	/* The first window holds all of what came before it was opened: it has no beginning. */
	uint64_t from_ns = awake->count ? awake->window_ns : 0;
	awake->over[awake->count++ % AWAKE_REMEMBERED] = (struct awake_window){from_ns, now_ns};
	awake->window_cost = (awake->switches - awake->window_first) * AWAKE_SWITCH_NS;
	/* Short windows, spread over the run: a long one would cover the run's beginning alone. */
	uint64_t length_ns = now_ns - awake->window_ns;
	if (length_ns > AWAKE_LEAST_NS)
		awake->window_cost = awake->window_cost * AWAKE_LEAST_NS / length_ns;
	awake->resting = true;
}

bool awake_was(const struct awake *awake, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t known = awake->count < AWAKE_REMEMBERED ? awake->count : AWAKE_REMEMBERED;
	if (!awake->resting && (!awake->count || from_ns >= awake->window_ns))
		return true;
	for (uint64_t i = awake->count - known; i < awake->count; i++) {
		const struct awake_window *window = &awake->over[i % AWAKE_REMEMBERED];
		if (from_ns >= window->from_ns && to_ns <= window->to_ns)
			return true;
	}
	return false;
}

#define RING_BYTES     65536u		/* 4096 switches between two looks */
#define RESOLVE_NS     UINT64_C(100000) /* the kernel may still be writing what is younger */
#define LOOK_OFTEN_NS  UINT64_C(5000000)
#define LOOK_SELDOM_NS UINT64_C(500000000)
#define LOOKS_OFTEN    20u
#define DOUBT_NS       UINT64_C(200000) /* a thread's start takes 20 to 50 us: it drew nothing yet */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void watch_expect(struct watch *watch)
{
	watch->look_ns = watch->look_count = 0;
}

bool watch_start(struct watch *watch, const struct sx_sys *sys, pid_t pid, const char *prefix)
{
	*watch = (struct watch){.sys = sys, .pid = pid, .prefix = prefix};
	watch->awake.window_ns = sys_now_ns(sys);
	watch->threads = calloc(WATCH_THREADS_MAX, sizeof(*watch->threads));
	return watch->threads != NULL;
}

static void forget_threads(struct watch *watch)
{
	const struct sx_sys *sys = watch->sys;
	for (uint32_t i = 0; i < watch->thread_count; i++) {
		sys->munmap(sys->user, watch->threads[i].ring, page_size() + RING_BYTES);
		sys->close(sys->user, watch->threads[i].fd);
	}
	watch->thread_count = 0;
}

void watch_finish(struct watch *watch)
{
	forget_threads(watch);
	free(watch->threads);
	busy_finish(&watch->busy);
	*watch = (struct watch){0};
}

static bool read_task_file(const struct watch *watch, pid_t tid, const char *name, char *text,
			   size_t size)
{
	return process_task_file(watch->sys, watch->pid, tid, name, text, size) > 0;
}

static int open_switches(const struct watch *watch, pid_t tid)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr),
	    .config = PERF_COUNT_SW_DUMMY,
	    .sample_type = PERF_SAMPLE_TIME,
	    .sample_id_all = 1,
	    .context_switch = 1,
	    .task = 1, /* a thread that ends leaves no switch */
	    .exclude_kernel = 1,
	    .exclude_hv = 1,
	    .use_clockid = 1,
	    .clockid = CLOCK_MONOTONIC,
	};
	return watch->sys->perf_event_open(watch->sys->user, &attr, tid, -1, -1,
					   PERF_FLAG_FD_CLOEXEC);
}

/* The thread was found on a CPU, or waiting for one: its first switch may be far away. */
static bool is_running(const struct watch *watch, pid_t tid)
{
	char text[256];
	if (!read_task_file(watch, tid, "stat", text, sizeof(text)))
		return false;
	const char *after_name = strrchr(text, ')');
	return after_name && after_name[1] == ' ' && after_name[2] == 'R';
}

static void add_thread(struct watch *watch, pid_t tid)
{
	const struct sx_sys *sys = watch->sys;
	struct watch_thread thread = {.tid = tid, .born_ns = watch->looked_ns};
	char text[64];
	thread.fd = open_switches(watch, tid);
	if (thread.fd < 0) {
		watch->missed |= errno == ESRCH;
		if (errno != ESRCH)
			watch->state = WATCH_REFUSED;
		return;
	}
	void *ring = sys->mmap(sys->user, page_size() + RING_BYTES, PROT_READ | PROT_WRITE,
			       MAP_SHARED, thread.fd, 0);
	if (ring == MAP_FAILED) {
		sys->close(sys->user, thread.fd);
		watch->state = WATCH_REFUSED;
		return;
	}
	thread.ring = ring;
	thread.from_ns = sys_now_ns(watch->sys);
	if (read_task_file(watch, tid, "schedstat", text, sizeof(text)))
		thread.missed_ns = strtoull(text, NULL, 10);
	struct busy_switch first = {thread.from_ns, watch->thread_count, true};
	if (is_running(watch, tid) && !busy_note(&watch->busy, &first))
		watch->lost_ns = UINT64_MAX;
	watch->threads[watch->thread_count++] = thread;
	watch->state = WATCH_FOUND;
}

static bool is_watched(const struct watch *watch, pid_t tid)
{
	for (uint32_t i = 0; i < watch->thread_count; i++)
		if (watch->threads[i].tid == tid)
			return true;
	return false;
}

static int visit_task(void *arg, pid_t tid)
{
	struct watch *watch = arg;
	char comm[32];
	if (is_watched(watch, tid) || !read_task_file(watch, tid, "comm", comm, sizeof(comm)) ||
	    strncmp(comm, watch->prefix, strlen(watch->prefix)) != 0)
		return 0;
	if (watch->thread_count < WATCH_THREADS_MAX)
		add_thread(watch, tid);
	return watch->state == WATCH_REFUSED;
}

static void find_threads(struct watch *watch, uint64_t now_ns)
{
	if (watch->state == WATCH_REFUSED || now_ns < watch->look_ns)
		return;
	watch->gone = process_each_thread(watch->sys, watch->pid, visit_task, watch) != 0;
	if (watch->state == WATCH_REFUSED) /* others may need the memory that may be locked */
		forget_threads(watch);
	watch->seen |= !watch->gone;
	watch->looked_ns = now_ns;
	watch->look_count++;
	watch->look_ns =
	    now_ns + (watch->look_count < LOOKS_OFTEN ? LOOK_OFTEN_NS : LOOK_SELDOM_NS);
}

struct ring_record {
	struct perf_event_header header;
	uint64_t words[6]; /* more than any record that is asked for has */
};

/* Copies a record, which may go round the ring's end; false when it makes no sense. */
static bool copy_record(const uint8_t *data, uint64_t at, uint64_t head, struct ring_record *out)
{
	uint64_t size = sizeof(out->header);
	for (uint64_t i = 0; i < size; i++) {
		((uint8_t *)out)[i] = data[(at + i) % RING_BYTES];
		if (i + 1 == sizeof(out->header)) {
			size = out->header.size;
			if (size < sizeof(out->header) || size > head - at)
				return false;
			if (size > sizeof(*out))
				size = sizeof(*out);
		}
	}
	return true;
}

static void take_record(struct watch *watch, uint32_t thread, const struct ring_record *record)
{
	struct busy_switch item = {record->words[0], thread, false};
	switch (record->header.type) {
	case PERF_RECORD_SWITCH:
		watch->awake.switches++;
		item.on = !(record->header.misc & PERF_RECORD_MISC_SWITCH_OUT);
		break;
	case PERF_RECORD_EXIT: /* of this thread, or of one that it made */
		if ((pid_t)(uint32_t)record->words[1] != watch->threads[thread].tid)
			return;
		item.time_ns = record->words[2];
		break;
	case PERF_RECORD_LOST:
		watch->lost_ns = sys_now_ns(watch->sys);
		return;
	default:
		return;
	}
	if (!busy_note(&watch->busy, &item))
		watch->lost_ns = UINT64_MAX;
}

static void read_ring(struct watch *watch, uint32_t thread)
{
	struct perf_event_mmap_page *page = (void *)watch->threads[thread].ring;
	const uint8_t *data = watch->threads[thread].ring + page_size();
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = page->data_tail;
	struct ring_record record;
	while (head - at >= sizeof(record.header)) {
		memset(&record, 0, sizeof(record));
		if (!copy_record(data, at, head, &record)) {
			watch->lost_ns = sys_now_ns(watch->sys);
			at = head;
			break;
		}
		take_record(watch, thread, &record);
		at += record.header.size;
	}
	__atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
}

static void read_rings(struct watch *watch)
{
	for (uint32_t i = 0; i < watch->thread_count; i++)
		read_ring(watch, i);
}

/* Without events on them the threads pay nothing; what they do from now on is not known. */
static void rest(struct watch *watch, uint64_t now_ns)
{
	read_rings(watch);
	for (uint32_t i = 0; i < watch->thread_count; i++) {
		struct busy_switch off = {now_ns, i, false};
		if (!busy_note(&watch->busy, &off))
			watch->lost_ns = UINT64_MAX;
	}
	forget_threads(watch);
	if (!busy_resolve(&watch->busy, now_ns + 1))
		watch->lost_ns = UINT64_MAX;
	awake_close(&watch->awake, now_ns);
}

/* What the watched threads did meanwhile is in no window, and so in no sample. */
static void watch_wake(struct watch *watch, uint64_t now_ns)
{
	watch->look_ns = 0;
	find_threads(watch, now_ns);
	for (uint32_t i = 0; i < watch->thread_count; i++) {
		watch->threads[i].born_ns = watch->threads[i].from_ns;
		watch->threads[i].missed_ns = 0;
	}
	awake_open(&watch->awake, sys_now_ns(watch->sys));
}

void watch_look(struct watch *watch, uint64_t cpu_ns)
{
	uint64_t now_ns = sys_now_ns(watch->sys);
	if (!watch->awake.resting) {
		find_threads(watch, now_ns);
		read_rings(watch);
	}
	if (!busy_resolve(&watch->busy, now_ns - RESOLVE_NS))
		watch->lost_ns = UINT64_MAX;
	switch (awake_decide(&watch->awake, now_ns, cpu_ns)) {
	case AWAKE_CLOSE:
		rest(watch, now_ns);
		break;
	case AWAKE_OPEN:
		watch_wake(watch, now_ns);
		break;
	case AWAKE_GO_ON:
		break;
	}
}

/* How much of what a thread did before it was watched the range may hold, but need not. */
static uint64_t doubtful_ns(const struct watch_thread *thread, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t begin = thread->born_ns > from_ns ? thread->born_ns : from_ns;
	uint64_t end = thread->from_ns < to_ns ? thread->from_ns : to_ns;
	uint64_t overlap = end > begin ? end - begin : 0;
	return overlap < thread->missed_ns ? overlap : thread->missed_ns;
}

/*
 * CPU time before a thread was watched, where the range holds all of its life until then. Of
 * several threads only bounds are known: the longest alone, or all of them in turn. Where the range
 * holds a part, it is unknown which: that is no matter where it is less than DOUBT_NS.
 */
static bool add_missed(const struct watch *watch, uint64_t from_ns, uint64_t to_ns,
		       struct busy_time *out)
{
	uint64_t sum = 0, longest = 0, doubt = 0;
	for (uint32_t i = 0; i < watch->thread_count; i++) {
		const struct watch_thread *thread = &watch->threads[i];
		if (thread->from_ns <= from_ns)
			continue;
		if (thread->born_ns < from_ns || thread->from_ns > to_ns) {
			doubt += doubtful_ns(thread, from_ns, to_ns);
			continue;
		}
		sum += thread->missed_ns;
		if (thread->missed_ns > longest)
			longest = thread->missed_ns;
	}
	uint64_t unsure = sum - longest + doubt;
	if (unsure > DOUBT_NS && unsure * 20 > out->any_ns + sum)
		return false;
	out->any_ns += longest + (sum - longest) / 2;
	out->sum_ns += sum;
	return true;
}

enum watch_answer watch_busy(const struct watch *watch, uint64_t from_ns, uint64_t to_ns,
			     struct busy_time *out)
{
	if (watch->state == WATCH_REFUSED)
		return WATCH_NO_RIGHT;
	if (watch->busy.resolved_ns < to_ns)
		return WATCH_NOT_YET;
	if (watch->state == WATCH_LOOKING)
		return watch->seen && !watch->missed ? WATCH_NO_THREAD : WATCH_UNKNOWN;
	if (!awake_was(&watch->awake, from_ns, to_ns))
		return WATCH_RESTED;
	bool forgotten = from_ns < to_ns && from_ns < watch->busy.forgotten_ns;
	if (from_ns < watch->lost_ns || forgotten)
		return WATCH_UNKNOWN;
	*out = busy_between(&watch->busy, from_ns, to_ns);
	return add_missed(watch, from_ns, to_ns, out) ? WATCH_KNOWN : WATCH_UNKNOWN;
}
