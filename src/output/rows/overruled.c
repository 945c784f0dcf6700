/* See overruled.h. */
#include "output/rows/overruled.h"

#include <stdlib.h>

#include "base/error.h"

/* A counter of that name is none. */
static bool is_overruled(const struct sx_catalog *catalog, const struct overruling *by,
			 const char *name)
{
	uint32_t constant = sx_catalog_find_constant(catalog, name);
	bool typed = false;
	for (size_t i = 0; constant != SX_NONE && i < by->count; i++)
		typed |= sx_catalog_find_constant(catalog, by->constants[i].name) == constant;
	return typed && sx_catalog_find_counter(catalog, name, SX_NONE, NULL) == SX_NONE;
}

enum sx_status overruled_begin(struct overruled *out, const struct sx_catalog *catalog,
			       const struct overruling *by, const struct sx_table *like,
			       struct sx_error *err)
{
	uint32_t count = sx_table_column_count(like), kept = 0;
	struct sx_column *columns = calloc((size_t)count + 1, sizeof(*columns));
	out->kept = calloc((size_t)count + 1, sizeof(*out->kept));
	out->vectors = calloc((size_t)count + 1, sizeof(*out->vectors));
	out->some = calloc((size_t)count + 1, sizeof(*out->some));
	enum sx_status status = SX_OK;
	if (!columns || !out->kept || !out->vectors || !out->some)
		status = error_nomem(err, "leaving columns out");
	for (uint32_t i = 0; !status && i < count; i++) {
		if (is_overruled(catalog, by, sx_table_column(like, i)->name))
			continue;
		columns[kept] = *sx_table_column(like, i);
		out->kept[kept++] = i;
	}
	if (!status && kept < count)
		status = sx_table_create(columns, kept, sx_table_kind(like), &out->table, err);
	free(columns);
	return status;
}

enum sx_status overruled_rows(struct overruled *o, const struct sx_table *raw,
			      const struct sx_table **out, struct sx_error *err)
{
	struct sx_rows rows;
	*out = o->table ? o->table : raw;
	if (!o->table)
		return SX_OK;
	sx_table_rows(raw, 0, sx_table_row_count(raw), o->vectors, &rows);
	rows.columns = o->some;
	rows.column_count = sx_table_column_count(o->table);
	for (uint32_t i = 0; i < rows.column_count; i++)
		o->some[i] = o->vectors[o->kept[i]];
	sx_table_clear(o->table);
	return sx_table_append(o->table, &rows, err);
}

void overruled_finish(struct overruled *o)
{
	sx_table_destroy(o->table);
	free(o->kept);
	free(o->vectors);
	free(o->some);
	*o = (struct overruled){.table = NULL};
}
