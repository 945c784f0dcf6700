/* Input files as blocks of rows, whatever their format. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/columns.h"
#include "tools/cli/input/capture_view.h"
#include "tools/cli/input/input.h"
#include "tools/cli/input/input_source.h"
#include "tools/cli/ticker.h"

/* Values in memory at once; a line of very many columns still makes a block of some rows. */
#define BLOCK_CELLS (1u << 18)
#define BLOCK_ROWS  64

struct input_rows {
	const struct cli *cli;
	const char *path;
	struct input_source source;
	struct csv_stream *csv;	     /* or: */
	struct sx_table *of_capture; /* owned */
	bool pending;		     /* its first rows are read, but not handed out yet */
};

static void tell_units(const struct cli *cli, const struct csv_tally *tally)
{
	if (tally->other_units)
		cli_note(cli,
			 "note: column %s is in %s, which cannot be made into %s: its numbers are "
			 "read as they stand%s",
			 tally->first_other_unit, tally->other_unit, tally->other_unit_as,
			 tally->other_units > 1 ? "; so are further columns" : "");
}

/* What is odd about a table, and how it was read all the same. */
static void input_rows_tell(const struct cli *cli, const struct sx_catalog *catalog,
			    const struct csv_tally *tally)
{
	if (tally->short_lines)
		cli_note(cli,
			 "note: %zu line%s fewer cells than the header, line %zu the first; what "
			 "they lack is no data",
			 tally->short_lines, tally->short_lines == 1 ? " has" : "s have",
			 tally->first_short);
	if (tally->no_count)
		cli_note(cli,
			 "note: %zu count%s below 0 or beyond 64 bits, the first in line %zu, "
			 "column %s: no data",
			 tally->no_count, tally->no_count == 1 ? " is" : "s are",
			 tally->first_no_count, tally->no_count_name);
	if (tally->impossible)
		cli_note(
		    cli,
		    "note: %zu line%s times that cannot be, line %zu the first: the end before "
		    "the begin, or more than a year apart; they were left out",
		    tally->impossible, tally->impossible == 1 ? " has" : "s have",
		    tally->first_impossible);
	if (tally->left_rows)
		cli_note(
		    cli,
		    "note: %zu row%s of device %u%s left out: most of what stands there is not "
		    "of catalog %s",
		    tally->left_rows, tally->left_rows == 1 ? "" : "s", tally->first_left,
		    tally->left_devices > 1 ? " and others were"
		    : tally->left_rows == 1 ? " was"
					    : " were",
		    sx_catalog_info(catalog)->name);
	if (tally->open_end)
		cli_note(cli, "note: the last line has no end: if the file was cut there, its last "
			      "number lacks digits");
	if (tally->texts)
		cli_note(cli, "note: %u further column%s of text were left out, %s the first",
			 tally->texts, tally->texts == 1 ? "" : "s", tally->first_text);
	tell_units(cli, tally);
}

static enum sx_status open_csv(struct input_rows *rows, const char *path,
			       struct sx_catalog *catalog, struct sx_error *err)
{
	struct csv_options options = import_column_options(catalog);
	enum sx_status status = input_source_open(&rows->source, path, err);
	if (!status)
		status =
		    csv_open(&rows->source.csv, path, catalog ? &options : NULL, &rows->csv, err);
	if (!status && catalog)
		input_rows_tell(rows->cli, catalog, csv_told(rows->csv));
	return status;
}

/* The first record says which columns have data at all. */
static enum sx_status open_capture(struct input_rows *rows, struct sx_error *err)
{
	enum sx_status status = capture_view_table(rows->cli->capture, &rows->of_capture, err);
	if (!status)
		status = capture_view_next(rows->cli->capture, rows->of_capture, err);
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
	return rows->csv ? csv_table(rows->csv) : rows->of_capture;
}

const struct csv_tally *input_rows_told(const struct input_rows *rows)
{
	return rows->csv ? csv_told(rows->csv) : NULL;
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
	enum sx_status status = capture_view_next(rows->cli->capture, rows->of_capture, err);
	if (status == SX_END)
		capture_view_note(rows->cli, rows->cli->capture);
	return status;
}

void input_rows_close(struct input_rows *rows)
{
	if (!rows)
		return;
	csv_close(rows->csv);
	input_source_close(&rows->source);
	sx_table_destroy(rows->of_capture);
	free(rows);
}

enum sx_status input_table(const struct cli *cli, const char *path, struct sx_catalog *catalog,
			   struct sx_table **out, struct sx_error *err)
{
	struct input_rows rows = {.cli = cli, .source = {.fd = -1}};
	if (cli->capture)
		return capture_view_load(cli, cli->capture, out, err);
	enum sx_status status = open_csv(&rows, path, catalog, err);
	if (!status)
		status = csv_all(rows.csv, out, err);
	csv_close(rows.csv);
	input_source_close(&rows.source);
	return status;
}
