/* Reads chunks. No length or count is used before it was checked against the size of the body. */
#include "capture/format/chunk.h"

#include <stdlib.h>

enum quality_reader { QUALITY_VALID, QUALITY_ONE, QUALITY_EACH };

/* What the head of the payload says, checked. */
struct head {
	uint32_t rows, body_size, labels, label_count;
	uint64_t begin_ns, device_hash;
	uint8_t compression;
	size_t vectors;
};

/* The parts of a body. */
struct parts {
	const uint8_t *modes, *widths, *forms, *bases, *planes;
	struct cursor rest; /* quality and strings */
};

static bool chunk_read_head(const uint8_t *payload, size_t size, uint32_t columns, struct head *out)
{
	if (size < CAPTURE_ROWS_HEAD)
		return false;
	*out = (struct head){
	    .rows = little_u32(payload),
	    .body_size = little_u32(payload + 4),
	    .begin_ns = little_u64(payload + 8),
	    .device_hash = little_u64(payload + 24),
	    .labels = little_u32(payload + 32),
	    .compression = payload[36],
	};
	out->label_count = (uint32_t)__builtin_popcount(out->labels);
	out->vectors = 2 + out->label_count + columns;
	return out->rows >= 1 && out->rows <= CAPTURE_ROWS_MAX &&
	       out->labels < 1u << SX_LABEL_COUNT && out->compression <= 1 &&
	       out->body_size <= CAPTURE_BODY_MAX &&
	       (out->rows == 1 || out->rows * out->vectors <= CAPTURE_VALUES_MAX);
}

/* Makes the body available in reader->body or in place. */
static enum chunk_status unpack(struct chunk_reader *reader, const struct head *head,
				const uint8_t *data, size_t size, const uint8_t **body)
{
	*body = data;
	if (!head->compression)
		return size == head->body_size ? CHUNK_FINE : CHUNK_DAMAGED;
	/* The frame must say the same size, so that nothing is unpacked for a lie. */
	if (ZSTD_getFrameContentSize(data, size) != head->body_size)
		return CHUNK_DAMAGED;
	reader->body.size = 0;
	reader->body.failed = false;
	uint8_t *to = bytes_add(&reader->body, head->body_size ? head->body_size : 1);
	if (!to || (!reader->zstd && !(reader->zstd = ZSTD_createDCtx())))
		return CHUNK_NO_MEMORY;
	*body = to;
	size_t got = ZSTD_decompressDCtx(reader->zstd, to, head->body_size, data, size);
	return got == head->body_size ? CHUNK_FINE : CHUNK_DAMAGED;
}

/* Finds the parts and checks that modes, widths, forms and the sum of the planes fit. */
static bool find_parts(const uint8_t *body, const struct head *head, uint32_t columns,
		       struct parts *out)
{
	struct cursor in = {.at = body, .end = body + head->body_size};
	out->modes = cursor_take(&in, head->vectors);
	out->widths = cursor_take(&in, head->vectors);
	out->forms = cursor_take(&in, columns);
	out->bases = cursor_take(&in, head->vectors * 8);
	if (in.failed)
		return false;
	size_t planes = 0;
	for (size_t i = 0; i < head->vectors; i++) {
		if (out->modes[i] >= VECTOR_MODES || out->widths[i] > 8)
			return false;
		planes += out->widths[i];
	}
	for (uint32_t i = 0; i < columns; i++)
		if (out->forms[i] > QUALITY_EACH)
			return false;
	out->planes = cursor_take(&in, planes * head->rows);
	out->rest = in;
	return !in.failed;
}

static void decode_vectors(const struct parts *parts, const struct head *head, uint64_t *values)
{
	size_t rows = head->rows, before[9] = {0}; /* planes of lower significance, all vectors */
	for (size_t i = 0; i < head->vectors; i++)
		for (unsigned p = 0; p < parts->widths[i]; p++)
			before[p + 1]++;
	for (unsigned p = 1; p < 9; p++)
		before[p] += before[p - 1];
	for (size_t i = 0; i < head->vectors; i++) {
		struct vector_shape shape = {parts->modes[i], parts->widths[i],
					     little_u64(parts->bases + 8 * i)};
		const uint8_t *planes[8] = {0};
		for (unsigned p = 0; p < shape.width; p++)
			planes[p] = parts->planes + rows * before[p]++;
		vector_decode(&shape, planes, rows, values + i * rows);
	}
}

static void join_times(uint64_t *gaps, uint64_t *lengths, size_t rows, uint64_t end)
{
	for (size_t i = 0; i < rows; i++) {
		gaps[i] += end;
		lengths[i] += gaps[i];
		end = lengths[i];
	}
}

/* Columns of f64 are handled by their bits here: they are stored as u64. */
static bool is_nan(uint64_t bits)
{
	return (bits & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff) << 52;
}

/* Gives what has no data no value, and a value that is none the quality to say so. */
static void chunk_resolve(struct sx_vector *column, uint64_t *values, uint8_t *quality, size_t rows)
{
	uint64_t none = column->type == SX_U64 ? 0 : UINT64_C(0x7ff8) << 48;
	for (size_t i = 0; i < rows; i++) {
		if (!(quality[i] & SX_QUALITY_NO_DATA_MASK) && column->type == SX_F64 &&
		    is_nan(values[i]))
			quality[i] = SX_QUALITY_UNDEFINED;
		if (!(quality[i] & SX_QUALITY_NO_DATA_MASK))
			continue;
		values[i] = none;
		quality[i] = sx_quality_reduced(quality[i]);
	}
	column->quality = quality;
}

