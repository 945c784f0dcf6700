/* A context that the tests of one file share: cmocka_run_group_tests(tests, context_open,
 * context_close). */
#ifndef UNIT_CONTEXT_H
#define UNIT_CONTEXT_H

#include <sextant/context.h>

static struct sx_context *context;

static inline int context_open(void **state)
{
	return sx_context_create(NULL, &context, NULL) != SX_OK;
}

static inline int context_close(void **state)
{
	sx_context_destroy(context);
	return 0;
}

#endif
