/* Numbers in text and back: strict syntax, correct rounding, shortest digits. */
#include "base/number.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"

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

/* What the quick way does not decide: numbers at the ends of the range. */
static bool parse_slowly(const char *text, size_t len, double *out)
{
	char copy[NUMBER_LENGTH_MAX];
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

bool number_f64(const char *text, size_t len, double *out)
{
	uint64_t integer;
	if (number_u64(text, len, &integer)) {
		*out = (double)integer;
		return true;
	}
	return len < NUMBER_LENGTH_MAX && is_decimal(text, len) &&
	       (digits_parse(text, len, out) || parse_slowly(text, len, out));
}

size_t number_put_u64(char *to, uint64_t value)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	char text[20];
	size_t at = sizeof(text);
	while (value >= 100) {
		at -= 2;
		memcpy(text + at, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10) {
		at -= 2;
		memcpy(text + at, pairs + value * 2, 2);
	} else {
		text[--at] = (char)('0' + value);
	}
	memcpy(to, text + at, sizeof(text) - at);
	return sizeof(text) - at;
}

size_t number_put_decimal(char *to, uint64_t value, unsigned power)
{
	uint64_t one = 1;
	for (unsigned i = 0; i < power; i++)
		one *= 10;
	size_t n = number_put_u64(to, value / one);
	uint64_t rest = value % one;
	if (rest)
		to[n++] = '.';
	while (rest) {
		one /= 10;
		to[n++] = (char)('0' + rest / one);
		rest %= one;
	}
	return n;
}

bool number_decimal(const char *text, size_t len, unsigned power, uint64_t *out)
{
	uint64_t value = 0;
	unsigned behind = 0;
	bool point = false, any = false;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned)((unsigned char)text[i] - '0');
		if (text[i] == '.' && !point && any) {
			point = true;
			continue;
		}
		if (digit > 9 || (point && ++behind > power) ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
		any = true;
	}
	for (; behind < power; behind++)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	*out = value;
	return any;
}

/* One and a point before the others, and the exponent with two digits at least. */
static size_t put_scientific(char *to, const char *digits, int count, int exponent)
{
	size_t n = 0;
	to[n++] = digits[0];
	if (count > 1) {
		to[n++] = '.';
		memcpy(to + n, digits + 1, (size_t)count - 1);
		n += (size_t)count - 1;
	}
	to[n++] = 'e';
	to[n++] = exponent < 0 ? '-' : '+';
	uint64_t e = (uint64_t)(exponent < 0 ? -exponent : exponent);
	if (e < 10)
		to[n++] = '0';
	return n + number_put_u64(to + n, e);
}

static size_t put_fixed(char *to, const char *digits, int count, int exponent)
{
	size_t n = 0;
	if (exponent < 0) {
		to[n++] = '0';
		to[n++] = '.';
		for (int i = exponent + 1; i < 0; i++)
			to[n++] = '0';
		memcpy(to + n, digits, (size_t)count);
		return n + (size_t)count;
	}
	int whole = exponent + 1 < count ? exponent + 1 : count;
	memcpy(to, digits, (size_t)whole);
	n = (size_t)whole;
	for (int i = count; i <= exponent; i++)
		to[n++] = '0';
	if (whole < count) {
		to[n++] = '.';
		memcpy(to + n, digits + whole, (size_t)(count - whole));
		n += (size_t)(count - whole);
	}
	return n;
}

/* printf's %g with the fewest of 15, 16 and 17 digits that read back the same. */
static size_t put_slowly(char *to, double value)
{
	char text[NUMBER_F64_MAX];
	int length = 0;
	for (int digits = 15; digits <= 17; digits++) {
		length = snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	memcpy(to, text, (size_t)length);
	return (size_t)length;
}

/*
 * Whether the fewest digits may not be the nearest ones: for numbers with fewer than 53 bits, and
 * for powers of two, which have neighbours at unequal distances.
 */
static bool is_odd(double value, int count)
{
	int exponent;
	return value < DBL_MIN || (count > 15 && frexp(value, &exponent) == 0.5);
}

size_t number_put_f64(char *to, double value)
{
	char digits[20];
	int exponent;
	size_t sign = signbit(value) != 0;
	if (sign) {
		*to++ = '-';
		value = -value;
	}
	if (value < 1e15 && value == (double)(uint64_t)value)
		return sign + number_put_u64(to, (uint64_t)value);
	int count = digits_shortest(value, digits, &exponent);
	if (is_odd(value, count))
		return sign + put_slowly(to, value);
	int precision = count < 15 ? 15 : count;
	if (exponent < -4 || exponent >= precision)
		return sign + put_scientific(to, digits, count, exponent);
	return sign + put_fixed(to, digits, count, exponent);
}

bool number_round(double value, uint64_t *out)
{
	/* Beyond 2^53 adding a half would round to even, away from a number that is whole. */
	double nearest = value < 0x1p53 ? value + 0.5 : value;
	bool fits = nearest >= 0 && nearest < 0x1p64;
	*out = fits ? (uint64_t)nearest : 0;
	return fits;
}

static bool ends_in(const char *text, size_t length, const char *end)
{
	size_t size = strlen(end);
	return length >= size && memcmp(text + length - size, end, size) == 0;
}

const char *number_counted(char buf[NUMBER_COUNTED_MAX], uint64_t count, const char *noun)
{
	static const char *const hissing[] = {"s", "x", "ch", "sh"};
	static const char *const verbs[][2] = {
	    {" is", " are"}, {" has", " have"}, {" was", " were"}};
	const char *more = count == 1 ? "" : "s", *verb = "";
	size_t length = strlen(noun);
	for (size_t i = 0; i < 3; i++)
		if (ends_in(noun, length, verbs[i][0])) {
			verb = verbs[i][count != 1];
			length -= strlen(verbs[i][0]);
		}
	for (size_t i = 0; count != 1 && i < 4; i++)
		if (ends_in(noun, length, hissing[i]))
			more = "es";
	snprintf(buf, NUMBER_COUNTED_MAX, "%" PRIu64 " %.*s%s%s", count, (int)length, noun, more,
		 verb);
	return buf;
}

int number_compare_f64(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int number_compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}
