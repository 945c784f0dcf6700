/* The writing side of the GL channel. */
#ifndef PRELOAD_CHANNEL_H
#define PRELOAD_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/channel.h"

/* What a stream says of its context; filled in before the first record. */
struct channel_identity {
	uint32_t serial;
	uint64_t start_ns;
	uint8_t window_system, api, profile, context_flags, gl_major, gl_minor;
	char vendor[128], renderer[192], version[192];
	uint8_t bits[GL_WIRE_COUNTER_ROOM], why[GL_WIRE_COUNTER_ROOM];
};

/* A context's place in the channel; zero-initialise. Used by one thread at a time. */
struct channel_stream {
	struct gl_wire_stream *stream; /* NULL until the first record */
	bool refused;
	uint64_t head, lost;
};

/* Maps the channel; NULL when it is not there or not one of ours. */
struct gl_wire_header *channel_map(const char *path);
/* Writes one record, claiming a stream for the first. Full or refused: it is counted as lost. */
void channel_write(struct gl_wire_header *channel, struct channel_stream *out,
		   const struct channel_identity *identity, const struct gl_wire_record *record);
/* Counts a record that could not be made. */
void channel_count_lost(struct channel_stream *out);
/* Publishes a change of the reasons. */
void channel_update_why(struct channel_stream *out, const struct channel_identity *identity);
void channel_close(struct channel_stream *out);

#endif
