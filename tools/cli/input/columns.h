/* Input files as tables of raw counters, whatever their format. */
#ifndef TOOLS_CLI_INPUT_COLUMNS_H
#define TOOLS_CLI_INPUT_COLUMNS_H

#include "tools/cli/cli.h"

#define COLUMN_NOTES_MAX 5 /* unknown columns that are named one by one */

/* Reads raw counters of a catalog from a file; *out is owned by the caller. */
enum sx_status input_table(const struct cli *cli, const char *path, struct sx_catalog *catalog,
			   struct sx_table **out, struct sx_error *err);

struct input_rows;

/*
 * Opens the same for reading block by block, in memory that does not grow with the file. *out is
 * for input_rows_close(); `path` and `catalog` must outlive it.
 */
enum sx_status input_rows_open(const struct cli *cli, const char *path, struct sx_catalog *catalog,
			       struct input_rows **out, struct sx_error *err);
/* The table that input_rows_next() fills; columns that have any value in the file have data. */
const struct sx_table *input_rows_table(const struct input_rows *rows);
struct csv_tally;
/* What a text file had beside values; NULL for a capture. */
const struct csv_tally *input_rows_told(const struct input_rows *rows);
/* Whether a text file says that a model made it; a capture says so of itself. */
bool input_rows_simulated(const struct input_rows *rows);
/* Replaces the table's rows by the next ones; SX_END after the last. */
enum sx_status input_rows_next(struct input_rows *rows, struct sx_error *err);
void input_rows_close(struct input_rows *rows); /* NULL is fine */
/* SX_ERR_BAD_INPUT when no column of a table means anything in a catalog, or stands for itself. */
enum sx_status input_need_columns(const char *path, const struct sx_table *table,
				  const struct sx_catalog *catalog, struct sx_error *err);
/*
 * Notes the columns of a table that mean nothing in a catalog (a typing error, mostly).
 */
void input_note_unknown(const struct cli *cli, const struct sx_table *table,
			struct sx_catalog *catalog);

#endif
