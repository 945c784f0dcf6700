/* Raw counter values from CSV text (RFC 4180) to a table; nothing is interpreted but numbers. */
#ifndef IMPORT_TABLE_CSV_H
#define IMPORT_TABLE_CSV_H

#include <stdbool.h>
#include <sys/types.h>

#include <sextant/catalog.h>
#include <sextant/table.h>

#include "base/note_sink.h"

#define CSV_COLUMNS_MAX 65536
#define CSV_CELL_MAX	4096  /* bytes of a number, a name or a label; more of it is cut off */
#define CSV_OURS_MAX	65536 /* the same of a table in memory that is an export of ours */

/*
 * Columns in a unit that comes in several sizes, which the file does not say: one note for all.
 * Zero-initialise.
 */
struct bare_units {
	uint32_t count;
	char first[80], unit[48]; /* of the first */
	char text[256];		  /* "frame_time in ms, gpu_time in ms" */
};

/* What values can be, in the column's unit; all of them without `is`. */
struct csv_range {
	bool is;
	bool share;  /* of 100 percent, of which `most` is some more, for what clocks differ */
	bool cycles; /* no more than a sample's length has */
	bool whole;  /* what counts has 64 bits */
	double most; /* from 0 */
};
#define CSV_SHARE_MAX 101 /* percent */
/* What is larger is no amount of anything, and would be none in a smaller unit. */
#define CSV_AMOUNT_MAX 1e200
/* Of a clock of 10 GHz, added up over 4,096 units: what no sample has more of in a nanosecond. */
#define CSV_CYCLES_MAX (10.0 * 4096)
/* Why a column with impossible values has no data. */
#define CSV_CANNOT_BE "what the file has of it cannot be"

/* Whether a value can be. `unit`: of the value, or NULL; `length_ns`: of the sample, 0: not known.
 */
bool csv_can_be(const struct csv_range *range, double value, const char *unit, uint64_t length_ns);

/*
 * What values of a counter or a given metric can be: amounts are not below 0, shares not above 100
 * percent, cycles no more than any clock has.
 */
struct csv_range import_range(const struct sx_catalog *catalog, const char *name);

/* How columns are described beyond their names. Zero-initialise for unit "count", summed. */
struct csv_options {
	/*
	 * Says what names mean; columns that mean nothing in it are used as they are. Must outlive
	 * the stream. NULL: no name means anything.
	 */
	struct sx_catalog *catalog;
	/*
	 * The text has the rows of one device of several, as the column `device` says, which is not
	 * read: what has no value in them and means nothing is another's. Of each column: some
	 * device has a value in it. NULL: there are no others.
	 */
	const bool *of_device;
	/* Names of columns that stay without a value, as the file says why they have none. */
	const char *const *empty;
	size_t empty_count;
	/*
	 * An export of ours: columns without a value are left out, what means nothing adds up only
	 * where its name is a raw counter's, and labels say what rows enclose.
	 */
	bool ours;
	bool units_given;	 /* a value without a unit is in the catalog's */
	const char *place;	 /* what notes count: "row"; NULL: "line" */
	size_t above;		 /* lines of the text that do not count */
	struct backing *backing; /* that the text is of, and the table is to be; or NULL */
};

/* What is odd about lines of a table. */
enum csv_odd {
	CSV_ODD_SHORT,	  /* fewer cells than the header */
	CSV_ODD_POINTS,	  /* numbers like "1.234.567" beside some like "1.5" */
	CSV_ODD_BELOW,	  /* times below 0, which no row has */
	CSV_ODD_CUT,	  /* texts that are too long */
	CSV_ODD_NO_COUNT, /* values of counts that are below 0 or beyond 64 bits */
	CSV_ODD_OUTSIDE,  /* values that cannot be */
	CSV_ODD_NO_LATER, /* rows that end when the one before did, or earlier */
	CSV_ODD_CELLS,	  /* cells that should be numbers and are none */
	CSV_ODD_TIMES,	  /* rows with impossible times; they have none */
	CSV_ODDS
};

/* Why a line cannot be read. */
enum csv_wrong {
	CSV_WRONG_WIDE,	  /* it has more cells than the header */
	CSV_WRONG_COMMAS, /* the same where commas separate cells */
	CSV_WRONG_NARROW, /* it has fewer, where the writer is known */
	CSV_WRONG_QUOTED, /* there is text after a closing quote */
	CSV_WRONG_OPEN,	  /* a quoted cell has no end: what follows it is none of the table's */
	CSV_WRONG_NUL,	  /* a cell holds a NUL byte */
};

/* Lines that cannot be read, which are left out. */
struct csv_unread {
	size_t count, first; /* line */
	enum csv_wrong why;  /* of the first */
	size_t cut;	     /* line with CSV_WRONG_OPEN, which nothing is read from on; 0: none */
};

struct csv_odd_lines {
	size_t count, first; /* line */
	const char *column;  /* of the first, or NULL; lives as long as the stream */
	const char *text;    /* its cell, or NULL; the same */
};

#define CSV_UNIT_TEXT_MAX 128 /* of what is said of a unit */

/* What a table had beside values. */
struct csv_beside {
	bool times;			/* of some row's begin, end or length */
	bool quality;			/* a column with reservations */
	bool exported;			/* that, begin_ns and end_ns, as exports have them */
	bool says_simulated, simulated; /* a column says whether rows are of a model; one is */
	bool says_kind;			/* a column says what rows enclose */
	enum sx_sample_kind kind;
	uint32_t labels;			 /* a mask of 1 << enum sx_label */
	const char *label_names[SX_LABEL_COUNT]; /* columns of text that are labels, or NULL */
};

