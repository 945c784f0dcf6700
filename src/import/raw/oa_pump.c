/* A file's bytes through the decoder of OA reports: see oa.h. */
#include "import/raw/oa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define CHUNK ((size_t)1 << 17) /* of which a record takes 64 KiB at most */

/* *size: bytes at hand, then those that are left. */
static enum sx_status pump_bytes(const struct raw_oa_sink *pump, const uint8_t *data, size_t *size,
				 struct sx_error *err)
{
	size_t at = 0, used;
	enum sx_status status;
	do {
		status = sx_oa_decoder_feed(pump->decoder, data + at, *size - at, &used, err);
		at += used;
		if (status == SX_AGAIN) {
			status = pump->rows(pump->user, err);
			used = 1;
		}
	} while (!status && used && at < *size);
	*size -= at;
	return status;
}

/* What is there now, at most size bytes; *got is 0 at the end. */
static enum sx_status read_some(int fd, uint8_t *to, size_t size, size_t *got, struct sx_error *err)
{
	ssize_t n;
	do
		n = read(fd, to, size);
	while (n < 0 && errno == EINTR);
	*got = n > 0 ? (size_t)n : 0;
	if (n >= 0)
		return SX_OK;
	error_set(err, SX_ERR_BAD_INPUT, "cannot read the input");
	error_because(err, "%s", strerror(errno));
	error_try(err, "a file, or - for standard input");
	return SX_ERR_BAD_INPUT;
}

/* Reads to the end; *left receives the bytes that were no whole record. */
enum sx_status raw_oa_pump(const struct raw_oa_sink *pump, int fd, size_t *left,
			   struct sx_error *err)
{
	uint8_t *buffer = malloc(CHUNK);
	enum sx_status status = buffer ? SX_OK : error_nomem(err, "OA reports");
	size_t held = 0, got = 1;
	while (!status && got) {
		status = read_some(fd, buffer + held, CHUNK - held, &got, err);
		if (status || !got)
			break;
		size_t have = held + got;
		held = have;
		status = pump_bytes(pump, buffer, &held, err);
		if (!status)
			memmove(buffer, buffer + have - held, held);
	}
	if (!status && held) {
		sx_oa_decoder_end(pump->decoder);
		status = pump_bytes(pump, buffer, &held, err);
	}
	free(buffer);
	*left = held;
	return status;
}
