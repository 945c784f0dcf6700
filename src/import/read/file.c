/* Bytes of a file: read, unpacked (gz, zst), and made UTF-8. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/utf8.h"
#include "import/formats.h"

static enum sx_status too_large(const char *path, struct sx_error *err)
{
	error_set(err, SX_ERR_LIMIT, "%s is larger than 4 GiB", path);
	error_because(err, "the whole file is held in memory, unpacked");
	error_try(err, "a part of it");
	return SX_ERR_LIMIT;
}

/* Up to `limit` bytes; more of them are an error unless only the beginning is wanted. */
enum sx_status import_load(const char *path, size_t limit, char **data, size_t *size,
			   struct sx_error *err)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	char *buf = NULL;
	size_t used = 0, cap = 0;
	ssize_t n = 1;
	if (fd < 0)
		return error_input(err, errno, "cannot read", path);
	while (n > 0 && used < limit) {
		if (!mem_grow(&buf, &cap, used + 65536 + 1, 1)) {
			errno = ENOMEM;
			n = -1;
			break;
		}
		size_t room = cap - used - 1;
		n = read(fd, buf + used, room < limit - used ? room : limit - used);
		if (n < 0 && errno == EINTR) {
			n = 1;
			continue;
		}
		used += n > 0 ? (size_t)n : 0;
	}
	int saved = errno;
	if (fd != STDIN_FILENO)
		close(fd);
	if (n < 0 || (n > 0 && limit == IMPORT_BYTES_MAX)) {
		free(buf);
		return n < 0 ? error_input(err, saved, "cannot read", path) : too_large(path, err);
	}
	buf[used] = '\0';
	*data = buf;
	*size = used;
	return SX_OK;
}

struct unpacked {
	char *data;
	size_t size, cap;
	bool cut; /* the packed stream breaks off */
};

static bool gunzip(const char *data, size_t size, size_t limit, struct unpacked *out)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)data};
	int code = Z_OK;
	size_t left = size;
	if (inflateInit2(&z, 15 + 32) != Z_OK)
		return false;
	while (code == Z_OK && out->size < limit) {
		if (!mem_grow(&out->data, &out->cap, out->size + 65536 + 1, 1)) {
			inflateEnd(&z);
			return false;
		}
		uInt in = left > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)left;
		size_t room = out->cap - out->size - 1;
		uInt space = room > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)room;
		z.avail_in = in;
		z.next_out = (Bytef *)out->data + out->size;
		z.avail_out = space;
		code = inflate(&z, Z_NO_FLUSH);
		left -= in - z.avail_in;
		out->size += space - z.avail_out;
		/* Files that were appended to have several members. */
		if (code == Z_STREAM_END && left)
			code = inflateReset(&z);
		if (code == Z_OK && !left && z.avail_out)
			break;
	}
	out->cut = code != Z_STREAM_END;
	inflateEnd(&z);
	return true;
}

static bool unzstd(const char *data, size_t size, size_t limit, struct unpacked *out)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = {data, size, 0};
	size_t code = 1;
	while (z && out->size < limit && (in.pos < in.size || code)) {
		if (!mem_grow(&out->data, &out->cap, out->size + 65536 + 1, 1)) {
			ZSTD_freeDStream(z);
			return false;
		}
		ZSTD_outBuffer chunk = {out->data + out->size, out->cap - out->size - 1, 0};
		size_t before = in.pos;
		code = ZSTD_decompressStream(z, &chunk, &in);
		out->size += chunk.pos;
		if (ZSTD_isError(code) || (!chunk.pos && in.pos == before))
			break;
	}
	out->cut = code != 0;
	ZSTD_freeDStream(z);
	return z != NULL;
}

#define UNPACKED_FREELY ((size_t)256 << 20)
#define UNPACKED_TIMES	100u

/* What a packed file may become: small files that unpack to gigabytes are no measurements. */
static size_t unpacked_max(size_t packed)
{
	size_t most =
	    packed < IMPORT_BYTES_MAX / UNPACKED_TIMES ? packed * UNPACKED_TIMES : IMPORT_BYTES_MAX;
	return most > UNPACKED_FREELY ? most : UNPACKED_FREELY;
}

static enum sx_status too_much(const char *path, size_t most, struct sx_error *err)
{
	error_set(err, SX_ERR_LIMIT, "%s unpacks to more than %zu MiB", path, most >> 20);
	error_because(err, "that is over %u times its size", UNPACKED_TIMES);
	error_try(err, "unpack it first, if that is what it should hold");
	return SX_ERR_LIMIT;
}

enum sx_status import_unpack(const char *path, size_t limit, char **data, size_t *size,
			     struct sx_error *err)
{
	static const char gz[] = "\x1f\x8b", zst[] = "\x28\xb5\x2f\xfd";
	struct unpacked out = {0};
	bool is_gz = *size > 2 && memcmp(*data, gz, 2) == 0;
	bool is_zst = *size > 4 && memcmp(*data, zst, 4) == 0;
	if (!is_gz && !is_zst)
		return SX_OK;
	bool whole = limit == IMPORT_BYTES_MAX;
	if (whole)
		limit = unpacked_max(*size);
	bool ok = is_gz ? gunzip(*data, *size, limit, &out) : unzstd(*data, *size, limit, &out);
	if (!ok || !out.data) {
		free(out.data);
		return error_nomem(err, "unpacking");
	}
	if (whole && (out.cut || out.size >= limit)) {
		enum sx_status status = SX_ERR_BAD_INPUT;
		if (out.size >= limit) {
			status = limit < IMPORT_BYTES_MAX ? too_much(path, limit, err)
							  : too_large(path, err);
		} else {
			error_set(err, status, "%s cannot be unpacked", path);
			error_because(err, "its %s stream is damaged or breaks off",
				      is_gz ? "gzip" : "zstd");
			error_try(err, "%s -t %s", is_gz ? "gzip" : "zstd",
				  error_word((char[ERROR_WORD_MAX]){0}, path));
		}
		free(out.data);
		return status;
	}
	free(*data);
	*data = out.data;
	*size = out.size;
	(*data)[*size] = '\0';
	return SX_OK;
}

