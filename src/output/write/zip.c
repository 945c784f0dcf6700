/*
 * ZIP in the form that every reader supports: deflated members with their sizes behind them, then
 * the directory.
 */
#include "output/write/zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BLOCK_BYTES	((size_t)64 << 10)
#define VERSION_DEFLATE 20
#define FLAG_SIZES_LAST 0x0008
#define METHOD_DEFLATE	8
#define DATE_1980	0x0021 /* 1 January: results must not depend on when they are written */

struct zip_stream {
	struct zip *zip;
	struct zip_member *member;
	z_stream z;
	uint64_t size, packed;
	uint8_t block[BLOCK_BYTES];
};

struct record {
	uint8_t bytes[64];
	size_t used;
};

static void put(struct record *record, uint32_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		record->bytes[record->used++] = (uint8_t)(value >> 8 * i);
}

static void send(struct zip *zip, const void *data, size_t size)
{
	fwrite(data, 1, size, zip->out);
	zip->written += size;
}

/* What both headers of a member say. */
static void put_member(struct record *record, const struct zip_member *m, bool known)
{
	put(record, VERSION_DEFLATE, 2);
	put(record, FLAG_SIZES_LAST, 2);
	put(record, METHOD_DEFLATE, 2);
	put(record, 0, 2);
	put(record, DATE_1980, 2);
	put(record, known ? m->crc : 0, 4);
	put(record, known ? m->packed : 0, 4);
	put(record, known ? m->size : 0, 4);
	put(record, (uint32_t)strlen(m->name), 2);
	put(record, 0, 2);
}

/* Deflates what is waiting; with Z_FINISH to its end. */
static bool pump(struct zip_stream *s, int flush)
{
	int code = Z_OK;
	do {
		s->z.next_out = s->block;
		s->z.avail_out = BLOCK_BYTES;
		code = deflate(&s->z, flush);
		size_t some = BLOCK_BYTES - s->z.avail_out;
		send(s->zip, s->block, some);
		s->packed += some;
	} while (code == Z_OK && (s->z.avail_out == 0 || flush == Z_FINISH));
	return !ferror(s->zip->out);
}

/* Writes all, or fails: the C library takes less for an error. */
static ssize_t zip_write(void *cookie, const char *data, size_t size)
{
	struct zip_stream *s = cookie;
	for (size_t at = 0; at < size;) {
		size_t some = size - at < BLOCK_BYTES ? size - at : BLOCK_BYTES;
		s->z.next_in = (Bytef *)(uintptr_t)(data + at);
		s->z.avail_in = (uInt)some;
		s->member->crc =
		    (uint32_t)crc32(s->member->crc, (const Bytef *)data + at, (uInt)some);
		s->size += some;
		at += some;
		if (!pump(s, Z_NO_FLUSH))
			return 0;
	}
	return (ssize_t)size;
}

static int zip_close(void *cookie)
{
	struct zip_stream *s = cookie;
	struct record record = {.used = 0};
	s->z.avail_in = 0;
	bool ok = pump(s, Z_FINISH);
	deflateEnd(&s->z);
	s->member->packed = (uint32_t)s->packed;
	s->member->size = (uint32_t)s->size;
	s->zip->too_large |= s->packed > UINT32_MAX || s->size > UINT32_MAX;
	put(&record, 0x08074b50, 4);
	put(&record, s->member->crc, 4);
	put(&record, s->member->packed, 4);
	put(&record, s->member->size, 4);
	send(s->zip, record.bytes, record.used);
	free(s);
	return ok ? 0 : -1;
}

FILE *zip_member(struct zip *zip, const char *name)
{
	static const cookie_io_functions_t functions = {.write = zip_write, .close = zip_close};
	struct zip_stream *s = zip->count < ZIP_MEMBERS_MAX ? calloc(1, sizeof(*s)) : NULL;
	struct record record = {.used = 0};
	if (!s)
		return NULL;
	s->zip = zip;
	s->member = &zip->members[zip->count];
	*s->member = (struct zip_member){.name = name, .offset = (uint32_t)zip->written};
	if (deflateInit2(&s->z, Z_BEST_SPEED, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(s);
		return NULL;
	}
	FILE *file = fopencookie(s, "w", functions);
	if (!file) {
		deflateEnd(&s->z);
		free(s);
		return NULL;
	}
	zip->count++;
	zip->too_large |= zip->written > UINT32_MAX;
	put(&record, 0x04034b50, 4);
	put_member(&record, s->member, false);
	send(zip, record.bytes, record.used);
	send(zip, name, strlen(name));
	return file;
}

void zip_end(struct zip *zip)
{
	uint64_t first = zip->written;
	for (uint32_t i = 0; i < zip->count; i++) {
		struct record record = {.used = 0};
		const struct zip_member *m = &zip->members[i];
		put(&record, 0x02014b50, 4);
		put(&record, VERSION_DEFLATE, 2);
		put_member(&record, m, true);
		put(&record, 0, 2); /* comment */
		put(&record, 0, 2); /* disk */
		put(&record, 0, 2);
		put(&record, 0, 4);
		put(&record, m->offset, 4);
		send(zip, record.bytes, record.used);
		send(zip, m->name, strlen(m->name));
	}
	struct record end = {.used = 0};
	put(&end, 0x06054b50, 4);
	put(&end, 0, 4);
	put(&end, zip->count, 2);
	put(&end, zip->count, 2);
	put(&end, (uint32_t)(zip->written - first), 4);
	put(&end, (uint32_t)first, 4);
	put(&end, 0, 2);
	zip->too_large |= zip->written > UINT32_MAX;
	send(zip, end.bytes, end.used);
}