static bool has_nan(const uint64_t *values, size_t rows)
{
	bool found = false;
	for (size_t i = 0; i < rows; i++)
		found |= is_nan(values[i]);
	return found;
}

/* Where the values and qualities of a column go, which has its type already. */
struct column_place {
	uint64_t *values;
	uint8_t *quality;
	size_t rows;
};

static void decode_column(struct sx_vector *column, uint8_t form, struct cursor *in,
			  const struct column_place *to)
{
	const enum sx_type type = column->type;
	uint64_t *values = to->values;
	uint8_t *quality = to->quality;
	size_t rows = to->rows;
	*column = (struct sx_vector){type, values, NULL};
	const uint8_t *stored = cursor_take(in, form == QUALITY_EACH ? rows : form == QUALITY_ONE);
	if (!stored)
		return;
	if (form == QUALITY_EACH) {
		memcpy(quality, stored, rows);
	} else if (form == QUALITY_ONE && sx_quality_reduced(*stored) == SX_QUALITY_NOT_COLLECTED) {
		column->data = NULL;
		return;
	} else if (form == QUALITY_ONE) {
		memset(quality, *stored, rows);
	} else if (type == SX_F64 && has_nan(values, rows)) {
		memset(quality, 0, rows);
	} else {
		return;
	}
	chunk_resolve(column, values, quality, rows);
}

static enum chunk_status decode_strings(struct chunk_reader *reader, const struct head *head,
					struct cursor *in, struct sx_rows *out)
{
	arena_finish(&reader->texts);
	if (!(head->labels & CAPTURE_STRING_LABELS))
		return in->at == in->end ? CHUNK_FINE : CHUNK_DAMAGED;
	uint32_t count = cursor_u32(in);
	if (in->failed || count > cursor_left(in) / 2)
		return CHUNK_DAMAGED;
	if (!mem_grow(&reader->strings, &reader->string_cap, count, sizeof(*reader->strings)))
		return CHUNK_NO_MEMORY;
	for (uint32_t i = 0; i < count && !in->failed; i++)
		reader->strings[i] = cursor_label(in, &reader->texts);
	out->strings = reader->strings;
	out->string_count = count;
	if (in->no_memory)
		return CHUNK_NO_MEMORY;
	return !in->failed && in->at == in->end ? CHUNK_FINE : CHUNK_DAMAGED;
}

static void take_labels(const struct head *head, uint64_t *values, struct sx_rows *out)
{
	for (unsigned label = 0; label < SX_LABEL_COUNT; label++) {
		if (!(head->labels >> label & 1))
			continue;
		out->labels[label] = values;
		for (size_t i = 0; CAPTURE_STRING_LABELS >> label & 1 && i < head->rows; i++)
			if (values[i] >= out->string_count)
				values[i] = SX_LABEL_ABSENT;
		values += head->rows;
	}
}

static bool reserve(struct chunk_reader *reader, const struct head *head, uint32_t columns)
{
	size_t rows = head->rows;
	return mem_grow(&reader->values, &reader->value_cap, head->vectors * rows, 8) &&
	       mem_grow(&reader->quality, &reader->quality_cap, columns * rows + 1, 1) &&
	       mem_grow(&reader->columns, &reader->column_cap, (size_t)columns + 1,
			sizeof(*reader->columns));
}

enum chunk_status chunk_read(struct chunk_reader *reader, const struct chunk_payload *payload,
			     const struct sx_capture_device *device, struct sx_rows *out)
{
	struct head head;
	struct parts parts;
	const uint8_t *body;
	uint32_t columns = device->column_count;
	if (!chunk_read_head(payload->data, payload->size, columns, &head))
		return CHUNK_DAMAGED;
	if (head.device_hash != payload->device_hash)
		return CHUNK_OTHER_DEVICE;
	enum chunk_status status = unpack(reader, &head, payload->data + CAPTURE_ROWS_HEAD,
					  payload->size - CAPTURE_ROWS_HEAD, &body);
	if (status != CHUNK_FINE)
		return status;
	if (!find_parts(body, &head, columns, &parts))
		return CHUNK_DAMAGED;
	if (!reserve(reader, &head, columns))
		return CHUNK_NO_MEMORY;
	size_t rows = head.rows;
	uint64_t *values = reader->values, *first = values + (head.vectors - columns) * rows;
	decode_vectors(&parts, &head, values);
	join_times(values, values + rows, rows, head.begin_ns);
	for (uint32_t i = 0; i < columns; i++) {
		const struct column_place to = {first + i * rows, reader->quality + i * rows, rows};
		reader->columns[i].type = device->columns[i].type;
		decode_column(&reader->columns[i], parts.forms[i], &parts.rest, &to);
	}
	*out = (struct sx_rows){
	    .count = rows,
	    .begin_ns = values,
	    .end_ns = values + rows,
	    .columns = reader->columns,
	    .column_count = columns,
	};
	if (parts.rest.failed)
		return CHUNK_DAMAGED;
	status = decode_strings(reader, &head, &parts.rest, out);
	if (status != CHUNK_FINE)
		return status;
	take_labels(&head, values + 2 * rows, out);
	return CHUNK_FINE;
}

void chunk_reader_finish(struct chunk_reader *reader)
{
	ZSTD_freeDCtx(reader->zstd);
	free(reader->body.data);
	free(reader->values);
	free(reader->quality);
	free(reader->columns);
	arena_finish(&reader->texts);
	free(reader->strings);
	*reader = (struct chunk_reader){0};
}
