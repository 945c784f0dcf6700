/* Where else a metric is: the other groups that have one of its name. */
#ifndef OUTPUT_CATALOG_ALSO_H
#define OUTPUT_CATALOG_ALSO_H

#include "output/catalog/describe.h"

/* Texts, empty where there is nothing to say. */
struct also {
	char other[640]; /* groups whose formula or unit is another one, by name */
	char same[64];	 /* how many have the same */
};

/* Of a metric of a group; `variant` is the one whose formulas are compared. */
void also_describe(const struct catalog_view *view, uint32_t index, uint32_t variant,
		   struct also *out);
/* The same as the member "also" of an object. */
void also_json(struct json *json, const struct catalog_view *view, uint32_t index,
	       uint32_t variant);

#endif
