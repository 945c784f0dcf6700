/* Recordings as input. */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include <sextant/capture.h>

#include "analysis/compare/compare.h"

/* Of a device of a capture: how the file that it came from numbers it. */
#define INPUT_NUMBER_PROPERTY "number"

/*
 * The number of a device by its place: what its recording says, else its place, else the lowest
 * that no other has.
 */
uint32_t input_number(struct sx_capture_reader *reader, uint32_t device);

/*
 * Baselines: what a comparison needs of a set, as a small JSON document that can be committed.
 * Whether a file begins as one; reading it.
 */
#define BASELINE_SCHEMA "sextant.baseline/1"
bool baseline_is(const char *path);
enum sx_status baseline_read(const char *path, struct compare_set *set, struct sx_error *err);

#endif
