/* What each kind of file implements, and what all of them build on; for this folder only. */
#ifndef IMPORT_FORMATS_H
#define IMPORT_FORMATS_H

#include "base/error.h"
#include "base/mem.h"
#include "base/spill.h"
#include "base/teller.h"
#include "import/import.h"
#include "import/read/bare_units.h"

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

/* Whose rows the text has, where a column of the file tells several devices apart. */
struct import_part {
	const char *text; /* as the rows say it */
	uint32_t number;  /* or SX_NONE */
	const char *name; /* or NULL */
	const bool *any;  /* of each column: some device has a value in it */
};

/* What a file says of a device beside its rows. */
struct import_told {
	const char *device;	    /* as rows say whose they are; "": they do not */
	uint32_t number;	    /* or SX_NONE */
	const char *name, *catalog; /* or NULL */
};

/* What a file holds; a NUL stands behind it. */
struct import_bytes {
	char *data;
	size_t size;
	struct spill *spill; /* that the data is of; NULL: it is in memory */
};

/* One run. Everything that it allocates dies with the result. */
struct import_job {
	const struct import_request *request;
	const struct import_format *format;
	struct import *result;
	const char *text; /* the whole file; a NUL stands behind it */
	size_t size;
	char *owned;	     /* the same, where it goes with the job; NULL: somebody else's */
	struct spill *spill; /* the result's, of what grows with the file */
	const char *place;   /* what the file is counted in: "line", "row" */
	size_t above;	     /* of the text's lines, that the file does not have */
	const struct import_part *part; /* NULL: the file does not say whose its rows are */
	const struct import_told *told; /* of each device */
	size_t told_count;
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
	bool by_device;	     /* a column "device" says whose each row is, and nothing else */
	bool only_by_device; /* however many there are: those that find no room are left out */
	bool any_order; /* rows need not follow each other in time: what stands there is meant */
	bool spelled;	/* people or scripts name its columns, and units stand behind the names */
	/* Says from the beginning whether it is this kind, without doubt. */
	bool (*recognise)(const struct import_head *head);
	/* Reads all. SX_INCOMPLETE: what is there was added, and err says what is missing. */
	enum sx_status (*read)(struct import_job *job, struct sx_error *err);
};

#define IMPORT(name) extern const struct import_format import_##name;
#include "import/formats.def"
#undef IMPORT

/* The beginning of what the user gave as `path`, in out->data; SX_ERR_… as import_read(). */
enum sx_status import_load(const char *path, size_t limit, struct import_bytes *out,
			   struct sx_error *err);
/* Unpacks gz and zst in place. `limit`: only the beginning is wanted. */
enum sx_status import_unpack(const char *path, size_t limit, struct import_bytes *bytes,
			     struct sx_error *err);
/* Text to UTF-8 without BOM, in place; *was is how it was written. Errors: SX_ERR_NO_MEMORY. */
enum sx_status import_decode(struct import_bytes *bytes, enum import_coding *was,
			     struct sx_error *err);
/* Frees the data; none is there then. */
void import_bytes_free(struct import_bytes *bytes);

/* For a reader that has made something else of the text: it has none from here on. */
void import_forget_text(struct import_job *job);
/* What the file says of the device whose rows are read; NULL: nothing. */
const struct import_told *import_told_of(const struct import_job *job);
/* Text that lives as long as the result; NULL when memory is out. */
char *import_text(struct import_job *job, const char *text, size_t size);
/* Something people should know; each text once. */
void import_tell(struct import_job *job, const char *fmt, ...) SX_PRINTF(2, 3);
/* Tells the same way. */
struct teller import_teller(struct import_job *job);
/* SX_ERR_BAD_INPUT at a line (0: none). */
enum sx_status import_bad(const struct import_job *job, size_t line, struct sx_error *err,
			  const char *because, const char *what);
/* SX_ERR_BAD_INPUT: a report of ours, which has no samples. */
enum sx_status import_refuse_report(const struct import_job *job, const char *because,
				    struct sx_error *err);
/* SX_INCOMPLETE: the file breaks off. */
enum sx_status import_cut(const struct import_job *job, size_t line, struct sx_error *err);
/* Rows that grow, with columns that appear as they are met. */
struct import_rows;

