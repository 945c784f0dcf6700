/* Little-endian bytes: a buffer that grows and a cursor that cannot run over its end. */
#ifndef CAPTURE_FORMAT_BYTES_H
#define CAPTURE_FORMAT_BYTES_H

#include "base/little.h"
#include "base/mem.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Zero-initialise; free(data) ends it. A failed allocation sticks. */
struct bytes {
	uint8_t *data;
	size_t size, cap;
	bool failed;
};

/* Room for `size` more bytes, uninitialised; NULL when memory is out. */
uint8_t *bytes_add(struct bytes *bytes, size_t size);
void bytes_u8(struct bytes *bytes, uint8_t value);
void bytes_u16(struct bytes *bytes, uint16_t value);
void bytes_u32(struct bytes *bytes, uint32_t value);
void bytes_u64(struct bytes *bytes, uint64_t value);
void bytes_f64(struct bytes *bytes, double value);
/* Cut at 65,535 bytes; what is not text becomes '?'; NULL is the empty string. */
void bytes_string(struct bytes *bytes, const char *text);
/* The same of what a program or a table calls its work: with whatever characters it has. */
void bytes_label(struct bytes *bytes, const char *text);
/* Whether a label would stay as it is. */
bool bytes_is_label(const char *text);

/* What is read past the end is 0 or empty, and `failed` stays set. */
struct cursor {
	const uint8_t *at, *end;
	bool failed;
	bool no_memory; /* reading failed because memory was out */
};

uint8_t cursor_u8(struct cursor *cursor);
uint16_t cursor_u16(struct cursor *cursor);
uint32_t cursor_u32(struct cursor *cursor);
uint64_t cursor_u64(struct cursor *cursor);
double cursor_f64(struct cursor *cursor);
/* `size` bytes in place, or NULL. */
const uint8_t *cursor_take(struct cursor *cursor, size_t size);
/* A copy that is valid UTF-8 without control characters (they become '?'); never NULL. */
const char *cursor_string(struct cursor *cursor, struct arena *arena);
/* The same of a label, of any characters but NUL. */
const char *cursor_label(struct cursor *cursor, struct arena *arena);

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

#endif
