/* Lint of the verdict's rules. */
#ifndef CATALOG_LINT_VERDICT_H
#define CATALOG_LINT_VERDICT_H

#include <sextant/lint.h>

#include "catalog/verdict.h"

struct verdict_lint_text {
	const char *text;
	size_t size;
	const char *origin;
};

/*
 * Reports names that nothing has, conditions over facts that a rule does not need, and facts
 * without use; of the embedded rules, or of a text. Errors: those of reading them.
 */
enum sx_status verdict_lint(struct sx_context *context, const struct verdict_lint_text *text,
			    sx_lint_fn fn, void *user, uint32_t *count, struct sx_error *err);

#endif
