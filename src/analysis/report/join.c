/* Samples of several devices: kept, then joined by their times. */
#include "analysis/report/fill.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/number.h"
#include "table/fill.h"

struct rows_join {
	struct sx_table **tables; /* of each device; NULL: no rows */
	size_t count, cap;
	struct sx_table **joined; /* what was handed out: it may be read again */
	size_t joined_count, joined_cap;
	struct sx_table *unseen; /* of a device that is not shown, or NULL */
};

enum sx_status rows_join_begin(struct rows_join **out, struct sx_error *err)
{
	*out = calloc(1, sizeof(**out));
	return *out ? SX_OK : error_nomem(err, "joining devices");
}

void rows_join_destroy(struct rows_join *join)
{
	if (!join)
		return;
	for (size_t i = 0; i < join->count; i++)
		sx_table_destroy(join->tables[i]);
	for (size_t i = 0; i < join->joined_count; i++)
		sx_table_destroy(join->joined[i]);
	free(join->joined);
	free(join->tables);
	sx_table_destroy(join->unseen);
	free(join);
}

static enum sx_status keep_rows(struct sx_table **to, const struct sx_table *rows,
				struct sx_error *err)
{
	struct sx_rows all;
	enum sx_status status = *to ? SX_OK : table_like(rows, to, err);
	struct sx_vector *vectors = calloc(sx_table_column_count(rows) + 1, sizeof(*vectors));
	if (!vectors)
		return error_nomem(err, "joining devices");
	if (!status) {
		sx_table_rows(rows, 0, sx_table_row_count(rows), vectors, &all);
		status = sx_table_append(*to, &all, err);
	}
	free(vectors);
	return status;
}

enum sx_status rows_join_add_unseen(struct rows_join *join, const struct sx_table *rows,
				    struct sx_error *err)
{
	bool leads = sx_table_kind(rows) != SX_SAMPLE_TIME;
	return leads ? keep_rows(&join->unseen, rows, err) : SX_OK;
}

enum sx_status rows_join_add(struct rows_join *join, uint32_t device, const struct sx_table *rows,
			     struct sx_error *err)
{
	if (!mem_grow(&join->tables, &join->cap, (size_t)device + 1, sizeof(struct sx_table *)))
		return error_nomem(err, "joining devices");
	while (join->count <= device)
		join->tables[join->count++] = NULL;
	return keep_rows(&join->tables[device], rows, err);
}

/* The device that leads; SX_NONE: the one that is not shown, or none. */
static uint32_t find_lead(const struct rows_join *join)
{
	uint32_t first = SX_NONE;
	for (size_t i = join->count; i-- > 0;)
		if (join->tables[i])
			first = (uint32_t)i;
	for (size_t i = 0; i < join->count; i++)
		if (join->tables[i] && sx_table_kind(join->tables[i]) != SX_SAMPLE_TIME)
			return (uint32_t)i;
	return join->unseen ? SX_NONE : first;
}

/* Whole numbers stay such: what takes these rows knows the columns as the device has them. */
static enum sx_status copy_values(struct sx_table *to, const struct sx_table *from)
{
	size_t rows = sx_table_row_count(from);
	enum sx_status status = sx_table_add_rows(to, rows, NULL, NULL);
	for (size_t r = 0; !status && r < rows; r++)
		sx_table_set_time(to, r, sx_table_begin_ns(from)[r], sx_table_end_ns(from)[r]);
	for (uint32_t c = 0; !status && c < sx_table_column_count(from); c++) {
		struct sx_vector v = sx_table_vector(from, c);
		bool whole = sx_table_column(to, c)->type == SX_U64;
		for (size_t r = 0; v.data && r < rows; r++) {
			uint8_t quality = v.quality ? v.quality[r] : 0;
			double value = sx_table_get(from, c, r);
			if (whole && v.type == SX_U64)
				sx_table_set_u64(to, c, r, ((const uint64_t *)v.data)[r], quality);
			else if (whole) {
				uint64_t count;
				if (!number_round(value, &count))
					quality |= SX_QUALITY_UNDEFINED;
				sx_table_set_u64(to, c, r, count, quality);
			} else
				sx_table_set_f64(to, c, r, value, quality);
		}
	}
	return status ? status : sx_table_add_rows(to, 0, NULL, NULL);
}

/* A table with the columns of one and the kind of samples of another. */
static enum sx_status make_table(const struct sx_table *columns_of, const struct sx_table *kind_of,
				 struct sx_table **out)
{
	uint32_t count = sx_table_column_count(columns_of);
	struct sx_column *columns = calloc((size_t)count + 1, sizeof(*columns));
	for (uint32_t i = 0; columns && i < count; i++)
		columns[i] = *sx_table_column(columns_of, i);
	enum sx_status status =
	    columns ? sx_table_create(columns, count, sx_table_kind(kind_of), out, NULL)
		    : SX_ERR_NO_MEMORY;
	free(columns);
	return status;
}

/* Copies frame, group, process and the other labels of a sample. */
static enum sx_status copy_labels(struct sx_table *to, const struct sx_table *from)
{
	enum sx_status status = SX_OK;
	for (size_t r = 0; !status && r < sx_table_row_count(from); r++)
		for (int i = 0; !status && i < SX_LABEL_COUNT; i++) {
			uint64_t label = sx_table_label(from, (enum sx_label)i, r);
			const char *text = sx_table_string(from, label);
			if (label == SX_LABEL_ABSENT)
				continue;
			if (SX_LABELS_OF_TEXT >> i & 1 && text)
				label = sx_table_intern(to, text, strlen(text));
			status = label == SX_NONE
				     ? SX_ERR_NO_MEMORY
				     : sx_table_set_label(to, (enum sx_label)i, r, label);
		}
	return status;
}

/* Keeps the joined rows until the end. */
static enum sx_status make_joined(struct rows_join *join, const struct sx_table *lead,
				  const struct sx_table *own, struct sx_table **out,
				  struct sx_error *err)
{
	struct sx_table *joined = NULL;
	if (!mem_grow(&join->joined, &join->joined_cap, join->joined_count + 1,
		      sizeof(struct sx_table *)))
		return error_nomem(err, "joining devices");
	enum sx_status status = sx_table_join(lead, own, &joined, err);
	if (!status)
		status = make_table(own, lead, out) ? error_nomem(err, "joining devices") : SX_OK;
	if (!status)
		join->joined[join->joined_count++] = *out;
	if (!status && (copy_values(*out, joined) || copy_labels(*out, lead)))
		status = error_nomem(err, "joining devices");
	sx_table_destroy(joined);
	return status;
}

bool rows_join_follows(const struct rows_join *join, uint32_t device, uint32_t lead)
{
	return device != lead && device < join->count && join->tables[device] &&
	       sx_table_kind(join->tables[device]) == SX_SAMPLE_TIME;
}

enum sx_status rows_join_finish(struct rows_join *join, report_rows_fn rows, void *user,
				uint32_t *lead, struct sx_error *err)
{
	uint32_t first = find_lead(join);
	enum sx_status status = SX_OK;
	const struct sx_table *leader = first == SX_NONE ? join->unseen : join->tables[first];
	if (lead)
		*lead = first;
	for (uint32_t i = 0; !status && i < join->count; i++) {
		const struct sx_table *own = join->tables[i];
		struct sx_table *joined = NULL;
		if (!own)
			continue;
		if (rows_join_follows(join, i, first))
			status = make_joined(join, leader, own, &joined, err);
		if (!status)
			status = rows(user, i, joined ? joined : own, err);
	}
	return status;
}
