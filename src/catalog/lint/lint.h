/* What the two halves of lint share. */
#ifndef CATALOG_LINT_LINT_H
#define CATALOG_LINT_LINT_H

#include "catalog/internal.h"
#include "catalog/lint/identity.h"
#include "catalog/lint/neutral.h"
#include "catalog/units.h"

#include <sextant/lint.h>

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

#endif
