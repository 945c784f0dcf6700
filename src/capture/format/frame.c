/* Frames, the file's header and its trailer: what makes records findable and damage visible. */
#include "capture/format/format.h"
#include "capture/format/bytes.h"

#include <xxhash.h>

static const uint8_t file_magic[8] = {0x89, 'S', 'X', 'C', 'A', 'P', '\r', '\n'};
static const uint8_t frame_magic[4] = {'S', 'X', 'R', '\n'};
static const uint8_t trailer_magic[8] = {'S', 'X', 'C', 'E', 'N', 'D', '\r', '\n'};

void frame_put_header(uint8_t out[CAPTURE_HEADER_SIZE])
{
	memcpy(out, file_magic, 8);
	little_put_u16(out + 8, CAPTURE_MAJOR);
	little_put_u16(out + 10, CAPTURE_MINOR);
	little_put_u32(out + 12, (uint32_t)XXH64(out, 12, 0));
}

enum frame_header frame_get_header(const uint8_t in[CAPTURE_HEADER_SIZE], uint16_t *major,
				   uint16_t *minor)
{
	*major = little_u16(in + 8);
	*minor = little_u16(in + 10);
	if (memcmp(in, file_magic, 8) != 0 || little_u32(in + 12) != (uint32_t)XXH64(in, 12, 0))
		return FRAME_HEADER_DAMAGED;
	return *major == CAPTURE_MAJOR ? FRAME_HEADER_FINE : FRAME_HEADER_OTHER_MAJOR;
}

void frame_put(uint8_t *out, uint8_t type, uint16_t device, uint32_t sequence, size_t size)
{
	memcpy(out, frame_magic, 4);
	out[4] = type;
	out[5] = 0;
	little_put_u16(out + 6, device);
	little_put_u32(out + 8, (uint32_t)size);
	little_put_u32(out + 12, sequence);
	little_put_u64(out + 16, XXH64(out, 16, 0));
	little_put_u64(out + 24, XXH64(out + CAPTURE_FRAME_SIZE, size, 0));
}

int frame_get(const uint8_t in[CAPTURE_FRAME_SIZE], struct frame *out)
{
	if (memcmp(in, frame_magic, 4) != 0 || little_u64(in + 16) != XXH64(in, 16, 0))
		return 0;
	*out = (struct frame){
	    .type = in[4],
	    .device = little_u16(in + 6),
	    .size = little_u32(in + 8),
	    .sequence = little_u32(in + 12),
	    .payload_hash = little_u64(in + 24),
	};
	return out->size <= CAPTURE_PAYLOAD_MAX;
}

int frame_check(const struct frame *frame, const uint8_t *payload)
{
	return XXH64(payload, frame->size, 0) == frame->payload_hash;
}

void frame_put_trailer(uint8_t out[CAPTURE_TRAILER_SIZE], uint64_t index_offset)
{
	memcpy(out, trailer_magic, 8);
	little_put_u64(out + 8, index_offset);
	little_put_u64(out + 16, XXH64(out, 16, 0));
}

int frame_get_trailer(const uint8_t in[CAPTURE_TRAILER_SIZE], uint64_t *index_offset)
{
	*index_offset = little_u64(in + 8);
	return memcmp(in, trailer_magic, 8) == 0 && little_u64(in + 16) == XXH64(in, 16, 0);
}
