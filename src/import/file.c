/* Bytes of a file: read, unpacked (gz, zst), and made UTF-8. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/utf8.h"
#include "import/internal.h"

#define AT_ONCE ((size_t)1 << 20)

static enum sx_status too_large(const char *path, struct sx_error *err)
{
	error_set(err, SX_ERR_LIMIT, "%s is larger than 4 GiB", path);
	error_because(err, "that is the most that is read of a file, unpacked");
	error_try(err, "a part of it");
	return SX_ERR_LIMIT;
}

/* What is read or made between two looks at how much of it is in memory. */
static size_t at_once(size_t size)
{
	return size < AT_ONCE ? size : AT_ONCE;
}

void import_append(struct import_made *made, const char *text, size_t size)
{
	made->failed |=
	    !backing_grow(made->backing, &made->text, &made->cap, made->size + size + 1, 1);
	if (made->failed)
		return;
	for (size_t some; size; text += some, size -= some) { /* much stays as it is */
		some = at_once(size);
		memcpy(made->text + made->size, text, some);
		made->size += some;
		backing_pass(made->backing, 2 * some);
	}
}

void import_bytes_free(struct import_bytes *bytes)
{
	backing_free(bytes->backing, bytes->data);
	bytes->data = NULL;
	bytes->size = 0;
}

/* Up to `limit` bytes; more of them are an error unless only the beginning is wanted. */
enum sx_status import_load(const char *path, size_t limit, struct import_bytes *out,
			   struct sx_error *err)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0, cap = 0;
	ssize_t n = 1;
	out->data = NULL;
	if (fd < 0)
		return error_input(err, errno, "cannot read", path);
	while (n > 0 && used < limit) {
		if (!backing_grow(out->backing, &out->data, &cap, used + 65536 + 1, 1)) {
			errno = ENOMEM;
			n = -1;
			break;
		}
		size_t room = at_once(cap - used - 1);
		n = read(fd, out->data + used, room < limit - used ? room : limit - used);
		if (n < 0 && errno == EINTR) {
			n = 1;
			continue;
		}
		used += n > 0 ? (size_t)n : 0;
		backing_release(out->backing, out->data);
	}
	int saved = errno;
	if (fd != STDIN_FILENO)
		close(fd);
	if (n < 0 || (n > 0 && limit == IMPORT_BYTES_MAX)) {
		import_bytes_free(out);
		return n < 0 ? error_input(err, saved, "cannot read", path) : too_large(path, err);
	}
	out->data[used] = '\0';
	out->size = used;
	return SX_OK;
}

struct unpacked {
	struct import_bytes bytes;
	size_t cap;
	bool cut; /* the packed stream breaks off */
};

static bool unpacked_grow(struct unpacked *out)
{
	struct import_bytes *to = &out->bytes;
	return backing_grow(to->backing, &to->data, &out->cap, to->size + 65536 + 1, 1);
}

static bool gunzip(const char *data, size_t size, size_t limit, struct unpacked *out)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)data};
	int code = Z_OK;
	size_t left = size;
	if (inflateInit2(&z, 15 + 32) != Z_OK)
		return false;
	struct import_bytes *to = &out->bytes;
	while (code == Z_OK && to->size < limit) {
		if (!unpacked_grow(out)) {
			inflateEnd(&z);
			return false;
		}
		uInt in = left > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)left;
		uInt space = (uInt)at_once(out->cap - to->size - 1);
		z.avail_in = in;
		z.next_out = (Bytef *)to->data + to->size;
		z.avail_out = space;
		code = inflate(&z, Z_NO_FLUSH);
		left -= in - z.avail_in;
		to->size += space - z.avail_out;
		backing_pass(to->backing, in - z.avail_in + space - z.avail_out);
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

bool import_inflate(const char *data, size_t size, size_t limit, struct import_bytes *out,
		    bool *cut)
{
	struct unpacked to = {.bytes = *out};
	bool ok = gunzip(data, size, limit, &to);
	*out = to.bytes;
	*cut = to.cut;
	return ok;
}

