/* What binds a metric's name to its meaning: a hash of formula and unit, kept in identity.tsv. */
#ifndef CATALOG_LINT_IDENTITY_H
#define CATALOG_LINT_IDENTITY_H

#include <sextant/lint.h>

/*
 * The hash of a metric: the xxhash64 of one line with its unit and one line "VARIANT=FORM" for each
 * variant. Forms are without `$` and without blanks beside operators; false when memory is out.
 */
bool identity_hash(const struct sx_catalog *catalog, const struct sx_metric_info *metric,
		   uint64_t *hash);

enum identity_state {
	IDENTITY_UNBOUND, /* the list knows nothing of this catalog */
	IDENTITY_MISSING, /* it knows the catalog, but not the metric */
	IDENTITY_SAME,
	IDENTITY_CHANGED,
	IDENTITY_NO_MEMORY,
};

/* What the embedded list says of a metric. */
enum identity_state identity_check(const struct sx_catalog *catalog,
				   const struct sx_metric_info *metric);

#endif
