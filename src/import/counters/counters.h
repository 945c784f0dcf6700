/* Tables with a header of counters' names, a line a sample: what several tools write. */
#ifndef IMPORT_COUNTERS_COUNTERS_H
#define IMPORT_COUNTERS_COUNTERS_H

#include "base/strings.h"
#include "import/internal.h"

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
 * The column for a counter by its name, described as the catalog has it. SX_NONE: the header has a
 * unit of another kind than that, and this has been told.
 */
uint32_t counters_column(struct import_job *job, struct import_rows *rows, const char *catalog,
			 struct import_cell name);

/* A table that rocprof or rocprofv3 wrote, and the GPUs whose rows it holds. Zero-initialise. */
struct amd_table {
	struct import_job *job;
	struct cells cells;
	const char *catalog;
	struct strings ids; /* of the GPUs, as the file has them */
	struct import_rows *rows[IMPORT_DEVICES_MAX];
};

struct amd_gpu {
	uint32_t index;
	bool added; /* its first row */
};

/* Takes the header; to be ended in any case. Errors: SX_ERR_BAD_INPUT, SX_ERR_NO_MEMORY. */
enum sx_status amd_table_begin(struct amd_table *table, struct import_job *job,
			       struct sx_error *err);
/*
 * The GPU with this id, which has rows of its own. `what` stands before the id in its name. Errors:
 * SX_ERR_LIMIT, SX_ERR_NO_MEMORY.
 */
enum sx_status amd_table_device(struct amd_table *table, struct import_cell id, const char *what,
				struct amd_gpu *out, struct sx_error *err);
/* Makes the devices of what was read; `because` says what the file should hold. */
enum sx_status amd_table_end(struct amd_table *table, enum sx_status status, const char *because,
			     struct sx_error *err);

#endif
