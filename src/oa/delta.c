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

#define MASK40 ((UINT64_C(1) << 40) - 1)

static inline uint32_t word(const uint8_t *p, size_t index)
{
	uint32_t value;
	memcpy(&value, p + 4 * index, sizeof(value));
	return le32toh(value);
}

static inline uint64_t word_delta(const uint8_t *a, const uint8_t *b, size_t index)
{
	return word(b, index) - word(a, index);
}

/* A0..A31: low words from byte 16, upper bytes from byte 160. */
static inline uint64_t wide_delta(const uint8_t *a, const uint8_t *b, size_t index)
{
	uint64_t low = (uint64_t)word(b + 16, index) - word(a + 16, index);
	uint64_t high = (uint8_t)(b[160 + index] - a[160 + index]);
	return (low + (high << 32)) & MASK40;
}

static void delta(const uint8_t *restrict a, const uint8_t *restrict b, uint64_t *restrict out)
{
	for (size_t i = 0; i < 32; i++)
		out[2 + i] = wide_delta(a, b, i);
	for (size_t i = 0; i < 4; i++)
		out[34 + i] = word_delta(a + 144, b + 144, i);
	for (size_t i = 0; i < 16; i++)
		out[38 + i] = word_delta(a + 192, b + 192, i);
}

static void sum(const uint8_t *restrict a, const uint8_t *restrict b, uint64_t *restrict sums)
{
	for (size_t i = 0; i < 32; i++)
		sums[2 + i] += wide_delta(a, b, i);
	for (size_t i = 0; i < 4; i++)
		sums[34 + i] += word_delta(a + 144, b + 144, i);
	for (size_t i = 0; i < 16; i++)
		sums[38 + i] += word_delta(a + 192, b + 192, i);
}

extern const struct oa_loops OA_LOOPS;
const struct oa_loops OA_LOOPS = {delta, sum};
