/*
 * Programs that have a card open, found in /proc: descriptors that link to its nodes, and what the
 * kernel says of each in fdinfo. Known descriptors are read every time; others are looked for in
 * new processes at once, and in all in turn, a bounded number in each reading.
 */
#include "source/drm/drm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/mem.h"
#include "base/number.h"
#include "source/nodes.h"

#define TEXT_SIZE	16384
#define LINKS_A_READING 1500	/* looked at in turn: some milliseconds */
#define LINKS_AT_FIRST	2000000 /* before the first sample everything is looked at */
#define PROCESSES_MAX	((size_t)1 << 20)
#define CLIENTS_MAX	((size_t)1 << 16)
#define FDS_MAX		256 /* of one card in one process: each is read every time */

enum sx_status drm_clients_init(struct drm_clients *c, struct sx_error *err)
{
	c->text = malloc(TEXT_SIZE);
	return c->text ? SX_OK : error_nomem(err, "the DRM source");
}

void drm_clients_finish(struct drm_clients *c)
{
	for (size_t i = 0; i < c->process_count; i++)
		free(c->processes[i].fds);
	free(c->processes);
	free(c->fresh);
	free(c->clients);
	free(c->text);
	*c = (struct drm_clients){.sys = c->sys, .card = c->card};
}

static int gather_process(void *arg, const char *name)
{
	struct drm_clients *c = arg;
	uint32_t pid;
	if (name[0] < '1' || name[0] > '9' || !number_u32(name, strlen(name), &pid) ||
	    pid > INT_MAX)
		return 0;
	if (c->fresh_count == PROCESSES_MAX ||
	    !mem_grow(&c->fresh, &c->fresh_cap, c->fresh_count + 1, sizeof(*c->fresh))) {
		c->out_of_memory = true;
		return 1;
	}
	c->fresh[c->fresh_count++] = (struct drm_process){.pid = (pid_t)pid};
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

/* Those that were known keep what is known of them; the others are gone. */
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
			c->fresh[kept++] = (struct drm_process){
			    .pid = p->pid, .is_new = true, .is_young = c->listed};
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
	c->failed = c->sys->list_dir(c->sys->user, "/proc", gather_process, c) < 0;
	if (c->failed || c->out_of_memory) {
		c->fresh_count = 0; /* what is known stays; the next listing mends it */
		return;
	}
	sort_fresh(c);
	merge(c);
	c->listed = true;
}

static struct drm_process *find_process(const struct drm_clients *c, pid_t pid)
{
	struct drm_process key = {.pid = pid};
	if (!c->process_count)
		return NULL;
	return bsearch(&key, c->processes, c->process_count, sizeof(key), by_pid);
}

/* The parent is the second number behind the name, which may hold anything. */
static pid_t parent_of(const struct drm_clients *c, pid_t pid)
{
	char path[64], text[512];
	uint32_t parent;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (c->sys->read_file(c->sys->user, path, text, sizeof(text)) <= 0)
		return 0;
	const char *at = strrchr(text, ')');
	if (!at || at[1] != ' ' || !at[2] || at[3] != ' ')
		return 0;
	size_t digits = strspn(at + 4, "0123456789");
	return number_u32(at + 4, digits, &parent) && parent <= INT_MAX ? (pid_t)parent : 0;
}

/* A child of what is measured is measured, also when its parent is gone by now. */
static bool join_scope(struct drm_clients *c)
{
	bool joined = false;
	for (size_t i = 0; i < c->process_count; i++) {
		struct drm_process *p = &c->processes[i];
		if (p->in_scope || !p->is_new)
			continue;
		const struct drm_process *parent = find_process(c, p->parent);
		p->in_scope = p->pid == c->root || (parent && parent->in_scope);
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
		if (!c->root)
			p->in_scope = true;
		else
			p->parent = parent_of(c, p->pid);
	}
	/* Numbers of processes begin again, so that a child may stand before its parent. */
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
	bool missed; /* something that could not be looked at */
};

