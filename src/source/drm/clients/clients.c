/*
 * Clients of a card: what the kernel says of each descriptor in fdinfo, once a client, and what
 * each did since the reading before. Known descriptors are read every time.
 */
#include "source/drm/drm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock/clock.h"
#include "base/error.h"
#include "base/mem.h"

#define TEXT_SIZE   16384
#define CLIENTS_MAX ((size_t)1 << 16)
#define UNITS_MAX   64 /* of one engine */

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

/* A leap beyond what an engine can have done is the driver's mistake: it counts as standing still.
 */
static bool leaps(const struct drm_client *client, uint64_t last, uint64_t now, double longest)
{
	return client->primed && now > last && (double)(now - last) > longest;
}

static void take_engine(const struct drm_clients *c, struct drm_client *client,
			const struct drm_fdinfo *info, uint32_t i, uint64_t interval_ns)
{
	struct drm_engine_use *last = &client->now.engines[i];
	const struct drm_engine_use *now = &info->engines[i];
	if (leaps(client, last->ns, now->ns, (double)c->longest_ns))
		return;
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
	else if (now->has_cycles && now->has_total && total &&
		 (double)cycles / (double)total <= UNITS_MAX)
		client->did_ns[i] =
		    (uint64_t)((double)cycles / (double)total * (double)interval_ns + 0.5);
}

static void update_client(struct drm_clients *c, struct drm_client *client,
			  const struct drm_fdinfo *info, uint64_t interval_ns)
{
	memset(client->did_ns, 0, sizeof(client->did_ns));
	for (uint32_t i = 0; i < DRM_ENGINES; i++) {
		const struct drm_engine_use *e = &info->engines[i];
		take_engine(c, client, info, i, interval_ns);
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
		const struct drm_process *p = drm_find_process(c, client->pid);
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
	uint64_t now = sys_now_ns(c->sys);
	c->tick++;
	c->longest_ns = now && now < UINT64_MAX / UNITS_MAX ? now * UNITS_MAX : UINT64_MAX;
	c->out_of_memory = false;
	drm_processes_read(c);
	read_known(c, interval_ns);
	note_highest_id(c);
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
