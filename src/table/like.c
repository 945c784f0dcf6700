/* A table without rows that has the columns of another. */
#include "table/like.h"

#include <stdlib.h>

#include "base/error.h"

enum sx_status table_like(const struct sx_table *like, struct sx_table **out, struct sx_error *err)
{
	uint32_t count = sx_table_column_count(like);
	struct sx_column *columns = calloc(count + 1, sizeof(*columns));
	if (!columns)
		return error_nomem(err, "a table");
	for (uint32_t i = 0; i < count; i++)
		columns[i] = *sx_table_column(like, i);
	enum sx_status status = sx_table_create(columns, count, sx_table_kind(like), out, err);
	free(columns);
	return status;
}