static int look_at_fd(void *arg, const char *name)
{
	struct visit *v = arg;
	struct drm_process *p = v->process;
	char path[96], target[64];
	uint32_t fd;
	if (!number_u32(name, strlen(name), &fd) || fd > INT_MAX || p->fd_count >= FDS_MAX)
		return 0;
	if (v->clients->links == 0) {
		v->missed = true;
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

static void read_name(const struct drm_clients *c, struct drm_process *p)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)p->pid);
	if (c->sys->read_file(c->sys->user, path, p->name, sizeof(p->name)) <= 0)
		snprintf(p->name, sizeof(p->name), "?");
	p->name[strcspn(p->name, "\n")] = '\0';
}

static void look_into(struct drm_clients *c, struct drm_process *p)
{
	char path[64];
	struct visit visit = {c, p, false};
	size_t before = p->fd_count;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)p->pid);
	int listed = c->sys->list_dir(c->sys->user, path, look_at_fd, &visit);
	p->denied = listed < 0 && (errno == EACCES || errno == EPERM);
	p->scanned = true;
	p->tick = c->tick;
	p->complete = listed == 0 && !visit.missed ? c->tick : 0;
	c->links -= c->links > 0; /* an empty folder costs too */
	if (p->fd_count > before)
		read_name(c, p);
}

/* Whether anything of a process is of interest. */
static bool is_wanted(const struct drm_clients *c, const struct drm_process *p)
{
	return p->in_scope || c->all;
}

static void look_for_clients(struct drm_clients *c)
{
	c->links = c->tick == 1 ? LINKS_AT_FIRST : LINKS_A_READING;
	for (size_t i = 0; i < c->process_count; i++) {
		c->processes[i].old_fd_count = c->processes[i].fd_count;
		c->processes[i].complete_before = c->processes[i].complete;
	}
	/* What one asked for comes first, and what is new. */
	for (size_t i = 0; i < c->process_count; i++) {
		struct drm_process *p = &c->processes[i];
		if (is_wanted(c, p) && (!p->scanned || (c->root && p->in_scope)))
			look_into(c, p);
	}
	for (size_t n = 0; n < c->process_count && c->links; n++) {
		c->cursor = c->cursor + 1 < c->process_count ? c->cursor + 1 : 0;
		struct drm_process *p = &c->processes[c->cursor];
		if (is_wanted(c, p) && p->tick != c->tick)
			look_into(c, p);
	}
	c->denied = 0;
	for (size_t i = 0; i < c->process_count; i++)
		c->denied += c->processes[i].denied && is_wanted(c, &c->processes[i]);
}

