/* See ascii_open() in text.h. */
#include "output/write/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/utf8.h"

struct ascii {
	FILE *to;
	char part[5]; /* of an incomplete character; with a NUL */
	size_t held;
};

static const struct {
	const char *utf8, *plain;
} likenesses[] = {
    {"\u00b0", "deg "},	  {"\u00b5", "u"},   {"\u03bc", "u"},	     {"\u00d7", "x"},
    {"\u2026", "..."},	  {"\u2013", "-"},   {"\u2014", "-"},	     {"\u2212", "-"},
    {"\u2010", "-"},	  {"\u2011", "-"},   {"\u2018", "'"},	     {"\u2019", "'"},
    {"\u201c", "\""},	  {"\u201d", "\""},  {"\u00a0", " "},	     {"\u202f", " "},
    {"\u2009", " "},	  {"\u00b7", "."},   {"\u2022", "*"},	     {"\u00b1", "+-"},
    {"\u2264", "<="},	  {"\u2265", ">="},  {"\u2260", "!="},	     {"\u2248", "~"},
    {"\u2192", "->"},	  {"\u2190", "<-"},  {"\u00b2", "^2"},	     {"\u00b3", "^3"},
    {"\u00bd", "1/2"},	  {"\u00ae", "(R)"}, {"\u2122", "(TM)"},     {"\u00a9", "(C)"},
    {"\u0394", "delta "}, {"\u03a9", "ohm"}, {"\u00a7", "section "}, {"\u2500", "-"},
    {"\u2502", "|"},	  {"\u251c", "|"},   {"\u2514", "`"},	     {"\u250c", "+"},
    {"\u2510", "+"},	  {"\u2518", "+"},   {"\u2524", "|"},	     {"\u252c", "+"},
    {"\u2534", "+"},	  {"\u253c", "+"}};
#define LIKENESSES (sizeof(likenesses) / sizeof(likenesses[0]))

/* The bits of a well-formed sequence. */
static uint32_t code_of(const char *text, size_t length)
{
	uint32_t code = (unsigned char)text[0] & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

/* Writes the character that is held, or what was to become one. */
static void put_held(struct ascii *a)
{
	a->part[a->held] = '\0';
	size_t length = utf8_length(a->part);
	bool known = false;
	for (size_t i = 0; length && !known && i < LIKENESSES; i++) {
		known = strcmp(likenesses[i].utf8, a->part) == 0;
		if (known)
			fputs(likenesses[i].plain, a->to);
	}
	uint32_t code = length ? code_of(a->part, length) : 0;
	if (length && !known)
		fprintf(a->to, code > 0xffff ? "\\U%06x" : "\\u%04x", code);
	for (size_t i = 0; !length && i < a->held; i++)
		fprintf(a->to, "\\x%02x", (unsigned)(unsigned char)a->part[i]);
	a->held = 0;
}

static size_t length_by(char first)
{
	unsigned char byte = (unsigned char)first;
	return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

static ssize_t ascii_write(void *cookie, const char *bytes, size_t size)
{
	struct ascii *a = cookie;
	for (size_t i = 0; i < size; i++) {
		char byte = bytes[i];
		if (a->held && utf8_begins(byte))
			put_held(a);
		if (!a->held && !((unsigned char)byte & 0x80)) {
			putc(byte, a->to);
			continue;
		}
		a->part[a->held++] = byte;
		if (a->held == length_by(a->part[0]))
			put_held(a);
	}
	return fflush(a->to) == 0 && !ferror(a->to) ? (ssize_t)size : 0;
}

static int ascii_close(void *cookie)
{
	struct ascii *a = cookie;
	if (a->held)
		put_held(a);
	int failed = fflush(a->to);
	free(a);
	return failed;
}

FILE *ascii_open(FILE *to)
{
	static const cookie_io_functions_t calls = {.write = ascii_write, .close = ascii_close};
	struct ascii *a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->to = to;
	FILE *stream = fopencookie(a, "w", calls);
	if (!stream)
		free(a);
	return stream;
}

char *ascii_spell(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	char *out = NULL;
	size_t size;
	while (*at && *at < 0x80)
		at++;
	FILE *memory = *at ? open_memstream(&out, &size) : NULL;
	FILE *stream = memory ? ascii_open(memory) : NULL;
	bool good = stream && fputs(text, stream) >= 0;
	good = (!stream || fclose(stream) == 0) && good;
	good = (!memory || fclose(memory) == 0) && good;
	if (good)
		return out;
	free(out);
	return NULL;
}
