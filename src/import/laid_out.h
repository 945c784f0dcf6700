/* Tables that are not plain ones, made plain before any reader sees them. */
#ifndef IMPORT_LAID_OUT_H
#define IMPORT_LAID_OUT_H

#include "import/formats.h"

/*
 * Replaces a text where a table stands in it below other lines, with
 * blanks between its cells, with a line of units or of groups, or with lines that are no rows;
 * what is left out is told where the job has a result. `known`: the first line is a header that
 * some reader knows, and stays it. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status import_lay_out(struct import_job *job, bool known, struct import_bytes *bytes);

#endif
