/* What the files of AMD's profilers share: names of derived counters, and what is known of them. */
#ifndef IMPORT_COUNTERS_ROCM_H
#define IMPORT_COUNTERS_ROCM_H

#include "base/strings.h"
#include "import/read/cells.h"

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

/*
 * The column for a counter by its name, described as the catalog has it. SX_NONE: the header has a
 * unit of another kind than that, and this has been told.
 */
uint32_t amd_column(struct import_job *job, struct import_rows *rows, const char *catalog,
		    struct import_cell name);
/* The catalog for a chip by the name that AMD's tools give it ("Tahiti1", "gfx803"), or NULL. */
const char *amd_catalog_of_chip(struct import_cell name);

#endif
