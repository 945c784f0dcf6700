/* The guide's words for counters, taken from a catalog: name, "#Group#text", type and usage. */
#ifndef GPA_COUNTERS_H
#define GPA_COUNTERS_H

#include <sextant/catalog.h>

#include "base/mem.h"
#include "gpa/core.h"

struct gpa_guide {
	struct sx_context *context;
	struct sx_catalog *catalog;
	struct arena arena; /* holds the texts */
};

/* Opens a catalog; false, and a logged error, when it cannot be read. */
bool guide_open(struct gpa_guide *guide, const char *catalog);
void guide_close(struct gpa_guide *guide);

/*
 * Describes the counter `name` as the catalog does; `how` (may be NULL) is a sentence added to the
 * description. false: not in the catalog, or out of memory.
 */
bool guide_counter(struct gpa_guide *guide, const char *name, const char *how,
		   struct gpa_counter *out);

/* A growing list of counters for a context. */
struct gpa_list {
	struct gpa_counter *items;
	size_t count, capacity;
};
/* Adds the counter with a copy of its raws; false when memory is out. */
bool guide_add(struct gpa_guide *guide, struct gpa_list *list, struct gpa_counter counter,
	       const uint32_t *raws, uint32_t raw_count);

#endif
