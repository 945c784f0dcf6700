/* Turning rows into columns, in copies for the processors that a build knows. */
#ifndef TABLE_TURN_H
#define TABLE_TURN_H

#include <stddef.h>
#include <stdint.h>

/*
 * to[c][n] = from[n * stride + picks[c]] for 8 rows and `count` columns; the columns' memory may
 * begin anywhere.
 */
typedef void (*table_turn_fn)(uint64_t *const *to, const uint64_t *from, size_t stride,
			      const uint8_t *picks, size_t count);

/* The copy that suits this processor. */
table_turn_fn table_turn(void);

#endif
