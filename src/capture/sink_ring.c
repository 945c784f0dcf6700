/* The ring: the last seconds of records in memory, until they are written to a file on request. */
#include "capture/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

struct item {
	struct item *next;
	uint64_t came_ns;
	struct entry entry;
	size_t size;
	uint8_t data[];
};

struct list {
	struct item *first, *last;
};

struct sink_ring {
	struct sink base;
	uint64_t keep_ns, bytes_max;
	struct list lasting, passing; /* HEAD and DEVICE records; the others */
};

static void push(struct list *list, struct item *item)
{
	if (list->last)
		list->last->next = item;
	else
		list->first = item;
	list->last = item;
}

static void drop_first(struct sink_ring *ring, struct list *list)
{
	struct item *item = list->first;
	list->first = item->next;
	if (!list->first)
		list->last = NULL;
	ring->base.bytes -= item->size;
	free(item);
}

static bool lasts(const struct entry *entry)
{
	return entry->type == CAPTURE_HEAD || entry->type == CAPTURE_DEVICE;
}

static int ring_append(struct sink *sink, const uint8_t *data, size_t size,
		       const struct entry *entry)
{
	struct sink_ring *ring = (struct sink_ring *)sink;
	if (!entry || entry->type == CAPTURE_INDEX) /* a dump writes its own */
		return 0;
	struct item *item = malloc(sizeof(*item) + size);
	if (!item)
		return ENOMEM;
	*item = (struct item){.came_ns = sys_now_ns(sys_real()), .entry = *entry, .size = size};
	memcpy(item->data, data, size);
	push(lasts(entry) ? &ring->lasting : &ring->passing, item);
	sink->bytes += size;
	while (ring->passing.first && ring->passing.first != item &&
	       (item->came_ns - ring->passing.first->came_ns > ring->keep_ns ||
		sink->bytes > ring->bytes_max))
		drop_first(ring, &ring->passing);
	return 0;
}

static int ring_close(struct sink *sink)
{
	struct sink_ring *ring = (struct sink_ring *)sink;
	while (ring->lasting.first)
		drop_first(ring, &ring->lasting);
	while (ring->passing.first)
		drop_first(ring, &ring->passing);
	free(ring);
	return 0;
}

static const struct sink_ops ring_ops = {.append = ring_append, .close = ring_close};

int sink_create_ring(uint64_t keep_ns, uint64_t bytes_max, struct sink **out)
{
	struct sink_ring *ring = calloc(1, sizeof(*ring));
	if (!ring)
		return ENOMEM;
	*ring = (struct sink_ring){
	    .base = {.ops = &ring_ops}, .keep_ns = keep_ns, .bytes_max = bytes_max};
	*out = &ring->base;
	return 0;
}

int sink_visit_ring(struct sink *sink,
		    int (*visit)(void *user, const uint8_t *data, size_t size,
				 const struct entry *entry),
		    void *user)
{
	struct sink_ring *ring = (struct sink_ring *)sink;
	const struct list *lists[] = {&ring->lasting, &ring->passing};
	for (int i = 0; i < 2; i++)
		for (const struct item *item = lists[i]->first; item; item = item->next) {
			int stop = visit(user, item->data, item->size, &item->entry);
			if (stop)
				return stop;
		}
	return 0;
}
