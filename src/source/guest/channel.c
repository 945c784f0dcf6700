/* The reading side of the GL channel: one consumer for each ring, nothing in it is trusted. */
#include "source/guest/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/mem.h"

#define CONTEXTS_MAX 4096 /* a program that makes more has a fault, or bad intentions */

static struct gl_wire_stream *stream_at(const struct gl_channel *channel, unsigned index)
{
	return (struct gl_wire_stream *)(void *)(channel->memory + sizeof(struct gl_wire_header) +
						 index * GL_WIRE_STREAM_STRIDE);
}

enum sx_status gl_channel_open(struct gl_channel *channel, const struct sx_sys *sys,
			       struct sx_error *err)
{
	*channel = (struct gl_channel){.sys = sys, .fd = -1};
	channel->fd = sys->memory_file(sys->user, "sextant-gl", GL_WIRE_BYTES);
	if (channel->fd < 0)
		return error_errno(err, errno, "cannot make the channel to the measured program");
	void *memory =
	    sys->mmap(sys->user, GL_WIRE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, channel->fd, 0);
	if (memory == MAP_FAILED) {
		int saved = errno;
		sys->close(sys->user, channel->fd);
		channel->fd = -1;
		return error_errno(err, saved, "cannot map the channel to the measured program");
	}
	channel->memory = memory;
	*(struct gl_wire_header *)memory = (struct gl_wire_header){
	    .magic = GL_WIRE_MAGIC,
	    .version = GL_WIRE_VERSION,
	    .header_bytes = sizeof(struct gl_wire_header),
	    .stream_bytes = sizeof(struct gl_wire_stream),
	    .record_bytes = sizeof(struct gl_wire_record),
	    .stream_count = GL_WIRE_STREAMS,
	    .ring_records = GL_WIRE_RING_RECORDS,
	};
	return SX_OK;
}

void gl_channel_close(struct gl_channel *channel)
{
	if (channel->memory)
		channel->sys->munmap(channel->sys->user, channel->memory, GL_WIRE_BYTES);
	if (channel->fd >= 0)
		channel->sys->close(channel->sys->user, channel->fd);
	free(channel->contexts);
	*channel = (struct gl_channel){.fd = -1};
}

/* Printable text only: what a driver or program wrote ends up on terminals. */
static void copy_text(char *to, const char *from, size_t size)
{
	size_t n = 0;
	for (; n + 1 < size && from[n]; n++)
		to[n] = from[n] >= ' ' && from[n] < 0x7f ? from[n] : '?';
	to[n] = '\0';
}

static void describe(struct gl_context_info *info, const struct gl_wire_stream *stream)
{
	*info = (struct gl_context_info){
	    .pid = stream->pid,
	    .serial = stream->serial,
	    .egl = stream->window_system == GL_WIRE_EGL,
	    .es = stream->api == GL_WIRE_ES,
	    .core_profile = stream->profile == GL_WIRE_CORE,
	};
	copy_text(info->process, stream->process, sizeof(info->process));
	copy_text(info->vendor, stream->vendor, sizeof(info->vendor));
	copy_text(info->renderer, stream->renderer, sizeof(info->renderer));
	copy_text(info->version, stream->version, sizeof(info->version));
}

/* A stream in use that we have not met before gets a context; false when it is not in use. */
static bool meet(struct gl_channel *channel, struct gl_channel_stream *mine,
		 const struct gl_wire_stream *stream)
{
	uint32_t state = __atomic_load_n(&stream->state, __ATOMIC_ACQUIRE);
	uint32_t generation = __atomic_load_n(&stream->generation, __ATOMIC_ACQUIRE);
	if (state != GL_WIRE_OPEN && state != GL_WIRE_CLOSED)
		return false;
	if (mine->known && mine->generation == generation)
		return true;
	if (channel->context_count == CONTEXTS_MAX ||
	    !mem_grow(&channel->contexts, &channel->context_cap, channel->context_count + 1,
		      sizeof(*channel->contexts)))
		return false;
	*mine = (struct gl_channel_stream){
	    .known = true, .generation = generation, .context = channel->context_count};
	describe(&channel->contexts[channel->context_count++], stream);
	return true;
}

