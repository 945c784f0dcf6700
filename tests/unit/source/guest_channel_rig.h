/* A channel in memory that a test writes, and its reader. Include cmocka before. */
#ifndef UNIT_SOURCE_GUEST_CHANNEL_RIG_H
#define UNIT_SOURCE_GUEST_CHANNEL_RIG_H

#include <stdlib.h>
#include <string.h>

#include "source/guest/guest.h"

#define RING 1024u

static const struct channel_wish wish = {.kinds = 1u << WIRE_FRAME, .ring = RING};

struct fixture {
	struct channel channel;
	struct contexts contexts;
	struct wire_sample sample;
	uint64_t lost;
};

static inline struct fixture *start(void)
{
	struct fixture *f = calloc(1, sizeof(*f));
	assert_non_null(f);
	f->channel = (struct channel){.memory = calloc(1, WIRE_BYTES(RING)),
				      .ring = RING,
				      .process = 3,
				      .pid = 42,
				      .name = "game"};
	assert_non_null(f->channel.memory);
	channel_prepare(f->channel.memory, &wish);
	return f;
}

static inline void finish(struct fixture *f)
{
	free(f->channel.memory);
	free(f->contexts.items);
	free(f);
}

static inline bool next(struct fixture *f)
{
	return channel_next(&f->channel, &f->contexts, &f->sample, &f->lost);
}

static inline struct wire_stream *stream_of(struct fixture *f, unsigned index)
{
	return wire_stream_at(f->channel.memory, RING, index);
}

static inline struct wire_stream *open_stream(struct fixture *f, unsigned index)
{
	struct wire_stream *stream = stream_of(f, index);
	stream->generation++;
	stream->head = stream->tail = stream->lost = 0;
	memcpy(stream->renderer, "soft\x1b[31m", 9);
	stream->state = WIRE_OPEN;
	return stream;
}

static inline void write_record(struct wire_stream *stream, uint64_t frame)
{
	struct wire_record *ring = (struct wire_record *)(stream + 1);
	ring[stream->head % RING] =
	    (struct wire_record){.kind = WIRE_FRAME, .frame = frame, .begin_ns = 10, .end_ns = 20};
	stream->head++;
}

#endif
