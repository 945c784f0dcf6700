/* Why there is no data: one list of reasons, with one wording each, for all that shows values. */
#ifndef BASE_NO_DATA_H
#define BASE_NO_DATA_H

#include <stddef.h>
#include <stdint.h>

enum no_data {
#define NO_DATA(id, reason, remedy) NO_DATA_##id,
#include "base/no_data.def"
#undef NO_DATA
	NO_DATA_COUNT
};

/* The reason and what to do about it. */
const char *no_data_text(enum no_data reason);
/* Appends the same to a text, with a detail (a name, a count) in brackets; "" or NULL: without. */
void no_data_append(char *buf, size_t size, enum no_data reason, const char *detail);
/* The reason of a value without data, by its quality alone. */
enum no_data no_data_of_quality(uint8_t quality);

#endif
