/* Digits of doubles, for number.c. */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The fewest significant digits that read back as `value`, which is finite and above 0; of several
 * such numbers the nearest to it. Writes them without a point or an end, and the decimal exponent
 * of the first. Returns their number, 17 at most.
 */
int digits_shortest(double value, char digits[20], int *exponent);
/* Reads decimal text of checked syntax, correctly rounded; false when it is out of range. */
bool digits_parse(const char *text, size_t length, double *value);

#endif
