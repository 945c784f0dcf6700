/*
 * The measured processes: they arrive by the handover, and leave when the kernel reports their end.
 */
#include "source/guest/guest.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "source/process_tree.h"

#define YOUNG_NS  UINT64_C(2000000000) /* time in which a program should make its first context */
#define FORKED_NS UINT64_C(500000000)  /* after the end of one that made none: its children's */
#define NO_NUMBER UINT32_MAX

struct process {
	struct channel channel;
	int pidfd;
	bool ended;	  /* or another program has taken its place */
	bool reported;	  /* processes_newcomer() has given it */
	uint64_t came_ns; /* when we met it */
	struct bounds bounds;
};

enum sx_status processes_open(struct processes *all, const struct sx_sys *sys,
			      const struct channel_wish *wish, struct sx_error *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	*all = (struct processes){.sys = sys, .cpus = cpus > 0 ? (uint32_t)cpus : 0};
	return handover_open(&all->handover, sys, wish, err);
}

void processes_set_wish(struct processes *all, const struct channel_wish *wish)
{
	all->commands = wish->kinds & 1u << WIRE_KERNEL;
	handover_set_wish(&all->handover, wish);
}

/* The name that the kernel shows; programs change it after they were started. */
static void read_name(const struct processes *all, struct process *process)
{
	char name[64];
	if (process_file(all->sys, process->channel.pid, "comm", name, sizeof(name)) <= 0)
		return;
	name[strcspn(name, "\n")] = '\0';
	channel_copy_text(process->channel.name, name, sizeof(process->channel.name));
}

#define COUNT_MOST (UINT32_C(1) << 24) /* what a program says of itself, unless it is garbage */

static uint64_t sane(uint32_t count, uint64_t *garbage)
{
	*garbage += count > COUNT_MOST;
	return count > COUNT_MOST ? 0 : count;
}

/* It is less than the program's time, of which there are years at most. */
static void add_times(const struct wire_header *memory, struct processes_activity *to)
{
	uint64_t own_ns = __atomic_load_n(&memory->own_ns, __ATOMIC_RELAXED);
	uint64_t program_ns = __atomic_load_n(&memory->program_ns, __ATOMIC_RELAXED);
	if (own_ns > program_ns || program_ns > UINT64_MAX >> 12)
		return;
	to->time.own_ns += own_ns;
	to->time.program_ns += program_ns;
}

/* Adds what a program has reported of itself. */
static void add_reported(const struct process *process, struct processes_activity *to)
{
	const struct wire_header *memory = process->channel.memory;
	to->contexts += __atomic_load_n(&memory->contexts, __ATOMIC_RELAXED);
	to->refused += sane(__atomic_load_n(&memory->refused, __ATOMIC_RELAXED), &to->broken);
	to->dropped += sane(__atomic_load_n(&memory->dropped, __ATOMIC_RELAXED), &to->broken);
	to->labels_lost +=
	    sane(__atomic_load_n(&memory->label_lost, __ATOMIC_RELAXED), &to->broken);
	add_times(memory, to);
}

static void processes_release(struct processes *all, struct process *process)
{
	add_reported(process, &all->gone);
	munmap(process->channel.memory, WIRE_BYTES(process->channel.ring));
	if (process->pidfd >= 0)
		close(process->pidfd);
}

static void note_end(struct processes *all, struct process *process)
{
	bool drew = __atomic_load_n(&process->channel.memory->contexts, __ATOMIC_RELAXED);
	process->ended = process->channel.ended = true;
	if (!drew)
		all->quiet_end_ns = sys_now_ns(all->sys);
}

/* A program that executes another one is over, though its number lives on. */
static void supersede(struct processes *all, pid_t pid)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].channel.pid == pid)
			note_end(all, &all->items[i]);
}

static bool has_ended(const struct process *process)
{
	struct pollfd fd = {.fd = process->pidfd, .events = POLLIN};
	if (process->ended)
		return true;
	if (process->pidfd >= 0)
		return poll(&fd, 1, 0) > 0;
	return kill(process->channel.pid, 0) < 0 && errno == ESRCH;
}

/*
 * Called for each new program: where programs start others without a pause, there may never be a
 * moment in which none has a sample.
 */
static void note_ends(struct processes *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (!all->items[i].ended && has_ended(&all->items[i]))
			note_end(all, &all->items[i]);
}

static bool is_our_tool(const struct processes *all, pid_t pid)
{
	char own[4096], path[4096];
	return process_program(all->sys, 0, own, sizeof(own)) &&
	       process_program(all->sys, pid, path, sizeof(path)) && strcmp(own, path) == 0;
}

static void accept_newcomers(struct processes *all)
{
	struct newcomer who;
	while (handover_take(&all->handover, &who)) {
		note_ends(all);
		struct process process = {
		    .pidfd = who.pidfd,
		    .came_ns = sys_now_ns(all->sys),
		    .bounds = {who.came_ns, .cpus = all->cpus, .commands = all->commands}};
		process.channel = (struct channel){.value_most = who.value_most,
						   .memory = who.memory,
						   .ring = who.ring,
						   .pid = who.pid,
						   .process = NO_NUMBER};
		supersede(all, who.pid);
		read_name(all, &process);
		all->gone.processes++;
		all->gone.nested += is_our_tool(all, who.pid);
		if (mem_grow(&all->items, &all->cap, all->count + 1, sizeof(*all->items)))
			all->items[all->count++] = process;
		else
			processes_release(all, &process);
	}
}

