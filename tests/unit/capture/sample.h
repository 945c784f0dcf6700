/* A small capture that has one of everything, for the tests of captures. */
#ifndef UNIT_CAPTURE_SAMPLE_H
#define UNIT_CAPTURE_SAMPLE_H

#include <sextant/capture.h>

enum { SAMPLE_COUNT, SAMPLE_TIME, SAMPLE_ABSENT, SAMPLE_PATCHY, SAMPLE_COLUMNS };

/* The device of the sample; static storage. */
const struct sx_capture_device *sample_device(void);
/* Writes `rows` rows from number `first` on, one call each; true when all were taken. */
bool sample_write(struct sx_capture_writer *writer, uint32_t device, uint64_t first, uint64_t rows);
/* What the value of a row has to be; false where there is no data. */
bool sample_value(uint64_t row, uint32_t column, uint64_t *u64, double *f64);
/* Begin of a row; each is 1,000 ns long and follows the one before, but every tenth is late. */
uint64_t sample_begin_ns(uint64_t row);
/* Checks rows of a record against the sample; the number of the first is found by its time. */
bool sample_matches(const struct sx_rows *rows, uint64_t *first);
/* Writes a whole small capture to `path`; `catalog` in place of the device's, or NULL. */
bool sample_file(const char *path, const char *catalog);

#endif
