/* The writing side of the channel: one producer per stream, which never waits for the reader. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "guest/channel.h"

#define ANSWER_WITHIN_S 2

static bool is_channel(const struct wire_header *header, uint64_t bytes)
{
	uint32_t ring = header->ring_records;
	return header->magic == WIRE_MAGIC && header->version == WIRE_VERSION &&
	       header->header_bytes == sizeof(struct wire_header) &&
	       header->stream_bytes == sizeof(struct wire_stream) &&
	       header->record_bytes == sizeof(struct wire_record) &&
	       header->stream_count == WIRE_STREAMS && header->label_bytes == WIRE_LABEL_BYTES &&
	       ring != 0 && (ring & (ring - 1)) == 0 && ring <= WIRE_RING_MOST &&
	       bytes == WIRE_BYTES(ring);
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval timeout = {.tv_sec = ANSWER_WITHIN_S};
	int done;
	if (strlen(path) >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, path, strlen(path));
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	do
		done = connect(fd, (const struct sockaddr *)&address, sizeof(address));
	while (done < 0 && errno == EINTR);
	if (done == 0)
		return fd;
	close(fd);
	return -1;
}

/* The descriptor that the message passes, or -1. */
static int passed_descriptor(struct msghdr *message)
{
	const struct cmsghdr *head = CMSG_FIRSTHDR(message);
	int fd;
	if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS ||
	    head->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

/* Descriptor of the memory, or -1. */
static int receive_memory(int from, struct wire_hello *hello)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = {hello, sizeof(*hello)};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	ssize_t size;

	do
		size = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
	while (size < 0 && errno == EINTR);
	if (size < 0)
		return -1;
	if (size != (ssize_t)sizeof(*hello) || hello->magic != WIRE_MAGIC)
		memset(hello, 0, sizeof(*hello));
	return passed_descriptor(&message);
}

static struct wire_header *map(int fd, uint64_t bytes)
{
	struct stat info;
	void *memory = MAP_FAILED;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size == bytes &&
	    bytes >= sizeof(struct wire_header) && bytes <= WIRE_BYTES(WIRE_RING_MOST))
		memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	if (is_channel(memory, bytes))
		return memory;
	munmap(memory, (size_t)bytes);
	return NULL;
}

struct wire_header *channel_open(const char *path)
{
	struct wire_hello hello = {0};
	struct wire_header *channel = NULL;
	int server = connect_to(path);
	if (server < 0)
		return NULL;
	int fd = receive_memory(server, &hello);
	close(server);
	if (fd < 0)
		return NULL;
	if (hello.version == WIRE_VERSION)
		channel = map(fd, hello.bytes);
	close(fd);
	return channel;
}

static void copy_text(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size - 1);
	memcpy(to, from, length);
	memset(to + length, 0, size - length);
}

static void channel_describe(struct wire_stream *stream, const struct channel_identity *identity)
{
	stream->serial = identity->serial;
	stream->start_ns = identity->start_ns;
	stream->window_system = identity->window_system;
	stream->api = identity->api;
	stream->profile = identity->profile;
	stream->context_flags = identity->context_flags;
	stream->major = identity->major;
	stream->minor = identity->minor;
	copy_text(stream->vendor, identity->vendor, sizeof(stream->vendor));
	copy_text(stream->renderer, identity->renderer, sizeof(stream->renderer));
	copy_text(stream->version, identity->version, sizeof(stream->version));
	memcpy(stream->bits, identity->bits, sizeof(stream->bits));
	memcpy(stream->why, identity->why, sizeof(stream->why));
}

