/*
 * Clients of a card: what the kernel says of each descriptor in fdinfo, once a client, and what
 * each did since the reading before. Known descriptors are read every time.
 */
#include "source/drm/drm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"

#define TEXT_SIZE   16384
#define CLIENTS_MAX ((size_t)1 << 16)

enum sx_status drm_clients_init(struct drm_clients *c, struct sx_error *err)
{
	c->links_most = DRM_LINKS_A_READING;
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

/* The index of a key, or the index at which it would be inserted. */
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

/* A smaller value than before is a delay in the driver: the larger one holds until it is passed. */
static uint64_t advance(uint64_t *last, uint64_t now)
{
	uint64_t did = now > *last ? now - *last : 0;
	if (now > *last)
		*last = now;
	return did;
}

/* A leap beyond what an engine can have done is the driver's mistake: it counts as standing still.
 */
static bool leaps(const struct drm_client *client, uint64_t last, uint64_t now, double longest)
{
	return client->primed && now > last && (double)(now - last) > longest;
}

static double cycles_ns(const struct drm_clients *c, uint32_t i, uint64_t cycles)
{
	const struct drm_cycle_clock *clock = &c->clocks[i];
	return clock->ns > 0 ? (double)cycles * (clock->ns / clock->cycles) : 0;
}

/* A new client has its cycles and no earlier count of all: the rate is that of any client. */
static void learn_clock(struct drm_clients *c, const struct drm_client *client,
			const struct drm_engine_use *now, uint32_t i, uint64_t read_ns)
{
	const struct drm_engine_use *last = &client->now.engines[i];
	if (!last->has_total || !now->has_total || now->total <= last->total ||
	    read_ns <= client->read_ns)
		return;
	double cycles = (double)(now->total - last->total),
	       ns = (double)(read_ns - client->read_ns);
	double expected = cycles_ns(c, i, now->total - last->total);
	/* A clock does not change: one that leapt, or that a sleep stopped, is learnt anew. */
	if (expected > 0 && (expected > 2 * ns || expected < ns / 2))
		c->clocks[i] = (struct drm_cycle_clock){0, 0};
	else
		c->clocks[i] =
		    (struct drm_cycle_clock){c->clocks[i].cycles + cycles, c->clocks[i].ns + ns};
}

/* The longest that an engine can have worked in this run; jobs of several queues overlap. */
static double run_ns(const struct drm_clients *c, const struct drm_engine_use *engine,
		     uint64_t now_ns)
{
	return now_ns > c->begin_ns ? 2.0 * (double)(now_ns - c->begin_ns) * engine->capacity : 0;
}

/* Cycles as time, as soon as the clock's rate is known: those from before come with it. */
static void take_cycles(const struct drm_clients *c, struct drm_client *client, uint32_t i,
			uint64_t read_ns)
{
	double ns = cycles_ns(c, i, client->cycles[i]);
	if (ns <= 0)
		return;
	if (ns <= run_ns(c, &client->now.engines[i], read_ns))
		client->did_ns[i] = (uint64_t)(ns + 0.5);
	client->cycles[i] = 0;
}

/*
 * What an engine's line that was not there before counts is older than the interval where the
 * driver's accounting was switched on in it; amdgpu has no line for an engine that did nothing.
 */
static bool is_switched_on(const struct drm_clients *c, const struct drm_client *client,
			   const struct drm_engine_use *last, const struct drm_engine_use *now)
{
	return c->card->profiling[0] && client->read_ns && now->has_ns && !last->has_ns;
}

static void take_engine(struct drm_clients *c, struct drm_client *client,
			const struct drm_fdinfo *info, uint32_t i, uint64_t read_ns)
{
	struct drm_engine_use *last = &client->now.engines[i];
	const struct drm_engine_use *now = &info->engines[i];
	if (leaps(client, last->ns, now->ns, (double)c->longest_ns))
		return;
	bool counts = client->primed && !is_switched_on(c, client, last, now);
	uint64_t ns = advance(&last->ns, now->ns), cycles = advance(&last->cycles, now->cycles);
	learn_clock(c, client, now, i, read_ns);
	last->has_ns |= now->has_ns;
	last->has_cycles |= now->has_cycles;
	last->has_total = now->has_total;
	last->total = now->total;
	last->capacity = now->capacity;
	last->max_hz = now->max_hz;
	last->cur_hz = now->cur_hz;
	if (counts && now->has_ns)
		client->did_ns[i] = ns;
	else if (counts && now->has_cycles && now->has_total)
		client->cycles[i] += cycles;
	take_cycles(c, client, i, read_ns);
}

static void update_client(struct drm_clients *c, struct drm_client *client,
			  const struct drm_fdinfo *info)
{
	uint64_t read_ns = sys_now_ns(c->sys);
	memset(client->did_ns, 0, sizeof(client->did_ns));
	for (uint32_t i = 0; i < DRM_ENGINES; i++) {
		const struct drm_engine_use *e = &info->engines[i];
		take_engine(c, client, info, i, read_ns);
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
	client->read_ns = read_ns;
	client->primed = true;
}

static bool comes_back(const struct drm_clients *c, uint64_t id)
{
	for (size_t i = 0; i < DRM_GONE; i++)
		if (c->gone[i] == id)
			return true;
	return false;
}

/* More than can be of this run is the history of a client that was opened before, out of sight. */
static bool has_history(const struct drm_clients *c, const struct drm_fdinfo *info)
{
	uint64_t now_ns = sys_now_ns(c->sys);
	for (uint32_t i = 0; i < DRM_ENGINES; i++) {
		const struct drm_engine_use *e = &info->engines[i];
		double ns = e->has_ns ? (double)e->ns : cycles_ns(c, i, e->cycles);
		if (ns > run_ns(c, e, now_ns))
			return true;
	}
	return false;
}

/*
 * Whether all that a new client did belongs to this run: it was opened since the first reading (the
 * kernel's client ids only grow), by a process that began since, or by one with descriptors that
 * had all been read before. Where no program is measured, the client must be of the current
 * interval: a history of several would be too much for it.
 */
static bool is_of_this_run(const struct drm_clients *c, const struct drm_process *p,
			   const struct drm_fdinfo *info)
{
	bool watched = c->root ? p->is_young || p->watched : p->complete_before + 1 == c->tick;
	return c->tick > 1 && info->has_id && info->id > c->old_id && watched &&
	       !comes_back(c, info->id) && !has_history(c, info);
}

/* The first descriptor of a client counts, in the order of processes; the others are the same. */
static void take_info(struct drm_clients *c, struct drm_process *p, int fd,
		      const struct drm_fdinfo *info)
{
	bool added;
	uint64_t key = info->has_id ? info->id : (uint64_t)p->pid << 32 | (uint32_t)fd;
	struct drm_client *client = client_of(c, key, info->has_id, &added);
	if (!client || (!added && client->tick == c->tick)) {
		if (client)
			client->in_scope |= p->in_scope;
		return;
	}
	bool whole = added && is_of_this_run(c, p, info);
	client->primed |= whole;
	client->pid = p->pid;
	client->in_scope = p->in_scope;
	update_client(c, client, info);
}

/* Clients of this reading and before it are none that begin later. */
static void note_old(struct drm_clients *c, const struct drm_fdinfo *info)
{
	if (c->tick == 1 && info->has_id && info->id > c->old_id)
		c->old_id = info->id;
}

/* False when the descriptor is no longer one of the card, or of no interest. */
static bool read_fd(struct drm_clients *c, struct drm_process *p, int fd)
{
	char path[64];
	struct drm_fdinfo info;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)p->pid, fd);
	ssize_t size = c->sys->read_file(c->sys->user, path, c->text, TEXT_SIZE);
	bool closed = size < 0 && (errno == ENOENT || errno == ESRCH);
	if (size < 0 && !closed)
		p->complete = p->watched = 0; /* what it did until it can be read is not known */
	if (size < 0)
		return !closed && errno != EACCES;
	if (!drm_fdinfo_parse(c->text, &info) ||
	    (info.pdev[0] && c->card->pdev[0] && strcmp(info.pdev, c->card->pdev) != 0))
		return false;
	note_old(c, &info);
	if (!p->in_scope && !c->all)
		return false;
	take_info(c, p, fd, &info);
	return true;
}

