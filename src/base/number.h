/* Numbers in text, whatever the program's locale is. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/little.h"

/* Decimal or 0x hexadecimal digits and nothing else; false when it is not that or exceeds u64. */
bool number_u64(const char *text, size_t len, uint64_t *out);
/*
 * How many of the 8 bytes at `text` are decimal digits before any other byte, and their number.
 * Adding 0x76 sets the high bit of what is no digit; digits are added up in pairs, pairs of those,
 * and once more.
 */
static inline unsigned number_digits8(const char *text, uint64_t *number)
{
	uint64_t bytes = little_u64((const uint8_t *)text) ^ UINT64_C(0x3030303030303030);
	uint64_t others =
	    ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
	unsigned count = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
	bytes = count ? bytes << (64 - 8 * count) : 0;
	bytes = (bytes * 10 + (bytes >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	bytes = (bytes * 100 + (bytes >> 16)) & UINT64_C(0x0000ffff0000ffff);
	*number = (bytes * 10000 + (bytes >> 32)) & UINT32_MAX;
	return count;
}
/* As number_u64() up to UINT32_MAX. */
bool number_u32(const char *text, size_t len, uint32_t *out);
/* A finite number with optional sign, fraction and exponent, or 0x digits. No blanks, no nan. */
bool number_f64(const char *text, size_t len, double *out);
/* Decimal digits of a number; at most 20 bytes, without an end. Returns how many. */
size_t number_put_u64(char *to, uint64_t value);
/*
 * value / 10^power with all its digits, power at most 19: "9007199.254740993"; at most 22 bytes,
 * without an end. Returns how many.
 */
size_t number_put_decimal(char *to, uint64_t value, unsigned power);
/*
 * Digits with a fraction of `power` digits at most, times 10^power: the way back. False when it is
 * not that or exceeds u64.
 */
bool number_decimal(const char *text, size_t len, unsigned power, uint64_t *out);
/*
 * The fewest digits, though not fewer than 15 are tried, that read back as the same finite number;
 * at most NUMBER_F64_MAX bytes, without an end. Returns how many.
 */
#define NUMBER_F64_MAX 32
size_t number_put_f64(char *to, double value);
/* The whole number nearest to value; false, and 0, when that is none from 0 to 2^64-1. */
bool number_round(double value, uint64_t *out);

/*
 * "1 row", "2 rows", "3 passes": a count with its noun. The noun is given in the singular, and so
 * is a verb after it: "line has" becomes "2 lines have". The text of COUNTED() lives until the end
 * of the enclosing block.
 */
#define NUMBER_COUNTED_MAX 96
const char *number_counted(char buf[NUMBER_COUNTED_MAX], uint64_t count, const char *noun);
#define COUNTED(count, noun) number_counted((char[NUMBER_COUNTED_MAX]){""}, count, noun)

/* For qsort() and bsearch(), from the smallest: without NaN. */
int number_compare_f64(const void *a, const void *b);
int number_compare_u32(const void *a, const void *b);

#endif
