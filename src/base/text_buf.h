/*
 * Text that is put together in memory of a fixed size. What does not fit is cut at a character's
 * begin, and the text then ends in "...".
 */
#ifndef BASE_TEXT_BUF_H
#define BASE_TEXT_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include <sextant/status.h>

/* Appends to the NUL-terminated text in `buf`, which has `size` bytes. False when it was cut. */
bool text_append(char *buf, size_t size, const char *fmt, ...) SX_PRINTF(3, 4);
/* The same of arguments that were taken together. */
bool text_vappend(char *buf, size_t size, const char *fmt, va_list args);
/* The same of an item of a list: behind `separator`, unless the text is still empty. */
bool text_append_item(char *buf, size_t size, const char *separator, const char *fmt, ...)
    SX_PRINTF(4, 5);
/* How many bytes of a text fit in `most`, whole characters alone. */
size_t text_fit(const char *text, size_t most);

/* Whether two texts are the same; NULL, which is none, is the same as NULL alone. */
bool text_same(const char *a, const char *b);

#endif