static void read_known(struct drm_clients *c)
{
	for (size_t i = 0; i < c->process_count; i++) {
		struct drm_process *p = &c->processes[i];
		size_t kept = 0;
		for (size_t f = 0; f < p->fd_count; f++)
			if (read_fd(c, p, p->fds[f]))
				p->fds[kept++] = p->fds[f];
		p->fd_count = kept;
	}
}

/* Nothing works on a card that sleeps; memory is what was held before. */
static void let_rest(struct drm_clients *c)
{
	for (size_t i = 0; i < c->client_count; i++) {
		struct drm_client *client = &c->clients[i];
		const struct drm_process *p = drm_find_process(c, client->pid);
		memset(client->did_ns, 0, sizeof(client->did_ns));
		if (p && p->fd_count)
			client->tick = c->tick;
	}
}

/* Beyond the last few, all up to the forgotten one count as old. */
static void note_gone(struct drm_clients *c, const struct drm_client *client)
{
	uint64_t *at = &c->gone[c->gone_count++ % DRM_GONE];
	if (!client->has_id)
		return;
	if (*at > c->old_id)
		c->old_id = *at;
	*at = client->key;
}

/* Whether the last descriptor is closed; what could not be read this time is not gone. */
static bool is_gone(const struct drm_clients *c, const struct drm_client *client)
{
	const struct drm_process *p = drm_find_process(c, client->pid);
	return client->tick != c->tick && (!p || !p->fd_count || client->tick + 2 < c->tick);
}

