/*
 * Reads the bytes of a capture through a small buffer, not by mmap(): SIGBUS would follow when the
 * file is truncated.
 */
#include "capture/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW ((size_t)64 << 10)
#define HEAD   ((size_t)4 << 10)

int reader_bytes_open(struct reader_bytes *bytes)
{
	bytes->window = malloc(WINDOW);
	return bytes->window ? reader_bytes_renew(bytes) : ENOMEM;
}

int reader_bytes_renew(struct reader_bytes *bytes)
{
	struct stat stat;
	if (bytes->memory)
		return 0;
	if (fstat(bytes->fd, &stat) < 0)
		return errno;
	bytes->size = (uint64_t)stat.st_size;
	bytes->window_size = 0;
	return 0;
}

/* Bytes read before the end; fewer than asked for is not a failure here. */
static size_t reader_read_at(struct reader_bytes *bytes, uint8_t *to, size_t size, uint64_t at)
{
	size_t done = 0;
	while (done < size) {
		ssize_t got = pread(bytes->fd, to + done, size - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			bytes->failed = errno;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static bool inside(const struct reader_bytes *bytes, uint64_t at, size_t size)
{
	return at <= bytes->size && size <= bytes->size - at;
}

const uint8_t *reader_bytes_peek(struct reader_bytes *bytes, uint64_t at, size_t size)
{
	if (!inside(bytes, at, size) || size > WINDOW)
		return NULL;
	if (bytes->memory)
		return bytes->memory + at;
	if (at < bytes->window_at || at - bytes->window_at > bytes->window_size ||
	    size > bytes->window_size - (at - bytes->window_at)) {
		/* One head after another, each far from the last, needs no whole window. */
		bool near = at >= bytes->window_at && at - bytes->window_at < 2 * WINDOW;
		size_t wanted = near || size > HEAD ? WINDOW : HEAD;
		bytes->window_at = at;
		bytes->window_size = reader_read_at(bytes, bytes->window, wanted, at);
		if (size > bytes->window_size)
			return NULL;
	}
	return bytes->window + (at - bytes->window_at);
}

const uint8_t *reader_bytes_load(struct reader_bytes *bytes, uint64_t at, size_t size,
				 struct bytes *buffer)
{
	if (!inside(bytes, at, size))
		return NULL;
	if (bytes->memory)
		return bytes->memory + at;
	buffer->size = 0;
	buffer->failed = false;
	uint8_t *to = bytes_add(buffer, size ? size : 1);
	bytes->no_memory = !to;
	return to && reader_read_at(bytes, to, size, at) == size ? to : NULL;
}

uint64_t reader_bytes_find_frame(struct reader_bytes *bytes, uint64_t from)
{
	struct frame frame;
	while (inside(bytes, from, CAPTURE_FRAME_SIZE)) {
		uint64_t left = bytes->size - from;
		size_t size = left < WINDOW ? (size_t)left : WINDOW;
		const uint8_t *at = reader_bytes_peek(bytes, from, size);
		if (!at)
			return UINT64_MAX;
		size_t last = size - CAPTURE_FRAME_SIZE;
		for (const uint8_t *p = at; (p = memchr(p, 'S', last + 1 - (size_t)(p - at)));) {
			if (frame_get(p, &frame))
				return from + (uint64_t)(p - at);
			if (++p > at + last)
				break;
		}
		from += last + 1;
	}
	return UINT64_MAX;
}
