/* Time that ranges enclose together, overlaps counted once. Ranges may come in any order. */
#ifndef TABLE_COVER_H
#define TABLE_COVER_H

#include <stddef.h>
#include <stdint.h>

#define COVER_RANGES 64

/*
 * Zero-initialise. Ranges that touch are merged. Of more than COVER_RANGES separate ones, the
 * oldest are summed: a range that comes later and lies before their end counts as covered.
 */
struct cover {
	struct cover_range {
		uint64_t begin_ns, end_ns;
	} ranges[COVER_RANGES]; /* ascending, apart */
	uint32_t count;
	uint64_t resolved_ns; /* time covered before floor_ns */
	uint64_t floor_ns;
};

/* Adds a range; one that ends before it begins encloses nothing. */
void cover_add(struct cover *cover, uint64_t begin_ns, uint64_t end_ns);
/* Adds one range a row; a row of which a time is SX_TIME_UNKNOWN encloses nothing. */
void cover_add_rows(struct cover *cover, const uint64_t *begin_ns, const uint64_t *end_ns,
		    size_t count);
/* The time that is covered. */
uint64_t cover_ns(const struct cover *cover);

#endif
