/* Any bytes as a catalog: an error with its line, or a catalog with valid parts. */
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>
#include "fuzz.h"

static void check(bool good)
{
	if (!good)
		abort();
}

static void walk(const struct sx_catalog *catalog)
{
	uint32_t metrics, counters, groups, sections;
	const struct sx_metric_info *m = sx_catalog_metrics(catalog, &metrics);
	const struct sx_counter_info *c = sx_catalog_counters(catalog, &counters);
	sx_catalog_groups(catalog, &groups);
	const struct sx_section_info *s = sx_catalog_sections(catalog, &sections);
	for (uint32_t i = 0; i < metrics; i++) {
		check(sx_catalog_find_metric(catalog, m[i].name, m[i].group, NULL) == i);
		check(m[i].group == SX_NONE || m[i].group < groups);
		check(m[i].title && m[i].unit && m[i].description);
	}
	for (uint32_t i = 0; i < counters; i++)
		check(sx_catalog_find_counter(catalog, c[i].name, c[i].group, NULL) == i);
	for (uint32_t i = 0; i < sections; i++)
		check(s[i].parent == SX_NONE || s[i].parent < sections);
	const char *near[3];
	check(sx_catalog_suggest(catalog, "busy", near, 3) <= 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sx_catalog *catalog = NULL;
	struct sx_error err = {0};
	enum sx_status status = sx_catalog_parse((const char *)data, size, "fuzz", &catalog, &err);
	if (status == SX_OK)
		walk(catalog);
	else
		check(!catalog && strncmp(err.message, "fuzz:", 5) == 0);
	sx_catalog_unref(catalog);
	return 0;
}
