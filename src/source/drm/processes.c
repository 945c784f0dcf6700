/*
 * Processes, in /proc: which there are, which are measured, and which of their descriptors lead to
 * the card. New ones are looked into at once, all others in turn, a bounded number in each reading.
 */
#include "source/drm/drm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/number.h"
#include "source/process_tree.h"

#define LINKS_AT_FIRST 2000000 /* before the first sample everything is looked at */
#define PROCESSES_MAX  ((size_t)1 << 20)

static int gather_process(void *arg, pid_t pid)
{
	struct drm_clients *c = arg;
	if (c->fresh_count == PROCESSES_MAX ||
	    !mem_grow(&c->fresh, &c->fresh_cap, c->fresh_count + 1, sizeof(*c->fresh))) {
		c->out_of_memory = true;
		return 1;
	}
	c->fresh[c->fresh_count++] = (struct drm_process){.pid = pid};
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct drm_process *x = a, *y = b;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* /proc lists in order; it is only checked. */
static void sort_fresh(struct drm_clients *c)
{
	for (size_t i = 1; i < c->fresh_count; i++)
		if (c->fresh[i - 1].pid >= c->fresh[i].pid) {
			qsort(c->fresh, c->fresh_count, sizeof(*c->fresh), by_pid);
			return;
		}
}

/* Known processes keep what is known of them; those that are not listed are gone. */
static void merge(struct drm_clients *c)
{
	size_t old = 0, kept = 0;
	for (size_t i = 0; i < c->fresh_count; i++) {
		struct drm_process *p = &c->fresh[i];
		if (kept && c->fresh[kept - 1].pid == p->pid)
			continue; /* listed twice while the folder changed */
		while (old < c->process_count && c->processes[old].pid < p->pid)
			free(c->processes[old++].fds);
		if (old < c->process_count && c->processes[old].pid == p->pid)
			c->fresh[kept++] = c->processes[old++];
		else
			c->fresh[kept++] =
			    (struct drm_process){.pid = p->pid,
						 .is_new = true,
						 .is_young = c->listed,
						 /* It had no descriptors then. */
						 .complete = c->listed ? c->tick - 1 : 0};
	}
	while (old < c->process_count)
		free(c->processes[old++].fds);
	struct drm_process *processes = c->processes;
	size_t cap = c->process_cap;
	c->processes = c->fresh;
	c->process_cap = c->fresh_cap;
	c->process_count = kept;
	c->fresh = processes;
	c->fresh_cap = cap;
	c->fresh_count = 0;
}

static void list_processes(struct drm_clients *c)
{
	c->fresh_count = 0;
	c->failed = process_each(c->sys, gather_process, c) != 0;
	if (c->failed || c->out_of_memory) {
		c->fresh_count = 0; /* what is known stays; the next listing mends it */
		return;
	}
	sort_fresh(c);
	merge(c);
	c->listed = true;
}

struct drm_process *drm_find_process(const struct drm_clients *c, pid_t pid)
{
	struct drm_process key = {.pid = pid};
	if (!c->process_count)
		return NULL;
	return bsearch(&key, c->processes, c->process_count, sizeof(key), by_pid);
}

/*
 * A child of the measured program is measured, also when its parent has ended. One that got another
 * parent before it was seen is found by the program's process group, if it has its own.
 */
static bool join_scope(struct drm_clients *c)
{
	bool joined = false;
	for (size_t i = 0; i < c->process_count; i++) {
		struct drm_process *p = &c->processes[i];
		if (p->in_scope || !p->is_new)
			continue;
		const struct drm_process *parent = drm_find_process(c, p->parent);
		p->in_scope =
		    p->pid == c->root || p->group == c->root || (parent && parent->in_scope);
		joined |= p->in_scope;
	}
	return joined;
}

static void find_scope(struct drm_clients *c)
{
	for (size_t i = 0; i < c->process_count; i++) {
		struct drm_process *p = &c->processes[i];
		if (!p->is_new)
			continue;
		struct process_stat stat = {.parent = 0};
		if (c->root)
			process_stat_read(c->sys, p->pid, &stat);
		p->in_scope = !c->root;
		p->parent = stat.parent;
		p->group = stat.group;
		p->begun = stat.begun;
	}
	/* Pids are reused from the start, so that a child may come before its parent. */
	while (c->root && join_scope(c))
		;
	for (size_t i = 0; i < c->process_count; i++)
		c->processes[i].is_new = false;
}

/* Whether a link leads to a node of the card. */
static bool is_node(const struct drm_card *card, const char *target)
{
	static const char folder[] = "/dev/dri/";
	uint32_t number;
	if (strncmp(target, folder, sizeof(folder) - 1) != 0)
		return false;
	target += sizeof(folder) - 1;
	bool render = strncmp(target, "renderD", 7) == 0;
	if (!render && strncmp(target, "card", 4) != 0)
		return false;
	target += render ? 7 : 4;
	return number_u32(target, strlen(target), &number) &&
	       number == (render ? card->render : card->card);
}

static bool knows_fd(const struct drm_process *p, int fd)
{
	for (size_t i = 0; i < p->fd_count; i++)
		if (p->fds[i] == fd)
			return true;
	return false;
}

struct visit {
	struct drm_clients *clients;
	struct drm_process *process;
	size_t seen;	  /* of the listing */
	bool missed, cut; /* something that could not be looked at; what follows it, either */
};

static int look_at_fd(void *arg, const char *name)
{
	struct visit *v = arg;
	struct drm_process *p = v->process;
	char path[96], target[64];
	uint32_t fd;
	if (!number_u32(name, strlen(name), &fd) || fd > INT_MAX || v->seen++ < p->looked_at)
		return 0;
	if (p->fd_count >= DRM_FDS_MAX) {
		v->clients->hoarder |= !knows_fd(p, (int)fd);
		return 0;
	}
	if (v->clients->links == 0) {
		p->looked_at = v->seen - 1;
		v->missed = v->cut = true;
		return 1;
	}
	v->clients->links--;
	if (knows_fd(p, (int)fd))
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/fd/%u", (int)p->pid, fd);
	if (v->clients->sys->read_link(v->clients->sys->user, path, target, sizeof(target)) <= 0) {
		v->missed |= errno != ENOENT;
		return 0;
	}
	if (!is_node(v->clients->card, target))
		return 0;
	if (!mem_grow(&p->fds, &p->fd_cap, p->fd_count + 1, sizeof(*p->fds))) {
		v->clients->out_of_memory = true;
		return 1;
	}
	p->fds[p->fd_count++] = (int)fd;
	return 0;
}

/* Another process than before has the number: nothing of what was known holds. */
static void forget(struct drm_process *p)
{
	free(p->fds);
	*p = (struct drm_process){
	    .pid = p->pid, .is_new = true, .is_young = true, .complete = p->complete};
}

static bool is_another(const struct drm_process *p, const struct process_stat *stat)
{
	return p->begun && stat->begun && p->begun != stat->begun;
}

/* A number may be taken over between two listings; what holds the card is looked at again. */
static void forget_reused(struct drm_clients *c)
{
	for (size_t i = 0; i < c->process_count; i++) {
		struct drm_process *p = &c->processes[i];
		struct process_stat stat;
		if (p->fd_count && process_stat_read(c->sys, p->pid, &stat) && is_another(p, &stat))
			forget(p);
	}
}

/* Reads which process has the card open under this pid; false when it is not the listed one. */
static bool identify_process(struct drm_clients *c, struct drm_process *p)
{
	struct process_stat stat;
	process_name_read(c->sys, p->pid, p->name, sizeof(p->name));
	if (!process_stat_read(c->sys, p->pid, &stat))
		return true; /* the process has ended: its descriptors will not be there either */
	if (is_another(p, &stat))
		return false;
	p->begun = stat.begun;
	return true;
}

/* A listing that was cut short goes on where it was, so that no descriptor is out of reach. */
static void look_into(struct drm_clients *c, struct drm_process *p)
{
	char path[64];
	struct visit visit = {.clients = c, .process = p};
	size_t before = p->fd_count;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)p->pid);
	int listed = c->sys->list_dir(c->sys->user, path, look_at_fd, &visit);
	p->denied = listed < 0 && (errno == EACCES || errno == EPERM);
	p->scanned = true;
	p->tick = c->tick;
	if (!visit.cut)
		p->looked_at = 0;
	if (listed == 0 && !visit.missed)
		p->complete = c->tick;
	c->links -= c->links > 0; /* an empty folder costs too */
	if (p->fd_count > before && !identify_process(c, p))
		forget(p);
}

