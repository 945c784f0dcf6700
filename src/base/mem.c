/* Growth of arrays and the arena. */
#include "base/mem.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 * 1024) /* of a chunk at most, unless one thing needs more */
#define CHUNK_LEAST ((size_t)1024)

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	max_align_t data[];
};

bool mem_grow(void *array, size_t *cap, size_t need, size_t size)
{
	if (need <= *cap)
		return true;
	size_t want = *cap ? *cap : 8;
	while (want < need) {
		if (want > SIZE_MAX / 2)
			return false;
		want *= 2;
	}
	size_t bytes;
	if (__builtin_mul_overflow(want, size, &bytes))
		return false;
	void *old;
	memcpy(&old, array, sizeof(old));
	void *grown = realloc(old, bytes);
	if (!grown)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*cap = want;
	return true;
}

/* Chunks are about as large as what is there: thousands of arenas hold a few names each. */
static size_t chunk_bytes(const struct arena *arena)
{
	size_t like = arena->used > CHUNK_LEAST ? arena->used : CHUNK_LEAST;
	if (arena->chunk_bytes)
		return arena->chunk_bytes;
	return like < CHUNK_BYTES ? like : CHUNK_BYTES;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t aligned;
	if (__builtin_add_overflow(size, alignof(max_align_t) - 1, &aligned))
		return NULL;
	aligned &= ~(alignof(max_align_t) - 1);
	struct arena_chunk *chunk = arena->chunks;
	if (!chunk || chunk->size - chunk->used < aligned) {
		size_t least = chunk_bytes(arena);
		size_t room = aligned > least ? aligned : least;
		size_t bytes;
		if (__builtin_add_overflow(room, sizeof(*chunk), &bytes))
			return NULL;
		chunk = calloc(1, bytes);
		if (!chunk)
			return NULL;
		chunk->size = room;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
	}
	void *p = (char *)chunk->data + chunk->used;
	chunk->used += aligned;
	arena->used += aligned;
	return p;
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);
	if (copy)
		memcpy(copy, text, len);
	return copy;
}

void arena_finish(struct arena *arena)
{
	for (struct arena_chunk *c = arena->chunks; c;) {
		struct arena_chunk *next = c->next;
		free(c);
		c = next;
	}
	*arena = (struct arena){0};
}
