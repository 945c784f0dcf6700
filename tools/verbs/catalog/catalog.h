/* `sextant catalog`: what its files share. */
#ifndef TOOLS_VERBS_CATALOG_CATALOG_H
#define TOOLS_VERBS_CATALOG_CATALOG_H

#include "tools/cli/cli.h"

/* sextant catalog import: a catalog from a vendor's own file. */

/*
 * Writes the catalog that `path` becomes, a file of this kind, to the output and tells on standard
 * error what could not be translated. What is written has been loaded once: it is a catalog. Errors
 * as sx_catalog_import().
 */
enum sx_status catalog_import(const struct cli *cli, const char *kind, const char *path,
			      struct sx_error *err);

/* sextant catalog lint. */

/* Checks the catalogs named, or all that can be found; *findings receives how much is wrong. */
enum sx_status catalog_lint(const struct cli *cli, const char *const *names, size_t count,
			    size_t *findings, struct sx_error *err);

#endif
