/* The numbers of docs/capture-format.md. */
#ifndef CAPTURE_FORMAT_FORMAT_H
#define CAPTURE_FORMAT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define CAPTURE_MAJOR 1
#define CAPTURE_MINOR 1

#define CAPTURE_HEADER_SIZE   16
#define CAPTURE_FRAME_SIZE    32
#define CAPTURE_TRAILER_SIZE  24
#define CAPTURE_ROWS_HEAD     40
#define CAPTURE_ENTRY_SIZE    35 /* of the index */
#define CAPTURE_PAYLOAD_MAX   ((size_t)64 << 20)
#define CAPTURE_BODY_MAX      ((size_t)128 << 20)
#define CAPTURE_ROWS_MAX      ((size_t)1 << 20)
#define CAPTURE_VALUES_MAX    ((size_t)1 << 22)
#define CAPTURE_COLUMNS_MAX   65536u
#define CAPTURE_DEVICES_MAX   65535u
#define CAPTURE_CLOCKS_MAX    16u
#define CAPTURE_NO_DEVICE     0xffffu
#define CAPTURE_STRING_LABELS SX_LABELS_OF_TEXT

enum capture_record {
	CAPTURE_HEAD = 1,
	CAPTURE_DEVICE,
	CAPTURE_ROWS,
	CAPTURE_CLOCK,
	CAPTURE_LOSS,
	CAPTURE_GAP,
	CAPTURE_NOTE,
	CAPTURE_INDEX,
};

/* A record's frame. */
struct frame {
	uint8_t type;
	uint16_t device;
	uint32_t size; /* of the payload */
	uint32_t sequence;
	uint64_t payload_hash;
};

/* What the index says of a record, and what a scan finds. */
struct entry {
	uint64_t offset;
	uint32_t size; /* 0 until the frame was read */
	uint32_t sequence, rows;
	uint16_t device;
	uint8_t type;
	uint64_t begin_ns, end_ns;
};

void frame_put_header(uint8_t out[CAPTURE_HEADER_SIZE]);
enum frame_header { FRAME_HEADER_FINE, FRAME_HEADER_DAMAGED, FRAME_HEADER_OTHER_MAJOR };
enum frame_header frame_get_header(const uint8_t in[CAPTURE_HEADER_SIZE], uint16_t *major,
				   uint16_t *minor);

/* Fills the frame of the payload that follows it in memory. */
void frame_put(uint8_t *out, uint8_t type, uint16_t device, uint32_t sequence, size_t size);
/* 1 when the bytes are a sound frame, else 0. */
int frame_get(const uint8_t in[CAPTURE_FRAME_SIZE], struct frame *out);
/* 1 when the payload is what was written. */
int frame_check(const struct frame *frame, const uint8_t *payload);

void frame_put_trailer(uint8_t out[CAPTURE_TRAILER_SIZE], uint64_t index_offset);
int frame_get_trailer(const uint8_t in[CAPTURE_TRAILER_SIZE], uint64_t *index_offset);

#endif
