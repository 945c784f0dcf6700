/* The reading side of the GL channel. Everything in it may be garbage: it is checked, and bounded.
 */
#ifndef SOURCE_GL_CHANNEL_H
#define SOURCE_GL_CHANNEL_H

#include "base/sys.h"
#include "source/gl/gl.h"
#include "wire/channel.h"

struct gl_channel_stream {
	bool known;
	uint32_t generation;
	uint64_t tail;	/* ours; the channel's copy is for the writer only */
	uint64_t lost;	/* as last seen */
	size_t context; /* index of its gl_context_info */
};

struct gl_channel {
	const struct sx_sys *sys;
	int fd;
	uint8_t *memory; /* GL_WIRE_BYTES, or NULL */
	struct gl_channel_stream streams[GL_WIRE_STREAMS];
	unsigned next; /* stream to look at first */
	struct gl_context_info *contexts;
	size_t context_count, context_cap;
};

/* Makes the channel. Errors: SX_ERR_IO, SX_ERR_NO_MEMORY. */
enum sx_status gl_channel_open(struct gl_channel *channel, const struct sx_sys *sys,
			       struct sx_error *err);
/* Takes the next record of any stream, in turn; false when there is none now. */
bool gl_channel_next(struct gl_channel *channel, struct gl_wire_sample *out, uint64_t *lost);
struct gl_activity gl_channel_activity(const struct gl_channel *channel);
void gl_channel_close(struct gl_channel *channel);

#endif
