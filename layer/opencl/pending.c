/* A growing ring of a queue's commands, in the order of their enqueueing. */
#include <stdlib.h>
#include <string.h>

#include "layer/opencl/layer.h"

#define PENDING_FIRST 64u
#define PENDING_KEPT  1024u   /* a larger ring is freed when it is empty */
#define PENDING_MOST  262144u /* limit of memory while the reader does not read */

bool pending_none(const struct pending *p)
{
	return __atomic_load_n(&p->head, __ATOMIC_ACQUIRE) ==
	       __atomic_load_n(&p->tail, __ATOMIC_ACQUIRE);
}

uint32_t pending_count(const struct pending *p)
{
	return __atomic_load_n(&p->head, __ATOMIC_ACQUIRE) -
	       __atomic_load_n(&p->tail, __ATOMIC_ACQUIRE);
}

static uint32_t tail_of(const struct pending *p)
{
	return __atomic_load_n(&p->tail, __ATOMIC_ACQUIRE);
}

static bool grow(struct pending *p)
{
	uint32_t cap = p->cap != 0 ? p->cap * 2 : PENDING_FIRST;
	struct command *items = cap <= PENDING_MOST ? calloc(cap, sizeof(*items)) : NULL;
	if (!items)
		return false;
	for (uint32_t i = tail_of(p); i != p->head; i++)
		items[i & (cap - 1)] = p->items[i & (p->cap - 1)];
	free(p->items);
	p->items = items;
	__atomic_store_n(&p->cap, cap, __ATOMIC_RELAXED);
	return true;
}

void pending_miss(struct pending *p)
{
	__atomic_add_fetch(&p->missed, 1, __ATOMIC_RELAXED);
}

bool pending_push(struct pending *p, const struct command *command)
{
	pthread_mutex_lock(&p->lock);
	bool room = p->head - tail_of(p) < p->cap || grow(p);
	if (room) {
		p->items[p->head & (p->cap - 1)] = *command;
		__atomic_store_n(&p->head, p->head + 1, __ATOMIC_RELEASE);
	} else {
		pending_miss(p);
	}
	pthread_mutex_unlock(&p->lock);
	return room;
}

uint32_t pending_take_missed(struct pending *p)
{
	if (__atomic_load_n(&p->missed, __ATOMIC_RELAXED) == 0)
		return 0;
	return __atomic_exchange_n(&p->missed, 0, __ATOMIC_RELAXED);
}

bool pending_front(struct pending *p, struct command *out)
{
	if (pending_none(p))
		return false;
	pthread_mutex_lock(&p->lock); /* another thread may grow the ring */
	*out = p->items[p->tail & (p->cap - 1)];
	pthread_mutex_unlock(&p->lock);
	return true;
}

/* Frees the ring after a burst. */
static void shrink(struct pending *p)
{
	pthread_mutex_lock(&p->lock);
	if (p->tail == p->head) {
		free(p->items);
		p->items = NULL;
		__atomic_store_n(&p->cap, 0, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&p->lock);
}

void pending_pop(struct pending *p)
{
	uint32_t tail = p->tail + 1; /* only the draining thread changes it */
	__atomic_store_n(&p->tail, tail, __ATOMIC_RELEASE);
	if (tail == __atomic_load_n(&p->head, __ATOMIC_ACQUIRE) &&
	    __atomic_load_n(&p->cap, __ATOMIC_RELAXED) > PENDING_KEPT)
		shrink(p);
}

cl_uint pending_holds(struct pending *p, cl_event event)
{
	cl_uint count = 0;
	pthread_mutex_lock(&p->lock);
	for (uint32_t i = tail_of(p); i != p->head; i++)
		count += p->items[i & (p->cap - 1)].event == event;
	pthread_mutex_unlock(&p->lock);
	return count;
}
