/* The vendor-neutral vocabulary, as embedded. */
#ifndef CATALOG_LINT_NEUTRAL_H
#define CATALOG_LINT_NEUTRAL_H

#include "base/mem.h"

#include <sextant/catalog.h>
#include <sextant/status.h>

struct neutral_name {
	const char *name, *unit, *description;
	struct sx_strings aliases; /* what people call it besides */
};

struct neutral {
	struct arena arena;
	struct neutral_name *names;
	uint32_t count;
};

/* Reads the embedded neutral.yaml. Errors as sx_catalog_parse(). */
enum sx_status neutral_init(struct neutral *neutral, struct sx_error *err);
/* The entry of a name, or NULL. */
const struct neutral_name *neutral_find(const struct neutral *neutral, const char *name);
/* The same for a name as people write it: "frame_time", "Frame time" or an alias. */
const struct neutral_name *neutral_find_spelled(const struct neutral *neutral, const char *name);
void neutral_finish(struct neutral *neutral);

#endif
