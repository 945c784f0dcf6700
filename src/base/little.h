/* Little-endian numbers in byte arrays. */
#ifndef BASE_LITTLE_H
#define BASE_LITTLE_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t little_u16(const uint8_t *in)
{
	return (uint16_t)(in[0] | in[1] << 8);
}

static inline uint32_t little_u32(const uint8_t *in)
{
	return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 |
	       (uint32_t)in[3] << 24;
}

static inline uint64_t little_u64(const uint8_t *in)
{
	return (uint64_t)little_u32(in) | (uint64_t)little_u32(in + 4) << 32;
}

/* A number of 0 to 8 bytes. */
static inline uint64_t little_get(const uint8_t *in, size_t bytes)
{
	uint64_t value = 0;
	while (bytes--)
		value = value << 8 | in[bytes];
	return value;
}

static inline void little_put(uint8_t *out, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		out[i] = (uint8_t)(value >> 8 * i);
}

static inline void little_put_u16(uint8_t *out, uint16_t value)
{
	little_put(out, value, 2);
}

static inline void little_put_u32(uint8_t *out, uint32_t value)
{
	little_put(out, value, 4);
}

static inline void little_put_u64(uint8_t *out, uint64_t value)
{
	little_put(out, value, 8);
}

#endif
