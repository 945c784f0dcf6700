/*
 * The interface of each kind of file, what all of them build on, and the steps of an import; for
 * this room only.
 */
#ifndef IMPORT_INTERNAL_H
#define IMPORT_INTERNAL_H

#include "base/error.h"
#include "base/mem.h"
#include "base/backing.h"
#include "base/note_sink.h"
#include "import/import.h"
#include "import/table/csv.h"
#include "import/table/scan.h"

#define IMPORT_HEAD_BYTES ((size_t)64 << 10)
#define IMPORT_BYTES_MAX  ((size_t)4 << 30)
#define IMPORT_NOTES_MAX  16

/* The beginning of a file, unpacked and in UTF-8. */
struct import_head {
	const char *path;
	bool folder;
	const char *text;
	size_t size;
};

/* The device that the text's rows are of, where a column of the file names several devices. */
struct import_part {
	const char *text; /* as the rows say it */
	uint32_t number;  /* or SX_NONE */
	const char *name; /* or NULL */
	const bool *any;  /* of each column: some device has a value in it */
};

/* What a file says of a device beside its rows. */
struct import_given {
	const char *device;	    /* as rows name it; "": they do not */
	uint32_t number;	    /* or SX_NONE */
	const char *name, *catalog; /* or NULL */
	uint64_t lost;		    /* samples, as far as they are known */
	bool lost_more;
	/* Why columns have no value: their names, and the reasons. */
	const char *const *empty, *const *whys;
	size_t why_count;
};

/* What a file holds; a NUL follows it. */
struct import_bytes {
	char *data;
	size_t size;
	struct backing *backing; /* that the data is of; NULL: it is in memory */
};

/* A result while it is made. */
struct import {
	const struct import_format *format;
	struct arena arena;
	struct backing backing; /* the text and the tables */
	struct import_device devices[IMPORT_DEVICES_MAX];
	uint32_t device_count;
	const char *notes[IMPORT_NOTES_MAX];
	uint32_t note_count;
};

/* One run. Everything that it allocates dies with the result. */
struct import_job {
	const struct import_request *request;
	const struct import_format *format;
	struct import *result;
	const char *text; /* the whole file; a NUL follows it */
	size_t size;
	char *owned;			  /* the same, where the job frees it; NULL: it does not */
	struct backing *backing;	  /* the result's, of what grows with the file */
	const char *place;		  /* what the file is counted in: "line", "row" */
	size_t above;			  /* of the text's lines, that the file does not have */
	const struct import_part *part;	  /* NULL: the file names no device of its rows */
	const struct import_given *given; /* of each device */
	size_t given_count;
	struct import_rows *open; /* rows that were created and not finished */
	struct bare_units bare;	  /* columns of formats that are `spelled`, without a unit */
	bool no_memory;		  /* for some that should have been */
};

struct import_format {
	const char *kind;  /* as --as has it */
	const char *about; /* "a log of MangoHud" */
	/* A header of counters and lines of numbers: with --for any table reader reads it as well.
	 */
	bool table;
	bool by_device;	     /* a column "device" names each row's device, and nothing else does */
	bool only_by_device; /* however many there are: those that find no room are left out */
	bool ours;	     /* sextant wrote the rows: their order is kept, and what they lack */
	bool spelled;	     /* users or scripts name its columns, with units after the names */
	/* Says from the beginning whether it is this kind, without doubt. */
	bool (*recognise)(const struct import_head *head);
	/* Reads all. SX_INCOMPLETE: what is there was added, and err says what is missing. */
	enum sx_status (*read)(struct import_job *job, struct sx_error *err);
	const struct counters_format *counters; /* of counters_read() */
};

#define IMPORT(name, kind) extern const struct import_format import_##name;
#include "import/formats.def"
#undef IMPORT

/* The beginning of what the user gave as `path`, in out->data; SX_ERR_… as import_read(). */
enum sx_status import_load(const char *path, size_t limit, struct import_bytes *out,
			   struct sx_error *err);
