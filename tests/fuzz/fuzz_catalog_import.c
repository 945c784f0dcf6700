/* A vendor's file of any content as a catalog; KIND names the reader. What comes out is one. */
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>
#include <sextant/lint.h>

#include "fuzz.h"

static void note(void *user, const char *line)
{
	uint32_t *count = user;
	if (!line[0])
		abort();
	++*count;
}

static void check(const char *yaml)
{
	struct sx_error err = {0};
	struct sx_catalog *catalog = NULL;
	enum sx_status status = sx_catalog_parse(yaml, strlen(yaml), "imported", &catalog, &err);
	/* Duplicate names and too long formulas are errors; all other output is a valid
	 * catalog. */
	if (status && !err.message[0])
		abort();
	sx_catalog_unref(catalog);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *yaml = NULL;
	uint32_t untranslated = 0, notes = 0;
	struct sx_error err = {0};
	struct sx_import_request request = {.kind = KIND,
					    .text = (const char *)data,
					    .size = size,
					    .origin = "fuzz",
					    .note = note,
					    .user = &notes};
	enum sx_status status = sx_catalog_import(&request, &yaml, &untranslated, &err);
	if ((status == SX_OK) != (yaml != NULL) ||
	    (status && (!err.message[0] || !err.because[0])) || (!status && notes != untranslated))
		abort();
	/* 16 times: what an entity could do, and nothing of ours does but quoting and YAML's words.
	 */
	if (yaml && strlen(yaml) > 65536 + size * 16)
		abort();
	if (yaml)
		check(yaml);
	free(yaml);
	return 0;
}
