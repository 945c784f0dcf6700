/* Custom UUIDs (version 8) from names and identity hashes. */
#include "gpa/core.h"

#include <string.h>
#include <xxhash.h>

void uuid_make(const char *name, uint64_t meaning, uint8_t out[16])
{
	uint64_t half = XXH64(name, strlen(name), meaning);
	for (int i = 0; i < 8; i++) {
		out[i] = (uint8_t)(meaning >> (56 - 8 * i));
		out[8 + i] = (uint8_t)(half >> (56 - 8 * i));
	}
	out[6] = (uint8_t)((out[6] & 0x0f) | 0x80);
	out[8] = (uint8_t)((out[8] & 0x3f) | 0x80);
}
