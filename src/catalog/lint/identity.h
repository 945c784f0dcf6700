/* What binds a metric's name to its meaning: a hash of formula and unit, kept in identity.tsv. */
#ifndef CATALOG_LINT_IDENTITY_H
#define CATALOG_LINT_IDENTITY_H

#include "base/mem.h"

#include <sextant/lint.h>

/*
 * The hash of a metric: the xxhash64 of one line with its unit and one line "VARIANT=FORM" for each
 * variant. Forms are without `$` and without blanks beside operators; false when memory is out.
 */
bool identity_hash(const struct sx_catalog *catalog, const struct sx_metric_info *metric,
		   uint64_t *hash);

enum identity_state {
	IDENTITY_UNBOUND, /* the list knows nothing of this catalog */
	IDENTITY_MISSING, /* the list knows the catalog, but not the metric */
	IDENTITY_SAME,
	IDENTITY_CHANGED,
	IDENTITY_NO_MEMORY,
};

/* The library's list, unpacked. Zero-initialise. */
struct identities {
	struct arena arena;
	const char *begin, *end;
};

/* Unpacks the list. Errors: SX_ERR_BAD_INPUT, SX_ERR_NO_MEMORY. */
enum sx_status identities_open(struct identities *list, struct sx_error *err);
void identities_finish(struct identities *list);

/* What the list says of a metric. */
enum identity_state identity_check(const struct identities *list, const struct sx_catalog *catalog,
				   const struct sx_metric_info *metric);

/*
 * Writes the lines that bind a catalog's metrics to their meaning: `old` is the text of an
 * identity.tsv or NULL; the result is that text with this catalog's lines made anew, sorted. *out
 * is NUL-terminated and owned by the caller, to be released by free(). Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status identity_text(const struct sx_catalog *catalog, const char *old, char **out,
			     struct sx_error *err);

#endif