/* The same and what is odd, for callers that write it again or make notes of it. */
struct csv_tally {
	struct csv_beside beside;
	struct csv_odd_lines odd[CSV_ODDS];
	struct csv_unread unread;
	uint64_t shift_ns;	  /* by which all times were moved, since the first lies below 0 */
	const char *dates;	  /* a column of them, which times of rows are, or NULL */
	const char *first_date;	  /* from which they count; lives as long as the stream */
	bool open_end;		  /* the last line has no end */
	const char *place;	  /* "line", or what the options have */
	uint32_t empty;		  /* counters without any value, which are left out */
	const char *first_empty;  /* one of them */
	uint32_t unnamed;	  /* columns without a name, which are left out */
	uint32_t first_unnamed;	  /* number of one, from 1 */
	uint32_t twice;		  /* columns of a name that one before them has; left out */
	const char *first_twice;  /* one of them */
	uint32_t texts;		  /* further columns of text, for which there is no label */
	const char *first_text;	  /* one of them */
	const char *written_time; /* a label with a name that is one of times, or NULL */
	uint32_t other_units;	  /* columns of another kind of unit than described; left out */
	/* One of them. Lives as long as the stream. */
	const char *first_other_unit, *other_unit, *other_unit_as;
	uint32_t unknown_units; /* columns that mean something but for the unit behind their name */
	char
	    unknown_unit_of[CSV_UNIT_TEXT_MAX]; /* one of them, its unit, and such as it may have */
	char unknown_unit[CSV_UNIT_TEXT_MAX], unknown_unit_as[CSV_UNIT_TEXT_MAX];
	char unknown_unit_one[CSV_UNIT_TEXT_MAX]; /* of these that of the catalog */
	struct bare_units bare; /* columns with a unit that only the description has */
};

#define CSV_WINDOW (256 << 10) /* bytes of a source in memory at once */

/* Where text comes from that is not in memory. It is read twice. */
struct csv_source {
	void *user;
	/* Puts up to `size` bytes into buf; their number, 0 at the end, -1 with errno. */
	ssize_t (*read)(void *user, char *buf, size_t size);
	/* Goes back to the first byte; false with errno. */
	bool (*rewind)(void *user);
};

struct csv_stream;

/*
 * Reads all of a source once, for its columns, their types and any error; after that rows come
 * block by block in constant memory. What is CSV is said at csv_parse(). `options` may be NULL;
 * `source` and `origin` must outlive the stream. *out is for csv_close(). Errors: those of
 * csv_parse(), and SX_ERR_BAD_INPUT or SX_ERR_PERMISSION when the source fails. Where some line
 * cannot be read, the source is read once more.
 */
enum sx_status csv_open(const struct csv_source *source, const char *origin,
			const struct csv_options *options, struct csv_stream **out,
			struct sx_error *err);
void csv_close(struct csv_stream *stream); /* NULL is fine */
/* The table that csv_next() fills; lives as long as the stream. Columns that have any value in any
 * row have data, the others have none. */
const struct sx_table *csv_table(const struct csv_stream *stream);
/*
 * Replaces the table's rows by the next ones, `most` at most. Errors: SX_END after the last;
 * SX_ERR_BAD_INPUT when the file is not what it was at csv_open().
 */
enum sx_status csv_next(struct csv_stream *stream, size_t most, struct sx_error *err);
/* What was learned at csv_open(). */
const struct csv_tally *csv_beside(const struct csv_stream *stream);
/* SX_INCOMPLETE, with an error, where nothing is read from some line on; else SX_OK. */
enum sx_status csv_whole(const struct csv_stream *stream, struct sx_error *err);
/* All rows that are left in one table, owned by the caller; the stream has none afterwards. */
enum sx_status csv_all(struct csv_stream *stream, struct sx_table **out, struct sx_error *err);

struct csv_text {
	const char *text;
	size_t size;
	const char *origin; /* for messages */
};

/* As csv_open(), of text in memory, which must outlive the stream; text->origin as well. */
enum sx_status csv_open_text(const struct csv_text *text, const struct csv_options *options,
			     struct csv_stream **out, struct sx_error *err);

/*
 * Parses `text`; the header names the columns, with a unit in brackets behind the name or without.
 * A column of whole non-negative numbers becomes u64, any other f64; an empty cell and what
 * csv_no_data() knows are no data, and so are cells that a line lacks; columns without a name, and
 * those of a name that one before them has, are left out. `duration_ns`, `timestamp_ns`
 * (the row's begin), `begin_ns` and `end_ns` set the rows' times, and so do `time`, `timestamp`
 * (both the row's end), `begin`, `start`, `end` and `duration` with a unit of time, in brackets or
 * as `_us`, `_ms`, `_s`; `frame`, `context`, `instance`,
 * `group`, `reason` and `process` their labels, `quality` what is to be said of their values. Cells
 * are separated by the one of comma, semicolon, tab and | that the header has most of, or by what a
 * first line "sep=" says; where it is not the comma, numbers may have one before their fraction.
 * Digits may be grouped by threes where that cannot be read otherwise. Lines end in LF, CRLF or CR;
 * blank lines and those that begin with # are skipped; a line that cannot be read is left out,
 * unless most cannot. `options` may be NULL. Messages hold origin:line. *out is owned by the
 * caller. Errors: SX_ERR_BAD_INPUT, SX_ERR_LIMIT, SX_ERR_NO_MEMORY.
 */
enum sx_status csv_parse(const struct csv_text *text, const struct csv_options *options,
			 struct sx_table **out, struct sx_error *err);

/* Writes a note for each thing that users should know. */
void csv_note(const struct csv_tally *tally, const struct note_sink *to);

#endif
