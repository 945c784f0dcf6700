/* Sinks: where records go. One appends to a file, one keeps the last seconds in memory. */
#ifndef CAPTURE_SINK_H
#define CAPTURE_SINK_H

#include "capture/format/format.h"

#include <stdbool.h>

struct sink;
struct sx_capture_claim;

/* Each returns 0, or the errno of what failed; a failed append leaves what was there before. */
struct sink_ops {
	int (*append)(struct sink *sink, const uint8_t *data, size_t size,
		      const struct entry *entry);
	/* Returns when everything appended is on the disk; NULL: there is no disk. */
	int (*sync)(struct sink *sink);
	int (*close)(struct sink *sink);
};

struct sink {
	const struct sink_ops *ops;
	uint64_t bytes;	    /* bytes that the sink holds now */
	uint64_t kept_free; /* room behind what is appended that must be left */
};

/* Empties a file that was claimed, which stays locked while the sink is open. Owns the claim. */
int sink_open_file(struct sx_capture_claim *claim, struct sink **out);
/*
 * Keeps ROWS, CLOCK, LOSS, GAP and NOTE records for keep_ns after they came, and at most bytes_max
 * of them; all others for ever.
 */
int sink_create_ring(uint64_t keep_ns, uint64_t bytes_max, struct sink **out);
/* Hands all records of a ring to `visit`, oldest first, until it returns non-zero. */
int sink_visit_ring(struct sink *ring,
		    int (*visit)(void *user, const uint8_t *data, size_t size,
				 const struct entry *entry),
		    void *user);

#endif
