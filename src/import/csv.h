/* Raw counter values from CSV text (RFC 4180) to a table; nothing is interpreted but numbers. */
#ifndef IMPORT_CSV_H
#define IMPORT_CSV_H

#include <sextant/table.h>

#define CSV_COLUMNS_MAX 65536
#define CSV_CELL_MAX	256 /* bytes of a number or a name */

/* How columns are described beyond their names. Zero-initialise for unit "count", summed. */
struct csv_options {
	/* May set unit and over_time of a column by its name; strings must outlive csv_parse(). */
	void (*describe)(void *user, struct sx_column *column);
	void *user;
};

/*
 * Parses `text`; the header names the columns. A column of whole non-negative numbers becomes u64,
 * any other f64; an empty cell, "-", "nan" and "null" are no data, and so are cells that a line
 * lacks. `duration_ns`, `timestamp_ns` (the row's begin), `begin_ns` and `end_ns` set the rows'
 * times, `frame`, `context` and `instance` their labels. Lines end in LF, CRLF or CR; blank lines
 * and those that begin with # are skipped. `options` may be NULL. `origin` is used in messages,
 * which hold origin:line. *out is owned by the caller. Errors: SX_ERR_BAD_INPUT, SX_ERR_LIMIT,
 * SX_ERR_NO_MEMORY.
 */
enum sx_status csv_parse(const char *text, size_t size, const char *origin,
			 const struct csv_options *options, struct sx_table **out,
			 struct sx_error *err);

#endif
