/* Numbers in text, whatever the program's locale is. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal or 0x hexadecimal digits and nothing else; false when it is not that or exceeds u64. */
bool number_u64(const char *text, size_t len, uint64_t *out);
/* As number_u64() up to UINT32_MAX. */
bool number_u32(const char *text, size_t len, uint32_t *out);
/* A finite number with optional sign, fraction and exponent, or 0x digits. No blanks, no nan. */
bool number_f64(const char *text, size_t len, double *out);

#endif
