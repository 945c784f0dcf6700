/* A table of metrics written row by row, as eval and decode do. */
#ifndef TOOLS_ROWS_H
#define TOOLS_ROWS_H

#include "tools/cli.h"

struct rows_shape {
	const char *schema;  /* "eval", "decode" */
	const char *catalog; /* name */
	bool times;	     /* begin_ns, end_ns columns */
	bool contexts;	     /* a context column */
};

/*
 * Writes `table` in the chosen format (text, json, ndjson, csv). Text shows one metric a line and
 * the first few rows beside it.
 */
enum sx_status rows_write(const struct cli *cli, const struct rows_shape *shape,
			  const struct sx_table *table, struct sx_error *err);

#endif