/* Unpacks gz and zst in place. `limit`: only the beginning is wanted. */
enum sx_status import_unpack(const char *path, size_t limit, struct import_bytes *bytes,
			     struct sx_error *err);
/* Unpacks a deflated stream, up to `limit`. *cut: it breaks off. False: memory is out. */
bool import_inflate(const char *data, size_t size, size_t limit, struct import_bytes *out,
		    bool *cut);
/* Text to UTF-8 without BOM, in place; *was is how it was written. Errors: SX_ERR_NO_MEMORY. */
enum sx_status import_decode(struct import_bytes *bytes, enum import_coding *was,
			     struct sx_error *err);
/* Frees the data; none is there then. */
void import_bytes_free(struct import_bytes *bytes);

/* A text that is made of another. Zero-initialise, but for where it is kept. */
struct import_made {
	char *text;
	size_t size, cap;
	struct backing *backing;
	bool failed; /* memory is out */
};

/* Appends; room for a NUL stays behind it. */
void import_append(struct import_made *made, const char *text, size_t size);
/* For a reader that has made something else of the text: it has none from here on. */
void import_forget_text(struct import_job *job);
/* What the file says of the device that is being read; NULL: nothing. */
const struct import_given *import_given_of(const struct import_job *job);
/* Text that lives as long as the result; NULL when memory is out. */
char *import_text(struct import_job *job, const char *text, size_t size);
/* A note for the user; each text once. */
void import_remark(struct import_job *job, const char *fmt, ...) SX_PRINTF(2, 3);
/* Notes of the job, as a sink. */
struct note_sink import_note_sink(struct import_job *job);
/* SX_ERR_BAD_INPUT at a line (0: none). */
enum sx_status import_bad(const struct import_job *job, size_t line, struct sx_error *err,
			  const char *because, const char *what);
/* SX_ERR_BAD_INPUT: one of our reports, which has no samples. */
enum sx_status import_refuse_report(const struct import_job *job, const char *because,
				    struct sx_error *err);
/* SX_INCOMPLETE: the file breaks off. */
enum sx_status import_cut(const struct import_job *job, size_t line, struct sx_error *err);
/* Rows that grow, with columns that appear as they are met. */
struct import_rows;

struct import_rows_options {
	const char *catalog, *name, *driver, *clock, *set;
	bool numbered;
	uint32_t number; /* under which the file knows the device; below IMPORT_NUMBER_MAX */
	bool simulated;	 /* the file says that a model made what it holds */
	/* Rows may overlap, and need not be in the order of time: the file's times are kept. */
	bool any_order;
	bool whole_shares; /* percentages end at 100: others are noted, and no data */
	/* At the beginning alone: */
	enum sx_sample_kind kind;
	uint64_t interval_ns;
};

/* A column: what it is called, its unit, and how adjacent samples combine. */
struct import_field {
	const char *name, *unit;
	enum sx_reduce over_time;
	double factor; /* of values as they are given; 0: 1 */
};

struct import_rows *import_rows_create(struct import_job *job,
				       const struct import_rows_options *options);
/*
 * Adds what shows late to what was said at the beginning: texts that are there, a number, and what
 * is true.
 */
void import_rows_describe(struct import_rows *rows, const struct import_rows_options *options);
/* What the file calls the column of a label; the text must live as long as the result. */
void import_rows_label_name(struct import_rows *rows, enum sx_label label, const char *name);
/* Gives the device a constant; false where it has as many as it can. */
bool import_rows_constant(struct import_rows *rows, const char *name, double value);
/* Index of a column, added when its name is new. */
uint32_t import_column(struct import_rows *rows, const struct import_field *field);
size_t import_row(struct import_rows *rows, uint64_t begin_ns, uint64_t end_ns);
/* The row's place in the file, in the unit that the job counts: from 1. */
void import_row_place(struct import_rows *rows, size_t row, size_t place);
void import_row_time(struct import_rows *rows, size_t row, uint64_t begin_ns, uint64_t end_ns);
/*
 * Where a column has no value in a row, it was not measured there, and the rows in which it was
 * measured represent that row.
 */
