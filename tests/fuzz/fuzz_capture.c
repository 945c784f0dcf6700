/*
 * Captures from strangers: opened, read to the end, sought in, and turned into tables. An input
 * that is not a capture becomes the body of one: its bytes as payload of sound frames, so that a
 * fuzzer gets behind the hashes.
 */
#include <sextant/capture.h>
#include <sextant/table.h>

#include <stdlib.h>
#include <string.h>

#include "capture/format/format.h"
#include "capture/reader.h"
#include "fuzz.h"

static void read_record(struct sx_capture_reader *reader, const struct sx_capture_record *record)
{
	const struct sx_capture_device *device = sx_capture_device(reader, record->device);
	struct sx_table *table = NULL;
	if (record->type != SX_CAPTURE_ROWS)
		return;
	if (!device || record->rows.column_count != device->column_count)
		abort();
	/* Two columns may share a name: then there is no table of them. */
	if (sx_table_create(device->columns, device->column_count, device->kind, &table, NULL))
		return;
	if (sx_table_append(table, &record->rows, NULL) == SX_OK &&
	    sx_table_row_count(table) != record->rows.count)
		abort();
	sx_table_destroy(table);
}

static void read_all(const uint8_t *data, size_t size)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	if (capture_open_memory(data, size, "fuzz", &reader, NULL) != SX_OK)
		return;
	for (int pass = 0; pass < 2; pass++) {
		int records = 0;
		while (records++ < 64 && sx_capture_next(reader, &record, NULL) == SX_OK)
			read_record(reader, &record);
		sx_capture_seek(reader, 1000000, NULL);
	}
	sx_capture_info(reader);
	sx_capture_account(reader);
	sx_capture_close(reader);
}

/*
 * Cuts the input into records: a byte of type, a byte of device, two of size, then the payload. A
 * ROWS record gets the hash of the device before it, which no mutation would find.
 */
static size_t frame_up(const uint8_t *in, size_t size, uint8_t *out)
{
	uint64_t hash = 0;
	uint32_t sequence = 0;
	size_t used = CAPTURE_HEADER_SIZE;
	frame_put_header(out);
	while (size >= 4 && sequence < 64) {
		uint8_t type = in[0] % 10, device = in[1] % 3;
		size_t part = (size_t)(in[2] | in[3] << 8);
		struct frame frame;
		in += 4;
		size -= 4;
		part = part < size ? part : size;
		uint8_t *to = out + used;
		memcpy(to + CAPTURE_FRAME_SIZE, in, part);
		if (type == CAPTURE_ROWS && part >= CAPTURE_ROWS_HEAD)
			memcpy(to + CAPTURE_FRAME_SIZE + 24, &hash, sizeof(hash));
		frame_put(to, type, device, sequence++, part);
		if (type == CAPTURE_DEVICE && frame_get(to, &frame))
			hash = frame.payload_hash;
		used += CAPTURE_FRAME_SIZE + part;
		in += part;
		size -= part;
	}
	return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_all(data, size);
	if (size > (1 << 20))
		return 0;
	/* Each record of at least four bytes grows by a frame; at most 64 are made. */
	uint8_t *framed = malloc(CAPTURE_HEADER_SIZE + size + 64 * CAPTURE_FRAME_SIZE);
	if (!framed)
		return 0;
	read_all(framed, frame_up(data, size, framed));
	free(framed);
	return 0;
}
