/* What a rule of a catalog's advice, or of the verdict, says and when. */
#ifndef OUTPUT_CATALOG_RULE_H
#define OUTPUT_CATALOG_RULE_H

#include "output/catalog/describe.h"

struct suggest;

/* Index of a rule of the catalog by its name, whatever its case; or SX_NONE. */
uint32_t rule_find(const struct catalog_view *view, const char *name);
/* Offers the names of the catalog's rules as what may have been meant. */
void rule_offer(const struct catalog_view *view, struct suggest *near);
/* Writes a rule as text or JSON. Errors: SX_ERR_NO_MEMORY. */
enum sx_status rule_write(const struct view *out, const struct catalog_view *view, uint32_t rule,
			  struct sx_error *err);
/*
 * The same for the rules of the verdict, which are no catalog's: all of that name. *known is false,
 * and nothing is written, when there is none.
 */
enum sx_status rule_write_verdict(const struct view *out, const char *name, bool *known,
				  struct sx_error *err);
/* The name of the verdict's rule that is nearest to `name`, or an empty text; returns text. */
const char *rule_near_verdict(const char *name, char *text, size_t size);

#endif
