/* Tables to and from spans of rows, which is how captures and replay hand them over. */
#include "table/table.h"
#include "base/error.h"
#include "table/fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_text(enum sx_label label)
{
	return SX_LABELS_OF_TEXT >> label & 1;
}

static enum sx_status check_columns(const struct sx_table *table, const struct sx_rows *rows,
				    struct sx_error *err)
{
	if (table->column_count != rows->column_count)
		return error_set(err, SX_ERR_USAGE, "rows of %u columns for a table of %u",
				 (unsigned)rows->column_count, (unsigned)table->column_count);
	for (uint32_t i = 0; i < rows->column_count; i++)
		if (rows->columns[i].type != table->columns[i].info.type)
			return error_set(err, SX_ERR_USAGE,
					 "rows of another type for column \"%s\"",
					 table->columns[i].info.name);
	return SX_OK;
}

/* The same where rows are all valid: their quality was that of rows without data. */
static bool append_valid(struct table_column *to, size_t first, const struct sx_vector *from,
			 size_t count)
{
	const double *values = from->data;
	bool undefined = false;
	for (size_t i = 0; from->type == SX_F64 && i < count; i++)
		undefined |= isnan(values[i]);
	if (from->quality || undefined)
		return false;
	memcpy(to->data.u64 + first, from->data, count * sizeof(uint64_t));
	memset(to->quality + first, 0, count);
	to->invalid -= count;
	return true;
}

static void append_column(struct sx_table *table, uint32_t index, size_t first,
			  const struct sx_vector *from, size_t count)
{
	if (!from->data || !table_data(table, index) ||
	    append_valid(&table->columns[index], first, from, count))
		return;
	if (from->type == SX_U64) {
		const uint64_t *values = from->data;
		for (size_t i = 0; i < count; i++)
			sx_table_set_u64(table, index, first + i, values[i],
					 from->quality ? from->quality[i] : 0);
		return;
	}
	const double *values = from->data;
	for (size_t i = 0; i < count; i++)
		sx_table_set_f64(table, index, first + i, values[i],
				 from->quality ? from->quality[i] : 0);
}

/* The index in the table's dictionary of a string in that of the rows. */
static uint64_t rows_translate(struct sx_table *table, const struct sx_rows *rows, uint64_t index)
{
	if (index >= rows->string_count)
		return SX_LABEL_ABSENT;
	const char *text = rows->strings[index];
	uint32_t found = sx_table_intern(table, text, strlen(text));
	if (found == SX_NONE)
		table->out_of_memory = true;
	return found == SX_NONE ? SX_LABEL_ABSENT : found;
}

static enum sx_status append_label(struct sx_table *table, enum sx_label label, size_t first,
				   const struct sx_rows *rows)
{
	const uint64_t *values = rows->labels[label];
	uint64_t last = SX_LABEL_ABSENT, last_translated = SX_LABEL_ABSENT;
	for (size_t i = 0; values && i < rows->count; i++) {
		uint64_t value = values[i];
		if (value == SX_LABEL_ABSENT)
			continue;
		if (is_text(label)) {
			if (value != last)
				last_translated = rows_translate(table, rows, value);
			last = value;
			value = last_translated;
		}
		enum sx_status status = sx_table_set_label(table, label, first + i, value);
		if (status != SX_OK)
			return status;
	}
	return SX_OK;
}

enum sx_status sx_table_append(struct sx_table *table, const struct sx_rows *rows,
			       struct sx_error *err)
{
	size_t first = 0;
	enum sx_status status = check_columns(table, rows, err);
	if (status == SX_OK)
		status = sx_table_add_rows(table, rows->count, &first, err);
	if (status != SX_OK || !rows->count)
		return status;
	if (rows->begin_ns)
		memcpy(table->begin_ns + first, rows->begin_ns, rows->count * sizeof(uint64_t));
	if (rows->end_ns)
		memcpy(table->end_ns + first, rows->end_ns, rows->count * sizeof(uint64_t));
	for (uint32_t i = 0; i < rows->column_count; i++)
		append_column(table, i, first, &rows->columns[i], rows->count);
	for (int i = 0; i < SX_LABEL_COUNT && status == SX_OK; i++)
		status = append_label(table, (enum sx_label)i, first, rows);
	if (status != SX_OK || table->out_of_memory)
		return error_nomem(err, "a table's rows");
	return SX_OK;
}

void sx_table_rows(const struct sx_table *table, size_t first, size_t count,
		   struct sx_vector *vectors, struct sx_rows *out)
{
	*out = (struct sx_rows){
	    .count = count,
	    .begin_ns = table->begin_ns ? table->begin_ns + first : NULL,
	    .end_ns = table->end_ns ? table->end_ns + first : NULL,
	    .columns = vectors,
	    .column_count = table->column_count,
	    .strings = table->strings.texts,
	    .string_count = table->strings.count,
	};
	backing_pass(table->backing,
		     count * (table->column_count * 9 + 16)); /* a value, its quality */
	for (uint32_t i = 0; i < table->column_count; i++) {
		vectors[i] = sx_table_vector(table, i);
		if (vectors[i].data)
			vectors[i].data = (const uint64_t *)vectors[i].data + first;
		if (vectors[i].quality)
			vectors[i].quality += first;
	}
	for (int i = 0; i < SX_LABEL_COUNT; i++)
		out->labels[i] = table->labels[i] ? table->labels[i] + first : NULL;
}

/* Frames alone, beside rows that hold more: see frames_of_table(). */
const struct sx_table *frames_of_table(const struct sx_table *table)
{
	return table->frames ? table->frames : table;
}

static enum sx_status copy_rows(struct sx_table *to, const struct sx_table *from,
				struct row_span rows, struct sx_vector *vectors,
				struct sx_error *err)
{
	struct sx_rows span;
	sx_table_rows(from, rows.first, rows.count, vectors, &span);
	return sx_table_append(to, &span, err);
}

enum sx_status frames_begin(struct sx_table *table, struct sx_error *err)
{
	struct sx_table *frames = NULL;
	if (table->frames)
		return SX_OK;
	struct sx_vector *vectors = calloc((size_t)table->column_count + 1, sizeof(*vectors));
	enum sx_status status =
	    vectors ? table_like(table, &frames, err) : error_nomem(err, "a table's frames");
	if (!status)
		status = copy_rows(frames, table, (struct row_span){0, table->rows}, vectors, err);
	free(vectors);
	if (status) {
		sx_table_destroy(frames);
		return status;
	}
	frames->combined = table->combined;
	table->frames = frames;
	return SX_OK;
}

enum sx_status frames_append(struct sx_table *to, const struct sx_table *from, struct row_span rows,
			     struct sx_vector *vectors, struct sx_error *err)
{
	to->combined |= from->combined;
	enum sx_status status = from->frames ? frames_begin(to, err) : SX_OK;
	if (!status)
		status = copy_rows(to, from, rows, vectors, err);
	if (!status && to->frames)
		status = copy_rows(to->frames, frames_of_table(from), rows, vectors, err);
	return status;
}
