/* Vectors: the four modes, chosen by the sum of the residues' lengths in bits. */
#include "capture/format/chunk.h"

#include <string.h>

static uint64_t zigzag(uint64_t delta)
{
	return (delta << 1) ^ (0 - (delta >> 63));
}

static uint64_t unzigzag(uint64_t residue)
{
	return (residue >> 1) ^ (0 - (residue & 1));
}

static unsigned length_of(uint64_t value)
{
	return value ? 64u - (unsigned)__builtin_clzll(value) : 0;
}

struct costs {
	uint64_t min, max;
	uint64_t bits[VECTOR_MODES];
};

/* One pass for the smallest value, one for what each mode would take. */
static struct costs weigh(const uint64_t *values, size_t count, int is_f64)
{
	struct costs costs = {values[0], values[0], {0}};
	for (size_t i = 1; i < count; i++) {
		costs.min = values[i] < costs.min ? values[i] : costs.min;
		costs.max = values[i] > costs.max ? values[i] : costs.max;
	}
	if (costs.min == costs.max)
		return costs;
	uint64_t last = values[0], delta = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t step = values[i] - last;
		costs.bits[VECTOR_OFFSET] += length_of(values[i] - costs.min);
		costs.bits[VECTOR_DELTA] += length_of(zigzag(step));
		costs.bits[VECTOR_DELTA2] += length_of(zigzag(step - delta));
		if (is_f64)
			costs.bits[VECTOR_XOR] += length_of(values[i] ^ last);
		last = values[i];
		delta = step;
	}
	if (!is_f64)
		costs.bits[VECTOR_XOR] = UINT64_MAX;
	return costs;
}

static uint64_t encode_offset(uint64_t *values, size_t count, uint64_t base)
{
	uint64_t used = 0;
	for (size_t i = 0; i < count; i++)
		used |= values[i] -= base;
	return used;
}

static uint64_t encode_delta(uint64_t *values, size_t count)
{
	uint64_t used = 0, last = values[0];
	for (size_t i = 0; i < count; i++) {
		uint64_t value = values[i];
		used |= values[i] = zigzag(value - last);
		last = value;
	}
	return used;
}

static uint64_t encode_delta2(uint64_t *values, size_t count)
{
	uint64_t used = 0, last = values[0], delta = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t value = values[i], step = value - last;
		used |= values[i] = zigzag(step - delta);
		last = value;
		delta = step;
	}
	return used;
}

static uint64_t encode_xor(uint64_t *values, size_t count)
{
	uint64_t used = 0, last = values[0];
	for (size_t i = 0; i < count; i++) {
		uint64_t value = values[i];
		used |= values[i] = value ^ last;
		last = value;
	}
	return used;
}

struct vector_shape vector_encode(uint64_t *values, size_t count, int is_f64)
{
	struct vector_shape shape = {0};
	struct costs costs = weigh(values, count, is_f64);
	for (uint8_t mode = 1; mode < VECTOR_MODES; mode++)
		if (costs.bits[mode] < costs.bits[shape.mode])
			shape.mode = mode;
	shape.base = shape.mode == VECTOR_OFFSET ? costs.min : values[0];
	uint64_t used = 0;
	switch (shape.mode) {
	case VECTOR_OFFSET:
		used = encode_offset(values, count, shape.base);
		break;
	case VECTOR_DELTA:
		used = encode_delta(values, count);
		break;
	case VECTOR_DELTA2:
		used = encode_delta2(values, count);
		break;
	case VECTOR_XOR:
		used = encode_xor(values, count);
		break;
	}
	shape.width = (uint8_t)((length_of(used) + 7) / 8);
	return shape;
}

void vector_plane(const uint64_t *residues, size_t count, unsigned plane, uint8_t *out)
{
	unsigned shift = 8 * plane;
	for (size_t i = 0; i < count; i++)
		out[i] = (uint8_t)(residues[i] >> shift);
}

/* Inlined with a constant width, so that each width has a loop without branches. */
static inline __attribute__((always_inline)) void
gather(unsigned width, const uint8_t *const planes[8], size_t count, uint64_t *values)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t residue = planes[0][i];
		for (unsigned p = 1; p < width; p++)
			residue |= (uint64_t)planes[p][i] << (8 * p);
		values[i] = residue;
	}
}

static void residues_of(unsigned width, const uint8_t *const planes[8], size_t count,
			uint64_t *values)
{
	switch (width) {
	case 0:
		memset(values, 0, count * sizeof(*values));
		return;
	case 1:
		gather(1, planes, count, values);
		return;
	case 2:
		gather(2, planes, count, values);
		return;
	case 3:
		gather(3, planes, count, values);
		return;
	case 4:
		gather(4, planes, count, values);
		return;
	default:
		gather(width, planes, count, values);
	}
}

void vector_decode(const struct vector_shape *shape, const uint8_t *const planes[8], size_t count,
		   uint64_t *values)
{
	uint64_t value = shape->base, delta = 0;
	residues_of(shape->width, planes, count, values);
	switch (shape->mode) {
	case VECTOR_OFFSET:
		for (size_t i = 0; i < count; i++)
			values[i] += value;
		break;
	case VECTOR_DELTA:
		for (size_t i = 0; i < count; i++)
			values[i] = value += unzigzag(values[i]);
		break;
	case VECTOR_DELTA2:
		for (size_t i = 0; i < count; i++) {
			delta += unzigzag(values[i]);
			values[i] = value += delta;
		}
		break;
	case VECTOR_XOR:
		for (size_t i = 0; i < count; i++)
			values[i] = value ^= values[i];
		break;
	}
}
