/* Which catalog describes a device or bears a name, told from the catalogs' heads alone. */
#ifndef CATALOG_MATCH_H
#define CATALOG_MATCH_H

#include <sextant/catalog.h>

/* What a device says of itself, as rules under `match` have it. */
struct match_query {
	const char *driver, *key, *value;
};

#define MATCH_TEXT_MAX 160

struct match_found {
	char name[MATCH_TEXT_MAX];    /* what to open: the product's name, else the catalog's */
	char catalog[MATCH_TEXT_MAX]; /* the catalog's own name */
	char title[MATCH_TEXT_MAX];   /* of the product, else of the catalog */
};

/*
 * Finds the catalog that one of the queries meets; the first query that any catalog meets decides.
 * false when none does, or memory is out. Thread-safe.
 */
bool match_device(struct sx_context *context, const struct match_query *queries, size_t count,
		  struct match_found *out);

/*
 * Finds what a name stands for, regardless of case: a catalog, a product or an alias of one.
 * Returns how many different ones it names; *out is the first.
 */
size_t match_name(struct sx_context *context, const char *name, struct match_found *out);

#endif
