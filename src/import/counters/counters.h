/* Tables with a header of counters' names, a line a sample: what several tools write. */
#ifndef IMPORT_COUNTERS_COUNTERS_H
#define IMPORT_COUNTERS_COUNTERS_H

#include "import/read/cells.h"

/* What a column is, when it is no counter. */
enum counters_role {
	COUNTERS_VALUE,
	COUNTERS_SKIP,
	COUNTERS_GROUP,	 /* text: what the row is of */
	COUNTERS_FRAME,	 /* a number: the frame */
	COUNTERS_TIME,	 /* the row's end */
	COUNTERS_BEGIN,	 /* the row's begin */
	COUNTERS_LENGTH, /* the row's length */
	COUNTERS_MODEL,	 /* "true": a model made the row, nobody measured it */
};

struct counters_format {
	const char *family;    /* prefix of the catalogs that may fit */
	const char *otherwise; /* the catalog where none fits better */
	const char *catalog;   /* what the file itself says that it is of; NULL: it does not */
	bool tell_guess;       /* the file says nothing of its device: a guess is told */
	enum sx_sample_kind kind;
	const char *driver;
	bool loose, wide_first; /* as those of struct cells */
	/*
	 * What a header cell is; may change the cell to the counter's name, and sets the factor to
	 * ns of a time.
	 */
	enum counters_role (*role)(struct import_job *job, struct import_cell *cell, double *to_ns);
};

/* Reads from the header line on; `lines` stands behind it. */
enum sx_status counters_read(struct import_job *job, const struct counters_format *format,
			     struct import_lines lines, struct import_cell header,
			     struct sx_error *err);

/*
 * Cuts a last line off the text that is named as a sum or a mean and is one in all of its numbers,
 * and tells; tells also where it is only named so. Errors: SX_ERR_NO_MEMORY, SX_ERR_LIMIT.
 */
enum sx_status counters_leave_summary_out(struct import_job *job, struct sx_error *err);

#endif
