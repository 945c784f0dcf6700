/* sextant catalog import: a catalog from a vendor's own file. */
#ifndef TOOLS_VERBS_CATALOG_IMPORT_H
#define TOOLS_VERBS_CATALOG_IMPORT_H

#include "tools/cli/cli.h"

/*
 * Writes the catalog that `path` becomes, a file of this kind, to the output and tells on standard
 * error what could not be translated. What is written has been loaded once: it is a catalog. Errors
 * as sx_catalog_import().
 */
enum sx_status catalog_import(const struct cli *cli, const char *kind, const char *path,
			      struct sx_error *err);

#endif
