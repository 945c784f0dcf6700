/* Batches: the copy that lets a source go on while the file is written. */
#include "capture/format/chunk.h"
#include "capture/format/format.h"

#include <stdlib.h>
#include <string.h>

/* Values in one record: large enough to compress, small enough to stay in the L2 cache. */
#define BATCH_VALUES ((size_t)1 << 18)
/* Texts in one record: a label path may have 64 KiB, and a record's body is limited. */
#define BATCH_TEXT_BYTES ((size_t)4 << 20)
#define FIXED_VECTORS	 (2 + (size_t)SX_LABEL_COUNT)

size_t batch_rows_max(uint32_t columns)
{
	size_t rows = BATCH_VALUES / (columns + FIXED_VECTORS);
	return rows ? rows : 1;
}

size_t batch_bytes(const struct batch_layout *layout)
{
	size_t row = (FIXED_VECTORS + layout->columns) * sizeof(uint64_t) + layout->columns;
	return sizeof(struct batch) + layout->columns + row * layout->rows_max;
}

struct batch *batch_create(const struct batch_layout *layout)
{
	struct batch *batch = calloc(1, sizeof(*batch));
	if (!batch)
		return NULL;
	size_t rows = layout->rows_max, values = rows * layout->columns;
	batch->cap = rows;
	batch->bytes = batch_bytes(layout);
	batch->begin_ns = malloc(rows * sizeof(uint64_t));
	batch->end_ns = malloc(rows * sizeof(uint64_t));
	batch->labels = malloc(SX_LABEL_COUNT * rows * sizeof(uint64_t));
	batch->values = malloc((values ? values : 1) * sizeof(uint64_t));
	batch->quality = malloc(values ? values : 1);
	batch->mixed = calloc(layout->columns ? layout->columns : 1, 1);
	if (!batch->begin_ns || !batch->end_ns || !batch->labels || !batch->values ||
	    !batch->quality || !batch->mixed) {
		batch_destroy(batch);
		return NULL;
	}
	return batch;
}

void batch_destroy(struct batch *batch)
{
	if (!batch)
		return;
	free(batch->begin_ns);
	free(batch->end_ns);
	free(batch->labels);
	free(batch->values);
	free(batch->quality);
	free(batch->mixed);
	strings_finish(&batch->texts);
	free(batch);
}

void batch_reset(struct batch *batch, const struct batch_layout *layout)
{
	batch->next = NULL;
	batch->rows = batch->text_bytes = 0;
	batch->label_mask = 0;
	batch->no_memory = false;
	memset(batch->mixed, 0, layout->columns);
	strings_clear(&batch->texts);
}

static void copy_or_fill(uint64_t *to, const uint64_t *from, size_t first, size_t count)
{
	if (from)
		memcpy(to, from + first, count * sizeof(*to));
	else
		memset(to, 0xff, count * sizeof(*to)); /* unknown times, absent labels */
}

/* Marks a column as mixed from `row` on; the rows before it were valid. */
static uint8_t *mix(struct batch *batch, uint32_t column)
{
	uint8_t *quality = batch->quality + (size_t)column * batch->cap;
	if (!batch->mixed[column])
		memset(quality, 0, batch->rows);
	batch->mixed[column] = 1;
	return quality + batch->rows;
}

/* Repeats the row before where there is no data, because that compresses best. */
static void hold_values(struct batch *batch, uint32_t column, size_t count, const uint8_t *quality)
{
	uint64_t *values = batch->values + (size_t)column * batch->cap + batch->rows;
	uint64_t held = batch->rows ? values[-1] : 0;
	for (size_t i = 0; i < count; i++) {
		if (quality[i] & SX_QUALITY_NO_DATA_MASK)
			values[i] = held;
		held = values[i];
	}
}

static void add_column(struct batch *batch, uint32_t column, const struct sx_vector *from,
		       size_t first, size_t count)
{
	uint64_t *values = batch->values + (size_t)column * batch->cap + batch->rows;
	if (from->data)
		memcpy(values, (const uint64_t *)from->data + first, count * sizeof(*values));
	uint8_t any = from->data ? 0 : SX_QUALITY_NOT_COLLECTED;
	for (size_t i = 0; from->data && from->quality && i < count; i++)
		any |= from->quality[first + i];
	if (!any && !batch->mixed[column])
		return;
	uint8_t *quality = mix(batch, column);
	if (!from->data)
		memset(quality, SX_QUALITY_NOT_COLLECTED, count);
	else if (from->quality)
		memcpy(quality, from->quality + first, count);
	else
		memset(quality, 0, count);
	hold_values(batch, column, count, quality);
}

/* The batch's own index of a string, or absent. */
static uint64_t intern(struct batch *batch, const struct sx_rows *rows, uint64_t index)
{
	if (index >= rows->string_count)
		return SX_LABEL_ABSENT;
	const char *text = rows->strings[index];
	uint32_t own = strings_intern(&batch->texts, text, strlen(text), NULL);
	batch->no_memory |= own == UINT32_MAX;
	return own == UINT32_MAX ? SX_LABEL_ABSENT : own;
}

bool batch_is_full(const struct batch *batch)
{
	return batch->rows == batch->cap || batch->text_bytes >= BATCH_TEXT_BYTES;
}

/* The label's column of a batch; rows that had none of it are absent. */
static uint64_t *label_column(struct batch *batch, unsigned label)
{
	uint64_t *all = batch->labels + label * batch->cap;
	if (!(batch->label_mask >> label & 1))
		copy_or_fill(all, NULL, 0, batch->rows);
	batch->label_mask |= 1u << label;
	return all + batch->rows;
}

/* Texts of as many rows as there is room for; returns how many. */
static size_t add_texts(struct batch *batch, const struct sx_rows *rows, size_t first, size_t count)
{
	size_t done = 0;
	bool any = false;
	for (unsigned label = 0; label < SX_LABEL_COUNT; label++)
		any |= rows->labels[label] && CAPTURE_STRING_LABELS >> label & 1;
	if (!any)
		return count;
	while (done < count && (!done || !batch_is_full(batch))) {
		for (unsigned label = 0; label < SX_LABEL_COUNT; label++)
			if (rows->labels[label] && CAPTURE_STRING_LABELS >> label & 1)
				label_column(batch, label)[done] =
				    intern(batch, rows, rows->labels[label][first + done]);
		batch->text_bytes = batch->texts.arena.used;
		done++;
	}
	return done;
}

static void add_labels(struct batch *batch, const struct sx_rows *rows, size_t first, size_t count)
{
	for (unsigned label = 0; label < SX_LABEL_COUNT; label++) {
		bool text = CAPTURE_STRING_LABELS >> label & 1;
		if (rows->labels[label] ? text : !(batch->label_mask >> label & 1))
			continue; /* copied with its texts, or never had */
		copy_or_fill(label_column(batch, label), rows->labels[label], first, count);
	}
}

size_t batch_add(struct batch *batch, const struct batch_layout *layout, const struct sx_rows *rows,
		 size_t first)
{
	size_t count = rows->count - first, room = batch->cap - batch->rows;
	if (count > room)
		count = room;
	count = add_texts(batch, rows, first, count);
	add_labels(batch, rows, first, count);
	copy_or_fill(batch->begin_ns + batch->rows, rows->begin_ns, first, count);
	copy_or_fill(batch->end_ns + batch->rows, rows->end_ns, first, count);
	for (uint32_t i = 0; i < layout->columns; i++)
		add_column(batch, i, &rows->columns[i], first, count);
	batch->rows += count;
	return count;
}
