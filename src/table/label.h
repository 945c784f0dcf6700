/* Labels of rows by the names that files and options have for them. */
#ifndef TABLE_LABEL_H
#define TABLE_LABEL_H

#include <stddef.h>

#include <sextant/sample.h>

/* "frame", "group", "context", …, "group2"; static storage. Thread-safe. */
const char *label_name(enum sx_label label);
/*
 * The label for one more text of a row where those of the mask `taken` (1 << enum sx_label) have
 * one: group, group2, group3, group4; SX_LABEL_COUNT: there is no further one. Thread-safe.
 */
enum sx_label label_next_group(uint32_t taken);

/* What files call the column that says what a row encloses. */
#define KIND_WORD "sample_kind"
/*
 * What rows with the labels of the mask enclose, if no column says it: rows of another kind have
 * such a column. Thread-safe.
 */
enum sx_sample_kind kind_by_labels(uint32_t labels);
/* The kind of that name, or SX_SAMPLE_KINDS. Thread-safe. */
enum sx_sample_kind kind_find(const char *name, size_t size);

#endif
