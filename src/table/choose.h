/* Which rows are wanted, one by one. */
#ifndef TABLE_CHOOSE_H
#define TABLE_CHOOSE_H

#include <sextant/table.h>

/* Whether a row is wanted. Thread-safe. */
bool row_is_chosen(const struct sx_row_choice *choice, const struct sx_table *table, size_t row);

#endif
