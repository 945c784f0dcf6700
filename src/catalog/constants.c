/* The one place that says which of several values of a constant holds. */
#include "catalog/constants.h"

#include <math.h>

const struct sx_constant_value *constants_given(const struct sx_catalog *catalog, uint32_t index,
						const struct constants_list *list)
{
	for (uint32_t i = list->count; index != SX_NONE && i-- > 0;)
		if (sx_catalog_find_constant(catalog, list->items[i].name) == index)
			return &list->items[i];
	return NULL;
}

double constants_value(const struct sx_catalog *catalog, uint32_t index,
		       const struct constants_list *list)
{
	uint32_t count;
	const struct sx_constant_value *given = constants_given(catalog, index, list);
	if (given || index == SX_NONE)
		return given ? given->value : NAN;
	const struct sx_constant_info *info = &sx_catalog_constants(catalog, &count)[index];
	return info->has_value ? info->value : NAN;
}
