/* The writing side of the channel: docs/guest-channel.md. */
#ifndef GUEST_CHANNEL_H
#define GUEST_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/channel.h"

/* A stream's description of its context; filled in before the first record. */
struct channel_identity {
	uint32_t serial; /* of the context in its process, from 1 */
	uint64_t start_ns;
	uint8_t window_system, api, profile, context_flags, major, minor;
	char vendor[128], renderer[192], version[192];
	uint8_t bits[WIRE_COUNTER_ROOM], why[WIRE_COUNTER_ROOM];
};

/* A context's place in the channel; zero-initialise. Used by one thread at a time. */
struct channel_stream {
	struct wire_stream *stream; /* NULL until the first record */
	uint32_t ring;		    /* in records */
	bool refused, closed;	    /* closed: later records are dropped and not counted as lost */
	uint64_t head, drafted, lost;
	struct wire_past past; /* of samples without a stream */
};

/* A record and its further values. */
struct channel_sample {
	const struct wire_record *record;
	const struct wire_value *values; /* of the driver's counters; NULL if count is 0 */
	uint32_t count;
};

/*
 * Requests this process's channel at the socket `path` and maps it. NULL: no answer within 2
 * seconds, or no valid channel. Leaves no descriptor open.
 */
struct wire_header *channel_open(const char *path);
/* Writes a record; the first one claims a stream. Without room it is counted as lost. */
void channel_write(struct wire_header *channel, struct channel_stream *out,
		   const struct channel_identity *identity, const struct wire_record *record);
/* The same for a record with values of the driver's counters: all are written or none. */
void channel_write_values(struct wire_header *channel, struct channel_stream *out,
			  const struct channel_identity *identity,
			  const struct channel_sample *sample);
/*
 * Writes a draft of an incomplete record, `ahead` records after the next one. The reader uses it if
 * the program ends before the record is written. A later draft replaces it. Returns its place in
 * the ring; NULL: no room, or the records before it have no draft.
 */
struct wire_record *channel_draft(struct wire_header *channel, struct channel_stream *out,
				  const struct channel_identity *identity,
				  const struct wire_record *record, uint64_t ahead);
/* Whether there is no room for a record, `ahead` records after the next one. */
bool channel_is_full(const struct channel_stream *out, uint64_t ahead);
/* Writes an unchanged draft as the next record; those before it are written, or lost. */
void channel_publish(struct channel_stream *out, const struct wire_record *draft);
/* Hides drafts from the reader. */
void channel_drop_drafts(struct channel_stream *out);
/*
 * Whether there is room for a record, or will never be. false: the reader will make room in the
 * ring, or will free a stream of a closed context.
 */
bool channel_has_room(struct wire_header *channel, const struct channel_stream *out);
/* Counts samples without a record as lost. */
void channel_count_lost(struct channel_stream *out, uint32_t samples);
/* Reports lost samples of a context that has never written a record. */
void channel_note_lost(struct wire_header *channel, struct channel_stream *out,
		       const struct channel_identity *identity);
/* Publishes changed reasons. */
void channel_update_why(struct channel_stream *out, const struct channel_identity *identity);
void channel_close(struct channel_stream *out);

#endif
