/* CSV of any content. */
#include <stdlib.h>
#include <string.h>

#include "import/table/csv.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sx_table *table = NULL;
	struct sx_error err = {0};
	/* A block of its own size, so that a sanitizer sees any byte read beyond it. */
	char *copy = malloc(size + !size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	enum sx_status status =
	    csv_parse(&(struct csv_text){copy, size, "fuzz"}, NULL, &table, &err);
	if ((status == SX_OK) != (table != NULL) || (status && !err.message[0]) ||
	    (table && sx_table_row_count(table) > size))
		abort();
	sx_table_destroy(table);
	free(copy);
	return 0;
}
