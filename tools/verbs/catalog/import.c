/* sextant catalog import KIND FILE|FOLDER: translates, checks, writes. */
#include "tools/verbs/catalog/catalog.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sextant/lint.h>

#include "base/number.h"
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

/* Text of one file, or of several behind each other. */
struct text {
	char *data;
	size_t size, cap;
};

static enum sx_status add_bytes(struct text *text, const char *data, size_t size,
				struct sx_error *err)
{
	if (!mem_grow(&text->data, &text->cap, text->size + size + 1, 1))
		return error_nomem(err, "reading a file");
	memcpy(text->data + text->size, data, size);
	text->size += size;
	return SX_OK;
}

static enum sx_status import_read_file(const char *path, struct text *text, struct sx_error *err)
{
	char buf[65536];
	size_t got = 1;
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	if (!in)
		return error_input(err, errno, "cannot open", path);
	enum sx_status status = SX_OK;
	while (!status && got && text->size < BYTES_MAX) {
		got = fread(buf, 1, sizeof(buf), in);
		status = add_bytes(text, buf, got, err);
	}
	if (!status && ferror(in))
		status = error_input(err, errno, "cannot read", path);
	if (in != stdin)
		fclose(in);
	return status;
}

/* One file of a folder, with its name before it: messages are of its lines. */
static enum sx_status add_file(const char *path, struct text *text, struct sx_error *err)
{
	static const char bom[] = "\xef\xbb\xbf";
	enum sx_status status = add_bytes(text, "<?sextant-file ", 15, err);
	if (!status)
		status = add_bytes(text, path, strlen(path), err);
	if (!status)
		status = add_bytes(text, "?>", 2, err);
	size_t at = text->size;
	if (!status)
		status = import_read_file(path, text, err);
	if (!status && text->size - at >= 3 && memcmp(text->data + at, bom, 3) == 0)
		memcpy(text->data + at, "   ", 3);
	return status;
}

static int is_xml(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);
	return entry->d_name[0] != '.' && size > 4 && strcmp(entry->d_name + size - 4, ".xml") == 0;
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Every XML file of a folder and of the folders in it. */
static enum sx_status add_folder(const char *folder, bool deeper, struct text *text,
				 struct sx_error *err)
{
	struct dirent **entries = NULL;
	char path[4096];
	struct stat st;
	int count = scandir(folder, &entries, deeper ? is_shown : is_xml, alphasort);
	enum sx_status status = count < 0 ? error_input(err, errno, "cannot read", folder) : SX_OK;
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (!status && deeper && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			status = add_folder(path, false, text, err);
		else if (!status && is_xml(entries[i]))
			status = add_file(path, text, err);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static enum sx_status read_all(const char *path, struct text *text, struct sx_error *err)
{
	struct stat st;
	bool folder = strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	enum sx_status status =
	    folder ? add_folder(path, true, text, err) : import_read_file(path, text, err);
	if (!status)
		status = add_bytes(text, "", 0, err);
	return status;
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
	char *yaml = NULL;
	struct text text = {0};
	uint32_t untranslated = 0;
	struct notes notes = {.cli = cli};
	enum sx_status status = read_all(path, &text, err);
	if (status != SX_OK) {
		free(text.data);
		return status;
	}
	struct sx_import_request request = {.kind = kind,
					    .text = text.data,
					    .size = text.size,
					    .origin = path,
					    .name = cli->options.catalog,
					    .note = show_note,
					    .user = &notes};
	status = sx_catalog_import(&request, &yaml, &untranslated, err);
	free(text.data);
	if (status == SX_OK)
		status = check(yaml, err);
	if (status == SX_OK) {
		fputs(yaml, cli->view.out.out);
		if (untranslated > NOTES_SHOWN && !cli->options.verbose)
			cli_note(cli, "and %u more; -v shows all", untranslated - NOTES_SHOWN);
		cli_note(cli,
			 "%s could not be translated; sextant catalog lint checks the "
			 "result",
			 COUNTED(untranslated, "thing"));
	}
	free(yaml);
	return status;
}
