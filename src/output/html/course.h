/* The numbers of charts: columns of bytes, compressed and spelled in base64. */
#ifndef OUTPUT_HTML_COURSE_H
#define OUTPUT_HTML_COURSE_H

#include "output/views.h"

/*
 * Of numbers in a page, before they are packed (report_keep_course()): of values that are pure
 * noise a sixth goes, base64 makes a third more of it, and the page stays below 6 MiB.
 */
#define COURSE_BYTES ((size_t)5 << 20)

/* Times in the page are counted from here. */
uint64_t course_origin(const struct report *report);
/* The keys of an object that says what stands in the numbers of a device, and in which order. */
void course_json(struct json *json, const struct report_device *device);
/*
 * Writes the numbers: one zlib stream in base64. Each array stands in it by bytes: the first byte
 * of all its elements, the second of all, and so on, little endian. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status course_write(FILE *out, const struct report_device *device, uint64_t origin_ns,
			    struct sx_error *err);

#endif
