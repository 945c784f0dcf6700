/* Which counters the reports of Intel's OA unit have, by the names that files give formats. */
#ifndef CATALOG_IMPORT_OA_SLOTS_H
#define CATALOG_IMPORT_OA_SLOTS_H

#include <stdbool.h>
#include <stddef.h>

/* One behind the highest number of each file of counters; 0: reports have none of it. */
struct oa_slots {
	const char *format;
	unsigned a, b, c, pec;
};

/* The slots of a format, by its name in any case; NULL: there is no such format. */
const struct oa_slots *oa_slots_find(const char *format);
/* The slots of the largest format, for a set that names none. */
const struct oa_slots *oa_slots_any(void);
/* Whether a counter of `file` ("A", "PEC", …) can be read; files that are not listed are not in
 * reports. */
bool oa_slots_has(const struct oa_slots *slots, const char *file, unsigned long number);

#endif
