/*
 * The CSV reader's state: cells one after another; a first pass over lines learns types, a second
 * fills rows.
 */
#ifndef IMPORT_TABLE_READER_H
#define IMPORT_TABLE_READER_H

#include "base/number.h"
#include "base/strings.h"
#include "catalog/units.h"
#include "import/table/csv.h"
#include "import/table/scan.h"

/* What helps where a cell should be a number and is none. */
#define CSV_TRY_NUMBER                                                                             \
	"the number alone, its unit in the header as in \"frame_time (ms)\"; an empty cell, - or " \
	"N/A where there is none"

/* Why a number in another unit is none. */
#define CSV_ONE_UNIT "the numbers of a column are in one unit: its header's, or that of the first"

/* A cell never needs more than this many bytes at once: blanks before it are skipped on their own.
 */
#define CSV_AHEAD 16384

/* A place in the text. Of a source, only a window of the text is in memory. */
struct csv_cursor {
	const char *p, *end;
	bool more; /* the source may have more behind `end` */
	const char *origin;
	size_t line;
	struct csv_marks marks;
	const struct csv_source *source; /* NULL: all of the text is in memory */
	char *window;			 /* of a source; owned */
	size_t taken;			 /* bytes of all text up to `end` */
	bool open_end;			 /* the last cell had no line end behind it */
	int read_errno;			 /* the source failed; its text ends here */
	enum csv_wrong wrong;		 /* why the last cell could not be read */
	char *scratch;			 /* a quoted cell without its quotes; owned */
	size_t cell_max;		 /* its size: what is longer is cut */
};

/* One cell, unquoted and trimmed; not terminated, valid until the next one is read. */
struct csv_cell {
	const char *text;
	size_t size;
	bool last; /* of its line */
	bool cut;  /* cell_max has no room for all of it */
};

/* Reads the source's next bytes behind what is left of the window; sets `more` and read_errno. */
void csv_fill(struct csv_cursor *c);

/* Makes sure that CSV_AHEAD bytes are in memory, or all there are. What `p` pointed at may move. */
static inline void csv_ahead(struct csv_cursor *c)
{
	if (c->more && c->end - c->p < CSV_AHEAD)
		csv_fill(c);
}

/* Moves over blank lines, # comments and a Markdown table's rule; false at the end. */
bool csv_next_line(struct csv_cursor *c);
/* Moves behind the line's end. */
void csv_skip_line(struct csv_cursor *c);
/* Reads the next cell and the comma or line end behind it; false: it cannot be read (`wrong`). */
bool csv_read_cell(struct csv_cursor *c, struct csv_cell *cell);
/* What is wrong with a line that cannot be read. */
extern const struct csv_wrong_text {
	const char *what, *because;
} csv_wrong_texts[];
/* An error at a line that cannot be read. */
enum sx_status csv_refuse_line(const char *origin, size_t line, enum csv_wrong wrong,
			       struct sx_error *err);
/* Why a cell behind the header's last one cannot be read. */
static inline enum csv_wrong csv_too_wide(const struct csv_marks *marks)
{
	return marks->separator == ',' ? CSV_WRONG_COMMAS : CSV_WRONG_WIDE;
}
/* An error at the cursor's line. */
enum sx_status csv_bad(const struct csv_cursor *c, struct sx_error *err, const char *because,
		       const char *fmt, ...) SX_PRINTF(4, 5);

/* Empty, dashes, "N/A" and the other words for no data. */
static inline bool csv_no_data(const struct csv_cell *cell)
{
	return import_no_data((struct import_cell){cell->text, cell->size});
}
/*
 * "1,234" where commas do not separate cells, and are not known as decimal marks: a fraction or a
 * group, which other numbers of the file decide. *u is what it is as a group.
 */
bool csv_doubtful(const struct csv_marks *marks, const struct csv_cell *cell, uint64_t *u);
/* Whether a number has a point that can only be a decimal mark. */
bool csv_has_point(const struct csv_cell *cell);
/* "1.234.567": a whole number, where no point is a decimal mark. */
bool csv_groups_of_points(const struct csv_cell *cell);
/* A number of a cell: a whole one that u64 holds in u and f, another in f alone. */
struct csv_value {
	bool whole;
	uint64_t u;
	double f;
};
/* In whatever notation; what it shows of points and commas is remembered. */
bool csv_any_number(struct csv_marks *marks, const struct csv_cell *cell, struct csv_value *value);
/* Finds the separator, at the beginning of the text: moves over a line "sep=". */
void csv_find_separator(struct csv_cursor *c);

/*
 * The quick way for what nearly every cell is: digits up to the comma or line end. Consumes all of
 * it, or nothing and returns false.
 */
