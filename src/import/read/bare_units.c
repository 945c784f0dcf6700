/* See bare_units.h. */
#include "import/read/bare_units.h"
#include "base/text_buf.h"

#include <stdio.h>
#include <string.h>

#include "catalog/column.h"
#include "catalog/units.h"

/* Times, bytes, clocks, power: not shares, which are percent throughout. */
static bool comes_in_sizes(const char *unit)
{
	struct units units;
	units_init(&units);
	const struct unit *own = units_find(&units, unit);
	if (!own || strcmp(own->dimension, "ratio") == 0)
		return false;
	bool sizes = own->scale == UNIT_FINE;
	for (uint32_t i = 0; i < units.count; i++)
		sizes |= units.items[i].factor != own->factor &&
			 strcmp(units.items[i].dimension, own->dimension) == 0;
	return sizes;
}

static bool is_of_frames(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count, metric = column_meaning(catalog, name, SX_NONE).metric;
	const struct sx_metric_info *metrics = sx_catalog_metrics(catalog, &count);
	const char *neutral = metric == SX_NONE ? NULL : metrics[metric].neutral;
	return neutral && (strcmp(neutral, "frame.time") == 0 || strcmp(neutral, "gpu.time") == 0);
}

const char *bare_units_of(const struct sx_catalog *catalog, const char *name, const char *unit)
{
	if (!unit || !unit[0] || column_identify(catalog, name).counter != SX_NONE ||
	    !comes_in_sizes(unit))
		return NULL;
	return is_of_frames(catalog, name) ? "ms" : unit;
}

void bare_units_add(struct bare_units *bare, const char *name, const char *unit)
{
	size_t used = strlen(bare->text);
	if (!bare->count++) {
		snprintf(bare->first, sizeof(bare->first), "%s", name);
		snprintf(bare->unit, sizeof(bare->unit), "%s", unit);
	}
	if (!text_append_item(bare->text, sizeof(bare->text), ", ", "%.80s in %s", name, unit))
		bare->text[used] = '\0'; /* further ones are counted */
}

void bare_units_tell(const struct bare_units *bare, const struct teller *to)
{
	if (bare->count == 1)
		teller_say(to,
			   "no unit stands behind %s: it is read in %s; "
			   "\"%s (%s)\" says so",
			   bare->first, bare->unit, bare->first, bare->unit);
	else if (bare->count)
		teller_say(
		    to,
		    "no unit stands behind %u columns, which are read as %s; \"%s (%s)\" says so",
		    bare->count, bare->text, bare->first, bare->unit);
}
