/* Text of tables: lines, cells and numbers, and what headers mean. It does not depend on a file. */
#ifndef IMPORT_TABLE_SCAN_H
#define IMPORT_TABLE_SCAN_H

#include <string.h>

#include <sextant/catalog.h>
#include <sextant/table.h>

#include "base/note_sink.h"

struct bare_units;
struct units;

/* A part of the text; not terminated. */
struct import_cell {
	const char *text;
	size_t size;
};

/* Lines of the text, one after another. */
struct import_lines {
	const char *p, *end;
	size_t number;		 /* of the line that was read last, from 1 */
	bool unfinished;	 /* the last line had no end */
	struct backing *backing; /* that the text is of, or NULL */
};

/* Of a text in memory. */
static inline struct import_lines import_lines_of(const char *text, size_t size)
{
	return (struct import_lines){.p = text, .end = text + size};
}
bool import_line(struct import_lines *lines, struct import_cell *line);
/* The same, with the lines that a cell in quotes goes on over. */
bool import_record(struct import_lines *lines, char separator, struct import_cell *record);
/* The first line that is neither blank nor a remark (#), nor says what separates cells (sep=;). */
bool import_header_line(struct import_lines *lines, struct import_cell *header);
/*
 * Cells of a line: trimmed, without the quotes around them. Returns their number, at most `max`; a
 * quoted cell may hold the separator, a doubled quote is kept. A blank as separator is any number
 * of blanks and tabs.
 */
size_t import_split(struct import_cell line, char separator, struct import_cell *cells, size_t max);
/* The separator of a header line: the one of , ; tab and | that cuts it into most cells. */
char import_separator(struct import_cell line);
bool import_is(struct import_cell cell, const char *word);
static inline bool import_same(struct import_cell a, struct import_cell b)
{
	return a.size == b.size && (!a.size || memcmp(a.text, b.text, a.size) == 0);
}
/* The word of "a|b|c" that a cell is, whatever its case; NULL: none. */
const char *import_word_of(struct import_cell cell, const char *words);
bool import_begins(struct import_cell cell, const char *word);
/* A number, in any notation; false for no data and for text. */
bool import_number(struct import_cell cell, double *value);
/* The same, where some locale may have put a comma before the fraction. */
bool import_local_number(struct import_cell cell, double *value);
/* Such a number before a unit: "12,50%", "34.59 MiB". *unit: what is behind it, also of none. */
bool import_amount(struct import_cell text, double *value, struct import_cell *unit);
/* Whether a cell means "no data": empty, dashes, N/A, nan, null, none. */
bool import_no_data(struct import_cell cell);
/* Without blanks and tabs around it. */
static inline struct import_cell import_trim(struct import_cell cell)
{
	while (cell.size && (*cell.text == ' ' || *cell.text == '\t')) {
		cell.text++;
		cell.size--;
	}
	while (cell.size && (cell.text[cell.size - 1] == ' ' || cell.text[cell.size - 1] == '\t'))
		cell.size--;
	return cell;
}
/* Takes the first word of a trimmed text off it; empty at its end. */
struct import_cell import_next_word(struct import_cell *rest);

/* The separator of cells, and the decimal mark. */
struct csv_marks {
	char separator;
	bool decimal_comma; /* some number had one, beyond doubt */
	bool decimal_point; /* the same of a point */
};

/* What precedes "_ms" or " ms", where the end is a unit; else empty. *end: what it is. */
struct import_cell import_split_suffix(struct import_cell head, struct import_cell *end);
/* The name in "name (unit)" or "name [unit]", and what is in the brackets; empty: no unit. */
struct import_cell import_split_unit(struct import_cell head, struct import_cell *unit);
/* A unit in any usual spelling; false when it is not known. */
bool import_unit(struct import_cell text, const char **unit, double *factor);
/* The last factor of a column: its unit mostly repeats. Zero-initialise. */
struct import_factor {
	struct import_cell text; /* of the unit; must live as long */
	double factor;
};
/* From numbers in such a unit to the same in a unit of the list; 0: it is of another kind. */
double import_unit_factor(struct import_factor *last, const struct units *list,
			  struct import_cell text, const char *to);
/* Whether it is a unit as catalogs write it ("s/invocation"). */
bool import_catalog_unit(const struct units *list, struct import_cell text);
/* Nanoseconds in a unit of time, in any spelling; 0 for others. */
double import_time_unit(struct import_cell text);
#define IMPORT_UNITS_TEXT_MAX 128
/* Usual units of a unit's kind, each once: "ns, us, ms, s, min, h". */
void import_units_like(const struct units *list, const char *unit, char out[IMPORT_UNITS_TEXT_MAX]);
/* A header, or what we call the column that a tool calls so; static storage. Thread-safe. */
struct import_cell csv_our_word(struct import_cell head);

/*
 * The unit that a column of this name is read in where the file says none and the catalog `unit`:
 * frame times are usually written in ms. NULL: no note is needed, as for a name that is a counter
 * letter by letter, with a unit that its vendor fixed.
 */
const char *bare_units_of(const struct sx_catalog *catalog, const char *name, const char *unit);
/* Whether a metric is what a counter is, as frame times are. */
bool import_is_same(const struct sx_catalog *catalog, const char *metric);
void bare_units_add(struct bare_units *bare, const char *name, const char *unit);
/* Notes which units were assumed, if any were. */
void bare_units_note(const struct bare_units *bare, const struct note_sink *to);

#define IMPORT_YEAR_NS (UINT64_C(366) * 86400 * 1000000000)

/* Begin and end of a sample in ns; SX_TIME_UNKNOWN. */
struct import_span {
	uint64_t begin_ns, end_ns;
};

/* A time that some clock could show: within a century of its zero. */
bool import_time_can_be(uint64_t ns);
/* Such times, the end not before the begin, and at most a year apart. */
bool import_span_can_be(struct import_span span);

/* What of a row's times a column holds. */
enum import_time {
	IMPORT_TIME_NONE,
	IMPORT_TIME_LENGTH,
	IMPORT_TIME_BEGIN,
	IMPORT_TIME_END,
	IMPORT_TIME_MOMENT, /* its end, and the next one's begin */
};

/*
 * By its header: "Time (s)", "duration_us", "begin [ms]". *to_ns receives what makes nanoseconds of
 * its numbers.
 */
enum import_time import_time_head(struct import_cell head, double *to_ns);

/* The role of a column by our own name for it, as in exports. */
enum import_role {
	IMPORT_ROLE_VALUE, /* all others */
	IMPORT_ROLE_DEVICE,
	IMPORT_ROLE_MODEL, /* whether a model made the row */
	IMPORT_ROLE_KIND,  /* what the row encloses */
	IMPORT_ROLE_BEGIN,
	IMPORT_ROLE_END,
	IMPORT_ROLE_NUMBER, /* a label */
	IMPORT_ROLE_TEXT,   /* the same */
	IMPORT_ROLE_QUALITY,
};
#define IMPORT_ROLES 15 /* names that are no values */
/* *label (or NULL) receives that of NUMBER and TEXT. Case does not matter, unless `exact`. */
enum import_role import_role(struct import_cell head, bool exact, enum sx_label *label);

/* Raw counters are written in capitals; what is derived from them is not. */
bool import_is_raw(struct import_cell name);

/* Of a row's quality: others represent its cells without a value. */
#define IMPORT_SKIPPED SX_QUALITY_NOT_COLLECTED
/* The quality of a row, as rows are written: "lost+multiplexed". */
uint8_t import_quality(const char *text, size_t size);

#endif
