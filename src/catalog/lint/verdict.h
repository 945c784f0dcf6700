/* Lint of the verdict's rules. */
#ifndef CATALOG_LINT_VERDICT_H
#define CATALOG_LINT_VERDICT_H

#include <sextant/lint.h>

#include "catalog/verdict.h"

/* The rules to look at, and who gets the findings. */
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
