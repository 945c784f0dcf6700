/* The last line of a table that sums the others up, as spreadsheets and scripts write one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/counters/counters.h"
#include "import/read/cells.h"

#define COLUMNS_LOOKED_AT 256
#define ROWS_LEAST	  2 /* of one row a copy is its sum and its mean */

struct totals {
	double sum[COLUMNS_LOOKED_AT];
	size_t count[COLUMNS_LOOKED_AT];
};

static bool is_summary_word(struct import_cell cell)
{
	static const char *const words[] = {
	    "total",  "totals", "grand total",	"sum",	  "average",	"avg",	   "mean",
	    "gesamt", "summe",	"durchschnitt", "mittel", "mittelwert", "moyenne", "somme",
	};
	if (cell.size && cell.text[cell.size - 1] == ':')
		cell.size--;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (import_is(cell, words[i]))
			return true;
	return false;
}

/* The last line that is not blank; false where there is none. */
static bool find_last(const struct import_job *job, struct import_cell *line)
{
	const char *end = job->text + job->size;
	while (end > job->text && memchr(" \t\r\n", end[-1], 4))
		end--;
	const char *begin = end;
	while (begin > job->text && !memchr("\r\n", begin[-1], 2))
		begin--;
	*line = (struct import_cell){begin, (size_t)(end - begin)};
	return line->size;
}

/* Half of the last digit that stands there, and what sums of doubles lose. */
static double rounding(struct import_cell cell, double value)
{
	const char *point = memchr(cell.text, '.', cell.size);
	size_t decimals = point ? cell.size - (size_t)(point + 1 - cell.text) : 0;
	return 0.5 * pow(10, -(double)decimals) + 1e-6 * fabs(value);
}

/* The row at hand against those before: each of its numbers is their sum or their mean. */
static bool agrees(struct cells *cells, const struct totals *totals, bool *any)
{
	bool all = true;
	for (size_t i = 0; i < cells->columns && i < COLUMNS_LOOKED_AT; i++) {
		double value;
		if (!totals->count[i] || !cells_number(cells, i, &value))
			continue;
		double most = rounding(cells->row[i], value);
		*any = true;
		all &= fabs(value - totals->sum[i]) <= most ||
		       fabs(value - totals->sum[i] / (double)totals->count[i]) <= most;
	}
	return *any && all;
}

static void add_row(struct cells *cells, struct totals *totals)
{
	for (size_t i = 0; i < cells->columns && i < COLUMNS_LOOKED_AT; i++) {
		double value;
		if (!cells_number(cells, i, &value))
			continue;
		totals->sum[i] += value;
		totals->count[i]++;
	}
}

/* Passes over all rows up to the one whose cell at `label` is `word`. */
static void judge(struct import_job *job, struct cells *cells, size_t label,
		  struct import_cell word, struct totals *totals)
{
	size_t rows = 0;
	bool any = false;
	for (; cells_next(cells) && cells->row[label].text != word.text; rows++) {
		if (is_summary_word(cells->row[label]))
			return; /* a name that rows have */
		add_row(cells, totals);
	}
	if (rows < ROWS_LEAST || cells->row[label].text != word.text)
		return;
	int size = word.size < 40 ? (int)word.size : 40;
	if (agrees(cells, totals, &any)) {
		struct import_cell line;
		find_last(job, &line);
		job->size = (size_t)(line.text - job->text);
		import_tell(job,
			    "the last line, %.*s, has the sums or means of those above: it is "
			    "left out",
			    size, word.text);
	} else if (any) {
		import_tell(job,
			    "the last line is named %.*s, and its numbers are not all sums or "
			    "means of those above: it is read as a row",
			    size, word.text);
	}
}

enum sx_status counters_leave_summary_out(struct import_job *job, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell header = {"", 0}, last, row[COLUMNS_LOOKED_AT];
	struct cells cells;
	if (job->part || !import_header_line(&lines, &header) || !find_last(job, &last))
		return SX_OK;
	size_t label = 0,
	       count = import_split(last, import_separator(header), row, COLUMNS_LOOKED_AT);
	while (label < count && !is_summary_word(row[label]))
		label++;
	if (label >= count || last.text <= header.text)
		return SX_OK;
	enum sx_status status = cells_begin(&cells, job, lines, header, err);
	if (status || label >= cells.columns)
		return status;
	struct totals *totals = calloc(1, sizeof(*totals));
	if (!totals)
		return error_nomem(err, "importing");
	cells.loose = true;
	judge(job, &cells, label, row[label], totals);
	free(totals);
	return SX_OK;
}
