/*
 * Shortest digits and correct rounding by the C++ library, which has both and has them fast; C does
 * not. Built where there is a C++ compiler, else digits_libc.c replaces it.
 */
#include <charconv>
#include <cstddef>
#include <cstring>

extern "C" {
#include "base/digits.h"
}

extern "C" int digits_shortest(double value, char digits[20], int *exponent)
{
	char text[40];
	const std::to_chars_result end =
	    std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific);
	/* "d.ddde+xx" or "de+xx" */
	int count = 1;
	const char *p = text + 1;
	digits[0] = text[0];
	if (*p == '.')
		for (p++; *p != 'e'; p++)
			digits[count++] = *p;
	bool negative = p[1] == '-';
	int e = 0;
	for (p += 2; p < end.ptr; p++)
		e = e * 10 + (*p - '0');
	*exponent = negative ? -e : e;
	return count;
}

extern "C" bool digits_parse(const char *text, std::size_t length, double *value)
{
	/* from_chars takes no sign but a minus, and leaves what it does not understand. */
	const char *begin = text + (length && *text == '+');
	const std::from_chars_result end = std::from_chars(begin, text + length, *value);
	return end.ec == std::errc() && end.ptr == text + length;
}
