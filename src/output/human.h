/* Numbers as people read them: three significant digits, SI for counts and rates, IEC for sizes. */
#ifndef OUTPUT_HUMAN_H
#define OUTPUT_HUMAN_H

#include <stddef.h>
#include <stdint.h>

#define HUMAN_MAX 32

/*
 * Formats a value with its unit's prefix ("12.3 M", "4.56 GiB", "16.7 ms", "87.0 %"); NaN is "-".
 * The unit's symbol is part of the text only where the prefix needs it (bytes, seconds, hertz,
 * percent); otherwise human_unit() belongs beside it.
 */
void human_value(char buf[HUMAN_MAX], double value, const char *unit);
/* The unit's name for a column of its own, "" where human_value() already shows it. */
const char *human_unit(const char *unit);
/* A duration in ns: "12.3 ms", "2.00 s", "3 min 5 s". */
void human_duration(char buf[HUMAN_MAX], uint64_t ns);

#endif
