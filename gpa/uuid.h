/* UUIDs of counters: the same for the same meaning on every machine and in every release. */
#ifndef GPA_UUID_H
#define GPA_UUID_H

#include <stdint.h>

/* From a counter's name and a hash of what it means (formula and unit, or block and select). */
void uuid_make(const char *name, uint64_t meaning, uint8_t out[16]);

#endif
