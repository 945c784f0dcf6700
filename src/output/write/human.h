/*
 * Numbers as people read them: three significant digits, SI for counts and rates, IEC for sizes.
 * They have one form everywhere, in sentences and in tables: number, blank, prefix and symbol.
 */
#ifndef OUTPUT_WRITE_HUMAN_H
#define OUTPUT_WRITE_HUMAN_H

#include <stddef.h>
#include <stdint.h>

#include "catalog/units.h"

#define HUMAN_MAX 32

/* What the formats need to know of units; read once. */
struct human {
	struct units units;
};

void human_init(struct human *human);

/*
 * Formats a value with its unit's prefix ("12.3 M", "4.56 GiB", "16.7 ms", "87.0 %"); NaN is "-".
 * The unit's symbol is part of the text where the prefix needs it (bytes, time, rates of these,
 * percent); otherwise human_unit() belongs beside it. An unknown unit is a plain count.
 */
void human_value(const struct human *human, char buf[HUMAN_MAX], double value, const char *unit);
/* What to write in a column of units: "" where human_value() already shows it. */
const char *human_unit(const struct human *human, const char *unit);
/* A duration in ns: "12.3 ms", "2.00 s", "3 min 5 s". */
void human_duration(char buf[HUMAN_MAX], uint64_t ns);

#endif
