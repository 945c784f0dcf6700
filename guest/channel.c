/* The writing side of the GL channel: one producer for each stream, nothing waits for the reader.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/channel.h"

static bool is_channel(const struct gl_wire_header *header)
{
	return header->magic == GL_WIRE_MAGIC && header->version == GL_WIRE_VERSION &&
	       header->header_bytes == sizeof(struct gl_wire_header) &&
	       header->stream_bytes == sizeof(struct gl_wire_stream) &&
	       header->record_bytes == sizeof(struct gl_wire_record) &&
	       header->stream_count == GL_WIRE_STREAMS &&
	       header->ring_records == GL_WIRE_RING_RECORDS;
}

struct gl_wire_header *channel_map(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat info;
	void *memory = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == GL_WIRE_BYTES)
		memory = mmap(NULL, GL_WIRE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		return NULL;
	if (!is_channel(memory)) {
		munmap(memory, GL_WIRE_BYTES);
		return NULL;
	}
	return memory;
}

static struct gl_wire_stream *stream_at(struct gl_wire_header *channel, unsigned index)
{
	return (struct gl_wire_stream *)((uint8_t *)(channel + 1) + index * GL_WIRE_STREAM_STRIDE);
}

static void copy_text(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size - 1);

	memcpy(to, from, length);
	memset(to + length, 0, size - length);
}

static void describe(struct gl_wire_stream *stream, const struct channel_identity *identity)
{
	char name[sizeof(stream->process)] = "";

	prctl(PR_GET_NAME, name); /* the thread's; that of most programs is the process's */
	stream->pid = getpid();
	stream->serial = identity->serial;
	stream->start_ns = identity->start_ns;
	stream->window_system = identity->window_system;
	stream->api = identity->api;
	stream->profile = identity->profile;
	stream->context_flags = identity->context_flags;
	stream->gl_major = identity->gl_major;
	stream->gl_minor = identity->gl_minor;
	copy_text(stream->process, name, sizeof(stream->process));
	copy_text(stream->vendor, identity->vendor, sizeof(stream->vendor));
	copy_text(stream->renderer, identity->renderer, sizeof(stream->renderer));
	copy_text(stream->version, identity->version, sizeof(stream->version));
	memcpy(stream->bits, identity->bits, sizeof(stream->bits));
	memcpy(stream->why, identity->why, sizeof(stream->why));
}

static void claim(struct gl_wire_header *channel, struct channel_stream *out,
		  const struct channel_identity *identity)
{
	for (unsigned i = 0; i < GL_WIRE_STREAMS && out->stream == NULL; i++) {
		struct gl_wire_stream *stream = stream_at(channel, i);
		uint32_t expected = GL_WIRE_FREE;

		if (__atomic_compare_exchange_n(&stream->state, &expected, GL_WIRE_CLAIMED, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			out->stream = stream;
	}
	if (out->stream == NULL) {
		out->refused = true;
		__atomic_add_fetch(&channel->refused, 1, __ATOMIC_RELAXED);
		return;
	}
	describe(out->stream, identity);
	out->head = 0;
	__atomic_store_n(&out->stream->lost, out->lost, __ATOMIC_RELAXED);
	__atomic_store_n(&out->stream->tail, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&out->stream->head, 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&out->stream->generation, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&out->stream->state, GL_WIRE_OPEN, __ATOMIC_RELEASE);
}

void channel_write(struct gl_wire_header *channel, struct channel_stream *out,
		   const struct channel_identity *identity, const struct gl_wire_record *record)
{
	struct gl_wire_record *ring;

	if (out->stream == NULL && !out->refused)
		claim(channel, out, identity);
	if (out->stream == NULL)
		return;
	if (out->head - __atomic_load_n(&out->stream->tail, __ATOMIC_ACQUIRE) >=
	    GL_WIRE_RING_RECORDS) {
		channel_count_lost(out);
		return;
	}
	ring = (struct gl_wire_record *)(out->stream + 1);
	ring[out->head % GL_WIRE_RING_RECORDS] = *record;
	out->head++;
	__atomic_store_n(&out->stream->head, out->head, __ATOMIC_RELEASE);
}

void channel_count_lost(struct channel_stream *out)
{
	out->lost++;
	if (out->stream != NULL)
		__atomic_store_n(&out->stream->lost, out->lost, __ATOMIC_RELAXED);
}

void channel_update_why(struct channel_stream *out, const struct channel_identity *identity)
{
	for (unsigned i = 0; out->stream != NULL && i < GL_WIRE_COUNTER_ROOM; i++)
		__atomic_store_n(&out->stream->why[i], identity->why[i], __ATOMIC_RELAXED);
}

void channel_close(struct channel_stream *out)
{
	if (out->stream != NULL)
		__atomic_store_n(&out->stream->state, GL_WIRE_CLOSED, __ATOMIC_RELEASE);
	*out = (struct channel_stream){.refused = true};
}
