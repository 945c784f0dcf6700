/* Rows of numbers that a source makes itself. */
#include "source/sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/mem.h"

void sheet_finish(struct sheet *r)
{
	uint32_t columns = r->column_count;
	free(r->values);
	free(r->qualities);
	free(r->begins);
	free(r->ends);
	free(r->labels);
	free(r->names);
	free(r->strings);
	free(r->vectors);
	*r = (struct sheet){.column_count = columns};
}

bool sheet_grow(struct sheet *r, size_t count)
{
	if (count <= r->cap)
		return true;
	size_t cap = count < 16 ? 16 : count * 2, none[8] = {0};
	size_t cells = cap * ((size_t)r->column_count + 1);
	sheet_finish(r);
	bool ok = mem_grow(&r->values, &none[0], cells, sizeof(*r->values)) &&
		  mem_grow(&r->qualities, &none[1], cells, 1) &&
		  mem_grow(&r->begins, &none[2], cap, sizeof(*r->begins)) &&
		  mem_grow(&r->ends, &none[3], cap, sizeof(*r->ends)) &&
		  mem_grow(&r->labels, &none[4], cap, sizeof(*r->labels)) &&
		  mem_grow(&r->names, &none[5], cap, SHEET_NAME_SIZE) &&
		  mem_grow(&r->strings, &none[6], cap, sizeof(*r->strings)) &&
		  mem_grow(&r->vectors, &none[7], (size_t)r->column_count + 1, sizeof(*r->vectors));
	r->cap = ok ? cap : 0;
	return ok;
}

void sheet_put(struct sheet *r, uint32_t column, size_t row, uint64_t bits, uint8_t quality)
{
	size_t at = (size_t)column * r->cap + row;
	r->values[at] = bits;
	r->qualities[at] = quality;
}

void sheet_name(struct sheet *r, size_t row, const char *name, pid_t pid)
{
	snprintf(r->names[row], SHEET_NAME_SIZE, "%s (%d)", name, (int)pid);
}

void sheet_give(struct sheet *r, size_t count, const struct sheet_head *head)
{
	for (size_t row = 0; row < count; row++) {
		r->begins[row] = head->begin_ns;
		r->ends[row] = head->end_ns;
		r->labels[row] = row;
		r->strings[row] = r->names[row];
	}
	for (uint32_t i = 0; i < r->column_count; i++)
		r->vectors[i] =
		    (struct sx_vector){head->columns[i].type, r->values + (size_t)i * r->cap,
				       r->qualities + (size_t)i * r->cap};
	r->out = (struct sx_rows){.count = count,
				  .begin_ns = r->begins,
				  .end_ns = r->ends,
				  .columns = r->vectors,
				  .column_count = r->column_count};
	if (!head->named)
		return;
	r->out.labels[SX_LABEL_PROCESS] = r->labels;
	r->out.strings = r->strings;
	r->out.string_count = (uint32_t)count;
}
