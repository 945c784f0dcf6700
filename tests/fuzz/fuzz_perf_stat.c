/* perf stat's output of any content. */
#include <stdlib.h>
#include <string.h>

#include "import/perf_stat/parse.h"
#include "fuzz.h"

static struct sx_catalog *open_catalog(void)
{
	struct sx_context *context = NULL;
	struct sx_catalog *catalog = NULL;
	if (sx_context_create(NULL, &context, NULL) != SX_OK ||
	    sx_catalog_open(context, "cpu", &catalog, NULL) != SX_OK)
		abort();
	sx_context_destroy(context);
	return catalog;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sx_catalog *catalog;
	struct perf_stat_tally tally;
	struct sx_table *table = NULL;
	struct sx_error err = {0};
	if (!catalog)
		catalog = open_catalog();
	/* A block of its own size, so that a sanitizer sees any byte read beyond it. */
	char *copy = malloc(size + !size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	const struct perf_stat_input input = {copy, size, "fuzz", catalog};
	enum sx_status status = perf_stat_parse(&input, &table, &tally, &err);
	if ((status == SX_OK) != (table != NULL) || (status && !err.message[0]) ||
	    (table && (!tally.records || sx_table_row_count(table) > tally.records)))
		abort();
	sx_table_destroy(table);
	free(copy);
	return 0;
}
