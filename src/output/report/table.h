/* The table of a report's metrics, and how numbers stand in narrow columns. */
#ifndef OUTPUT_REPORT_TABLE_H
#define OUTPUT_REPORT_TABLE_H

#include "output/views.h"

/* A line each metric, under headings; without -v none that is 0 or no data throughout. */
bool table_write(const struct view *view, const struct report_device *device);
/* What the table leaves out, and which of its values have reservations. */
void table_footnotes(const struct view *view, const struct report_device *device);

/* "16.7 ms" as "16.7ms", for narrow columns. */
void table_number(const struct view *view, char buf[HUMAN_MAX], double value, const char *unit);
/* A unit beside a number: "" where the number says it, and of quotients only rates. */
const char *table_unit(const struct view *view, const char *unit);

#endif
