/* `sextant catalog`: what its files share. */
#ifndef TOOLS_VERBS_CATALOG_CATALOG_H
#define TOOLS_VERBS_CATALOG_CATALOG_H

#include "tools/cli/cli.h"

/* sextant catalog import: a catalog from a vendor's own file. */

/*
 * Translates the file or folder `path` to a catalog, writes it to the output, and notes on standard
 * error what could not be translated. The catalog is loaded first, so it is valid. Errors: those of
 * sx_catalog_import().
 */
enum sx_status catalog_import(const struct cli *cli, const char *kind, const char *path,
			      struct sx_error *err);

/* sextant catalog lint. */

/* Checks the catalogs named, or all that can be found; *findings receives how much is wrong. */
enum sx_status catalog_lint(const struct cli *cli, const char *const *names, size_t count,
			    size_t *findings, struct sx_error *err);

#endif
