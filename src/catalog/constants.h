/* Constants that are given, for a catalog: in a list, what stands later wins. */
#ifndef CATALOG_CONSTANTS_H
#define CATALOG_CONSTANTS_H

#include <sextant/catalog.h>

struct constants_list {
	const struct sx_constant_value *items;
	uint32_t count;
};

/* What is given for a constant of the catalog, by its index; NULL when nothing is. */
const struct sx_constant_value *constants_given(const struct sx_catalog *catalog, uint32_t index,
						const struct constants_list *list);
/* The same, or else the catalog's own value; NaN where there is none, or for SX_NONE. */
double constants_value(const struct sx_catalog *catalog, uint32_t index,
		       const struct constants_list *list);

#endif