static bool unzstd(const char *data, size_t size, size_t limit, struct unpacked *out)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = {data, size, 0};
	size_t code = 1;
	struct import_bytes *to = &out->bytes;
	while (z && to->size < limit && (in.pos < in.size || code)) {
		if (!unpacked_grow(out)) {
			ZSTD_freeDStream(z);
			return false;
		}
		ZSTD_outBuffer chunk = {to->data + to->size, at_once(out->cap - to->size - 1), 0};
		size_t before = in.pos;
		code = ZSTD_decompressStream(z, &chunk, &in);
		to->size += chunk.pos;
		backing_pass(to->backing, in.pos - before + chunk.pos);
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

/* Why what was unpacked cannot be read. */
static enum sx_status unpacked_refuse(const char *path, const struct unpacked *out, size_t limit,
				      bool gz, struct sx_error *err)
{
	if (out->bytes.size >= limit)
		return limit < IMPORT_BYTES_MAX ? too_much(path, limit, err) : too_large(path, err);
	error_set(err, SX_ERR_BAD_INPUT, "%s cannot be unpacked", path);
	error_because(err, "its %s stream is damaged or breaks off", gz ? "gzip" : "zstd");
	error_try(err, "%s -t %s", gz ? "gzip" : "zstd",
		  error_word((char[ERROR_WORD_MAX]){0}, path));
	return SX_ERR_BAD_INPUT;
}

enum sx_status import_unpack(const char *path, size_t limit, struct import_bytes *bytes,
			     struct sx_error *err)
{
	static const char gz[] = "\x1f\x8b", zst[] = "\x28\xb5\x2f\xfd";
	struct unpacked out = {.bytes = {.backing = bytes->backing}};
	bool is_gz = bytes->size > 2 && memcmp(bytes->data, gz, 2) == 0;
	bool is_zst = bytes->size > 4 && memcmp(bytes->data, zst, 4) == 0;
	if (!is_gz && !is_zst)
		return SX_OK;
	bool whole = limit == IMPORT_BYTES_MAX;
	if (whole)
		limit = unpacked_max(bytes->size);
	bool ok = is_gz ? gunzip(bytes->data, bytes->size, limit, &out)
			: unzstd(bytes->data, bytes->size, limit, &out);
	enum sx_status status = SX_OK;
	if (!ok || !out.bytes.data)
		status = error_nomem(err, "unpacking");
	else if (whole && (out.cut || out.bytes.size >= limit))
		status = unpacked_refuse(path, &out, limit, is_gz, err);
	import_bytes_free(status ? &out.bytes : bytes);
	if (status)
		return status;
	*bytes = out.bytes;
	bytes->data[bytes->size] = '\0';
	return SX_OK;
}

static uint32_t unit_at(const uint8_t *p, bool big)
{
	return big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

/* How many bytes of ASCII the text begins with, of the next ones. */
static size_t ascii_ahead(const char *text, size_t size)
{
	uint64_t eight;
	size_t i = 0, most = at_once(size);
	for (; i + sizeof(eight) <= most; i += sizeof(eight)) {
		memcpy(&eight, text + i, sizeof(eight));
		if (eight & UINT64_C(0x8080808080808080))
			break;
	}
	while (i < most && (unsigned char)text[i] < 0x80)
		i++;
	return i;
}

/* Letters beyond ASCII, none of which is UTF-8; one may break off at the end. */
static bool is_latin(const struct import_bytes *bytes)
{
	bool any = false;
	for (size_t i = 0; i < bytes->size;) {
		const char *text = bytes->data + i;
		size_t left = bytes->size - i, plain = ascii_ahead(text, left);
		backing_pass(bytes->backing, plain);
		i += plain;
		if (plain == at_once(left))
			continue;
		if (utf8_length_within(text + plain, left - plain))
			return false;
		any |= left - plain > 3;
		i++;
	}
	return any;
}

static enum import_coding coding_of(const struct import_bytes *bytes)
{
	const char *text = bytes->data;
	size_t size = bytes->size;
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
	return is_latin(bytes) ? IMPORT_LATIN : IMPORT_UTF8;
}

enum import_coding import_coding(const char *text, size_t size)
{
	/* Only looked at: a text without a backing file is not written to. */
	return coding_of(&(struct import_bytes){.data = (char *)(uintptr_t)text, .size = size});
}

/* The text as it is decoded: room for `most` bytes of it. */
static bool decoded_begin(const struct import_bytes *from, size_t most, struct import_bytes *to)
{
	size_t cap = 0;
	*to = (struct import_bytes){.backing = from->backing};
	return backing_grow(to->backing, &to->data, &cap, most + 1, 1);
}

/* It takes the place of what it was made of. */
static enum sx_status decoded_end(struct import_bytes *bytes, struct import_bytes *made)
{
	made->data[made->size] = '\0';
	import_bytes_free(bytes);
	*bytes = *made;
	return SX_OK;
}

/* A half of a pair becomes the replacement character. */
static enum sx_status from_utf16(struct import_bytes *bytes, bool big, struct sx_error *err)
{
	const uint8_t *p = (const uint8_t *)bytes->data;
	size_t size = bytes->size, bom = unit_at(p, big) == 0xfeff ? 2 : 0;
	struct import_bytes out;
	if (!decoded_begin(bytes, size / 2 * 3, &out))
		return error_nomem(err, "reading UTF-16");
	for (size_t i = bom; i + 1 < size; i += 2) {
		uint32_t code = unit_at(p + i, big);
		uint32_t next = i + 3 < size ? unit_at(p + i + 2, big) : 0;
		if (code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
			code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
			i += 2;
		} else if (code >= 0xd800 && code < 0xe000) {
			code = 0xfffd;
		}
		out.size += utf8_put(out.data + out.size, code);
		backing_pass(out.backing, 4);
	}
	return decoded_end(bytes, &out);
}

/* Windows-1252: Latin-1 with letters in place of its second block of control characters. */
static uint32_t latin_code(unsigned char byte)
{
	static const uint16_t above[32] = {
	    0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
	    0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
	    0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
	return byte >= 0x80 && byte < 0xa0 ? above[byte - 0x80] : byte;
}

static enum sx_status from_latin(struct import_bytes *bytes, struct sx_error *err)
{
	struct import_bytes out;
	if (!decoded_begin(bytes, bytes->size * 3, &out))
		return error_nomem(err, "reading Latin-1");
	for (size_t i = 0; i < bytes->size; i++) {
		out.size +=
		    utf8_put(out.data + out.size, latin_code((unsigned char)bytes->data[i]));
		backing_pass(out.backing, 2);
	}
	return decoded_end(bytes, &out);
}

/* Where lines end in CR alone, as once on a Mac, they end in LF from here on. */
static void end_lines(const struct import_bytes *bytes)
{
	char *text = bytes->data, *end = text + bytes->size;
	size_t head = bytes->size < IMPORT_HEAD_BYTES ? bytes->size : IMPORT_HEAD_BYTES;
	if (memchr(text, '\n', head) || !memchr(text, '\r', head))
		return;
	for (char *p = text, *next; (next = memchr(p, '\r', (size_t)(end - p))); p = next) {
		*next = '\n';
		backing_pass(bytes->backing, (size_t)(next - p));
	}
}

/* Takes bytes away from the beginning. */
static void bytes_skip(struct import_bytes *bytes, size_t skipped)
{
	size_t all = bytes->size - skipped + 1; /* with the NUL behind */
	for (size_t i = 0; i < all; i += AT_ONCE) {
		size_t some = at_once(all - i);
		memmove(bytes->data + i, bytes->data + i + skipped, some);
		backing_pass(bytes->backing, some);
	}
	bytes->size -= skipped;
}

enum sx_status import_decode(struct import_bytes *bytes, enum import_coding *was,
			     struct sx_error *err)
{
	enum sx_status status = SX_OK;
	*was = coding_of(bytes);
	if (*was == IMPORT_LATIN)
		status = from_latin(bytes, err);
	else if (*was != IMPORT_UTF8)
		status = from_utf16(bytes, *was == IMPORT_UTF16_BE, err);
	if (!status && bytes->size >= 3 && memcmp(bytes->data, "\xef\xbb\xbf", 3) == 0)
		bytes_skip(bytes, 3);
	if (!status)
		end_lines(bytes);
	return status;
}

enum sx_status import_unpacked(const char *path, size_t limit, char **data, size_t *size,
			       struct sx_error *err)
{
	struct import_bytes bytes = {0};
	limit = limit < IMPORT_BYTES_MAX ? limit : IMPORT_BYTES_MAX;
	enum sx_status status = import_load(path, limit, &bytes, err);
	if (!status)
		status = import_unpack(path, limit, &bytes, err);
	if (status)
		import_bytes_free(&bytes);
	*data = bytes.data;
	*size = bytes.size;
	return status;
}

enum sx_status import_plain_text(const char *path, char **data, size_t *size, struct sx_error *err)
{
	enum import_coding was;
	struct import_bytes bytes = {0};
	enum sx_status status = import_unpacked(path, IMPORT_ALL, &bytes.data, &bytes.size, err);
	if (!status)
		status = import_decode(&bytes, &was, err);
	if (status)
		import_bytes_free(&bytes);
	*data = bytes.data;
	*size = bytes.size;
	return status;
}
