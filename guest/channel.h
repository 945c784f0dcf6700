/* The writing side of the channel: docs/guest-channel.md. */
#ifndef GUEST_CHANNEL_H
#define GUEST_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/channel.h"

/* What a stream says of its context; filled in before the first record. */
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
	uint32_t ring;		    /* its records */
	bool refused, closed;	    /* closed: what still comes is none of a sample */
	uint64_t head, drafted, lost;
	struct wire_past past; /* of samples that found no stream */
};

/* A record, and what it brings along. */
struct channel_sample {
	const struct wire_record *record;
	const struct wire_value *values; /* of the driver's own counters; NULL where count is 0 */
	uint32_t count;
};

/*
 * Asks at the socket `path` for this process's channel and maps it; NULL when nobody answers there
 * within 2 seconds, or not with one of ours. No descriptor stays open.
 */
struct wire_header *channel_open(const char *path);
/* Writes one record, claiming a stream for the first. Full or refused: it is counted as lost. */
void channel_write(struct wire_header *channel, struct channel_stream *out,
		   const struct channel_identity *identity, const struct wire_record *record);
/* The same for a record with values of the driver's own counters: all of it comes, or nothing. */
void channel_write_values(struct wire_header *channel, struct channel_stream *out,
			  const struct channel_identity *identity,
			  const struct channel_sample *sample);
/*
 * Writes what is known already of a record, `ahead` records behind the next one, for the reader to
 * find should the program end before the record is written; again, when more is known. Returns
 * where it lies, or NULL: there is no room, or those before it have no draft.
 */
struct wire_record *channel_draft(struct wire_header *channel, struct channel_stream *out,
				  const struct channel_identity *identity,
				  const struct wire_record *record, uint64_t ahead);
/* Whether a record, `ahead` of them behind the next one, would find no place now. */
bool channel_is_full(const struct channel_stream *out, uint64_t ahead);
/* Writes a draft as it stands, as the next record: all those before it are written, or lost. */
void channel_publish(struct channel_stream *out, const struct wire_record *draft);
/* What was drafted and will not be written is not to be found. */
void channel_drop_drafts(struct channel_stream *out);
/*
 * Whether a record would find its place now. A full ring will have room again, and where streams of
 * contexts that are gone are all there is, one will be free again, once the command has read them.
 */
bool channel_has_room(struct wire_header *channel, const struct channel_stream *out);
/* Counts samples of which no record could be made. */
void channel_count_lost(struct channel_stream *out, uint32_t samples);
/* Makes what was lost known also where no record was ever written; nothing else does so. */
void channel_note_lost(struct wire_header *channel, struct channel_stream *out,
		       const struct channel_identity *identity);
/* Publishes a change of the reasons. */
void channel_update_why(struct channel_stream *out, const struct channel_identity *identity);
void channel_close(struct channel_stream *out);

#endif