static void claim(struct wire_header *channel, struct channel_stream *out,
		  const struct channel_identity *identity)
{
	for (unsigned i = 0; i < WIRE_STREAMS && !out->stream; i++) {
		struct wire_stream *stream = wire_stream_at(channel, channel->ring_records, i);
		uint32_t expected = WIRE_FREE;
		if (__atomic_compare_exchange_n(&stream->state, &expected, WIRE_CLAIMED, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			out->stream = stream;
			out->ring = wire_ring(channel->ring_records, i);
		}
	}
	if (!out->stream) {
		out->refused = true;
		__atomic_add_fetch(&channel->refused, 1, __ATOMIC_RELAXED);
		return;
	}
	channel_describe(out->stream, identity);
	out->head = out->drafted = 0;
	__atomic_store_n(&out->stream->drafted, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&out->stream->lost, out->lost, __ATOMIC_RELAXED);
	__atomic_store_n(&out->stream->tail, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&out->stream->head, 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&out->stream->generation, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&out->stream->state, WIRE_OPEN, __ATOMIC_RELEASE);
}

bool channel_has_room(struct wire_header *channel, const struct channel_stream *out)
{
	bool awaited = false;
	if (out->stream)
		return out->head - __atomic_load_n(&out->stream->tail, __ATOMIC_ACQUIRE) <
		       out->ring;
	for (unsigned i = 0; i < WIRE_STREAMS && !out->refused; i++) {
		const struct wire_stream *stream =
		    wire_stream_at(channel, channel->ring_records, i);
		uint32_t state = __atomic_load_n(&stream->state, __ATOMIC_RELAXED);

		if (state == WIRE_FREE)
			return true;
		awaited |= state == WIRE_CLOSED;
	}
	return !awaited;
}

static void put(struct channel_stream *out, const struct wire_record *record)
{
	struct wire_record *ring = (struct wire_record *)(out->stream + 1);
	ring[out->head++ & (out->ring - 1)] = *record;
}

/* Writes further values of a sample, at most as many as fit in a record. */
static void put_values(struct channel_stream *out, uint32_t first, const struct wire_value *values,
		       uint32_t count)
{
	struct wire_record record = {
	    .kind = WIRE_DRIVER_VALUES, .index = first, .group_count = count};
	for (uint32_t i = 0; i < count; i++) {
		record.values[i] = values[i].bits;
		record.states[i] = values[i].state;
	}
	put(out, &record);
}

/* No stream was free for its context. Counts records that would be rows. */
static void drop(struct wire_header *channel, struct channel_stream *out,
		 const struct wire_record *record)
{
	uint32_t samples = record->kind == WIRE_COUNTED ? record->group_count
							: wire_is_row(record, &out->past) != 0;
	wire_add_past(&out->past, record);
	__atomic_add_fetch(&channel->dropped, samples, __ATOMIC_RELAXED);
}

void channel_write_values(struct wire_header *channel, struct channel_stream *out,
			  const struct channel_identity *identity,
			  const struct channel_sample *sample)
{
	uint32_t count = sample->count;
	uint32_t records = 1 + (count + WIRE_COUNTER_ROOM - 1) / WIRE_COUNTER_ROOM;
	if (!out->stream && !out->refused)
		claim(channel, out, identity);
	if (!out->stream) {
		if (!out->closed)
			drop(channel, out, sample->record);
		return;
	}
	uint64_t used = out->head - __atomic_load_n(&out->stream->tail, __ATOMIC_ACQUIRE);
	if (used > out->ring || out->ring - used < records) {
		channel_count_lost(out, 1);
		return;
	}
	for (uint32_t i = 0; i < count; i += WIRE_COUNTER_ROOM)
		put_values(out, i, sample->values + i,
			   count - i < WIRE_COUNTER_ROOM ? count - i : WIRE_COUNTER_ROOM);
	put(out, sample->record);
	__atomic_store_n(&out->stream->head, out->head, __ATOMIC_RELEASE);
}

void channel_write(struct wire_header *channel, struct channel_stream *out,
		   const struct channel_identity *identity, const struct wire_record *record)
{
	const struct channel_sample sample = {.record = record};
	channel_write_values(channel, out, identity, &sample);
}

/* The reader checks drafts when it reads them, after the program has ended. */
static void set_drafted(struct channel_stream *out, uint64_t drafted)
{
	out->drafted = drafted;
	__atomic_store_n(&out->stream->drafted, drafted, __ATOMIC_RELEASE);
}

bool channel_is_full(const struct channel_stream *out, uint64_t ahead)
{
	return out->stream &&
	       out->head + ahead - __atomic_load_n(&out->stream->tail, __ATOMIC_ACQUIRE) >=
		   out->ring;
}

struct wire_record *channel_draft(struct wire_header *channel, struct channel_stream *out,
				  const struct channel_identity *identity,
				  const struct wire_record *record, uint64_t ahead)
{
	if (!out->stream && !out->refused)
		claim(channel, out, identity);
	if (!out->stream)
		return NULL;
	uint64_t at = out->head + ahead;
	uint64_t end = out->drafted > out->head ? out->drafted : out->head;
	if (at > end || channel_is_full(out, ahead))
		return NULL;
	struct wire_record *place =
	    (struct wire_record *)(out->stream + 1) + (at & (out->ring - 1));
	*place = *record;
	if (at == end)
		set_drafted(out, at + 1);
	return place;
}

void channel_publish(struct channel_stream *out, const struct wire_record *draft)
{
	const struct wire_record *ring = (const struct wire_record *)(out->stream + 1);
	if (draft == ring + (out->head & (out->ring - 1)))
		out->head++;
	else /* one before it was lost */
		put(out, draft);
	__atomic_store_n(&out->stream->head, out->head, __ATOMIC_RELEASE);
}

void channel_drop_drafts(struct channel_stream *out)
{
	if (out->stream && out->drafted > out->head)
		set_drafted(out, out->head);
}

void channel_count_lost(struct channel_stream *out, uint32_t samples)
{
	out->lost += samples;
	if (out->stream)
		__atomic_store_n(&out->stream->lost, out->lost, __ATOMIC_RELAXED);
}

void channel_note_lost(struct wire_header *channel, struct channel_stream *out,
		       const struct channel_identity *identity)
{
	if (out->lost != 0 && !out->stream && !out->refused)
		claim(channel, out, identity);
}

void channel_update_why(struct channel_stream *out, const struct channel_identity *identity)
{
	for (unsigned i = 0; out->stream && i < WIRE_COUNTER_ROOM; i++)
		__atomic_store_n(&out->stream->why[i], identity->why[i], __ATOMIC_RELAXED);
}

void channel_close(struct channel_stream *out)
{
	if (out->stream)
		__atomic_store_n(&out->stream->state, WIRE_CLOSED, __ATOMIC_RELEASE);
	*out = (struct channel_stream){.refused = true, .closed = true};
}
