/* The page of a report: one HTML file with its data and its scripts. */
#ifndef OUTPUT_HTML_HTML_H
#define OUTPUT_HTML_HTML_H

#include "output/views.h"

/*
 * Of numbers in a page, before they are packed (report_keep_course()): of values that are pure
 * noise a sixth goes, base64 makes a third more of it, and the page stays below 6 MiB.
 */
#define COURSE_BYTES ((size_t)5 << 20)

/* Times in the page are counted from here. */
uint64_t course_origin(const struct report *report);
/* The keys of an object that say which numbers of a device are written, and in which order. */
void course_json(struct json *json, const struct report_device *device);
/*
 * Writes the numbers: one zlib stream in base64. Each array is transposed by bytes: the first byte
 * of all its elements, the second of all, and so on, little endian. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status course_write(FILE *out, const struct report_device *device, uint64_t origin_ns,
			    struct sx_error *err);

/*
 * Writes one JSON document: what `report -f json` says, and what only a page has: titles, windows
 * of findings, formulas with their numbers, gaps, and how the charts' numbers are laid out. Values
 * are in base units; those of charts, in the catalog's, are `factor` away from them. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status model_write(const struct view *view, const struct report *report,
			   struct sx_error *err);

#endif
