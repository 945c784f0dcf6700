/*
 * Tiles of 4 rows and 4 columns, turned over in registers. Compiled once for every processor and
 * once more for wider registers, with the function's name in TABLE_TURN.
 */
#include "table/turn.h"

#include <string.h>

#ifndef TABLE_TURN
#define TABLE_TURN table_turn_base
#endif

typedef uint64_t four __attribute__((vector_size(32)));

/* All rows of four neighbouring values; `to` has their four columns. Returns the rows done. */
static inline size_t turn_four(uint64_t *const *to, const uint64_t *from, size_t stride,
			       size_t rows)
{
	uint64_t *const to0 = to[0], *const to1 = to[1], *const to2 = to[2], *const to3 = to[3];
	size_t row = 0;
	for (; row + 4 <= rows; row += 4, from += 4 * stride) {
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
		memcpy(to0 + row, &a, sizeof(a));
		memcpy(to1 + row, &b, sizeof(b));
		memcpy(to2 + row, &c, sizeof(c));
		memcpy(to3 + row, &d, sizeof(d));
	}
	return row;
}

static inline void turn_one(uint64_t *to, const uint64_t *from, size_t stride, size_t row,
			    size_t rows)
{
	for (; row < rows; row++)
		to[row] = from[row * stride];
}

void TABLE_TURN(const struct table_turn *turn);

void TABLE_TURN(const struct table_turn *turn)
{
	const uint8_t *picks = turn->picks;
	size_t c = 0;
	while (c < turn->columns) {
		const uint64_t *from = turn->from + picks[c];
		size_t n = 1, row = 0;
		if (c + 4 <= turn->columns && picks[c + 3] == picks[c] + 3 &&
		    picks[c + 2] == picks[c] + 2 && picks[c + 1] == picks[c] + 1) {
			n = 4;
			row = turn_four(turn->to + c, from, turn->stride, turn->rows);
		}
		for (size_t i = 0; i < n; i++)
			turn_one(turn->to[c + i], from + i, turn->stride, row, turn->rows);
		c += n;
	}
}