/* Gives a stream that its writer has closed back for another context. */
static void free_if_closed(struct gl_channel *channel, struct gl_channel_stream *mine,
			   struct gl_wire_stream *stream)
{
	uint32_t closed = GL_WIRE_CLOSED;
	if (__atomic_load_n(&stream->state, __ATOMIC_ACQUIRE) != GL_WIRE_CLOSED ||
	    __atomic_load_n(&stream->head, __ATOMIC_ACQUIRE) != mine->tail)
		return;
	channel->contexts[mine->context].closed = true;
	mine->known = false;
	__atomic_compare_exchange_n(&stream->state, &closed, GL_WIRE_FREE, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

static bool makes_sense(const struct gl_wire_record *record)
{
	return (record->kind == GL_WIRE_FRAME || record->kind == GL_WIRE_REST) &&
	       record->end_ns >= record->begin_ns;
}

static uint64_t count_lost(struct gl_channel_stream *mine, const struct gl_wire_stream *stream,
			   struct gl_context_info *info)
{
	uint64_t now = __atomic_load_n(&stream->lost, __ATOMIC_RELAXED);
	uint64_t more = now > mine->lost ? now - mine->lost : 0;
	mine->lost = now;
	info->lost += more;
	return more;
}

/* Takes one record of a stream. A head that cannot be is taken as a loss of all before it. */
static bool take(struct gl_channel *channel, struct gl_channel_stream *mine,
		 struct gl_wire_stream *stream, struct gl_wire_sample *out, uint64_t *lost)
{
	struct gl_context_info *info = &channel->contexts[mine->context];
	const struct gl_wire_record *ring = (const struct gl_wire_record *)(stream + 1);
	uint64_t head = __atomic_load_n(&stream->head, __ATOMIC_ACQUIRE);
	if (head - mine->tail > GL_WIRE_RING_RECORDS) {
		info->broken++;
		mine->tail = head;
	}
	while (mine->tail != head) {
		out->record = ring[mine->tail % GL_WIRE_RING_RECORDS];
		__atomic_store_n(&stream->tail, ++mine->tail, __ATOMIC_RELEASE);
		if (!makes_sense(&out->record)) {
			info->broken++;
			continue;
		}
		out->stream = (uint32_t)mine->context;
		out->pid = info->pid;
		memcpy(out->why, stream->why, sizeof(out->why));
		memcpy(out->bits, stream->bits, sizeof(out->bits));
		info->frames += out->record.kind == GL_WIRE_FRAME;
		info->rests += out->record.kind == GL_WIRE_REST;
		*lost = count_lost(mine, stream, info);
		return true;
	}
	return false;
}

bool gl_channel_next(struct gl_channel *channel, struct gl_wire_sample *out, uint64_t *lost)
{
	for (unsigned i = 0; i < GL_WIRE_STREAMS; i++) {
		unsigned index = (channel->next + i) % GL_WIRE_STREAMS;
		struct gl_channel_stream *mine = &channel->streams[index];
		struct gl_wire_stream *stream = stream_at(channel, index);
		if (!meet(channel, mine, stream))
			continue;
		bool taken = take(channel, mine, stream, out, lost);
		free_if_closed(channel, mine, stream);
		if (taken) {
			channel->next = index;
			return true;
		}
	}
	return false;
}

struct gl_activity gl_channel_activity(const struct gl_channel *channel)
{
	const struct gl_wire_header *header = (const void *)channel->memory;
	return (struct gl_activity){
	    .processes = __atomic_load_n(&header->processes, __ATOMIC_RELAXED),
	    .contexts = __atomic_load_n(&header->contexts, __ATOMIC_RELAXED),
	    .refused = __atomic_load_n(&header->refused, __ATOMIC_RELAXED),
	};
}
