/* Chunks: the payload of a ROWS record, from a batch and back into vectors. */
#ifndef CAPTURE_FORMAT_CHUNK_H
#define CAPTURE_FORMAT_CHUNK_H

#include <sextant/capture.h>
#include <sextant/sample.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#include "capture/format/bytes.h"
#include "capture/format/format.h"
#include "base/strings.h"

/* What a batch is made for. */
struct batch_layout {
	uint32_t columns;
	const uint8_t *is_f64; /* one a column */
	size_t rows_max;       /* so that one record stays small */
};

struct batch {
	bool no_memory; /* a label's text could not be kept */
	struct batch *next;
	uint32_t device;
	size_t rows, cap; /* cap: rows_max of the layout */
	uint64_t *begin_ns, *end_ns;
	uint64_t *labels; /* SX_LABEL_COUNT arrays, one after another */
	uint32_t label_mask;
	uint64_t *values;     /* one array a column */
	uint8_t *quality;     /* one array a column, filled only where mixed[] says so */
	uint8_t *mixed;	      /* one a column: some row is not plainly valid */
	struct strings texts; /* of debug groups and reasons */
	size_t text_bytes;    /* memory that texts take */
	size_t bytes;	      /* memory that all else takes */
};

/* Rows that fit into one record of so many columns. */
size_t batch_rows_max(uint32_t columns);
/* Memory that batch_create() takes. */
size_t batch_bytes(const struct batch_layout *layout);
/* NULL when memory is out. */
struct batch *batch_create(const struct batch_layout *layout);
void batch_destroy(struct batch *batch);
/* Ready for new rows. */
void batch_reset(struct batch *batch, const struct batch_layout *layout);
/* Whether another row has no room: rows or texts are at their limit. */
bool batch_is_full(const struct batch *batch);
/* Copies as many rows from `first` on as fit, at least one; the batch is not full. */
size_t batch_add(struct batch *batch, const struct batch_layout *layout, const struct sx_rows *rows,
		 size_t first);

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

/*
 * Appends the payload for all rows of a batch, and overwrites the batch's values; false: memory is
 * out.
 */
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

void payload_put_head(struct bytes *out, uint64_t created_ns,
		      const struct sx_capture_property *properties, uint32_t count);
void payload_put_device(struct bytes *out, const struct sx_capture_device *device);
void payload_put_mark(struct bytes *out, const struct sx_capture_mark *mark);
void payload_put_clocks(struct bytes *out, const struct sx_capture_clock *clocks, uint32_t count);
void payload_put_index(struct bytes *out, const struct entry *entries, size_t count);

/*
 * All readers: SX_ERR_BAD_INPUT when the payload does not add up, SX_ERR_NO_MEMORY. Strings and
 * arrays go to the arena.
 */
enum sx_status payload_get_head(const uint8_t *data, size_t size, struct arena *arena,
				struct sx_capture_info *out);
enum sx_status payload_get_device(const uint8_t *data, size_t size, struct arena *arena,
				  struct sx_capture_device *out);
enum sx_status payload_get_mark(const uint8_t *data, size_t size, struct arena *arena,
				struct sx_capture_mark *out);
enum sx_status payload_get_clocks(const uint8_t *data, size_t size, struct arena *arena,
				  struct sx_capture_clock *out, uint32_t *count);
/* *entries is allocated with malloc. */
enum sx_status payload_get_index(const uint8_t *data, size_t size, struct entry **entries,
				 size_t *count);

enum vector_mode { VECTOR_OFFSET, VECTOR_DELTA, VECTOR_DELTA2, VECTOR_XOR, VECTOR_MODES };

struct vector_shape {
	uint8_t mode, width;
	uint64_t base;
};

/* Picks the mode with the smallest residues and replaces the values by them. */
struct vector_shape vector_encode(uint64_t *values, size_t count, int is_f64);
/* Byte `plane` of each residue. */
void vector_plane(const uint64_t *residues, size_t count, unsigned plane, uint8_t *out);
/* The values from their planes; planes[p] has count bytes for each p < width. */
void vector_decode(const struct vector_shape *shape, const uint8_t *const planes[8], size_t count,
		   uint64_t *values);

#endif
