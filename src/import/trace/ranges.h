/* Ranges of a GPU's work that nest, overlap and stand apart: time in them is counted once. */
#ifndef IMPORT_TRACE_RANGES_H
#define IMPORT_TRACE_RANGES_H

#include "import/formats.h"

/* Zero-initialise. */
struct import_ranges {
	struct import_range {
		uint64_t begin_ns, end_ns;
		size_t row;
	} * list;
	size_t count, cap;
	bool no_memory;
};

/* A row for a range, whose times are set by import_ranges_finish(). */
size_t import_ranges_add(struct import_ranges *ranges, struct import_rows *rows, uint64_t begin_ns,
			 uint64_t end_ns);
/*
 * GpuTime of a row is the part of its range that no range of an earlier beginning covers, so that
 * the sum of all is the time in which any ran; GpuTimeWithin is the rest of it. Returns rows that
 * say which share of the time that was, from each beginning to the next; NULL without a range that
 * lasts, and where memory is out (no_memory). Releases the list.
 */
struct import_rows *import_ranges_finish(struct import_ranges *ranges, struct import_job *job,
					 struct import_rows *rows);

#endif