void import_column_in_turns(struct import_rows *rows, const char *name);
/* What the rows enclose, where that shows late. */
void import_rows_kind(struct import_rows *rows, enum sx_sample_kind kind);
size_t import_row_count(const struct import_rows *rows);
/* A value times the column's factor; what is not finite is no data. */
void import_set(struct import_rows *rows, uint32_t column, size_t row, double value);
void import_set_u64(struct import_rows *rows, uint32_t column, size_t row, uint64_t value);
/* The same in the column that a field describes, which is added when it is new. */
void import_put(struct import_rows *rows, size_t row, struct import_field field, double value);
/* Adds to what is there, or sets it. */
void import_add(struct import_rows *rows, uint32_t column, size_t row, double value);
/* Whether there is a value already, and whether values of a column add up over time. */
bool import_has(const struct import_rows *rows, uint32_t column, size_t row);
bool import_adds_up(const struct import_rows *rows, uint32_t column);
/* What holds of all values of a row: SX_QUALITY_LOST and its like, and IMPORT_SKIPPED. */
void import_row_quality(struct import_rows *rows, size_t row, uint8_t quality);
void import_label(struct import_rows *rows, size_t row, enum sx_label label, const char *text,
		  size_t size);
void import_number_label(struct import_rows *rows, size_t row, enum sx_label label, uint64_t value);
/*
 * Makes the device and releases `rows`, also on failure. `status` is what reading gave: an error
 * drops the rows, SX_INCOMPLETE keeps them. Without any row or value the file is bad.
 */
enum sx_status import_rows_finish(struct import_rows *rows, enum sx_status status,
				  struct sx_error *err);
/*
 * Finishes all rows that the reader has created. Where there are none, the file is refused: it has
 * `nothing`, `because` of what a file of this kind holds.
 */
enum sx_status import_finish(struct import_job *job, enum sx_status status, const char *because,
			     const char *nothing, struct sx_error *err);
/* What two parts of an import gave together: an error before SX_INCOMPLETE, the first of each. */
enum sx_status import_worse(enum sx_status a, enum sx_status b);

struct import_lines import_lines(const struct import_job *job);
/*
 * Sets a number in text that is a whole one in the column's unit, with all its digits;
 * false when it is none.
 */
bool import_set_exact(struct import_rows *rows, uint32_t column, size_t row,
		      struct import_cell text);
/* "name (unit)", "name [unit]" or a bare name; unit "count" where it is none that is known. */
struct import_field import_header(struct import_job *job, struct import_cell cell,
				  enum sx_reduce over_time);
/* The name without such a unit, which lives as long as the result; NULL when memory is out. */
const char *import_bare_name(struct import_job *job, struct import_cell head);
/* The catalog of a family (prefix of its name) that knows most of the names, or that of --for. */
const char *import_guess_catalog(struct import_job *job, const char *prefix,
				 const char *const *names, size_t count, const char *otherwise);

/*
 * The catalog of --for, or that which has most of the names, by letter where that finds any; NULL
 * where none has more than one of many.
 */
const char *import_find_catalog(struct import_job *job, const char *const *names, size_t count);
/*
 * The same for one of several devices: --for does not apply to one with fewer than half of its
 * names in that catalog.
 */
const char *import_device_catalog(struct import_job *job, const char *const *names, size_t count);

/* How many of the names one catalog knows: the one that has most of them. */
size_t import_count_known(struct import_job *job, const char *const *names, size_t count);

/*
 * Either for what has a header alone, or the catalog of the device's name, where that has any of
 * the names. A note says what was guessed.
 */
const char *import_table_catalog(struct import_job *job, const char *const *names, size_t count);

/* What should have been numbers: how many, and the first of them. */
struct import_odd {
	size_t count, place;
	struct import_cell column, text;
};

/* `place` is a line or a sample, from 1. */
void import_odd_add(struct import_odd *odd, size_t place, struct import_cell column,
		    struct import_cell text);
/* Notes them, if there are any; `place` says of what the number is. */
void import_odd_note(struct import_job *job, const struct import_odd *odd, const char *place);

