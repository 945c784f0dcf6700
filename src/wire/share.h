/*
 * Columns beside a counter: "Cycles@time" is how long, in ns of each sample, Cycles was counted,
 * where events are multiplexed on a PMU and the counts are scaled.
 */
#ifndef WIRE_SHARE_H
#define WIRE_SHARE_H

#include <stddef.h>
#include <string.h>

#define SHARE_SUFFIX "@time"

/* The length of the counter's name in that of its share; 0: it is no share. */
static inline size_t share_length(const char *name)
{
	const char *at = strchr(name, '@');
	return at && strcmp(at, SHARE_SUFFIX) == 0 ? (size_t)(at - name) : 0;
}

#endif
