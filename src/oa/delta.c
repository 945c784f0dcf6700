/*
 * Differences and sums of whole reports. This file is compiled once for every processor and once
 * more for wider registers, with the table's name in OA_LOOPS.
 */
#include "oa/delta.h"

#include <endian.h>
#include <stddef.h>
#include <string.h>

#ifndef OA_LOOPS
#define OA_LOOPS oa_loops_base
#endif

#define SLOTS  54
#define MASK40 ((UINT64_C(1) << 40) - 1)

static inline uint32_t word(const uint8_t *p, size_t index)
{
	uint32_t value;
	memcpy(&value, p + 4 * index, sizeof(value));
	return le32toh(value);
}

static void delta(const uint8_t *restrict a, const uint8_t *restrict b, uint64_t *restrict out)
{
	out[0] = word(b, 1) - word(a, 1);
	out[1] = word(b, 3) - word(a, 3);
	/* A0..A31: low words from byte 16, upper bytes from byte 160. */
	for (size_t i = 0; i < 32; i++) {
		uint64_t low = (uint64_t)word(b + 16, i) - word(a + 16, i);
		uint64_t high = (uint8_t)(b[160 + i] - a[160 + i]);
		out[2 + i] = (low + (high << 32)) & MASK40;
	}
	for (size_t i = 0; i < 4; i++)
		out[34 + i] = word(b + 144, i) - word(a + 144, i);
	for (size_t i = 0; i < 16; i++)
		out[38 + i] = word(b + 192, i) - word(a + 192, i);
}

static void add(uint64_t *restrict sums, const uint64_t *restrict from)
{
	for (size_t i = 0; i < SLOTS; i++)
		sums[i] += from[i];
}

extern const struct oa_loops OA_LOOPS;
const struct oa_loops OA_LOOPS = {delta, add};
