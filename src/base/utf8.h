/* UTF-8, with checks for files that are not trusted. */
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
/* The same of `size` bytes, one at least. */
size_t utf8_length_within(const char *text, size_t size);
/* Likewise, 0 also for a control character. */
size_t utf8_printable(const char *text, size_t size);
/* Whether a character begins with this byte, rather than going on. */
static inline bool utf8_begins(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}
/* Writes a character of at most 1fffff as UTF-8; its length, 1 to 4. */
size_t utf8_put(char *to, uint32_t code);
/* Characters in `size` bytes of UTF-8. */
size_t utf8_count(const char *text, size_t size);
/* Columns that they take on a terminal: two for wide ones, none for marks upon the one before. */
size_t utf8_columns(const char *text, size_t size);
/*
 * Length of the control character at a NUL-terminated text, or of what is not UTF-8 there, 0 when
 * it is neither. Marks that turn the order of a line or end one are controls, too. `escape`
 * receives how it can be written instead ("\\n", "\\x1b", "\\u202e").
 */
size_t utf8_control(const char *text, char escape[8]);

#endif