static void drop_gone(struct drm_clients *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->client_count; i++) {
		struct drm_client *client = &c->clients[i];
		if (is_gone(c, client)) {
			note_gone(c, client);
			continue;
		}
		if (client->tick != c->tick)
			memset(client->did_ns, 0, sizeof(client->did_ns));
		c->clients[kept++] = *client;
	}
	c->client_count = kept;
}

void drm_clients_read(struct drm_clients *c)
{
	uint64_t now = sys_now_ns(c->sys);
	if (!c->tick++)
		c->begin_ns = now;
	c->longest_ns = now && now < UINT64_MAX / DRM_UNITS_MAX ? now * DRM_UNITS_MAX : UINT64_MAX;
	c->out_of_memory = false;
	drm_processes_read(c);
	/* The clients of the first reading are the old ones. */
	if (c->resting && c->tick > 1)
		let_rest(c);
	else
		read_known(c);
	drop_gone(c);
}

static void add_client(const struct drm_clients *c, const struct drm_client *client,
		       struct drm_sum *out)
{
	for (uint32_t i = 0; i < DRM_ENGINES; i++) {
		const struct drm_engine_use *e = &client->now.engines[i];
		if (__builtin_add_overflow(out->engine_ns[i], client->did_ns[i],
					   &out->engine_ns[i]))
			out->engine_ns[i] = UINT64_MAX;
		out->waits[i] |= client->cycles[i] > 0;
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
	bool waits = false;
	for (uint32_t i = 0; i < DRM_ENGINES; i++) {
		bool works = drm_engine_kind((enum drm_engine)i) <= DRM_COMPUTE;
		/* One of a name that is not known may be graphics. */
		out->knows_engines |= c->seen_engine[i] && i != DRM_ENGINE_OTHER;
		if (c->capacity[i] > 1)
			out->engine_ns[i] /= c->capacity[i];
		if (works && out->engine_ns[i] > out->busy_ns)
			out->busy_ns = out->engine_ns[i];
		waits |= works && out->waits[i];
	}
	out->knows_engines &= !waits;
	for (size_t i = 0; i < c->process_count; i++)
		out->processes += c->processes[i].fd_count > 0 &&
				  (!scope_only || c->processes[i].in_scope) &&
				  (!pid || c->processes[i].pid == pid);
}
