/* Appending to text. */
#include "base/text_buf.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define CUT "..."

size_t text_fit(const char *text, size_t most)
{
	size_t length = strnlen(text, most + 1);
	if (length <= most)
		return length;
	while (most && !utf8_begins(text[most]))
		most--;
	return most;
}

/* Marks a text that fills its memory as cut; without room for the mark its last character goes. */
static void end_cut(char *buf, size_t size)
{
	bool marks = size > sizeof(CUT);
	size_t end = size - 1 - (marks ? sizeof(CUT) - 1 : 0);
	if (!marks && end)
		end--;
	while (end && !utf8_begins(buf[end]))
		end--;
	snprintf(buf + end, size - end, "%s", marks ? CUT : "");
}

bool text_vappend(char *buf, size_t size, const char *fmt, va_list args)
{
	size_t used = strnlen(buf, size);
	if (used >= size)
		return false;
	int more = vsnprintf(buf + used, size - used, fmt, args);
	if (more >= 0 && (size_t)more < size - used)
		return true;
	end_cut(buf, size);
	return false;
}

bool text_append(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	bool whole = text_vappend(buf, size, fmt, args);
	va_end(args);
	return whole;
}

bool text_append_item(char *buf, size_t size, const char *separator, const char *fmt, ...)
{
	va_list args;
	if (size && *buf && !text_append(buf, size, "%s", separator))
		return false;
	va_start(args, fmt);
	bool whole = text_vappend(buf, size, fmt, args);
	va_end(args);
	return whole;
}

bool text_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}