struct import_rows_options {
	const char *catalog, *name, *driver, *clock;
	enum sx_sample_kind kind;
	bool encloses_work; /* as a recording of it would say: such a device goes first */
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
/* Changes what was said at the beginning; NULL leaves the name. */
void import_rows_name(struct import_rows *rows, const char *name);
void import_rows_catalog(struct import_rows *rows, const char *catalog);
void import_rows_clock(struct import_rows *rows, const char *clock);
void import_rows_set(struct import_rows *rows, const char *set);
/* Under which the file knows the device; below IMPORT_NUMBER_MAX. */
void import_rows_number(struct import_rows *rows, uint32_t number);
/* What the file calls the column of a label; the text must live as long as the result. */
void import_rows_label_name(struct import_rows *rows, enum sx_label label, const char *name);
void import_rows_driver(struct import_rows *rows, const char *driver);
/* The file says that a model made what it holds. */
void import_rows_simulated(struct import_rows *rows);
/* Gives the device a constant; false where it has as many as it can. */
bool import_rows_constant(struct import_rows *rows, const char *name, double value);
/* Rows may overlap, and need not follow each other in time: what stands there is meant. */
void import_rows_any_order(struct import_rows *rows);
/* Percentages end at 100: what is outside is told, and no data. */
void import_rows_whole_shares(struct import_rows *rows);
/* Index of a column, added when its name is new. */
uint32_t import_column(struct import_rows *rows, const struct import_field *field);
size_t import_row(struct import_rows *rows, uint64_t begin_ns, uint64_t end_ns);
/* Where the row stands in the file, in what the job counts: from 1. */
void import_row_place(struct import_rows *rows, size_t row, size_t place);
void import_row_time(struct import_rows *rows, size_t row, uint64_t begin_ns, uint64_t end_ns);
/*
 * Where a column has no value in a row, it was not measured there, and the rows in which it was
 * stand for that one.
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
/* Of a row's quality: others stand for its cells without a value. */
#define IMPORT_SKIPPED SX_QUALITY_NOT_COLLECTED
/* What holds of all values of a row: SX_QUALITY_LOST and its like, and IMPORT_SKIPPED. */
void import_row_quality(struct import_rows *rows, size_t row, uint8_t quality);
/* The same as rows are written: "lost+multiplexed". */
uint8_t import_quality(const char *text, size_t size);
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

/* A part of the text; not terminated. */
struct import_cell {
	const char *text;
	size_t size;
};

/* Lines of the text, one after another. */
struct import_lines {
	const char *p, *end;
	size_t number;	     /* of the line that was read last, from 1 */
	bool unfinished;     /* the last line had no end */
	struct spill *spill; /* that the text is of, or NULL */
};

struct import_lines import_lines(const struct import_job *job);
bool import_line(struct import_lines *lines, struct import_cell *line);
/* The same, with the lines that a cell in quotes goes on over. */
bool import_record(struct import_lines *lines, char separator, struct import_cell *record);
/* The first line that is neither blank nor a remark (#), nor says what separates cells (sep=;). */
bool import_header_line(struct import_lines *lines, struct import_cell *header);
/*
 * Cells of a line: trimmed, without the quotes around them. Returns their number, at most `max`;
 * a quoted cell may hold the separator, a doubled quote is kept as it stands. A blank as separator
 * is any number of blanks and tabs.
 */
size_t import_split(struct import_cell line, char separator, struct import_cell *cells, size_t max);
/* The separator of a header line: the one of , ; tab and | that cuts it into most cells. */
char import_separator(struct import_cell line);
bool import_is(struct import_cell cell, const char *word);
bool import_begins(struct import_cell cell, const char *word);
/* A number with whatever stands for one; false for no data and for text. */
bool import_number(struct import_cell cell, double *value);
/* Whether a cell stands for "no data": empty, dashes, N/A, nan, null, none. */
bool import_no_data(struct import_cell cell);
/*
 * Sets a number in text that is a whole one in the column's unit, with all its digits;
 * false when it is none.
 */
bool import_set_exact(struct import_rows *rows, uint32_t column, size_t row,
		      struct import_cell text);
/* What stands before "_ms" or " ms", where the end is a unit; else empty. *end: what it is. */
struct import_cell import_split_suffix(struct import_cell head, struct import_cell *end);
/* The name in "name (unit)" or "name [unit]", and what stands in the brackets; empty: no unit. */
struct import_cell import_split_unit(struct import_cell head, struct import_cell *unit);
/* "name (unit)", "name [unit]" or a bare name; unit "count" where it is none that is known. */
struct import_field import_header(struct import_job *job, struct import_cell cell,
				  enum sx_reduce over_time);
/* The name without such a unit, which lives as long as the result; NULL when memory is out. */
const char *import_bare_name(struct import_job *job, struct import_cell head);
/* A unit as people write it; false when it is not known. */
bool import_unit(struct import_cell text, const char **unit, double *factor);
#define IMPORT_UNITS_TEXT_MAX 128
/* What people may write for numbers of a unit's kind, each once: "ns, us, ms, s, min, h". */
struct units;
void import_units_like(const struct units *list, const char *unit, char out[IMPORT_UNITS_TEXT_MAX]);

/* The catalog of a family (prefix of its name) that knows most of the names, or that of --for. */
const char *import_guess_catalog(struct import_job *job, const char *prefix,
				 const char *const *names, size_t count, const char *otherwise);

/*
 * The catalog of --for, or that which has most of the names, by letter where that finds any; NULL
 * where none has more than one of many.
 */
const char *import_find_catalog(struct import_job *job, const char *const *names, size_t count);
/* The same for one of several devices: --for is not of those of whose names it has less than half.
 */
const char *import_device_catalog(struct import_job *job, const char *const *names, size_t count);

/* How many of the names one catalog knows: the one that has most of them. */
size_t import_count_known(struct import_job *job, const char *const *names, size_t count);

/*
 * Either for what has a header alone, or the catalog that the device is called after, where that
 * has any of the names. What was guessed is told.
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
/* Tells them, if there are any; `place` says of what the number is. */
void import_odd_tell(struct import_job *job, const struct import_odd *odd, const char *place);

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

#endif