static inline bool csv_quick_number(struct csv_cursor *c, uint64_t *value, bool *last)
{
	static const uint32_t powers[] = {1,	  10,	   100,	     1000,     10000,
					  100000, 1000000, 10000000, 100000000};
	csv_ahead(c);
	const char *p = c->p;
	uint64_t number = 0, some;
	unsigned digit, count = 8;
	for (; count == 8 && c->end - p >= 8; p += count) {
		count = number_digits8(p, &some);
		number = number * powers[count] + some;
	}
	while (p < c->end && (digit = (unsigned)((unsigned char)*p - '0')) <= 9) {
		number = number * 10 + digit;
		p++;
	}
	/* 19 digits always fit. */
	if (p == c->p || p - c->p > 19 || p >= c->end)
		return false;
	if (*p == '\r' && p + 1 < c->end && p[1] == '\n')
		p++;
	if (*p != c->marks.separator && *p != '\n')
		return false;
	*value = number;
	*last = *p == '\n';
	c->p = p + 1;
	return true;
}

enum csv_role {
	CSV_VALUE,
	CSV_DURATION,
	CSV_BEGIN,
	CSV_END,
	CSV_MOMENT,  /* the row's end, and the next one's begin */
	CSV_NUMBER,  /* a label that is a number */
	CSV_TEXT,    /* one of text */
	CSV_QUALITY, /* what is to be said of the row's values */
	CSV_MODEL,   /* whether the row is of a model */
	CSV_KIND,    /* what the row encloses, or a label where it is no kind, or differs */
	CSV_IGNORED, /* text that finds no label, and columns of no name of their own */
};

#define CSV_DOUBLE_WHOLE ((uint64_t)1 << 53) /* up to which each whole number is a double */

/* One column of the file; first, what each of its cells needs. */
struct csv_column {
	enum csv_role role;
	uint32_t target; /* value column of the table, or SX_NONE */
	enum sx_type type;
	bool kelvin;   /* values are, and become degrees Celsius */
	bool beyond;   /* some whole number has more digits than a double */
	size_t values; /* cells that hold one */
	union {
		uint64_t *u64;
		double *f64;
		void *any;
	} data;	       /* of the table, for a full column; else NULL */
	double factor; /* of values as they are written there; 0: 1 */
	double last;   /* with range.cycles: the value of the current row, or NaN */
	struct csv_range range;
	bool full; /* no row lacks one */
	bool may_be_text;
	bool known; /* its name means something */
	bool counts;
	size_t outside;		   /* values that cannot be */
	bool doubtful;		   /* some cell is "1,234" */
	bool fractions;		   /* some number has a point before its fraction */
	size_t pointed;		   /* values like "1.234.567" */
	size_t first_pointed;	   /* line */
	bool unclear;		   /* both: such a value is no data */
	size_t odd;		   /* cells that should be numbers and are none */
	size_t first_odd;	   /* line */
	uint32_t odd_text;	   /* of the first, in the reader's texts */
	bool odd_cut;		   /* it is longer than any number */
	bool read;		   /* some cell was a number, whether or not it can be */
	bool unit_in_cells;	   /* the header has none, and cells have */
	bool many_units;	   /* and not all the same */
	bool other_unit;	   /* some cell's is not the column's */
	char cell_unit[16];	   /* that of the first */
	enum sx_label label;	   /* CSV_NUMBER, CSV_TEXT */
	bool dates;		   /* all texts are, in one form */
	unsigned date_form;	   /* 0: none was read yet */
	bool repeats;		   /* a row has the date of the one before */
	uint64_t first_ns;	   /* of dates, from 1970 on */
	uint64_t last_ns;	   /* of the row before */
	size_t back, first_back;   /* dates before that of the row above; line of the first */
	char first_date[40];	   /* as it is written there */
	const char *unit;	   /* as the header has it, or NULL */
	double to_ns;		   /* of times; 0: 1 */
	struct units_step written; /* with a factor: how they were made of the catalog's unit */
};

/* The first number like "1,234". */
struct csv_doubt {
	size_t line; /* 0: there is none */
	uint32_t column;
	char text[16];
};

