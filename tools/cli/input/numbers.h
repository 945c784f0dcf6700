/* The numbers under which devices of a capture are known, which need not follow each other. */
#ifndef TOOLS_CLI_INPUT_NUMBERS_H
#define TOOLS_CLI_INPUT_NUMBERS_H

#include <sextant/capture.h>

#define NUMBERS_PROPERTY "number" /* of a device: as the file that it came from numbers it */

/*
 * The number of a device by its place: what its recording says, else its place, else the lowest
 * that no other has.
 */
uint32_t numbers_of(struct sx_capture_reader *reader, uint32_t device);

#endif
