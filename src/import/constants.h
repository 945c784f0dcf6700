/* Columns that tell what the device is. */
#ifndef IMPORT_CONSTANTS_H
#define IMPORT_CONSTANTS_H

#include "import/formats.h"

/* Those that are the same in each row become constants of the device; without memory, fewer. */
void import_constants(struct import_job *job, struct import_device *device);

#endif
