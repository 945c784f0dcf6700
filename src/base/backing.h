/*
 * Arrays that grow with a file: beyond BACKING_LEAST bytes, their pages are in a temporary file
 * without a name, and only those in use are in memory. Where no such file can be made, arrays are
 * in memory.
 */
#ifndef BASE_BACKING_H
#define BASE_BACKING_H

#include <stdbool.h>
#include <stddef.h>

#define BACKING_LEAST ((size_t)512 << 10) /* bytes of an array that stay in memory */
#define BACKING_STEP  ((size_t)4 << 20)	  /* bytes that are passed before pages leave memory */

struct backing_region;

/* Zero-initialise; not thread-safe. Arrays of it must not be freed by other means. */
struct backing {
	struct backing_region *regions;
	size_t count, cap;
	size_t passed; /* bytes since pages left memory */
	int fd;
	bool opened, refused; /* refused: what is new stays in memory */
};

/*
 * As mem_grow(), and the same as mem_grow() when `backing` is NULL: room for `need` elements of
 * `size` bytes in *array. The address of *array may change.
 */
bool backing_grow(struct backing *backing, void *array, size_t *cap, size_t need, size_t size);
/* Frees an array that backing_grow() made, or malloc(); NULL is fine. */
void backing_free(struct backing *backing, void *array);
/* As memset() of a part of an array, however large. */
void backing_fill(struct backing *backing, void *part, int byte, size_t bytes);
/* Lets the written pages of an array leave memory, while they are still in a CPU's cache. */
void backing_release(struct backing *backing, const void *array);
/* Lets pages leave memory, of all arrays; what they hold stays as it is, and so do addresses. */
void backing_leave(struct backing *backing);
/* Frees what is left, and the file. */
void backing_finish(struct backing *backing);

/* Says that so many bytes were read or written, in order: now and then pages leave memory. */
static inline void backing_pass(struct backing *backing, size_t bytes)
{
	if (backing && backing->count && (backing->passed += bytes) >= BACKING_STEP)
		backing_leave(backing);
}

#define BACKING_ROWS ((size_t)1024)

/* The same for the current one of many rows that are read one after another. */
static inline void backing_row(struct backing *backing, size_t row, size_t bytes)
{
	if (row % BACKING_ROWS == 0)
		backing_pass(backing, BACKING_ROWS * bytes);
}

#endif
