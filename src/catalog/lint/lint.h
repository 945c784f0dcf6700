/* What the files of lint share. */
#ifndef CATALOG_LINT_LINT_H
#define CATALOG_LINT_LINT_H

#include <sextant/catalog.h>
#include <sextant/lint.h>
#include <sextant/status.h>

#include "catalog/internal.h"
#include "catalog/units.h"
#include "catalog/verdict.h"
#include "base/mem.h"

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

struct neutral_name {
	const char *name, *unit, *description;
	struct sx_strings aliases; /* other names of it */
};

struct neutral {
	struct arena arena;
	struct neutral_name *names;
	uint32_t count;
};

/* Reads the embedded neutral.yaml. Errors as sx_catalog_parse(). */
enum sx_status neutral_init(struct neutral *neutral, struct sx_error *err);
/* The entry of a name, or NULL. */
const struct neutral_name *neutral_find(const struct neutral *neutral, const char *name);
/* The same for a name in any spelling: "frame_time", "Frame time" or an alias. */
const struct neutral_name *neutral_find_spelled(const struct neutral *neutral, const char *name);
void neutral_finish(struct neutral *neutral);

struct lint {
	const struct sx_catalog *cat;
	sx_lint_fn fn;
	void *user;
	uint32_t count;
	bool out_of_memory;
	struct units units;
	struct neutral neutral;
	struct identities identities;
};

/* Reports one finding. */
void lint_report(struct lint *lint, uint32_t line, const char *fmt, ...) SX_PRINTF(3, 4);
/* Checks the formulas of metrics, groups and rules. */
void lint_expressions(struct lint *lint);

/* The rules to check, and the callback for findings. */
struct verdict_lint_request {
	const char *text; /* NULL: the embedded rules */
	size_t size;
	const char *origin;
	sx_lint_fn fn;
	void *user;
};

/*
 * Reports names that nothing has, conditions over facts that a rule does not need, and facts
 * without use. Errors: those of reading them.
 */
enum sx_status verdict_lint(struct sx_context *context, const struct verdict_lint_request *request,
			    uint32_t *count, struct sx_error *err);

#endif