/* The place of a key, or where it would stand. */
static size_t client_place(const struct drm_clients *c, uint64_t key, bool has_id)
{
	size_t low = 0, high = c->client_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct drm_client *at = &c->clients[middle];
		bool before = at->has_id != has_id ? at->has_id < has_id : at->key < key;
		if (before)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct drm_client *client_of(struct drm_clients *c, uint64_t key, bool has_id, bool *added)
{
	size_t at = client_place(c, key, has_id);
	*added = false;
	if (at < c->client_count && c->clients[at].key == key && c->clients[at].has_id == has_id)
		return &c->clients[at];
	if (c->client_count == CLIENTS_MAX ||
	    !mem_grow(&c->clients, &c->client_cap, c->client_count + 1, sizeof(*c->clients))) {
		c->out_of_memory = true;
		return NULL;
	}
	memmove(&c->clients[at + 1], &c->clients[at],
		(c->client_count++ - at) * sizeof(*c->clients));
	c->clients[at] = (struct drm_client){.key = key, .has_id = has_id};
	*added = true;
	return &c->clients[at];
}

/* A smaller value than before is the driver's hesitation: the larger one stands until passed. */
static uint64_t advance(uint64_t *last, uint64_t now)
{
	uint64_t did = now > *last ? now - *last : 0;
	if (now > *last)
		*last = now;
	return did;
}

static void take_engine(struct drm_client *client, const struct drm_fdinfo *info, uint32_t i,
			uint64_t interval_ns)
{
	struct drm_engine_use *last = &client->now.engines[i];
	const struct drm_engine_use *now = &info->engines[i];
	uint64_t ns = advance(&last->ns, now->ns), cycles = advance(&last->cycles, now->cycles),
		 total = advance(&last->total, now->total);
	last->has_ns |= now->has_ns;
	last->has_cycles |= now->has_cycles;
	last->has_total |= now->has_total;
	last->capacity = now->capacity;
	last->max_hz = now->max_hz;
	last->cur_hz = now->cur_hz;
	if (!client->primed)
		return;
	if (now->has_ns)
		client->did_ns[i] = ns;
	else if (now->has_cycles && now->has_total && total)
		client->did_ns[i] =
		    (uint64_t)((double)cycles / (double)total * (double)interval_ns + 0.5);
}

static void update_client(struct drm_clients *c, struct drm_client *client,
			  const struct drm_fdinfo *info, uint64_t interval_ns)
{
	memset(client->did_ns, 0, sizeof(client->did_ns));
	for (uint32_t i = 0; i < DRM_ENGINES; i++) {
		const struct drm_engine_use *e = &info->engines[i];
		take_engine(client, info, i, interval_ns);
		if (!e->has_ns && !(e->has_cycles && e->has_total))
			continue;
		c->seen_engine[i] = true;
		if (e->capacity > c->capacity[i])
			c->capacity[i] = e->capacity;
	}
	memcpy(client->now.memory, info->memory, sizeof(info->memory));
	memcpy(client->now.has_memory, info->has_memory, sizeof(info->has_memory));
	for (uint32_t r = 0; r < DRM_REGIONS; r++)
		for (uint32_t k = 0; k < DRM_KINDS; k++)
			c->seen_memory[r][k] |= info->has_memory[r][k];
	client->tick = c->tick;
	client->primed = true;
}

/*
 * Whether all that a new client did was done since the reading before: it was opened since, by a
 * process that began while we watched, or that was looked into last time. One that comes back is no
 * new one: the kernel's numbers of clients only grow.
 */
static bool is_of_this_run(const struct drm_clients *c, const struct drm_process *p, size_t index,
			   const struct drm_fdinfo *info)
{
	bool looked = c->root && p->in_scope && p->complete_before + 1 == c->tick;
	return c->tick > 1 && info->has_id && info->id > c->highest_id &&
	       index >= p->old_fd_count && (p->is_young || looked);
}

/* The first descriptor of a client counts, in the order of processes; the others are the same. */
static void take_info(struct drm_clients *c, struct drm_process *p, size_t index,
		      const struct drm_fdinfo *info, uint64_t interval_ns)
{
	int fd = p->fds[index];
	bool added;
	uint64_t key = info->has_id ? info->id : (uint64_t)p->pid << 32 | (uint32_t)fd;
	struct drm_client *client = client_of(c, key, info->has_id, &added);
	if (!client || (!added && client->tick == c->tick)) {
		if (client)
			client->in_scope |= p->in_scope;
		return;
	}
	bool whole = added && is_of_this_run(c, p, index, info);
	client->primed |= whole;
	client->pid = p->pid;
	client->in_scope = p->in_scope;
	update_client(c, client, info, interval_ns);
}

/* False when the descriptor is no longer one of the card. */
static bool read_fd(struct drm_clients *c, struct drm_process *p, size_t index,
		    uint64_t interval_ns)
{
	char path[64];
	struct drm_fdinfo info;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)p->pid, p->fds[index]);
	ssize_t size = c->sys->read_file(c->sys->user, path, c->text, TEXT_SIZE);
	if (size < 0)
		return errno != ENOENT && errno != ESRCH && errno != EACCES;
	if (!drm_fdinfo_parse(c->text, &info) ||
	    (info.pdev[0] && c->card->pdev[0] && strcmp(info.pdev, c->card->pdev) != 0))
		return false;
	take_info(c, p, index, &info, interval_ns);
	return true;
}

