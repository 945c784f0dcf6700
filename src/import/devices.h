/* Tables whose column "device" says whose each row is. */
#ifndef IMPORT_DEVICES_H
#define IMPORT_DEVICES_H

#include "import/formats.h"

/*
 * Reads the rows of each device of a table by themselves, with the job's format, or all at once
 * where no column says whose they are. SX_INCOMPLETE also where some device could not be read.
 */
enum sx_status import_each_device(struct import_job *job, const struct import_format *format,
				  struct sx_error *err);
/* Whether a header is that of such a column. */
bool import_tells_device(struct import_cell head);
/* Whether a table in the beginning of a file has one. */
bool import_has_devices(const struct import_head *head);

#endif
