/* UTF-8 validation, with a quick way through ASCII. */
#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>

/* Length of the well-formed sequence at p, 0 when it is none; *code receives what it means. */
static size_t utf8_decode(const unsigned char *p, size_t left, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	*code = p[0];
	if (p[0] < 0x80)
		return 1;
	size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || left < len)
		return 0;
	*code = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (p[i] & 0x3fu);
	}
	bool good = *code >= least[len] && *code <= 0x10ffff && (*code < 0xd800 || *code >= 0xe000);
	return good ? len : 0;
}

/* The same; 0 also for a character that text may not hold. */
static size_t decode_text(const unsigned char *p, size_t left)
{
	uint32_t code;
	size_t len = utf8_decode(p, left, &code);
	if (len == 1)
		return (code >= ' ' && code != 0x7f) || code == '\n' || code == '\t' ||
		       code == '\r';
	/* C1 controls, the byte order mark inside text, and non-characters of the BMP. */
	return code < 0xa0 || code == 0xfeff || code == 0xfffe || code == 0xffff ? 0 : len;
}

size_t utf8_length(const char *text)
{
	return utf8_length_within(text, 4); /* none reaches beyond the NUL, which goes on none */
}

size_t utf8_length_within(const char *text, size_t size)
{
	uint32_t code;
	return utf8_decode((const unsigned char *)text, size, &code);
}

size_t utf8_printable(const char *text, size_t size)
{
	uint32_t code;
	size_t len = utf8_decode((const unsigned char *)text, size, &code);
	return code < ' ' || (code >= 0x7f && code < 0xa0) ? 0 : len;
}

size_t utf8_count(const char *text, size_t size)
{
	size_t count = 0;
	for (size_t i = 0; i < size; i++)
		count += utf8_begins(text[i]);
	return count;
}

struct code_range {
	uint32_t first, last;
};

static bool is_within(const struct code_range *ranges, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

/* Characters of no width: combining marks, and what shows nothing. */
static const struct code_range narrow[] = {
    {0x300, 0x36f},   {0x483, 0x489},	{0x591, 0x5bd},	   {0x610, 0x61a},   {0x64b, 0x65f},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},  {0x20d0, 0x20ff}, {0x2060, 0x2064},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef}};

/* Scripts of East Asia in full width, and pictures. */
static const struct code_range wide[] = {
    {0x1100, 0x115f},	{0x231a, 0x231b},   {0x23e9, 0x23ec},	{0x25fd, 0x25fe},
    {0x2614, 0x2615},	{0x2648, 0x2653},   {0x26aa, 0x26ab},	{0x26bd, 0x26be},
    {0x2705, 0x2705},	{0x270a, 0x270b},   {0x2728, 0x2728},	{0x274c, 0x274c},
    {0x2753, 0x2755},	{0x2795, 0x2797},   {0x2b1b, 0x2b1c},	{0x2e80, 0x303e},
    {0x3041, 0x4dbf},	{0x4e00, 0xa4cf},   {0xa960, 0xa97f},	{0xac00, 0xd7a3},
    {0xf900, 0xfaff},	{0xfe10, 0xfe19},   {0xfe30, 0xfe6f},	{0xff01, 0xff60},
    {0xffe0, 0xffe6},	{0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};

#define IS_WITHIN(ranges, code) is_within(ranges, sizeof(ranges) / sizeof(*(ranges)), code)

size_t utf8_columns(const char *text, size_t size)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t columns = 0;
	for (size_t i = 0; i < size;) {
		uint32_t code;
		size_t len = utf8_decode(p + i, size - i, &code);
		i += len ? len : 1;
		if (len > 1 && IS_WITHIN(narrow, code))
			continue;
		columns += len > 1 && IS_WITHIN(wide, code) ? 2 : 1;
	}
	return columns;
}

size_t utf8_control(const char *text, char escape[8])
{
	/* Ends of lines and paragraphs, and what turns or marks the order of letters and bytes. */
	static const struct code_range orders[] = {{0x80, 0x9f},     {0x61c, 0x61c},
						   {0x200e, 0x200f}, {0x2028, 0x202e},
						   {0x2066, 0x2069}, {0xfeff, 0xfeff}};
	static const char named[] = "\n\t\r", names[] = "ntr";
	const unsigned char *p = (const unsigned char *)text;
	uint32_t code;
	if ((p[0] >= ' ' && p[0] < 0x7f) || p[0] == '\0')
		return 0;
	size_t len = utf8_length(text);
	(void)utf8_decode(p, 4, &code);
	if (len > 1 && !IS_WITHIN(orders, code))
		return 0;
	for (size_t i = 0; i + 1 < sizeof(named); i++)
		if (len == 1 && text[0] == named[i]) {
			snprintf(escape, 8, "\\%c", names[i]);
			return 1;
		}
	if (len > 1 && code > 0xff)
		snprintf(escape, 8, "\\u%04x", (unsigned)(code & 0xffff));
	else
		snprintf(escape, 8, "\\x%02x", len > 1 ? (unsigned)code : p[0]);
	return len ? len : 1;
}

bool utf8_is_text(const char *text, size_t size, size_t *bad)
{
	const unsigned char *p = (const unsigned char *)text;
	for (size_t i = 0; i < size;) {
		if (p[i] >= ' ' && p[i] < 0x7f) {
			i++;
			continue;
		}
		size_t len = decode_text(p + i, size - i);
		if (len == 0) {
			if (bad)
				*bad = i;
			return false;
		}
		i += len;
	}
	return true;
}

size_t utf8_put(char *to, uint32_t code)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}