static uint32_t unit_at(const uint8_t *p, bool big)
{
	return big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

/* Letters beyond ASCII, none of which is UTF-8; one may break off at the end. */
static bool is_latin(const char *text, size_t size)
{
	bool any = false;
	for (size_t i = 0; i < size; i++) {
		if ((unsigned char)text[i] < 0x80)
			continue;
		if (utf8_length_within(text + i, size - i))
			return false;
		any |= size - i > 3;
	}
	return any;
}

enum import_coding import_coding(const char *text, size_t size)
{
	size_t zeros[2] = {0}, looked = size < 64 ? size / 2 * 2 : 64;
	if (size >= 2 && memcmp(text, "\xff\xfe", 2) == 0)
		return IMPORT_UTF16_LE;
	if (size >= 2 && memcmp(text, "\xfe\xff", 2) == 0)
		return IMPORT_UTF16_BE;
	for (size_t i = 0; i < looked; i++)
		zeros[i & 1] += !text[i];
	/* Without a mark: of the letters of a header nearly all are ASCII. */
	if (looked >= 4 && !zeros[0] && zeros[1] >= looked / 2 * 3 / 4)
		return IMPORT_UTF16_LE;
	if (looked >= 4 && !zeros[1] && zeros[0] >= looked / 2 * 3 / 4)
		return IMPORT_UTF16_BE;
	return is_latin(text, size) ? IMPORT_LATIN : IMPORT_UTF8;
}

/* A half of a pair becomes the replacement character. */
static enum sx_status from_utf16(char **data, size_t *size, bool big, struct sx_error *err)
{
	const uint8_t *p = (const uint8_t *)*data;
	size_t used = 0, bom = unit_at(p, big) == 0xfeff ? 2 : 0;
	char *out = malloc(*size / 2 * 3 + 1);
	if (!out)
		return error_nomem(err, "reading UTF-16");
	for (size_t i = bom; i + 1 < *size; i += 2) {
		uint32_t code = unit_at(p + i, big);
		uint32_t next = i + 3 < *size ? unit_at(p + i + 2, big) : 0;
		if (code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
			code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
			i += 2;
		} else if (code >= 0xd800 && code < 0xe000) {
			code = 0xfffd;
		}
		used += utf8_put(out + used, code);
	}
	out[used] = '\0';
	free(*data);
	*data = out;
	*size = used;
	return SX_OK;
}

/* Windows-1252: of Latin-1 what stands in place of further control characters. */
static uint32_t latin_code(unsigned char byte)
{
	static const uint16_t above[32] = {
	    0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
	    0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
	    0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
	return byte >= 0x80 && byte < 0xa0 ? above[byte - 0x80] : byte;
}

static enum sx_status from_latin(char **data, size_t *size, struct sx_error *err)
{
	size_t used = 0;
	char *out = malloc(*size * 3 + 1);
	if (!out)
		return error_nomem(err, "reading Latin-1");
	for (size_t i = 0; i < *size; i++)
		used += utf8_put(out + used, latin_code((unsigned char)(*data)[i]));
	out[used] = '\0';
	free(*data);
	*data = out;
	*size = used;
	return SX_OK;
}

/* Where lines end in CR alone, as once on a Mac, they end in LF from here on. */
static void end_lines(char *text, size_t size)
{
	size_t head = size < IMPORT_HEAD_BYTES ? size : IMPORT_HEAD_BYTES;
	if (memchr(text, '\n', head) || !memchr(text, '\r', head))
		return;
	for (char *p = text; (p = memchr(p, '\r', (size_t)(text + size - p)));)
		*p = '\n';
}

enum sx_status import_decode(char **data, size_t *size, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	enum import_coding coding = import_coding(*data, *size);
	if (coding == IMPORT_LATIN)
		status = from_latin(data, size, err);
	else if (coding != IMPORT_UTF8)
		status = from_utf16(data, size, coding == IMPORT_UTF16_BE, err);
	if (!status && *size >= 3 && memcmp(*data, "\xef\xbb\xbf", 3) == 0) {
		*size -= 3;
		memmove(*data, *data + 3, *size + 1);
	}
	if (!status)
		end_lines(*data, *size);
	return status;
}

enum sx_status import_unpacked(const char *path, size_t limit, char **data, size_t *size,
			       struct sx_error *err)
{
	*data = NULL;
	limit = limit < IMPORT_BYTES_MAX ? limit : IMPORT_BYTES_MAX;
	enum sx_status status = import_load(path, limit, data, size, err);
	if (!status)
		status = import_unpack(path, limit, data, size, err);
	if (status) {
		free(*data);
		*data = NULL;
	}
	return status;
}

enum sx_status import_plain_text(const char *path, char **data, size_t *size, struct sx_error *err)
{
	enum sx_status status = import_unpacked(path, IMPORT_ALL, data, size, err);
	if (!status)
		status = import_decode(data, size, err);
	if (status) {
		free(*data);
		*data = NULL;
	}
	return status;
}
