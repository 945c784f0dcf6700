/* Turning rows into columns, in copies for the processors that a build knows. */
#ifndef TABLE_TURN_H
#define TABLE_TURN_H

#include <stddef.h>
#include <stdint.h>

/* What is turned: to[c][n] = from[n * stride + picks[c]] for every row n and column c. */
struct table_turn {
	uint64_t *const *to;
	const uint64_t *from;
	size_t stride, rows, columns;
	const uint8_t *picks;
};

typedef void (*table_turn_fn)(const struct table_turn *turn);

/* The copy that suits this processor. */
table_turn_fn table_turn(void);

#endif
