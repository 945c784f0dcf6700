/* A table without rows that has the columns of another. */
#include "table/like.h"

#include <stdlib.h>

#include "base/error.h"

static enum sx_status make_like(const struct sx_table *like, bool of_totals, struct sx_table **out,
				struct sx_error *err)
{
	uint32_t count = sx_table_column_count(like);
	struct sx_column *columns = calloc(count + 1, sizeof(*columns));
	if (!columns)
		return error_nomem(err, "a table");
	for (uint32_t i = 0; i < count; i++) {
		columns[i] = *sx_table_column(like, i);
		if (of_totals && columns[i].over_time == SX_REDUCE_MEAN)
			columns[i].type = SX_F64;
	}
	enum sx_status status = sx_table_create(columns, count, sx_table_kind(like), out, err);
	free(columns);
	return status;
}

enum sx_status table_like(const struct sx_table *like, struct sx_table **out, struct sx_error *err)
{
	return make_like(like, false, out, err);
}

enum sx_status table_like_totals(const struct sx_table *like, struct sx_table **out,
				 struct sx_error *err)
{
	return make_like(like, true, out, err);
}