/* Telemetry: columns of the catalog `monitor`, by the tool's own words. */
struct import_word {
	const char *word;   /* as the tool says it */
	const char *column; /* a counter of the catalog */
	const char *unit;
	double factor;
};
/* The column for a word, or one of its own by its header. */
struct import_field import_monitor(struct import_job *job, const struct import_word *words,
				   size_t count, struct import_cell cell);

/* times.c: what the times of samples can be, and what is done with those that cannot. */
enum import_order {
	IMPORT_UNORDERED, /* samples keep the file's order */
	IMPORT_FORWARD,	  /* in the order of time, on a clock that only counts up */
	IMPORT_RUNS,	  /* the same; whatever begins at 0 is the first of a run */
	IMPORT_CLOCK,	  /* in the order of time, but they may go back: a clock that was set */
};

/*
 * Leaves out impossible times, also those further than a year from most others and single ones that
 * fall out of the order; where a counting clock begins again, what follows is put after what came
 * before. Notes say what was changed. Without memory spans stay as they are.
 */
void import_times_mend(struct import_job *job, struct import_span *spans, size_t count,
		       enum import_order order);
/* The same for the rows of a table. Errors: SX_ERR_NO_MEMORY. */
enum sx_status import_times_mend_table(struct import_job *job, struct sx_table *table,
				       enum import_order order, struct sx_error *err);
/*
 * Where most samples have a length, those without one get it, since a mean over time needs all: up
 * to their neighbours, sharing a gap alike, or at either end as long as the one beside it. Where
 * there is no room the length is 0, which has no weight. A note says so.
 */
void import_times_fill(struct import_job *job, struct import_span *spans, size_t count);

/* cells.c: a table with a header line as rows of cells, and what is wrong with some of them. */
#define CELLS_COLUMNS_MAX 65536

struct cells {
	struct import_job *job;
	struct import_lines lines;
	struct csv_marks marks;
	struct import_cell *head; /* of the header line */
	struct import_cell *row;  /* of the current row, as many as head */
	size_t columns;
	size_t rows;		/* so far */
	struct csv_tally tally; /* what cells_end() notes */
	bool wide_first; /* the writer quotes nothing, and the first cell may hold separators */
	/*
	 * The writer is not known: lines may lack cells, and the last line may have no end; else it
	 * is cut.
	 */
	bool loose;
	bool cut; /* the last line breaks off */
};

/*
 * Begins at a header line; `lines` is after it. The arrays are the result's. Errors:
 * SX_ERR_NO_MEMORY, SX_ERR_LIMIT.
 */
enum sx_status cells_begin(struct cells *cells, struct import_job *job, struct import_lines lines,
			   struct import_cell header, struct sx_error *err);
/* The same at the header line of the text, as an unknown writer has it. */
enum sx_status cells_begin_text(struct cells *cells, struct import_job *job, struct sx_error *err);
/* Leaves out columns with the name of an earlier one: their heads are empty then. */
void cells_name_once(struct cells *cells);
/* The next row that is whole; blank lines are passed over. */
bool cells_next(struct cells *cells);
/*
 * Notes what was left out. SX_INCOMPLETE when the last line breaks off; SX_ERR_BAD_INPUT where most
 * lines of an unknown writer cannot be read.
 */
enum sx_status cells_end(struct cells *cells, struct sx_error *err);
/* The cell of a column of the row; empty for SIZE_MAX. */
struct import_cell cells_at(const struct cells *cells, size_t column);
/* The text of such a cell with doubled quotes as one. */
struct import_cell cells_text(struct cells *cells, size_t column);
/* Notes, at the end, that a cell of the row is no number. */
void cells_odd(struct cells *cells, size_t column);
/*
 * The number of such a cell; false for no data, and for what is neither, which cells_end() notes.
 */
bool cells_number(struct cells *cells, size_t column, double *value);
/* Puts it into a column of rows, if it has one; digits alone stay exact. */
void cells_put(struct cells *cells, size_t column, struct import_rows *rows, uint32_t to,
	       size_t row);
/*
 * The time of such a cell in ns, of which its unit has `to_ns`; SX_TIME_UNKNOWN where there is
 * none, with a note if it is impossible.
 */
