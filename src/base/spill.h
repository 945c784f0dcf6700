/*
 * Arrays that grow with a file: beyond SPILL_LEAST bytes their pages lie in a file without a name,
 * and only those that are at hand in memory. Where no such file can be made, arrays are in memory.
 */
#ifndef BASE_SPILL_H
#define BASE_SPILL_H

#include <stdbool.h>
#include <stddef.h>

#define SPILL_LEAST ((size_t)512 << 10) /* bytes of an array that stay in memory */
#define SPILL_STEP  ((size_t)4 << 20)	/* bytes that are passed before pages leave memory */

struct spill_region;

/* Zero-initialise; not thread-safe. Arrays of it must not be freed by other means. */
struct spill {
	struct spill_region *regions;
	size_t count, cap;
	size_t passed; /* bytes since pages left memory */
	int fd;
	bool opened, refused; /* refused: what is new stays in memory */
};

/*
 * As mem_grow(), which it is without a spill (NULL): room for `need` elements of `size` bytes in
 * *array, whose address may change.
 */
bool spill_grow(struct spill *spill, void *array, size_t *cap, size_t need, size_t size);
/* Frees an array that spill_grow() made, or malloc(); NULL is fine. */
void spill_free(struct spill *spill, void *array);
/* As memset() of a part of an array, however large. */
void spill_fill(struct spill *spill, void *part, int byte, size_t bytes);
/* Lets what was written of one array leave memory, as long as a processor still has it at hand. */
void spill_settle(struct spill *spill, const void *array);
/* Lets pages leave memory, of all arrays; what they hold stays as it is, and so do addresses. */
void spill_leave(struct spill *spill);
/* Frees what is left, and the file. */
void spill_finish(struct spill *spill);

/* Says that so many bytes were read or written, in order: now and then pages leave memory. */
static inline void spill_pass(struct spill *spill, size_t bytes)
{
	if (spill && spill->count && (spill->passed += bytes) >= SPILL_STEP)
		spill_leave(spill);
}

#define SPILL_ROWS ((size_t)1024)

/* The same of the row at hand of many that are looked at one after another. */
static inline void spill_row(struct spill *spill, size_t row, size_t bytes)
{
	if (row % SPILL_ROWS == 0)
		spill_pass(spill, SPILL_ROWS * bytes);
}

#endif
