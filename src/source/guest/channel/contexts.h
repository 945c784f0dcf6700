/* Contexts of a channel: which are new, and their numbers. Between the files of this folder. */
#ifndef SOURCE_GUEST_CHANNEL_CONTEXTS_H
#define SOURCE_GUEST_CHANNEL_CONTEXTS_H

#include "source/guest/channel.h"

bool channel_has_identity(const struct wire_stream *stream);
/* A context that has written, or has gone without, and that we have not met before. */
bool channel_is_new(const struct channel_place *mine, const struct wire_stream *stream, bool ended);
/*
 * Contexts are numbered, and first read, in the order in which they were made: a young one may have
 * the stream of one that is gone, before those of its elders. What was opened behind our back while
 * we looked is found by looking again. Returns whether there was one, which is now next.
 */
bool channel_meet_oldest(struct channel *channel, struct contexts *contexts);

#endif