uint64_t cells_time(struct cells *cells, size_t column, double to_ns);

/* devices.c: tables with a column "device" that names each row's device. */
/*
 * Reads the rows of each device of a table by themselves, with the job's format, or all at once
 * where no column names devices. SX_INCOMPLETE also where some device could not be read.
 */
enum sx_status import_each_device(struct import_job *job, const struct import_format *format,
				  struct sx_error *err);
/* Whether a header is that of such a column. */
bool import_names_device(struct import_cell head);
/* Whether a table in the beginning of a file has one. */
bool import_has_devices(const struct import_head *head);

/* layout.c, layout_write.c: where a table is in a text, and the same as a plain one. */
struct layout {
	char separator;	 /* ' ': blanks, however many */
	bool marked;	 /* the header is a comment: what its # is of is no part of it */
	bool grouped;	 /* names have their group's before them */
	bool text_first; /* rows begin with a text */
	bool first;	 /* the header is the first line that is no # comment */
	bool plain;	 /* and says all that there is */
	size_t columns;	 /* of the header */
	size_t header, units, group; /* lines, from 1; 0: there is none */
};

/* Lines that are none of the table's, and no # comments. */
struct layout_given {
	size_t lines, first; /* line */
	char text[64];	     /* the first one's beginning */
};

/*
 * Finds the table of most cells in the first lines: rows of one number of cells, each with a
 * number, below a line of as many words. false: there is none, or memory is out.
 */
bool layout_find(const char *text, size_t size, struct layout *layout);

/* For the two above: what a cell is. */
enum layout_cell { LAYOUT_NOTHING, LAYOUT_NUMBER, LAYOUT_UNIT, LAYOUT_WORD };
enum layout_cell layout_cell(const struct units *units, struct import_cell cell);
/* Cells of a line, of which a # at the begin is left out. */
size_t layout_split(struct import_cell line, char separator, struct import_cell *cells, size_t max);
/* Whether a line is a comment of another kind than #. */
bool layout_is_comment(struct import_cell line, char separator);

/*
 * Replaces a text that has a table below other lines, with blanks between its cells, with a line of
 * units or of groups, or with lines that are no rows, by a plain table; a note says what is left
 * out, where the job has a result. `known`: the first line is a header that some reader knows, and
 * stays it. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status import_lay_out(struct import_job *job, bool known, struct import_bytes *bytes);

/* frames.c: times of frames, and rows that are frames. */
/* What rows are that have times and the time of a frame. */
enum import_pace {
	IMPORT_PACE_UNKNOWN,
	IMPORT_FRAMES,	  /* most are as long as their frame: each is one */
	IMPORT_INTERVALS, /* they are not: each is about one of its frames */
};

/*
 * Where no row of a table has a time and a column gives the time of one frame a row, each row
 * begins where the one before it in the same process, context and instance ended: the rows are
 * frames then, numbered from 0 where nothing numbers them. Rows with times are frames where these
 * agree; one that has only its begin or its end lasts as long as its frame. Notes say so. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status import_clock_frames(struct import_job *job, struct import_device *device,
				   struct sx_error *err);

/*
 * Where a column gives the time of a frame as a metric that is a counter of times by one of frames,
 * the column becomes that counter and each row counts one frame, so that means and rates are of all
 * frames and not of stretches of time. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status import_count_frames(struct import_job *job, struct import_device *device,
				   struct sx_error *err);

/*
 * Leaves out columns of a table that a person may have made where another means the same, with a
 * note: the metric has one of them everywhere. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status import_leave_repeated(struct import_job *job, struct sx_table *table,
				     const struct sx_catalog *catalog, struct sx_error *err);

/*
 * Of frames that were not measured a capture knows what they are, and maybe their calls, by which
 * its report weighs them. Metrics alone do not hold that.
 */
void import_note_unweighed(struct import_job *job, const struct sx_table *table);

/* Those that are the same in each row become constants of the device; without memory, fewer. */
void import_constants(struct import_job *job, struct import_device *device);

#endif
