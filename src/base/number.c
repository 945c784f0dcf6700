/* Numbers in text: strict syntax first, then the C locale's strtod for correct rounding. */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_LENGTH_MAX 64

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

bool number_u64(const char *text, size_t len, uint64_t *out)
{
	int base = 10;
	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
		len -= 2;
	}
	uint64_t value = 0;
	for (size_t i = 0; i < len; i++) {
		int d = digit(text[i]);
		if (d >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)d, &value))
			return false;
	}
	if (len == 0)
		return false;
	*out = value;
	return true;
}

bool number_u32(const char *text, size_t len, uint32_t *out)
{
	uint64_t wide;
	if (!number_u64(text, len, &wide) || wide > UINT32_MAX)
		return false;
	*out = (uint32_t)wide;
	return true;
}

static size_t digits(const char *text, size_t len)
{
	size_t n = 0;
	while (n < len && digit(text[n]) < 10)
		n++;
	return n;
}

/* [+-] digits [. digits] [e [+-] digits], with a digit before or after the point. */
static bool is_decimal(const char *text, size_t len)
{
	size_t i = len && (text[0] == '-' || text[0] == '+') ? 1 : 0;
	size_t whole = digits(text + i, len - i), part = 0;
	i += whole;
	if (i < len && text[i] == '.') {
		part = digits(text + i + 1, len - i - 1);
		i += 1 + part;
	}
	if (whole + part == 0)
		return false;
	if (i < len && (text[i] == 'e' || text[i] == 'E')) {
		i++;
		if (i < len && (text[i] == '-' || text[i] == '+'))
			i++;
		size_t exponent = digits(text + i, len - i);
		if (exponent == 0)
			return false;
		i += exponent;
	}
	return i == len;
}

bool number_f64(const char *text, size_t len, double *out)
{
	uint64_t integer;
	if (number_u64(text, len, &integer)) {
		*out = (double)integer;
		return true;
	}
	char copy[NUMBER_LENGTH_MAX];
	if (len >= sizeof(copy) || !is_decimal(text, len))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	/* glibc hands out its static "C" locale for this; nothing is allocated. */
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c_locale)
		return false;
	double value = strtod_l(copy, NULL, c_locale);
	freelocale(c_locale);
	if (!isfinite(value))
		return false;
	*out = value;
	return true;
}
