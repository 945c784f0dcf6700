/* Mali dumps back to back, of values of 32 or 64 bits. */
#ifndef IMPORT_RAW_MALI_DUMP_H
#define IMPORT_RAW_MALI_DUMP_H

#include "import/raw/input.h"

/* Fills in->table from in->data. Errors: SX_ERR_USAGE, and those of sx_mali_decode(). */
enum sx_status raw_mali_dump(struct raw_input *in, struct sx_error *err);

#endif
