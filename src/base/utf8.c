/* UTF-8 validation, with a quick way through ASCII. */
#include "base/utf8.h"

#include <stdint.h>

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
	uint32_t code; /* no sequence reaches beyond the NUL, which goes on none */
	return utf8_decode((const unsigned char *)text, 4, &code);
}

size_t utf8_count(const char *text, size_t size)
{
	size_t count = 0;
	for (size_t i = 0; i < size; i++)
		count += utf8_begins(text[i]);
	return count;
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
