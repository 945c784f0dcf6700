/*
 * Tiles of 8 rows and 4 columns, turned over in registers. Compiled once for every processor and
 * once more for wider registers, with the function's name in TABLE_TURN.
 */
#include "table/turn.h"

#include <string.h>

#ifndef TABLE_TURN
#define TABLE_TURN table_turn_base
#endif

typedef uint64_t four __attribute__((vector_size(32)));

/* Four rows of four neighbouring values. */
static inline void turn_tile(uint64_t *const *to, size_t row, const uint64_t *from, size_t stride)
{
	four a, b, c, d;
	memcpy(&a, from, sizeof(a));
	memcpy(&b, from + stride, sizeof(b));
	memcpy(&c, from + 2 * stride, sizeof(c));
	memcpy(&d, from + 3 * stride, sizeof(d));
	four ab02 = __builtin_shufflevector(a, b, 0, 4, 2, 6);
	four ab13 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
	four cd02 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
	four cd13 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
	a = __builtin_shufflevector(ab02, cd02, 0, 1, 4, 5);
	b = __builtin_shufflevector(ab13, cd13, 0, 1, 4, 5);
	c = __builtin_shufflevector(ab02, cd02, 2, 3, 6, 7);
	d = __builtin_shufflevector(ab13, cd13, 2, 3, 6, 7);
	memcpy(to[0] + row, &a, sizeof(a));
	memcpy(to[1] + row, &b, sizeof(b));
	memcpy(to[2] + row, &c, sizeof(c));
	memcpy(to[3] + row, &d, sizeof(d));
}

void TABLE_TURN(uint64_t *const *to, const uint64_t *from, size_t stride, const uint8_t *picks,
		size_t count);

void TABLE_TURN(uint64_t *const *to, const uint64_t *from, size_t stride, const uint8_t *picks,
		size_t count)
{
	size_t c = 0;
	while (c < count) {
		if (c + 4 <= count && picks[c + 3] == picks[c] + 3 &&
		    picks[c + 2] == picks[c] + 2 && picks[c + 1] == picks[c] + 1) {
			turn_tile(to + c, 0, from + picks[c], stride);
			turn_tile(to + c, 4, from + picks[c] + 4 * stride, stride);
			c += 4;
			continue;
		}
		for (size_t n = 0; n < 8; n++)
			to[c][n] = from[n * stride + picks[c]];
		c++;
	}
}
