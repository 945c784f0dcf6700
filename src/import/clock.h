/* Times of frames that a table tells only the lengths of. */
#ifndef IMPORT_CLOCK_H
#define IMPORT_CLOCK_H

#include "import/formats.h"

/*
 * Where no row of a table has a time and a column gives the time of one frame a row, each row
 * begins where the one before it in the same process, context and instance ended: the rows are
 * frames then, numbered from 0 where nothing numbers them. Told. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status import_clock_frames(struct import_job *job, struct import_device *device,
				   struct sx_error *err);

#endif
