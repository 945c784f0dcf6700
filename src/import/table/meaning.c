/* What columns of a table mean in a catalog, by their names. */
#include <string.h>

#include "catalog/column.h"
#include "catalog/internal.h"
#include "import/table/reader.h"

/* Levels and constants do not add up. */
void csv_describe_column(const struct sx_catalog *catalog, struct sx_column *column)
{
	uint32_t count;
	struct column_meaning meaning = column_meaning(catalog, column->name, SX_NONE);
	uint32_t exact = sx_catalog_find_metric(catalog, column->name, SX_NONE, NULL);
	/* By letter, one that several sets have goes before a counter that is only like it. */
	if (exact != SX_NONE && column_identify(catalog, column->name).counter == SX_NONE) {
		meaning.metric = exact;
		meaning.counter.counter = SX_NONE;
	}
	if (meaning.counter.counter != SX_NONE) {
		const struct sx_counter_info *info =
		    &sx_catalog_counters(catalog, &count)[meaning.counter.counter];
		column->unit = info->unit;
		column->over_time = info->over_time;
	} else if (meaning.metric != SX_NONE) {
		const struct sx_metric_info *info =
		    &sx_catalog_metrics(catalog, &count)[meaning.metric];
		column->unit = info->unit;
		column->over_time = alias_over_time(catalog, meaning.metric);
	} else if (meaning.constant != SX_NONE) {
		const char *unit = sx_catalog_constants(catalog, &count)[meaning.constant].unit;
		column->unit = unit && *unit ? unit : "unknown";
		column->over_time = SX_REDUCE_LAST;
	} else {
		column->unit = ""; /* the column means nothing here */
	}
}

bool csv_is_known(const struct sx_catalog *catalog, const char *name)
{
	struct column_meaning meaning = column_meaning(catalog, name, SX_NONE);
	return column_is_known(&meaning);
}

bool csv_is_count(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count;
	uint32_t counter = column_identify(catalog, name).counter;
	return counter != SX_NONE && sx_catalog_counters(catalog, &count)[counter].type == SX_U64;
}

bool import_is_same(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count;
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (counters[i].same && strcmp(counters[i].same, name) == 0)
			return true;
	return false;
}

/* What amounts in a unit can be; counts are never below 0. */
static struct csv_range range_of(const char *unit, bool whole)
{
	bool any = strcmp(unit, "degC") == 0 || strcmp(unit, "unknown") == 0;
	bool share = strcmp(unit, "percent") == 0;
	return (struct csv_range){.is = whole || !any,
				  .share = share,
				  .cycles = strcmp(unit, "cycles") == 0,
				  .whole = whole,
				  .most = share ? CSV_SHARE_MAX : CSV_AMOUNT_MAX};
}

struct csv_range import_range(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count;
	struct column_meaning is = column_meaning(catalog, name, SX_NONE);
	struct alias alias;
	if (is.counter.counter != SX_NONE) {
		const struct sx_counter_info *counter =
		    &sx_catalog_counters(catalog, &count)[is.counter.counter];
		struct csv_range range = range_of(counter->unit, counter->type == SX_U64);
		range.whole |= range.is;
		return range;
	}
	if (is.metric == SX_NONE)
		return (struct csv_range){.is = false};
	const struct sx_metric_info *info = &sx_catalog_metrics(catalog, &count)[is.metric];
	alias_find(catalog, is.metric, 0, &alias);
	bool busy = info->neutral && (strcmp(info->neutral, "gpu.busy") == 0 ||
				      strcmp(info->neutral, "cpu.busy") == 0);
	bool amount = alias.counter != SX_NONE || busy || import_is_same(catalog, info->name);
	return amount ? range_of(info->unit, false) : (struct csv_range){.is = false};
}
