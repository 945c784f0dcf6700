/* A dictionary of strings: each text once, with an index that never changes. */
#ifndef BASE_STRINGS_H
#define BASE_STRINGS_H

#include "base/mem.h"
#include "base/slots.h"
#include <stdint.h>

/* Zero-initialise; not thread-safe while it grows. */
struct strings {
	struct arena arena;
	const char **texts; /* by index */
	size_t *sizes;
	size_t text_cap, size_cap;
	uint32_t count;
	struct slots slots;
};

/*
 * Index of the text, added when new; UINT32_MAX when memory is out. *added (may be NULL): whether
 * it was new.
 */
uint32_t strings_intern(struct strings *strings, const char *text, size_t size, bool *added);
/* Index of the text, or UINT32_MAX. */
uint32_t strings_find(const struct strings *strings, const char *text, size_t size);
/* The NUL-terminated text of an index, or NULL. */
const char *strings_get(const struct strings *strings, uint64_t index);
/* Forgets all strings and keeps what memory it can. */
void strings_clear(struct strings *strings);
void strings_finish(struct strings *strings);

#endif
