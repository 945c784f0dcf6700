/* Digits of doubles by the C library alone, where no C++ compiler is: correct, and slow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"

int digits_shortest(double value, char digits[20], int *exponent)
{
	char text[40];
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision - 1, value);
		if (strtod(text, NULL) == value)
			break;
	}
	/* The decimal point depends on the locale: whatever is not a digit is skipped. */
	char *e = strchr(text, 'e');
	int count = 0;
	for (const char *p = text; p < e; p++)
		if (*p >= '0' && *p <= '9')
			digits[count++] = *p;
	while (count > 1 && digits[count - 1] == '0')
		count--;
	*exponent = atoi(e + 1);
	return count;
}

/* number.c then asks the C library, as it does for numbers at the ends of the range. */
bool digits_parse(const char *text, size_t length, double *value)
{
	(void)text;
	(void)length;
	(void)value;
	return false;
}
