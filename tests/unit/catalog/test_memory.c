/* Every allocation of opening, listing and linting fails once: an error each time, nothing leaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <sextant/lint.h>

#include "catalog/lint/lint.h"
#include "unit/allocations.h"

/* One whole use of the library; SX_OK only when nothing was left out. */
static enum sx_status use(const char *path, struct sx_error *err)
{
	struct sx_context *context = NULL;
	struct sx_catalog *catalog = NULL;
	char *identity = NULL;
	uint32_t findings;
	enum sx_status status = sx_context_create(NULL, &context, err);
	if (status == SX_OK && !sx_catalog_names(context, NULL))
		status = err->status = SX_ERR_NO_MEMORY;
	if (status == SX_OK)
		status = sx_catalog_open(context, path, &catalog, err);
	if (status == SX_OK)
		status = sx_catalog_lint(context, &(struct sx_lint_request){.name = path},
					 &findings, err);
	if (status == SX_OK)
		status = identity_text(catalog, "a\tb\t1\n", &identity, err);
	free(identity);
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
	return status;
}

static void test_every_allocation_may_fail(void **state)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/example.yaml", getenv("SEXTANT_TEST_DATA"));
	long failed = 0;
	for (long k = 0;; k++) {
		struct sx_error err = {0};
		allocations_until_failure = k;
		enum sx_status status = use(path, &err);
		bool reached = allocations_until_failure < 0;
		allocations_until_failure = -1;
		if (!reached) {
			assert_int_equal(status, SX_OK);
			break;
		}
		/* A cache that cannot grow is no error: the catalog is just not remembered. */
		if (status != SX_OK) {
			assert_int_equal(status, SX_ERR_NO_MEMORY);
			assert_int_equal(err.status, SX_ERR_NO_MEMORY);
			failed++;
		}
	}
	assert_true(failed > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
