/* Little-endian bytes: a buffer that grows and a cursor that cannot run over its end. */
#include "capture/format/bytes.h"
#include "base/utf8.h"

uint8_t *bytes_add(struct bytes *bytes, size_t size)
{
	if (bytes->failed || size > SIZE_MAX - bytes->size ||
	    !mem_grow(&bytes->data, &bytes->cap, bytes->size + size, 1)) {
		bytes->failed = true;
		return NULL;
	}
	bytes->size += size;
	return bytes->data + bytes->size - size;
}

void bytes_u8(struct bytes *bytes, uint8_t value)
{
	uint8_t *out = bytes_add(bytes, 1);
	if (out)
		*out = value;
}

void bytes_u16(struct bytes *bytes, uint16_t value)
{
	uint8_t *out = bytes_add(bytes, 2);
	if (out)
		little_put_u16(out, value);
}

void bytes_u32(struct bytes *bytes, uint32_t value)
{
	uint8_t *out = bytes_add(bytes, 4);
	if (out)
		little_put_u32(out, value);
}

void bytes_u64(struct bytes *bytes, uint64_t value)
{
	uint8_t *out = bytes_add(bytes, 8);
	if (out)
		little_put_u64(out, value);
}

void bytes_f64(struct bytes *bytes, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	bytes_u64(bytes, bits);
}

/* Programs name their debug groups as they like: what is not text becomes '?'. */
static void clean(char *text, size_t size)
{
	for (size_t at = 0, bad; at < size && !utf8_is_text(text + at, size - at, &bad);) {
		text[at + bad] = '?';
		at += bad + 1;
	}
}

static void one_line(char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < ' ')
			text[i] = '?';
}

/* The first byte that is no part of a character, or `size`. */
static size_t broken_at(const char *text, size_t size)
{
	size_t at = 0, length = 1;
	while (at < size && length) {
		length = utf8_length_within(text + at, size - at);
		at += length;
	}
	return at < size ? at : size;
}

/* Bytes that are no text. What is left may be anything that can be written: views escape it. */
static void mend(char *text, size_t size)
{
	for (size_t at = 0; (at += broken_at(text + at, size - at)) < size; at++)
		text[at] = '?';
}

static char *put_string(struct bytes *bytes, const char *text, size_t *out_size)
{
	size_t size = text ? strlen(text) : 0;
	if (size > UINT16_MAX) {
		size = UINT16_MAX;
		while (size && !utf8_begins(text[size])) /* not within a character */
			size--;
	}
	bytes_u16(bytes, (uint16_t)size);
	char *out = (char *)bytes_add(bytes, size);
	*out_size = out ? size : 0;
	if (*out_size)
		memcpy(out, text, size);
	return out;
}

void bytes_string(struct bytes *bytes, const char *text)
{
	size_t size;
	char *out = put_string(bytes, text, &size);
	if (!size)
		return;
	clean(out, size);
	one_line(out, size);
}

void bytes_label(struct bytes *bytes, const char *text)
{
	size_t size;
	char *out = put_string(bytes, text, &size);
	if (size)
		mend(out, size);
}

bool bytes_is_label(const char *text)
{
	size_t size = strlen(text);
	return size <= UINT16_MAX && broken_at(text, size) == size;
}

const uint8_t *cursor_take(struct cursor *cursor, size_t size)
{
	if (cursor->failed || size > cursor_left(cursor)) {
		cursor->failed = true;
		return NULL;
	}
	const uint8_t *at = cursor->at;
	cursor->at += size;
	return at;
}

uint8_t cursor_u8(struct cursor *cursor)
{
	const uint8_t *at = cursor_take(cursor, 1);
	return at ? *at : 0;
}

uint16_t cursor_u16(struct cursor *cursor)
{
	const uint8_t *at = cursor_take(cursor, 2);
	return at ? little_u16(at) : 0;
}

uint32_t cursor_u32(struct cursor *cursor)
{
	const uint8_t *at = cursor_take(cursor, 4);
	return at ? little_u32(at) : 0;
}

uint64_t cursor_u64(struct cursor *cursor)
{
	const uint8_t *at = cursor_take(cursor, 8);
	return at ? little_u64(at) : 0;
}

double cursor_f64(struct cursor *cursor)
{
	uint64_t bits = cursor_u64(cursor);
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

const char *cursor_label(struct cursor *cursor, struct arena *arena)
{
	size_t size = cursor_u16(cursor);
	const char *at = (const char *)cursor_take(cursor, size);
	if (!at || !size)
		return "";
	char *copy = arena_strndup(arena, at, size);
	if (!copy || broken_at(copy, size) != size) {
		cursor->failed = true;
		cursor->no_memory |= !copy;
		return "";
	}
	return copy;
}

const char *cursor_string(struct cursor *cursor, struct arena *arena)
{
	size_t size = cursor_u16(cursor);
	const char *at = (const char *)cursor_take(cursor, size);
	if (!at || !size)
		return "";
	char *copy = arena_strndup(arena, at, size);
	if (!copy || !utf8_is_text(at, size, NULL)) {
		cursor->failed = true;
		cursor->no_memory |= !copy;
		return "";
	}
	one_line(copy, size);
	return copy;
}
