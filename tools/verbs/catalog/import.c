/* sextant catalog import KIND FILE: translates, checks, writes. */
#include "tools/verbs/catalog/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sextant/lint.h>

#include "base/mem.h"

#define BYTES_MAX ((size_t)64 * 1024 * 1024 + 1)

/* What could not be translated: some lines of it are shown, the rest is counted. */
#define NOTES_SHOWN 20

struct notes {
	const struct cli *cli;
	uint32_t shown;
};

static void show_note(void *user, const char *line)
{
	struct notes *n = user;
	if (n->shown++ < NOTES_SHOWN || n->cli->options.verbose)
		cli_note(n->cli, "%s", line);
}

static enum sx_status read_file(const char *path, char **text, size_t *size, struct sx_error *err)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	if (!in)
		return error_errno(err, errno, "cannot open %s", path);
	size_t cap = 0;
	*text = NULL;
	*size = 0;
	for (size_t got = 1; got && *size < BYTES_MAX; *size += got) {
		if (!mem_grow(text, &cap, *size + 65536, 1)) {
			free(*text);
			if (in != stdin)
				fclose(in);
			return error_nomem(err, "reading a file");
		}
		got = fread(*text + *size, 1, 65536, in);
	}
	bool bad = ferror(in) != 0;
	int why = errno;
	if (in != stdin)
		fclose(in);
	if (!bad)
		return SX_OK;
	free(*text);
	return error_errno(err, why, "cannot read %s", path);
}

/* What was written has to be a catalog. */
static enum sx_status check(const char *yaml, struct sx_error *err)
{
	struct sx_catalog *catalog = NULL;
	enum sx_status status = sx_catalog_parse(yaml, strlen(yaml), "imported", &catalog, err);
	sx_catalog_unref(catalog);
	return status;
}

enum sx_status catalog_import(const struct cli *cli, const char *kind, const char *path,
			      struct sx_error *err)
{
	char *text = NULL, *yaml = NULL;
	size_t size = 0;
	uint32_t untranslated = 0;
	struct notes notes = {.cli = cli};
	enum sx_status status = read_file(path, &text, &size, err);
	if (status != SX_OK)
		return status;
	struct sx_import_request request = {.kind = kind,
					    .text = text,
					    .size = size,
					    .origin = path,
					    .name = cli->options.catalog,
					    .note = show_note,
					    .user = &notes};
	status = sx_catalog_import(&request, &yaml, &untranslated, err);
	free(text);
	if (status == SX_OK)
		status = check(yaml, err);
	if (status == SX_OK) {
		fputs(yaml, cli->view.out.out);
		if (untranslated > NOTES_SHOWN && !cli->options.verbose)
			cli_note(cli, "and %u more; -v shows all", untranslated - NOTES_SHOWN);
		cli_note(cli,
			 "%u things could not be translated; sextant catalog lint checks the "
			 "result",
			 untranslated);
	}
	free(yaml);
	return status;
}
