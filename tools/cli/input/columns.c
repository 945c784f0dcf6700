/* What columns of input files mean. */
#include "tools/cli/input/columns.h"

#include "import/import.h"

enum sx_status input_need_columns(const char *path, const struct sx_table *table,
				  const struct sx_catalog *catalog, struct sx_error *err)
{
	uint32_t count = sx_table_column_count(table);
	if (import_columns_known(table, catalog))
		return SX_OK;
	error_set(err, SX_ERR_BAD_INPUT, "no column of %s means anything in catalog %s", path,
		  sx_catalog_info(catalog)->name);
	if (count == 1)
		error_because(err, "%s is no name of a counter, constant or metric",
			      sx_table_column(table, 0)->name);
	else if (count)
		error_because(err, "none of its %u names is that of a counter, constant or metric",
			      count);
	else
		error_because(err, "it has no column of values");
	error_try(err, "--for with another catalog, or sextant list counters --for %s",
		  sx_catalog_info(catalog)->name);
	return SX_ERR_BAD_INPUT;
}

void input_note_unknown(const struct cli *cli, const struct sx_table *table,
			struct sx_catalog *catalog)
{
	const char *catalog_name = sx_catalog_info(catalog)->name;
	uint32_t unknown = 0;
	for (uint32_t i = import_unknown_column(table, catalog, 0); i != SX_NONE;
	     i = import_unknown_column(table, catalog, i + 1)) {
		const char *near[1], *name = sx_table_column(table, i)->name;
		if (unknown++ >= COLUMN_NOTES_MAX)
			continue;
		if (sx_catalog_suggest(catalog, name, near, 1))
			cli_note(cli,
				 "note: column %s means nothing in catalog %s and stands for "
				 "itself; did you mean %s?",
				 name, catalog_name, near[0]);
		else
			cli_note(
			    cli,
			    "note: column %s means nothing in catalog %s and stands for itself",
			    name, catalog_name);
	}
	if (unknown > COLUMN_NOTES_MAX)
		cli_note(cli, "note: further columns that mean nothing: %u",
			 unknown - COLUMN_NOTES_MAX);
	uint32_t first, told = 0;
	for (uint32_t i = import_repeated_column(table, catalog, 0, &first);
	     i != SX_NONE && told++ < COLUMN_NOTES_MAX;
	     i = import_repeated_column(table, catalog, i + 1, &first))
		cli_note(cli, "note: column %s means the same as %s, which is read instead",
			 sx_table_column(table, i)->name, sx_table_column(table, first)->name);
}
