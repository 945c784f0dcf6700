/* A table without rows that has the columns of another. */
#ifndef TABLE_LIKE_H
#define TABLE_LIKE_H

#include <sextant/table.h>

/* *out is owned by the caller. Errors: SX_ERR_NO_MEMORY. */
enum sx_status table_like(const struct sx_table *like, struct sx_table **out, struct sx_error *err);

/* The same for rows that are totals of several: the mean of whole numbers is none. */
enum sx_status table_like_totals(const struct sx_table *like, struct sx_table **out,
				 struct sx_error *err);

#endif
