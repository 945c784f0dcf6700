/* Constants of a device, each once. */
#include "analysis/report/report.h"

uint32_t report_constants(const struct sx_catalog *catalog, struct sx_constant_value *items,
			  uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t is = sx_catalog_find_constant(catalog, items[i].name), at = 0;
		while (is != SX_NONE && at < kept &&
		       sx_catalog_find_constant(catalog, items[at].name) != is)
			at++;
		if (is == SX_NONE || at == kept)
			items[kept++] = items[i];
		else
			items[at].value = items[i].value;
	}
	return kept;
}
