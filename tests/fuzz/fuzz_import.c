/* Files of another tool of any content; KIND names the parser. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "import/import.h"

/* Times are possible ones, or there are none. */
static void check_times(const struct sx_table *table)
{
	for (size_t i = 0; i < sx_table_row_count(table); i++) {
		uint64_t begin = sx_table_begin_ns(table)[i], end = sx_table_end_ns(table)[i];
		if (begin != SX_TIME_UNKNOWN && end != SX_TIME_UNKNOWN && begin > end)
			abort();
	}
}

static void check(const struct import *import)
{
	uint32_t count;
	const struct import_device *devices = import_devices(import, &count);
	if (!count)
		abort();
	for (uint32_t i = 0; i < count; i++)
		if (!devices[i].table || !devices[i].catalog || !devices[i].facts.source ||
		    !sx_table_row_count(devices[i].table))
			abort();
	for (uint32_t i = 0; i < count; i++)
		check_times(devices[i].table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sx_context *context;
	struct import *import = NULL;
	struct sx_error err = {0};
	if (!context && sx_context_create(NULL, &context, NULL))
		abort();
	struct import_request request = {.context = context, .path = "fuzz", .as = KIND};
	enum sx_status status = import_parse(&request, (const char *)data, size, &import, &err);
	bool made = !status || status == SX_INCOMPLETE;
	if (made != (import != NULL) || (status && !err.message[0]))
		abort();
	if (made)
		check(import);
	import_destroy(import);
	/* Recognising alone, of anything. */
	request.as = NULL;
	import = NULL;
	if (size < 4096) {
		import_parse(&request, (const char *)data, size, &import, NULL);
		import_destroy(import);
	}
	return 0;
}
