/* Blocks of rows: room for what a caller writes, and heads from another table. */
#include "base/error.h"
#include "table/fill.h"
#include "table/table.h"

#include <string.h>

/* Gives every column and both labels their memory, once. */
static enum sx_status prepare(struct sx_table *table, size_t first, struct sx_error *err)
{
	for (uint32_t i = 0; i < table->column_count; i++)
		if (!table_data(table, i))
			return error_nomem(err, "a table's rows");
	if (sx_table_set_label(table, SX_LABEL_CONTEXT, first, SX_LABEL_ABSENT) ||
	    sx_table_set_label(table, SX_LABEL_REASON, first, SX_LABEL_ABSENT))
		return error_nomem(err, "a table's labels");
	return SX_OK;
}

/* Room where memory for it is not there yet. */
static enum sx_status grow(struct sx_table *table, size_t rows, struct sx_error *err)
{
	size_t first = 0;
	enum sx_status status = sx_table_add_rows(table, rows, &first, err);
	if (!status)
		status = prepare(table, first, err);
	for (uint32_t i = 0; !status && i < table->column_count; i++)
		table->columns[i].invalid -= rows;
	return status;
}

enum sx_status table_add_block(struct sx_table *table, size_t rows, struct table_block *out,
			       struct sx_error *err)
{
	size_t first = table->rows;
	if (first + rows > table->cap || !table->labels[SX_LABEL_CONTEXT] ||
	    !table->labels[SX_LABEL_REASON]) {
		enum sx_status status = grow(table, rows, err);
		if (status)
			return status;
	} else {
		table->rows += rows;
	}
	out->first = first;
	out->begin_ns = table->begin_ns + first;
	out->end_ns = table->end_ns + first;
	out->context = table->labels[SX_LABEL_CONTEXT] + first;
	out->reason = table->labels[SX_LABEL_REASON] + first;
	for (uint32_t i = 0; i < table->column_count; i++) {
		memset(table->columns[i].quality + first, 0, rows);
		out->columns[i] = table->columns[i].data.u64 + first;
	}
	return SX_OK;
}

void table_times(struct sx_table *table, uint64_t **begin_ns, uint64_t **end_ns)
{
	*begin_ns = table->begin_ns;
	*end_ns = table->end_ns;
}

void table_become(struct sx_table *table, enum sx_sample_kind kind)
{
	table->kind = kind;
}

/* A text label's index in another table's dictionary. */
static enum sx_status block_translate(struct sx_table *to, const struct sx_table *from,
				      uint64_t *labels, struct sx_error *err)
{
	uint64_t last = SX_LABEL_ABSENT, there = SX_LABEL_ABSENT;
	for (size_t i = 0; i < to->rows; i++) {
		if (labels[i] != last) {
			const char *text = sx_table_string(from, labels[i]);
			last = labels[i];
			there = text ? sx_table_intern(to, text, strlen(text)) : SX_LABEL_ABSENT;
			if (there == SX_NONE)
				return error_nomem(err, "a table's labels");
		}
		labels[i] = there;
	}
	return SX_OK;
}

static enum sx_status take_label(struct sx_table *to, const struct sx_table *from,
				 enum sx_label label, struct sx_error *err)
{
	if (!from->labels[label] || !to->rows)
		return SX_OK;
	if (sx_table_set_label(to, label, 0, SX_LABEL_ABSENT))
		return error_nomem(err, "a table's labels");
	memcpy(to->labels[label], from->labels[label], to->rows * sizeof(uint64_t));
	bool is_text = SX_LABELS_OF_TEXT >> label & 1;
	return is_text ? block_translate(to, from, to->labels[label], err) : SX_OK;
}

enum sx_status table_take_heads(struct sx_table *to, const struct sx_table *from,
				struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t size = from->rows * sizeof(uint64_t);
	sx_table_clear(to);
	if (from->rows > to->cap)
		status = sx_table_add_rows(to, from->rows, NULL, err);
	to->rows = status ? 0 : from->rows;
	if (status || !from->rows)
		return status;
	memcpy(to->begin_ns, from->begin_ns, size);
	memcpy(to->end_ns, from->end_ns, size);
	for (int label = 0; !status && label < SX_LABEL_COUNT; label++)
		status = take_label(to, from, (enum sx_label)label, err);
	return status;
}
