/* Input files as blocks of rows, whatever their format. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/import.h"
#include "import/table/csv.h"
#include "input/input.h"
#include "tools/cli/input/columns.h"
#include "input/text.h"
#include "tools/cli/ticker.h"

/* Values in memory at once; a line of very many columns still makes a block of some rows. */
#define BLOCK_CELLS (1u << 18)
#define BLOCK_ROWS  64

struct input_rows {
	const struct cli *cli;
	const char *path;
	struct input_text source;
	struct csv_stream *csv;	     /* or: */
	struct input_device *device; /* or: not owned */
	bool pending;		     /* the first rows are read, but not handed out yet */
};

static enum sx_status open_csv(struct input_rows *rows, const char *path,
			       struct sx_catalog *catalog, struct sx_error *err)
{
	struct csv_options options = import_column_options(catalog);
	options.keep_unknown = true; /* as an import has it */
	enum sx_status status = input_text_open(&rows->source, path, err);
	if (!status)
		status =
		    csv_open(&rows->source.csv, path, catalog ? &options : NULL, &rows->csv, err);
	const struct teller to = cli_teller(rows->cli);
	if (!status && catalog)
		csv_tell(csv_told(rows->csv), &to);
	return status;
}

/* The first record says which columns have data at all. */
static enum sx_status open_capture(struct input_rows *rows, struct sx_error *err)
{
	rows->device = rows->cli->capture;
	enum sx_status status = input_device_next(rows->device, err);
	rows->pending = !status;
	return status == SX_END ? SX_OK : status;
}

enum sx_status input_rows_open(const struct cli *cli, const char *path, struct sx_catalog *catalog,
			       struct input_rows **out, struct sx_error *err)
{
	struct input_rows *rows = calloc(1, sizeof(*rows));
	if (!rows)
		return error_nomem(err, "reading an input file");
	*rows = (struct input_rows){.cli = cli, .path = path, .source = {.fd = -1}};
	enum sx_status status =
	    cli->capture ? open_capture(rows, err) : open_csv(rows, path, catalog, err);
	if (status)
		input_rows_close(rows);
	else
		*out = rows;
	return status;
}

const struct sx_table *input_rows_table(const struct input_rows *rows)
{
	return rows->csv ? csv_table(rows->csv) : rows->device->raw;
}

const struct csv_tally *input_rows_told(const struct input_rows *rows)
{
	return rows->csv ? csv_told(rows->csv) : NULL;
}

bool input_rows_simulated(const struct input_rows *rows)
{
	const struct csv_tally *tally = input_rows_told(rows);
	return tally && tally->simulated;
}

/* How much of a text is read. */
static void tell_place(const struct input_rows *rows)
{
	struct stat st;
	off_t at = lseek(rows->source.fd, 0, SEEK_CUR);
	if (at >= 0 && fstat(rows->source.fd, &st) == 0 && st.st_size > 0)
		ticker_at(rows->cli, rows->path, (uint64_t)at, (uint64_t)st.st_size);
}

enum sx_status input_rows_next(struct input_rows *rows, struct sx_error *err)
{
	if (rows->csv) {
		size_t most = BLOCK_CELLS / (sx_table_column_count(csv_table(rows->csv)) + 1);
		tell_place(rows);
		return csv_next(rows->csv, most < BLOCK_ROWS ? BLOCK_ROWS : most, err);
	}
	if (rows->pending) {
		rows->pending = false;
		return SX_OK;
	}
	enum sx_status status = input_device_next(rows->device, err);
	if (status == SX_END)
		input_device_note(rows->device);
	return status;
}

void input_rows_close(struct input_rows *rows)
{
	if (!rows)
		return;
	csv_close(rows->csv);
	input_text_close(&rows->source);
	free(rows);
}

enum sx_status input_table(const struct cli *cli, const char *path, struct sx_catalog *catalog,
			   struct sx_table **out, struct sx_error *err)
{
	struct input_rows rows = {.cli = cli, .source = {.fd = -1}};
	if (cli->capture)
		return input_device_load(cli->capture, out, err);
	enum sx_status status = open_csv(&rows, path, catalog, err);
	if (!status)
		status = csv_all(rows.csv, out, err);
	csv_close(rows.csv);
	input_text_close(&rows.source);
	return status;
}
