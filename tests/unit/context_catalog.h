/* The example's catalog, open: cmocka_run_group_tests(tests, context_catalog_open,
 * context_catalog_close). */
#ifndef UNIT_CONTEXT_CATALOG_H
#define UNIT_CONTEXT_CATALOG_H

#include <sextant/catalog.h>

#include <stdio.h>
#include <stdlib.h>

#include "unit/context.h"

static struct sx_catalog *catalog;

static inline int context_catalog_open(void **state)
{
	char path[4096];
	const char *data = getenv("SEXTANT_TEST_DATA");
	snprintf(path, sizeof(path), "%s/example.yaml", data ? data : "tests/data");
	return context_open(state) || sx_catalog_open(context, path, &catalog, NULL) != SX_OK;
}

static inline int context_catalog_close(void **state)
{
	sx_catalog_unref(catalog);
	return context_close(state);
}

#endif
