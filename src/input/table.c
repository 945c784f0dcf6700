/* A table of counters as a device: its text is read block by block, in constant memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "import/import.h"
#include "import/table/csv.h"
#include "input/input.h"
#include "input/text.h"

/* Values in memory at once; a line of very many columns still makes a block of some rows. */
#define BLOCK_CELLS (1u << 18)
#define BLOCK_ROWS  64
#define UNKNOWN_MAX 5 /* unknown columns that are named one by one */

struct input_table {
	struct input_text text;
	struct csv_stream *csv;
	struct sx_capture_device info;
};

/* How much of a text is read. */
static void table_progress(const struct input_device *d)
{
	struct stat st;
	int fd = d->table->text.fd;
	off_t at = lseek(fd, 0, SEEK_CUR);
	if (d->of.progress && at >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		d->of.progress(d->of.user, d->of.path, (uint64_t)at, (uint64_t)st.st_size);
}

static enum sx_status table_next(struct input_device *d, struct sx_error *err)
{
	size_t most = BLOCK_CELLS / (sx_table_column_count(d->raw) + 1);
	table_progress(d);
	enum sx_status status = csv_next(d->table->csv, most < BLOCK_ROWS ? BLOCK_ROWS : most, err);
	d->rows += status ? 0 : sx_table_row_count(d->raw);
	return status;
}

static enum sx_status table_load(struct input_device *d, struct sx_table **out,
				 struct sx_error *err)
{
	return csv_all(d->table->csv, out, err);
}

static void table_close(struct input_device *d)
{
	if (!d->table)
		return;
	csv_close(d->table->csv);
	input_text_close(&d->table->text);
	free(d->table);
	d->raw = NULL; /* the stream's */
}

static const struct input_ops table_ops = {table_next, table_load, table_close};

static enum sx_status open_table(struct input_device *d, struct sx_error *err)
{
	struct input_table *t = d->table;
	const char *path = d->of.path;
	const struct csv_options options = {.catalog = d->catalog};
	enum sx_status status = input_text_open(&t->text, path, err);
	if (!status)
		status = csv_open(&t->text.csv, path, &options, &t->csv, err);
	if (status)
		return status;
	struct sx_error why;
	d->lacks = csv_whole(t->csv, &why) == SX_INCOMPLETE;
	if (d->lacks)
		input_note(&d->of, "%s", why.message);
	const struct note_sink to = {d->of.note, d->of.user};
	csv_note(csv_beside(t->csv), &to);
	d->beside = &csv_beside(t->csv)->beside;
	t->info.facts.simulated = d->beside->simulated;
	d->raw = (struct sx_table *)csv_table(t->csv);
	return SX_OK;
}

enum sx_status input_table_open(const struct input_request *request, struct sx_catalog *catalog,
				struct input_device **out, struct sx_error *err)
{
	struct input_device *d = calloc(1, sizeof(*d));
	struct input_table *t = calloc(1, sizeof(*t));
	if (!d || !t) {
		free(d);
		free(t);
		return error_nomem(err, "reading an input file");
	}
	t->text.fd = -1;
	*d = (struct input_device){.of = *request,
				   .ops = &table_ops,
				   .table = t,
				   .info = &t->info,
				   .catalog = sx_catalog_ref(catalog),
				   .facts = {.set = request->set, .variant = request->variant}};
	enum sx_status status = open_table(d, err);
	d->facts.simulated = t->info.facts.simulated;
	if (status)
		input_device_close(d);
	else
		*out = d;
	return status;
}

enum sx_status input_need_columns(const char *path, const struct sx_table *table,
				  const struct sx_catalog *catalog, struct sx_error *err)
{
	uint32_t count = sx_table_column_count(table);
	if (import_columns_known(table, catalog))
		return SX_OK;
	error_set(err, SX_ERR_BAD_INPUT, "no column of %s means anything in catalog %s", path,
		  sx_catalog_info(catalog)->name);
	if (count == 1)
		error_because(err, "%s is no name of a counter, constant or metric",
			      sx_table_column(table, 0)->name);
	else if (count)
		error_because(err, "none of its %u names is that of a counter, constant or metric",
			      count);
	else
		error_because(err, "it has no column of values");
	error_try(err, "--for with another catalog, or sextant list counters --for %s",
		  sx_catalog_info(catalog)->name);
	return SX_ERR_BAD_INPUT;
}

static void note_repeated(const struct input_request *request, const struct sx_table *table,
			  const struct sx_catalog *catalog)
{
	uint32_t count = sx_table_column_count(table), shown = 0;
	uint32_t *instead = calloc((size_t)count + 1, sizeof(*instead));
	bool any = instead && import_repeated_columns(table, catalog, instead);
	for (uint32_t i = 0; any && i < count && shown < UNKNOWN_MAX; i++) {
		if (instead[i] == SX_NONE)
			continue;
		shown++;
		input_note(request, "column %s means the same as %s, which is read instead",
			   sx_table_column(table, i)->name,
			   sx_table_column(table, instead[i])->name);
	}
	free(instead);
}

void input_note_unknown(const struct input_request *request, const struct sx_table *table,
			struct sx_catalog *catalog)
{
	const char *catalog_name = sx_catalog_info(catalog)->name;
	uint32_t unknown = 0;
	for (uint32_t i = import_unknown_column(table, catalog, 0); i != SX_NONE;
	     i = import_unknown_column(table, catalog, i + 1)) {
		const char *near[1], *name = sx_table_column(table, i)->name;
		if (unknown++ >= UNKNOWN_MAX)
			continue;
		if (sx_catalog_suggest(catalog, name, near, 1))
			input_note(
			    request,
			    "column %s is not in catalog %s and stays as it is; did you mean %s?",
			    name, catalog_name, near[0]);
		else
			input_note(request, "column %s is not in catalog %s and stays as it is",
				   name, catalog_name);
	}
	if (unknown > UNKNOWN_MAX)
		input_note(request, "further columns that mean nothing: %u", unknown - UNKNOWN_MAX);
	note_repeated(request, table, catalog);
}
