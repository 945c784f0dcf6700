/* Chunks: the payload of a ROWS record, from a batch and back into vectors. */
#ifndef CAPTURE_FORMAT_CHUNK_H
#define CAPTURE_FORMAT_CHUNK_H

#include "capture/format/batch.h"
#include "capture/format/bytes.h"
#include "capture/format/format.h"

#include <sextant/capture.h>
#include <zstd.h>

/* Turns batches into payloads. Zero-initialise. */
struct chunk_writer {
	ZSTD_CCtx *zstd;
	struct bytes body;
	struct vector_shape *shapes;
	size_t shape_cap;
};

struct chunk_head {
	uint64_t device_hash;	   /* given */
	uint64_t begin_ns, end_ns; /* receive the times in the record */
};

/* Appends the payload for all rows of a batch, whose values it spoils; false: memory is out. */
bool chunk_write(struct chunk_writer *writer, struct batch *batch,
		 const struct batch_layout *layout, struct bytes *out, struct chunk_head *head);
void chunk_writer_finish(struct chunk_writer *writer);

/* Turns payloads into rows. Zero-initialise. */
struct chunk_reader {
	ZSTD_DCtx *zstd;
	struct bytes body;
	uint64_t *values;
	uint8_t *quality;
	size_t value_cap, quality_cap;
	struct sx_vector *columns;
	size_t column_cap;
	struct arena texts;
	const char **strings;
	size_t string_cap;
};

enum chunk_status { CHUNK_FINE, CHUNK_DAMAGED, CHUNK_OTHER_DEVICE, CHUNK_NO_MEMORY };

struct chunk_payload {
	const uint8_t *data;
	size_t size;
	uint64_t device_hash; /* of the device that it should be of */
};

/* Reads a payload of a device's; *out is valid until the next call. */
enum chunk_status chunk_read(struct chunk_reader *reader, const struct chunk_payload *payload,
			     const struct sx_capture_device *device, struct sx_rows *out);
void chunk_reader_finish(struct chunk_reader *reader);

#endif