static void note_highest_id(struct drm_clients *c)
{
	for (size_t i = 0; i < c->client_count; i++)
		if (c->clients[i].has_id && c->clients[i].key > c->highest_id)
			c->highest_id = c->clients[i].key;
}

static void read_known(struct drm_clients *c, uint64_t interval_ns)
{
	for (size_t i = 0; i < c->process_count; i++) {
		struct drm_process *p = &c->processes[i];
		size_t kept = 0;
		for (size_t f = 0; f < p->fd_count; f++)
			if (read_fd(c, p, f, interval_ns))
				p->fds[kept++] = p->fds[f];
		p->fd_count = kept;
	}
}

/* Whose last descriptor is closed is gone; what could not be read this time is not. */
static void drop_gone(struct drm_clients *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->client_count; i++) {
		struct drm_client *client = &c->clients[i];
		const struct drm_process *p = find_process(c, client->pid);
		if (client->tick != c->tick) {
			if (!p || !p->fd_count)
				continue;
			if (client->tick + 2 < c->tick)
				continue;
			memset(client->did_ns, 0, sizeof(client->did_ns));
		}
		c->clients[kept++] = *client;
	}
	c->client_count = kept;
}

void drm_clients_read(struct drm_clients *c, uint64_t interval_ns)
{
	c->tick++;
	c->out_of_memory = false;
	list_processes(c);
	find_scope(c);
	look_for_clients(c);
	read_known(c, interval_ns);
	note_highest_id(c);
	drop_gone(c);
}

static void add_client(const struct drm_clients *c, const struct drm_client *client,
		       struct drm_sum *out)
{
	for (uint32_t i = 0; i < DRM_ENGINES; i++) {
		const struct drm_engine_use *e = &client->now.engines[i];
		out->engine_ns[i] += client->did_ns[i];
		if (drm_engine_kind((enum drm_engine)i) <= DRM_COMPUTE) {
			out->cur_hz = e->cur_hz > out->cur_hz ? e->cur_hz : out->cur_hz;
			out->max_hz = e->max_hz > out->max_hz ? e->max_hz : out->max_hz;
		}
	}
	for (uint32_t r = 0; r < DRM_REGIONS; r++)
		for (uint32_t k = 0; k < DRM_KINDS; k++)
			if (__builtin_add_overflow(out->memory[r][k], client->now.memory[r][k],
						   &out->memory[r][k]))
				out->memory[r][k] = UINT64_MAX;
	out->clients++;
}

void drm_clients_sum(const struct drm_clients *c, bool scope_only, pid_t pid, struct drm_sum *out)
{
	*out = (struct drm_sum){0};
	for (size_t i = 0; i < c->client_count; i++) {
		const struct drm_client *client = &c->clients[i];
		if ((!scope_only || client->in_scope) && (!pid || client->pid == pid))
			add_client(c, client, out);
	}
	for (uint32_t i = 0; i < DRM_ENGINES; i++) {
		out->knows_engines |= c->seen_engine[i];
		if (c->capacity[i] > 1)
			out->engine_ns[i] /= c->capacity[i];
		if (drm_engine_kind((enum drm_engine)i) <= DRM_COMPUTE &&
		    out->engine_ns[i] > out->busy_ns)
			out->busy_ns = out->engine_ns[i];
	}
	for (size_t i = 0; i < c->process_count; i++)
		out->processes += c->processes[i].fd_count > 0 &&
				  (!scope_only || c->processes[i].in_scope) &&
				  (!pid || c->processes[i].pid == pid);
}
