/* Tables with a header of counters' names, a line a sample: what several tools write. */
#ifndef IMPORT_COUNTERS_COUNTERS_H
#define IMPORT_COUNTERS_COUNTERS_H

#include "base/strings.h"
#include "import/internal.h"

/* What a column is, when it is no counter. */
enum counters_role {
	COUNTERS_VALUE,
	COUNTERS_UNKNOWN,
	COUNTERS_SKIP,
	COUNTERS_GROUP,	     /* text: what the row is of */
	COUNTERS_FRAME,	     /* a number: the frame */
	COUNTERS_TIME,	     /* the row's end, and the next one's begin where that says none */
	COUNTERS_BEGIN,	     /* the row's begin */
	COUNTERS_END,	     /* the row's end */
	COUNTERS_LENGTH,     /* the row's length */
	COUNTERS_FRAME_TIME, /* the same, of a frame: a row is one, or an interval that ends in it
			      */
	COUNTERS_MODEL,	     /* "true": a model made the row, nothing was measured */
	COUNTERS_GPU,	     /* the GPU that the row is of, which is a device of its own */
	COUNTERS_PROPERTY,   /* a number of no catalog, by the word as it is here */
	/* Where a line is one value: what is the same in all lines of a row, and the value. */
	COUNTERS_KEY,
	COUNTERS_NAME,
	COUNTERS_READING,
};

/* Headers of a tool that are no counters, or that are counters under another name. */
struct counters_word {
	const char *words; /* "Frame|Frame #": any of these */
	enum counters_role role;
	double to_ns; /* of a time; 0: 1 */
	/*
	 * A remark where the file has it, or NULL; of a property its unit; of a value the header
	 * that it is read as, with the tool's unit: "GpuPower (W)".
	 */
	const char *text;
};

/* One table of a file: its header, its rows, and the line that precedes it with its values. */
struct counters_table {
	struct import_cell header;
	struct import_lines rows;
	struct import_cell keys, values; /* empty: there is none */
};

/*
 * A known table is one of these: words, and hooks for what words do not say; each of them may be
 * NULL. Lines are found and cut into cells by cells.c, the words give each column its role, and all
 * other columns are counters of the catalog, in the units of their headers or the catalog's.
 */
struct counters_format {
	const char *family;    /* prefix of the catalogs that may fit, or NULL: not guessed */
	const char *otherwise; /* the catalog where none fits better */
	const char *only;      /* the catalog that its words are of, whatever --for says; or NULL */
	/* What a note says of the catalog, before and after its name, as the file names no GPU. */
	const char *note_before, *note_after;
	enum sx_sample_kind kind;
	const char *driver;
	bool loose, wide_first; /* as those of struct cells */
	const char *no_data;	/* the tool's own words for it, beside the usual ones; or NULL */
	bool positive;		/* of what it writes only temperatures can be below 0 */
	/* What precedes a GPU's name, and the name where a row has none; NULL: all are of one. */
	const char *gpu, *gpu_otherwise;
	/* Whether a line is the header; where none is, the file has `nothing`, `because` of that.
	 */
	bool (*is_header)(struct import_cell line);
	const char *nothing, *because;
	/* What a line is, where the file has none. Of values: the words of any header of such. */
	const char *line, *by_name;
	/* The catalog that the file itself names; NULL: none. `lines` is after the header. */
	const char *(*catalog)(struct import_job *job, struct import_lines lines,
			       struct import_cell header);
	/*
	 * Several tables may follow each other: the next one; `lines` goes on behind its rows.
	 * NULL: there is one.
	 */
	bool (*next_table)(struct import_lines *lines, struct counters_table *table);
	/* Takes what precedes a table; `first` is that of the first one, maybe the same. */
	void (*before_table)(struct import_job *job, struct import_rows *rows,
			     const struct counters_table *table,
			     const struct counters_table *first);
	/* Whether a file is refused, although it is of this kind. */
	bool (*refuse_file)(const struct import_job *job, struct sx_error *err);
	/* How many ns the unit of a table's frame times has, which its words do not say. */
	double (*frame_unit)(struct cells cells, size_t time);
	const struct counters_word *words;
	size_t word_count;
	/*
	 * What a header cell is, before any word is looked for; may change the cell to the
	 * counter's name, and sets the factor to ns of a time. COUNTERS_UNKNOWN: the words say it.
	 */
	enum counters_role (*role)(struct import_job *job, struct import_cell *cell, double *to_ns);
};
#define COUNTERS_WORDS(list) .words = (list), .word_count = sizeof(list) / sizeof((list)[0])

/* Reads a file of job->format->counters. */
enum sx_status counters_read(struct import_job *job, struct sx_error *err);

/*
 * The column for a counter by its name, described as the catalog has it. SX_NONE: the header has a
 * unit of another kind, and a note says so.
 */
uint32_t counters_column(struct import_job *job, struct import_rows *rows, const char *catalog,
			 struct import_cell name);

/* Any table as one device, of the catalog that its names fit. */
enum sx_status any_table_import(struct import_job *job, struct sx_error *err);

#endif
