/* The commands of a queue, in the order in which the program gave them: a ring that grows. */
#include <stdlib.h>
#include <string.h>

#include "layer/opencl/layer.h"

#define PENDING_FIRST 64u
#define PENDING_MOST  262144u /* a queue with more that nobody reads is more than we may hold */

bool pending_none(const struct pending *p)
{
	return __atomic_load_n(&p->head, __ATOMIC_ACQUIRE) ==
	       __atomic_load_n(&p->tail, __ATOMIC_ACQUIRE);
}

static bool grow(struct pending *p)
{
	uint32_t cap = p->cap != 0 ? p->cap * 2 : PENDING_FIRST;
	struct command *items = cap <= PENDING_MOST ? calloc(cap, sizeof(*items)) : NULL;

	if (!items)
		return false;
	for (uint32_t i = p->tail; i != p->head; i++)
		items[i & (cap - 1)] = p->items[i & (p->cap - 1)];
	free(p->items);
	p->items = items;
	p->cap = cap;
	return true;
}

bool pending_push(struct pending *p, const struct command *command)
{
	bool room;

	pthread_mutex_lock(&p->lock);
	room = p->head - p->tail < p->cap || grow(p);
	if (room) {
		p->items[p->head & (p->cap - 1)] = *command;
		__atomic_store_n(&p->head, p->head + 1, __ATOMIC_RELEASE);
	} else {
		p->missed++;
	}
	pthread_mutex_unlock(&p->lock);
	return room;
}

uint32_t pending_take_missed(struct pending *p)
{
	uint32_t missed;

	pthread_mutex_lock(&p->lock);
	missed = p->missed;
	p->missed = 0;
	pthread_mutex_unlock(&p->lock);
	return missed;
}

bool pending_front(struct pending *p, struct command *out)
{
	bool any;

	pthread_mutex_lock(&p->lock);
	any = p->head != p->tail;
	if (any)
		*out = p->items[p->tail & (p->cap - 1)];
	pthread_mutex_unlock(&p->lock);
	return any;
}

void pending_pop(struct pending *p)
{
	pthread_mutex_lock(&p->lock);
	__atomic_store_n(&p->tail, p->tail + 1, __ATOMIC_RELEASE);
	/* What a burst needed is not kept. */
	if (p->tail == p->head && p->cap > PENDING_FIRST) {
		free(p->items);
		p->items = NULL;
		p->cap = 0;
	}
	pthread_mutex_unlock(&p->lock);
}

cl_uint pending_holds(struct pending *p, cl_event event)
{
	cl_uint count = 0;

	pthread_mutex_lock(&p->lock);
	for (uint32_t i = p->tail; i != p->head; i++)
		count += p->items[i & (p->cap - 1)].event == event;
	pthread_mutex_unlock(&p->lock);
	return count;
}
