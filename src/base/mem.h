/* Memory: checked growth of arrays, and an arena for objects of one lifetime. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes room for `need` elements of `size` bytes in *array (capacity *cap), doubling. false when
 * memory is out or the product overflows; then nothing has changed. New elements are not zeroed.
 */
bool mem_grow(void *array, size_t *cap, size_t need, size_t size);

/* A bump allocator: everything is freed at once. Zero-initialise; not thread-safe. */
struct arena {
	struct arena_chunk *chunks;
	size_t used;	    /* bytes handed out, all chunks */
	size_t chunk_bytes; /* least size of a chunk; 0: it grows from 1 to 64 KiB */
};

/* Zeroed memory, aligned for any type; NULL when memory is out. */
void *arena_alloc(struct arena *arena, size_t size);
/* A NUL-terminated copy of the len bytes at text. */
char *arena_strndup(struct arena *arena, const char *text, size_t len);
void arena_finish(struct arena *arena);

#endif
