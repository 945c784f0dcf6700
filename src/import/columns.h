/* What the columns of a table mean in a catalog, by their names. */
#ifndef IMPORT_COLUMNS_H
#define IMPORT_COLUMNS_H

#include <sextant/catalog.h>

#include "import/read/csv/csv.h"

/* How the columns of a text are to be read; the catalog must outlive the options. */
struct csv_options import_column_options(struct sx_catalog *catalog);
/*
 * What values of a counter or a given metric can be: amounts are not below 0, shares not above 100
 * percent, cycles no more than any clock has.
 */
struct csv_range import_range(const struct sx_catalog *catalog, const char *name);
/* Whether any column means something in the catalog, or stands for itself by its unit. */
bool import_columns_known(const struct sx_table *table, const struct sx_catalog *catalog);
/* Whether metric sets have a metric of that name, each its own: which is meant, the set says. */
bool import_is_of_sets(const struct sx_catalog *catalog, const char *name);
/* The first column from `from` on that means nothing there, nor by itself; SX_NONE: no more. */
uint32_t import_unknown_column(const struct sx_table *table, const struct sx_catalog *catalog,
			       uint32_t from);
/*
 * The first column from `from` on that means what one before it means, which is read instead; its
 * index, and that one's in *first. SX_NONE: no more.
 */
uint32_t import_repeated_column(const struct sx_table *table, const struct sx_catalog *catalog,
				uint32_t from, uint32_t *first);
/*
 * How many columns give a metric that is a ratio of several counters; *first is the name of one,
 * which lives as long as the table.
 */
uint32_t import_given_ratios(const struct sx_table *table, const struct sx_catalog *catalog,
			     const char **first);

#endif
