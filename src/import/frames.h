/* Rows whose lengths are given as a metric: each is one frame. */
#ifndef IMPORT_FRAMES_H
#define IMPORT_FRAMES_H

#include "import/formats.h"

/*
 * Where a column gives the time of a frame as a metric that is a counter of times by one of frames,
 * the column becomes that counter and each row counts one frame, so that means and rates are of all
 * frames and not of stretches of time. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status import_count_frames(struct import_job *job, struct import_device *device,
				   struct sx_error *err);

#endif
