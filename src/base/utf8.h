/* UTF-8 as files from strangers must have it. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether the bytes are well-formed UTF-8 (no overlong forms, surrogates or values above 10FFFF)
 * without NUL or control characters other than tab, newline and carriage return. When not, *bad
 * (may be NULL) is the offset of the first offending byte.
 */
bool utf8_is_text(const char *text, size_t size, size_t *bad);
/* Length of the well-formed sequence that a NUL-terminated text begins with, or 0. */
size_t utf8_length(const char *text);
/* Whether a character begins with this byte, rather than going on. */
static inline bool utf8_begins(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}
/* Writes a character of at most 1fffff as UTF-8; its length, 1 to 4. */
size_t utf8_put(char *to, uint32_t code);
/* Characters in `size` bytes of UTF-8. */
size_t utf8_count(const char *text, size_t size);

#endif
