/* Labels of rows by the names that files and options have for them. */
#ifndef TABLE_LABEL_H
#define TABLE_LABEL_H

#include <sextant/sample.h>

/* "frame", "group", "context", …, "group2"; static storage. Thread-safe. */
const char *label_name(enum sx_label label);
/*
 * The label for one more text of a row where those of the mask `taken` (1 << enum sx_label) have
 * one: group, group2, group3, group4; SX_LABEL_COUNT: there is no further one. Thread-safe.
 */
enum sx_label label_next_group(uint32_t taken);

#endif
