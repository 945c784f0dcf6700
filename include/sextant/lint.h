/* Checks of catalogs beyond those of loading, for authors of catalogs. */
#ifndef SEXTANT_LINT_H
#define SEXTANT_LINT_H

#include <sextant/catalog.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One fault of a catalog. Strings live until the callback returns. */
struct sx_lint_finding {
	const char *origin; /* path of the file, or "embedded" */
	uint32_t line;	    /* from 1; 0: of no single line */
	const char *message;
};

typedef void (*sx_lint_fn)(void *user, const struct sx_lint_finding *finding);

/* What to check, and the callback for findings. */
struct sx_lint_request {
	const char *name; /* of a catalog, as for sx_catalog_open(); or "verdict", its rules */
	sx_lint_fn fn;	  /* NULL: faults are only counted */
	void *user;	  /* for fn */
};

/*
 * Checks a catalog and hands every fault to request->fn, in the order of the catalog's parts:
 * expressions that do not parse, names that are unknown or ambiguous, mappings to neutral names
 * with another unit, missing or long descriptions, slots outside of their block, rules that cannot
 * be evaluated, and metrics that changed although identity.tsv binds their names. A catalog that
 * cannot be loaded is one finding. *count receives the number of findings and may be NULL. Errors:
 * SX_ERR_NOT_FOUND, SX_ERR_PERMISSION, SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_catalog_lint(struct sx_context *context,
				      const struct sx_lint_request *request, uint32_t *count,
				      struct sx_error *err);

/*
 * The hash of a metric's formula and unit (an index in the catalog), which identity.tsv binds to
 * its name. Errors: SX_ERR_USAGE (no such metric), SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_catalog_metric_hash(const struct sx_catalog *catalog, uint32_t metric,
					     uint64_t *hash, struct sx_error *err);

/* Receives one line about something that could not be translated. */
typedef void (*sx_import_note_fn)(void *user, const char *line);

/* A vendor's file to convert into a catalog. All strings belong to the caller. */
struct sx_import_request {
	/*
	 * "igt-xml" (also Mesa's oa-*.xml), "gator-xml", or "mali-spec": all XML files of
	 * libGPUCounters' specification/database, concatenated.
	 */
	const char *kind;
	const char *text; /* the file's bytes, `size` of them */
	size_t size;
	const char *origin; /* the file's name, for messages */
	/* Of the catalog; NULL: from the file. Of mali-spec: which GPU, in small letters. */
	const char *name;
	sx_import_note_fn note; /* may be NULL */
	void *user;
};

/*
 * Translates a vendor's file into a catalog as YAML; *out is a string that the caller frees with
 * free(). What could not be translated goes to request->note and is counted in *untranslated (may
 * be NULL). Errors: SX_ERR_USAGE (no such kind), SX_ERR_BAD_INPUT and SX_ERR_LIMIT (the message
 * begins with "origin:LINE: "), SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_catalog_import(const struct sx_import_request *request, char **out,
					uint32_t *untranslated, struct sx_error *err);

#ifdef __cplusplus
}
#endif

#endif
