/* UTF-8 validation, with a quick way through ASCII. */
#include "base/utf8.h"

#include <stdint.h>

/* Length of the sequence at p, or 0 when it is malformed or a character that text may not hold. */
static size_t sequence(const unsigned char *p, size_t left)
{
	if (p[0] < 0x80)
		return (p[0] >= ' ' && p[0] != 0x7f) || p[0] == '\n' || p[0] == '\t' ||
		       p[0] == '\r';
	size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || left < len)
		return 0;
	uint32_t code = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3fu);
	}
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	/* C1 controls, the byte order mark inside text, and non-characters of the BMP. */
	if (code < 0xa0 || code == 0xfeff || code == 0xfffe || code == 0xffff)
		return 0;
	return len;
}

size_t utf8_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n = p[0] < 0x80			 ? 1
		   : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
		   : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
		   : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
						 : 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if (n == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)))
		return 0;
	if (n == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)))
		return 0;
	return n;
}

bool utf8_is_text(const char *text, size_t size, size_t *bad)
{
	const unsigned char *p = (const unsigned char *)text;
	for (size_t i = 0; i < size;) {
		if (p[i] >= ' ' && p[i] < 0x7f) {
			i++;
			continue;
		}
		size_t len = sequence(p + i, size - i);
		if (len == 0) {
			if (bad)
				*bad = i;
			return false;
		}
		i += len;
	}
	return true;
}