/* A process gets its number, and the name that it has now, with its first context. */
static void introduce(struct processes *all, struct process *process)
{
	if (process->channel.process != NO_NUMBER || !channel_in_use(&process->channel))
		return;
	if (!process->ended)
		read_name(all, process);
	process->channel.process = all->number++;
}

/* The next record that can be; what was lost before others is lost before this one. */
static bool next_possible(struct processes *all, struct process *process, struct wire_sample *out,
			  uint64_t *lost)
{
	uint64_t more;
	bool waits = !all->hurry && !process->ended;
	process->channel.now_ns = waits ? sys_now_ns(all->sys) : 0;
	*lost = 0;
	while (channel_next(&process->channel, &all->contexts, out, &more)) {
		process->bounds.now_ns = sys_now_ns(all->sys);
		*lost += more;
		if (bounds_hold(&process->bounds, out))
			return true;
		all->contexts.items[out->context].broken++;
	}
	return false;
}

static bool next_of(struct processes *all, struct process *process, struct wire_sample *out,
		    char *path, size_t size, uint64_t *lost)
{
	introduce(all, process);
	if (process->channel.process == NO_NUMBER || !next_possible(all, process, out, lost))
		return false;
	out->label_length =
	    (uint32_t)channel_label(&process->channel, out->record.label, path, size);
	memcpy(path + out->label_length, process->channel.values,
	       out->driver_count * sizeof(process->channel.values[0]));
	return true;
}

/* Asked before its channel is read for the last time: what it wrote until its end is there. */
static void remove_ended(struct processes *all, size_t index)
{
	processes_release(all, &all->items[index]);
	all->items[index] = all->items[--all->count];
}

bool processes_next(struct processes *all, struct wire_sample *out, char *path, size_t size,
		    uint64_t *lost)
{
	accept_newcomers(all);
	for (size_t looked = 0; looked < all->count;) {
		size_t index = (all->next + looked) % all->count;
		bool ended = all->items[index].ended;
		if (next_of(all, &all->items[index], out, path, size, lost)) {
			all->next = index;
			return true;
		}
		if (ended) /* it will have no more; the last one takes its index */
			remove_ended(all, index);
		else
			looked++;
	}
	for (size_t i = all->count; i-- > 0;) {
		struct process *process = &all->items[i];
		if (!has_ended(process))
			continue;
		if (!process->ended)
			note_end(all, process);
		if (next_of(all, process, out, path, size, lost))
			return true;
		remove_ended(all, i);
	}
	return false;
}

bool processes_newcomer(struct processes *all, pid_t *pid)
{
	for (size_t i = 0; i < all->count; i++) {
		struct process *process = &all->items[i];
		if (process->reported ||
		    !__atomic_load_n(&process->channel.memory->contexts, __ATOMIC_RELAXED))
			continue;
		process->reported = true;
		*pid = process->channel.pid;
		return true;
	}
	return false;
}

static bool lives_here(void *user, pid_t pid)
{
	const struct processes *all = user;
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].channel.pid == pid && !all->items[i].ended)
			return true;
	return false;
}

/* The waiting times of new programs run in parallel; one program with a context is enough. */
bool processes_running(struct processes *all)
{
	bool young = false;
	accept_newcomers(all);
	for (size_t i = 0; i < all->count; i++) {
		struct process *process = &all->items[i];
		bool drew = __atomic_load_n(&process->channel.memory->contexts, __ATOMIC_RELAXED);
		if (has_ended(process) && !process->ended)
			note_end(all, process);
		if (!process->ended && drew) {
			descendants_expect(&all->descendants);
			return true;
		}
		young |= !process->ended && sys_now_ns(all->sys) - process->came_ns < YOUNG_NS;
	}
	young |= all->quiet_end_ns && sys_now_ns(all->sys) - all->quiet_end_ns < FORKED_NS;
	if (young)
		descendants_expect(&all->descendants);
	return descendants_awaited(&all->descendants, all->sys, all->handover.path, lives_here,
				   all) ||
	       young;
}

bool processes_awaited(const struct processes *all)
{
	uint64_t now_ns = sys_now_ns(all->sys);
	for (size_t i = 0; i < all->count; i++)
		if (!all->items[i].reported && !all->items[i].ended &&
		    now_ns - all->items[i].came_ns < YOUNG_NS)
			return true;
	return false;
}

bool processes_waiting(struct processes *all)
{
	accept_newcomers(all);
	for (size_t i = 0; i < all->count; i++)
		if (!has_ended(&all->items[i]))
			return false;
	return true;
}

struct processes_activity processes_activity(struct processes *all)
{
	struct processes_activity sum = all->gone;
	sum.refused_programs = handover_refused(&all->handover);
	sum.beyond = all->contexts.beyond;
	sum.late = all->contexts.late;
	for (size_t i = 0; i < all->count; i++)
		add_reported(&all->items[i], &sum);
	for (size_t i = 0; i < all->contexts.count; i++) {
		sum.broken += all->contexts.items[i].broken;
		sum.lost += all->contexts.items[i].lost;
	}
	return sum;
}

void processes_close(struct processes *all)
{
	handover_close(&all->handover);
	for (size_t i = 0; i < all->count; i++)
		processes_release(all, &all->items[i]);
	free(all->items);
	free(all->contexts.items);
	*all = (struct processes){.sys = all->sys};
}
