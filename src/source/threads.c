/* Threads by /proc/PID/task/TID/schedstat: time on a CPU, and time ready but without one. */
#include "source/process_tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

#define WAIT_MOST  8 /* a thread's waits for a CPU count up to so many times its work */
#define YOUNG_NS   UINT64_C(1000000000) /* programs that begin make their threads */
#define NAMES_MOST 25 /* readings after which a thread has the name that it keeps */

struct visit {
	struct threads *threads;
	struct threads_busiest *out;
	pid_t pid;
	bool no_memory;
};

static bool read_task_file(const struct sx_sys *sys, const struct thread_seen *t, const char *name,
			   char *text, size_t size)
{
	return process_task_file(sys, t->pid, t->tid, name, text, size) > 0;
}

static struct thread_seen *find(struct threads *threads, pid_t pid, pid_t tid)
{
	for (size_t i = 0; i < threads->count; i++)
		if (threads->items[i].tid == tid && threads->items[i].pid == pid)
			return &threads->items[i];
	return NULL;
}

/* A thread that is met for the first time: what it is called does not change as a rule. */
static struct thread_seen *add_thread(struct visit *v, pid_t tid)
{
	struct threads *threads = v->threads;
	struct thread_seen new = {.pid = v->pid, .tid = tid, .fd = -1};
	char name[32] = "";
	threads->too_many |= threads->count >= THREADS_MOST;
	if (threads->too_many)
		return NULL;
	if (threads->prefix && read_task_file(threads->sys, &new, "comm", name, sizeof(name)))
		new.apart = strncmp(name, threads->prefix, strlen(threads->prefix)) == 0;
	v->no_memory =
	    !mem_grow(&threads->items, &threads->cap, threads->count + 1, sizeof(*threads->items));
	if (v->no_memory)
		return NULL;
	threads->items[threads->count] = new;
	return &threads->items[threads->count++];
}

static void close_times(struct threads *threads, struct thread_seen *t)
{
	if (t->fd < 0)
		return;
	threads->sys->close(threads->sys->user, t->fd);
	threads->open--;
	t->fd = -1;
}

/* The file stays open from the second reading on: many threads are gone by then. */
static bool read_times(struct threads *threads, struct thread_seen *t, char *text, size_t size)
{
	const struct sx_sys *sys = threads->sys;
	char path[96];
	if (t->fd < 0 && t->run_ns && threads->open < threads->keep_open) {
		snprintf(path, sizeof(path), "/proc/%ld/task/%ld/schedstat", (long)t->pid,
			 (long)t->tid);
		t->fd = sys->open(sys->user, path, O_RDONLY);
		threads->open += t->fd >= 0;
	}
	if (t->fd < 0)
		return read_task_file(sys, t, "schedstat", text, size);
	ssize_t n = sys->read_at(sys->user, t->fd, text, size - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Threads of a new name: a rasteriser names its own a moment after they began. */
static void look_at_name(const struct threads *threads, struct thread_seen *t)
{
	char name[32];
	if (!threads->prefix || t->apart || t->names == NAMES_MOST)
		return;
	t->names++;
	if (!read_task_file(threads->sys, t, "comm", name, sizeof(name)))
		return;
	t->apart = strncmp(name, threads->prefix, strlen(threads->prefix)) == 0;
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void account(struct threads_busiest *out, const struct thread_seen *t, uint64_t run_ns,
		    uint64_t wait_ns)
{
	/*
	 * Background threads (Mesa's shader cache) wait for ever on a busy machine and have next to
	 * nothing to do. No other thread depends on them, so their wait is capped.
	 */
	wait_ns = wait_ns < WAIT_MOST * run_ns ? wait_ns : WAIT_MOST * run_ns;
	uint64_t both = run_ns + wait_ns;
	out->known = true;
	out->apart |= t->apart;
	out->apart_sum_ns += t->apart ? run_ns : 0;
	uint64_t *run = t->apart ? &out->apart_run_ns : &out->run_ns;
	uint64_t *wait = t->apart ? &out->apart_wait_ns : &out->wait_ns;
	if (both <= *run + *wait)
		return;
	*run = run_ns;
	*wait = wait_ns;
}

static void read_thread(struct visit *v, struct thread_seen *t)
{
	char *end, text[96];
	if (!read_times(v->threads, t, text, sizeof(text)))
		return;
	uint64_t run_ns = strtoull(text, &end, 10), wait_ns = strtoull(end, NULL, 10);
	look_at_name(v->threads, t);
	t->here = true;
	account(v->out, t, since(run_ns, t->run_ns), since(wait_ns, t->wait_ns));
	t->run_ns = run_ns;
	t->wait_ns = wait_ns;
}

static int visit_task(void *user, pid_t tid)
{
	struct visit *v = user;
	struct thread_seen *t = find(v->threads, v->pid, tid);
	t = t ? t : add_thread(v, tid);
	if (!t)
		return v->no_memory;
	read_thread(v, t);
	return 0;
}

/* Numbers of threads are used again. */
static void forget_gone(struct threads *threads)
{
	size_t kept = 0;
	for (size_t i = 0; i < threads->count; i++)
		if (threads->items[i].here)
			threads->items[kept++] = threads->items[i];
		else
			close_times(threads, &threads->items[i]);
	threads->count = kept;
}

static bool list_is_due(struct threads *threads)
{
	uint64_t now_ns = threads->list_every_ns ? sys_now_ns(threads->sys) : 0;
	if (!threads->begun)
		threads->first_ns = now_ns;
	if (threads->count && now_ns >= threads->first_ns + YOUNG_NS &&
	    now_ns < threads->listed_ns + threads->list_every_ns)
		return false;
	threads->listed_ns = now_ns;
	return true;
}

static void list_threads(struct visit *v, const pid_t *pids, size_t count)
{
	v->threads->too_many = false;
	for (size_t i = 0; i < count && !v->no_memory; i++) {
		v->pid = pids[i];
		process_each_thread(v->threads->sys, v->pid, visit_task, v);
	}
}

bool threads_read(struct threads *threads, const pid_t *pids, size_t count,
		  struct threads_busiest *out)
{
	struct visit v = {.threads = threads, .out = out};
	*out = (struct threads_busiest){.known = false};
	for (size_t i = 0; i < threads->count; i++)
		threads->items[i].here = false;
	if (list_is_due(threads))
		list_threads(&v, pids, count);
	else
		for (size_t i = 0; i < threads->count; i++)
			read_thread(&v, &threads->items[i]);
	for (size_t i = 0; i < threads->count; i++)
		out->apart_ended |= threads->items[i].apart && !threads->items[i].here;
	forget_gone(threads);
	out->known &= !threads->too_many; /* the busiest may be one that was not looked at */
	if (!threads->begun) {
		threads->begun = out->known;
		*out = (struct threads_busiest){.known = out->known, .apart = out->apart};
	}
	return !v.no_memory;
}

void threads_finish(struct threads *threads)
{
	for (size_t i = 0; i < threads->count; i++)
		close_times(threads, &threads->items[i]);
	free(threads->items);
	*threads = (struct threads){0};
}
