/* What a counter is that the user defines: `explain 'A12=eu(fpu0-active, coarse=ps)'`. */
#ifndef TOOLS_VERBS_OA_EXPLAIN_H
#define TOOLS_VERBS_OA_EXPLAIN_H

#include "tools/cli/cli.h"
#include "output/catalog/catalog.h"

/* What a recording has for a definition. */
struct measured_value {
	const struct sx_table *totals; /* or NULL */
	double value;
};

/*
 * Explains a definition in the format of the options, with the numbers of `totals` (one row, or
 * NULL) put in; `value` is then the definition's. Errors: SX_ERR_USAGE, SX_ERR_NOT_FOUND,
 * SX_ERR_UNSUPPORTED (no such event, or not on this catalog's device), SX_ERR_NO_MEMORY.
 */
enum sx_status explain_flex(const struct cli *cli, const struct catalog_view *view,
			    const char *definition, const struct measured_value *measured,
			    struct sx_error *err);

#endif