/* Whether anything of a process is of interest: at first of all, for what is older than the run. */
static bool is_wanted(const struct drm_clients *c, const struct drm_process *p)
{
	return p->in_scope || c->all || c->tick == 1;
}

/* Each in turn, as far as links go; none twice in a reading. One that is cut short is the next. */
static void look_in_turn(struct drm_clients *c, size_t *cursor, bool scope_only)
{
	for (size_t n = 0; n < c->process_count && c->links; n++) {
		*cursor = *cursor + 1 < c->process_count ? *cursor + 1 : 0;
		struct drm_process *p = &c->processes[*cursor];
		if (p->tick != c->tick && is_wanted(c, p) && (p->in_scope || !scope_only))
			look_into(c, p);
		if (!c->links && p->looked_at)
			*cursor = *cursor ? *cursor - 1 : c->process_count - 1;
	}
}

static void look_for_clients(struct drm_clients *c)
{
	c->links = c->tick == 1 ? LINKS_AT_FIRST : c->links_most;
	for (size_t i = 0; i < c->process_count; i++) {
		struct drm_process *p = &c->processes[i];
		p->complete_before = p->complete;
		p->watched |= p->complete > 0;
	}
	/* What is new comes first, and what one asked for. */
	for (size_t i = 0; i < c->process_count && c->links; i++) {
		struct drm_process *p = &c->processes[i];
		if (is_wanted(c, p) && !p->scanned)
			look_into(c, p);
	}
	if (c->root)
		look_in_turn(c, &c->scope_cursor, true);
	look_in_turn(c, &c->cursor, false);
	c->denied = 0;
	for (size_t i = 0; i < c->process_count; i++)
		c->denied += c->processes[i].denied && is_wanted(c, &c->processes[i]);
}

void drm_processes_read(struct drm_clients *c)
{
	list_processes(c);
	forget_reused(c);
	find_scope(c);
	look_for_clients(c);
}
