/*
 * Rows of one device as streams without overlap. A counter has one value at a time, but frames of
 * two contexts overlap, and a debug group lies within another: each stream is a lane, shown as a
 * GPU of its own. The same rows in the same order give the same lanes.
 */
#ifndef OUTPUT_PERFETTO_LANES_H
#define OUTPUT_PERFETTO_LANES_H

#include <sextant/table.h>

#define LANES_MAX	64
#define LANE_TEXT_BYTES 96
#define LANE_NONE	UINT32_MAX

struct lane {
	uint64_t process, context, instance; /* the first as a hash */
	uint64_t end_ns;
	char text[LANE_TEXT_BYTES]; /* whose the lane is */
};

/* Zero-initialise. */
struct lanes {
	struct lane items[LANES_MAX];
	uint32_t count;
	uint64_t end_ns;
	bool overlap;		  /* without any, all is one lane */
	uint64_t untimed, beyond; /* rows without a time, and of lanes beyond the limit */
	uint64_t rows;
};

struct lane_span {
	uint64_t begin_ns, end_ns;
	uint32_t lane; /* or LANE_NONE */
};

/* First pass: which lanes there are. */
void lanes_scan(struct lanes *lanes, const struct sx_table *table);
/* How many a second pass has, at least 1. */
uint32_t lanes_count(const struct lanes *scanned);
/* Second pass: where a row goes. `now` begins as zeros. */
struct lane_span lanes_place(struct lanes *now, const struct lanes *scanned,
			     const struct sx_table *table, size_t row);

#endif
