/* What a source's self-test says, line by line, and what a table of its rows adds up to. */
#ifndef UNIT_SOURCE_HEARD_H
#define UNIT_SOURCE_HEARD_H

#include <sextant/table.h>

#include <string.h>

struct lines {
	unsigned ok, failed;
};

static inline void hear(void *user, const char *line)
{
	struct lines *lines = user;
	lines->ok += strncmp(line, "ok", 2) == 0;
	lines->failed += strncmp(line, "FAIL", 4) == 0;
}

static inline uint64_t sum(const struct sx_table *t, const char *name)
{
	uint64_t total = 0;
	struct sx_vector v = sx_table_vector(t, sx_table_find(t, name));
	for (size_t i = 0; v.data && i < sx_table_row_count(t); i++)
		total += ((const uint64_t *)v.data)[i];
	return total;
}

#endif
