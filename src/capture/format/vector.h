/* Vectors: 64-bit values turned into residues that need few bytes, and back. */
#ifndef CAPTURE_FORMAT_VECTOR_H
#define CAPTURE_FORMAT_VECTOR_H

#include <stddef.h>
#include <stdint.h>

enum vector_mode { VECTOR_OFFSET, VECTOR_DELTA, VECTOR_DELTA2, VECTOR_XOR, VECTOR_MODES };

struct vector_shape {
	uint8_t mode, width;
	uint64_t base;
};

/* Picks the mode with the smallest residues and replaces the values by them. */
struct vector_shape vector_encode(uint64_t *values, size_t count, int is_f64);
/* Byte `plane` of each residue. */
void vector_plane(const uint64_t *residues, size_t count, unsigned plane, uint8_t *out);
/* The values from their planes; planes[p] has count bytes for each p < width. */
void vector_decode(const struct vector_shape *shape, const uint8_t *const planes[8], size_t count,
		   uint64_t *values);

#endif
