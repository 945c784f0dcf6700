/* Writes chunks: residues by plane, quality, dictionary, zstd. */
#include "capture/format/chunk.h"

#include <stdlib.h>

/* Planes of counters are noise or nearly zero: more effort than the least gains next to nothing. */
#define ZSTD_LEVEL 1

enum quality_writer { QUALITY_VALID, QUALITY_ONE, QUALITY_EACH };

static void time_range(const struct batch *batch, uint64_t *begin_ns, uint64_t *end_ns)
{
	*begin_ns = *end_ns = SX_TIME_UNKNOWN;
	for (size_t i = 0; i < batch->rows; i++) {
		uint64_t begin = batch->begin_ns[i], end = batch->end_ns[i];
		if (begin < *begin_ns)
			*begin_ns = begin;
		if (end != SX_TIME_UNKNOWN && (*end_ns == SX_TIME_UNKNOWN || end > *end_ns))
			*end_ns = end;
	}
}

/* Times become the gap before each row and its length, in place. */
static void split_times(struct batch *batch, uint64_t last_end)
{
	for (size_t i = 0; i < batch->rows; i++) {
		uint64_t begin = batch->begin_ns[i], end = batch->end_ns[i];
		batch->begin_ns[i] = begin - last_end;
		batch->end_ns[i] = end - begin;
		last_end = end;
	}
}

/* The arrays of all vectors in the order of the format. */
static size_t list_vectors(struct batch *batch, uint32_t columns, uint64_t **list)
{
	size_t count = 0;
	list[count++] = batch->begin_ns;
	list[count++] = batch->end_ns;
	for (unsigned label = 0; label < SX_LABEL_COUNT; label++)
		if (batch->label_mask >> label & 1)
			list[count++] = batch->labels + label * batch->cap;
	for (uint32_t i = 0; i < columns; i++)
		list[count++] = batch->values + (size_t)i * batch->cap;
	return count;
}

static enum quality_writer quality_form_of(const struct batch *batch, uint32_t column)
{
	if (!batch->mixed[column])
		return QUALITY_VALID;
	const uint8_t *quality = batch->quality + (size_t)column * batch->cap;
	for (size_t i = 1; i < batch->rows; i++)
		if (quality[i] != quality[0])
			return QUALITY_EACH;
	return quality[0] ? QUALITY_ONE : QUALITY_VALID;
}

static void put_tables(struct bytes *body, const struct batch *batch, uint32_t columns,
		       const struct vector_shape *shapes, size_t vectors)
{
	for (size_t i = 0; i < vectors; i++)
		bytes_u8(body, shapes[i].mode);
	for (size_t i = 0; i < vectors; i++)
		bytes_u8(body, shapes[i].width);
	for (uint32_t i = 0; i < columns; i++)
		bytes_u8(body, (uint8_t)quality_form_of(batch, i));
	for (size_t i = 0; i < vectors; i++)
		bytes_u64(body, shapes[i].base);
}

static void put_planes(struct bytes *body, uint64_t *const *list, size_t rows,
		       const struct vector_shape *shapes, size_t vectors)
{
	for (unsigned plane = 0; plane < 8; plane++)
		for (size_t i = 0; i < vectors; i++) {
			uint8_t *out = shapes[i].width > plane ? bytes_add(body, rows) : NULL;
			if (out)
				vector_plane(list[i], rows, plane, out);
		}
}

static void put_quality(struct bytes *body, const struct batch *batch, uint32_t columns)
{
	for (uint32_t i = 0; i < columns; i++) {
		enum quality_writer form = quality_form_of(batch, i);
		size_t size = form == QUALITY_EACH ? batch->rows : form == QUALITY_ONE;
		uint8_t *out = bytes_add(body, size);
		if (out && size)
			memcpy(out, batch->quality + (size_t)i * batch->cap, size);
	}
}

static void put_strings(struct bytes *body, const struct batch *batch)
{
	if (!(batch->label_mask & CAPTURE_STRING_LABELS))
		return;
	bytes_u32(body, batch->texts.count);
	for (uint32_t i = 0; i < batch->texts.count; i++)
		bytes_label(body, batch->texts.texts[i]);
}

static bool put_body(struct chunk_writer *writer, struct batch *batch,
		     const struct batch_layout *layout, uint64_t begin_ns)
{
	size_t most = 2 + SX_LABEL_COUNT + (size_t)layout->columns;
	uint64_t **list = malloc(most * sizeof(uint64_t *));
	if (!list ||
	    !mem_grow(&writer->shapes, &writer->shape_cap, most, sizeof(*writer->shapes))) {
		free(list);
		return false;
	}
	size_t vectors = list_vectors(batch, layout->columns, list);
	split_times(batch, begin_ns);
	for (size_t i = 0; i < vectors; i++) {
		size_t column = i - (vectors - layout->columns);
		int is_f64 = column < layout->columns && layout->is_f64[column];
		writer->shapes[i] = vector_encode(list[i], batch->rows, is_f64);
	}
	writer->body.size = 0;
	put_tables(&writer->body, batch, layout->columns, writer->shapes, vectors);
	put_planes(&writer->body, list, batch->rows, writer->shapes, vectors);
	put_quality(&writer->body, batch, layout->columns);
	put_strings(&writer->body, batch);
	free(list);
	return !writer->body.failed;
}

/* Appends the body, compressed when that helps. */
static bool compress(struct chunk_writer *writer, struct bytes *out, uint8_t *how)
{
	if (!writer->zstd && !(writer->zstd = ZSTD_createCCtx()))
		return false;
	size_t bound = ZSTD_compressBound(writer->body.size), start = out->size;
	uint8_t *to = bytes_add(out, bound);
	if (!to)
		return false;
	size_t size = ZSTD_compressCCtx(writer->zstd, to, bound, writer->body.data,
					writer->body.size, ZSTD_LEVEL);
	*how = !ZSTD_isError(size) && size < writer->body.size;
	if (!*how) {
		size = writer->body.size;
		memcpy(to, writer->body.data, size);
	}
	out->size = start + size;
	return true;
}

bool chunk_write(struct chunk_writer *writer, struct batch *batch,
		 const struct batch_layout *layout, struct bytes *out, struct chunk_head *head)
{
	time_range(batch, &head->begin_ns, &head->end_ns);
	writer->body.failed = false;
	if (!put_body(writer, batch, layout, head->begin_ns))
		return false;
	size_t at = out->size;
	bytes_u32(out, (uint32_t)batch->rows);
	bytes_u32(out, (uint32_t)writer->body.size);
	bytes_u64(out, head->begin_ns);
	bytes_u64(out, head->end_ns);
	bytes_u64(out, head->device_hash);
	bytes_u32(out, batch->label_mask);
	bytes_u32(out, 0);
	uint8_t how = 0;
	if (out->failed || !compress(writer, out, &how))
		return false;
	out->data[at + 36] = how;
	return true;
}

void chunk_writer_finish(struct chunk_writer *writer)
{
	ZSTD_freeCCtx(writer->zstd);
	free(writer->body.data);
	free(writer->shapes);
	*writer = (struct chunk_writer){0};
}
