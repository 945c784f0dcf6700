/*
 * Writes a capture with uncompressed rows and without an index, so that a fuzzer's changes are
 * changes of the rows. Usage: seed-capture IN OUT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "capture/format/bytes.h"
#include "capture/format/format.h"

#define MOST ((size_t)16 << 20)

/* The payload of a ROWS record with its body as it is. */
static size_t store(const uint8_t *in, size_t size, uint8_t *out)
{
	memcpy(out, in, CAPTURE_ROWS_HEAD);
	if (in[36] == 0) {
		memcpy(out + CAPTURE_ROWS_HEAD, in + CAPTURE_ROWS_HEAD, size - CAPTURE_ROWS_HEAD);
		return size;
	}
	out[36] = 0;
	size_t body = ZSTD_decompress(out + CAPTURE_ROWS_HEAD, MOST / 2, in + CAPTURE_ROWS_HEAD,
				      size - CAPTURE_ROWS_HEAD);
	if (ZSTD_isError(body))
		abort();
	return CAPTURE_ROWS_HEAD + body;
}

int main(int argc, char **argv)
{
	FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL, *out = in ? fopen(argv[2], "wb") : NULL;
	uint8_t *data = malloc(MOST), *record = malloc(MOST);
	struct frame frame;
	uint32_t sequence = 0;
	if (!out || !data || !record)
		return 1;
	size_t size = fread(data, 1, MOST, in), at = CAPTURE_HEADER_SIZE;
	fwrite(data, 1, CAPTURE_HEADER_SIZE, out);
	while (at + CAPTURE_FRAME_SIZE <= size && frame_get(data + at, &frame)) {
		const uint8_t *payload = data + at + CAPTURE_FRAME_SIZE;
		uint8_t *to = record + CAPTURE_FRAME_SIZE;
		size_t part = frame.size;
		at += CAPTURE_FRAME_SIZE + part;
		if (frame.type == CAPTURE_INDEX)
			break;
		if (frame.type == CAPTURE_ROWS)
			part = store(payload, part, to);
		else
			memcpy(to, payload, part);
		frame_put(record, frame.type, frame.device, sequence++, part);
		fwrite(record, 1, CAPTURE_FRAME_SIZE + part, out);
	}
	free(record);
	free(data);
	fclose(in);
	return fclose(out) != 0;
}