struct csv_reader {
	struct csv_cursor c;
	struct strings names; /* of columns, in the file's order */
	struct strings texts; /* units that are not the usual words, and odd cells */
	struct units units;
	struct csv_column *columns;
	size_t column_cap;
	uint32_t count, value_count;
	uint32_t direct, filled;	/* columns with data, and those of the current row so far */
	struct sx_table *table;		/* NULL while types are learned */
	size_t row;			/* of the table, to be filled next */
	uint64_t times[CSV_MOMENT + 1]; /* of the current row, by role; SX_TIME_UNKNOWN */
	unsigned timed;			/* a mask of 1 << role: some row had one from 0 on */
	uint64_t earliest, latest;	/* times: below 0 and above it, while columns are learned */
	bool below_late;		/* some time below 0 is no beginning */
	uint64_t dates_from;		/* from which dates count, since 1970 */
	uint64_t shift_ns;		/* added to all times but lengths */
	uint64_t moment;		/* of the row before */
	uint64_t instance;		/* of the current row, or SX_LABEL_ABSENT */
	uint64_t *until; /* by instance + 1, [0] without one: when its last row ended */
	size_t until_cap;
	uint8_t quality;		/* of the row at hand */
	bool numbers;			/* the row at hand has one so far */
	const struct csv_column *named; /* the first in which it has a name in place of a number */
	bool cycles;			/* some column counts cycles */
	const struct csv_options *options;
	const struct sx_catalog *catalog; /* of the options, or NULL */
	struct csv_doubt doubt;
	struct csv_tally tally;
	struct sx_error *err;
};

/* Sets unit and over_time of a column by its name; unit "": the catalog does not know it. */
void csv_describe_column(const struct sx_catalog *catalog, struct sx_column *column);
bool csv_is_known(const struct sx_catalog *catalog, const char *name);
/* Whether a column has what a counter of whole numbers counted. */
bool csv_is_count(const struct sx_catalog *catalog, const char *name);
/* Reads the header line. Errors: SX_ERR_BAD_INPUT, SX_ERR_NO_MEMORY. */
enum sx_status csv_header(struct csv_reader *r);
/* Whether a cell of a row is what a header has of a column that means something. */
bool csv_header_is_name(struct csv_reader *r, const struct csv_cell *cell);
/* Resolves an ambiguous unit where it is known what the column measures: K, 1/s. */
void csv_take_kind(struct csv_reader *r, struct csv_column *column, const char *name);
/*
 * The number of a cell "16.6 ms" of a column that means something, where the unit can be the
 * column's: cut to it, and the unit remembered. False where that is another thing.
 */
bool csv_cut_unit(struct csv_reader *r, struct csv_column *column, struct csv_cell *cell);
/*
 * Reads a line's cells: without a table they only count for their columns, which are u64 until a
 * cell says otherwise; with one they fill its row. SX_AGAIN: the line cannot be read, as the
 * cursor says, which is behind it; some cells may have counted. Errors: SX_ERR_BAD_INPUT,
 * SX_ERR_NO_MEMORY.
 */
enum sx_status csv_row(struct csv_reader *r);
/* Only cuts a line into cells, without counting them. SX_AGAIN: as csv_row(). */
enum sx_status csv_row_look(struct csv_reader *r);
/* Remembers what is odd in a line, while types are learned. `column` may be NULL. */
void csv_note_odd(struct csv_reader *r, enum csv_odd odd, size_t line,
		  const struct csv_column *column);
/* Once all lines were read: which columns hold values, and which text is a label. */
void csv_resolve(struct csv_reader *r);
/*
 * Finds the decimal mark, once all lines were read: numbers like "1,234" are then unambiguous.
 * Errors: SX_ERR_BAD_INPUT where nothing decides, or both a comma and a point do.
 */
enum sx_status csv_resolve_marks(struct csv_reader *r);
/*
 * Counts cells that should be numbers and are none, once all lines were read. Errors:
 * SX_ERR_BAD_INPUT where a column has no others.
 */
enum sx_status csv_odd_cells(struct csv_reader *r);
/* A time of the current row, as the file has it. */
void csv_time_put(struct csv_reader *r, enum csv_role role, uint64_t ns);
/* One below 0, by how much in the column's unit: no time, unless all times begin there. */
void csv_time_below(struct csv_reader *r, const struct csv_column *column, double below);
/* Once all lines were read: where a clock counts from a moment after its first times, all move. */
void csv_resolve_times(struct csv_reader *r);
/* Whether a text of a line is a date and time, written as those of its column before. */
bool csv_date_learn(struct csv_column *column, const struct csv_cell *cell, size_t line);
/* The time of the current row that is written as a date. */
enum sx_status csv_date_take(struct csv_reader *r, const struct csv_column *column,
			     const struct csv_cell *cell);
/* Once all lines were read: columns of dates are times where there are no others. */
void csv_resolve_dates(struct csv_reader *r);
/* Before the first line of either reading. */
void csv_rows_rewind(struct csv_reader *r);
/* The file is not what it was when types were learned. */
enum sx_status csv_changed(struct csv_reader *r);

#endif
