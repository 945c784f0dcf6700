/* A hash table of the texts in the channel: look-ups take no lock, additions do. */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "guest/labels.h"
#include "guest/process.h"
#include "wire/channel.h"

#define TABLE_SIZE 16384u /* a power of two */
#define TABLE_FULL (TABLE_SIZE - TABLE_SIZE / 4)
#define FIRST_ID   8u /* 0 is no label */
#define DEPTH_MAX  64u

static uint32_t table[TABLE_SIZE]; /* atomic; ids, 0: free */
static uint32_t table_used;	   /* under lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t hash(uint32_t parent, const char *text, size_t length)
{
	uint32_t value = 2166136261u ^ parent * 2654435761u;
	for (size_t i = 0; i < length; i++)
		value = (value ^ (uint8_t)text[i]) * 16777619u;
	return value;
}

static bool is_same(struct wire_header *channel, uint32_t id, uint32_t parent, const char *text,
		    size_t length)
{
	const struct wire_label *label = (const void *)(wire_labels(channel) + id);
	return label->parent == parent && label->length == length &&
	       memcmp(label + 1, text, length) == 0;
}

/* The path's entry: its id, or 0 if it is not interned yet. */
static uint32_t *find(struct wire_header *channel, uint32_t parent, const char *text, size_t length)
{
	uint32_t at = hash(parent, text, length) % TABLE_SIZE;
	uint32_t id;
	while ((id = __atomic_load_n(&table[at], __ATOMIC_ACQUIRE)) != 0 &&
	       !is_same(channel, id, parent, text, length))
		at = (at + 1) % TABLE_SIZE;
	return &table[at];
}

/* Under lock. */
static uint32_t labels_append(struct wire_header *channel, uint32_t parent, const char *text,
			      size_t length)
{
	uint32_t used = __atomic_load_n(&channel->label_used, __ATOMIC_RELAXED);
	uint32_t id = used < FIRST_ID ? FIRST_ID : used;
	struct wire_label label = {.parent = parent, .length = (uint32_t)length};
	if (table_used == TABLE_FULL || id > WIRE_LABEL_BYTES - sizeof(label) ||
	    length > WIRE_LABEL_BYTES - sizeof(label) - id)
		return 0;
	memcpy(wire_labels(channel) + id, &label, sizeof(label));
	memcpy(wire_labels(channel) + id + sizeof(label), text, length);
	used = id + (uint32_t)((sizeof(label) + length + 7) / 8 * 8);
	__atomic_store_n(&channel->label_used, used, __ATOMIC_RELEASE);
	table_used++;
	return id;
}

uint32_t label_intern(uint32_t parent, const char *text, size_t length)
{
	struct wire_header *channel = guest_channel();
	if (!channel)
		return 0;
	uint32_t *place = find(channel, parent, text, length);
	uint32_t id = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	if (id != 0)
		return id;
	pthread_mutex_lock(&lock);
	place = find(channel, parent, text, length); /* another thread may have added it */
	id = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	if (id == 0) {
		id = labels_append(channel, parent, text, length);
		if (id != 0)
			__atomic_store_n(place, id, __ATOMIC_RELEASE);
		else
			__atomic_add_fetch(&channel->label_lost, 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&lock);
	return id;
}

/* A node, or NULL: other processes can write to the channel, so ids are checked. */
static const struct wire_label *node_at(struct wire_header *channel, uint32_t id)
{
	if (id < FIRST_ID || id % 8 != 0 || id > WIRE_LABEL_BYTES - sizeof(struct wire_label))
		return NULL;
	return (const void *)(wire_labels(channel) + id);
}

uint32_t label_below(uint32_t parent, uint32_t path)
{
	struct wire_header *channel = guest_channel();
	const struct wire_label *nodes[DEPTH_MAX], *node;
	uint32_t count = 0;
	if (parent == 0 || path == 0 || !channel)
		return parent != 0 ? parent : path;
	while (count < DEPTH_MAX && (node = node_at(channel, path))) {
		nodes[count++] = node;
		path = node->parent;
	}
	while (count-- != 0) {
		node = nodes[count];
		uint32_t length = node->length;
		size_t at = (size_t)((const char *)(node + 1) - (const char *)wire_labels(channel));
		if (length > WIRE_LABEL_BYTES - at)
			return parent;
		parent = label_intern(parent, (const char *)(node + 1), length);
		if (parent == 0)
			return 0;
	}
	return parent;
}
