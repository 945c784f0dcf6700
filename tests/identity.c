/*
 * Writes catalogs/identity.tsv for the catalogs as they are now, for a deliberate change:
 * `ninja identity`, then look at the difference before committing it.
 */
#include <sextant/lint.h>

#include <stdio.h>
#include <stdlib.h>

#include "catalog/lint/lint.h"

static char *bind_all(struct sx_context *context)
{
	char *text = NULL;
	for (const char *const *name = sx_catalog_names(context, NULL); name && *name; name++) {
		struct sx_catalog *catalog = NULL;
		struct sx_error err = {0};
		char *next = NULL;
		if (sx_catalog_open(context, *name, &catalog, &err) != SX_OK ||
		    identity_text(catalog, text, &next, &err) != SX_OK) {
			fprintf(stderr, "%s\n", err.message);
			exit(1);
		}
		sx_catalog_unref(catalog);
		free(text);
		text = next;
	}
	return text;
}

int main(int argc, char **argv)
{
	struct sx_context *context = NULL;
	struct sx_context_options options = {.catalog_path = ""};
	/* Only what is embedded: neither the user's nor the system's catalogs belong in the list.
	 */
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	if (argc != 2 || sx_context_create(&options, &context, NULL) != SX_OK)
		return 2;
	char *text = bind_all(context);
	FILE *file = text ? fopen(argv[1], "w") : NULL;
	if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
		perror(argv[1]);
		return 1;
	}
	free(text);
	sx_context_destroy(context);
	return 0;
}
