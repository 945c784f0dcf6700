/* What the files of AMD's profilers share: names of derived counters, and what is known of them. */
#ifndef IMPORT_COUNTERS_ROCM_H
#define IMPORT_COUNTERS_ROCM_H

#include "import/formats.h"

/*
 * The column for a counter by its name, described as the catalog has it. SX_NONE: the header has a
 * unit of another kind than that, and this has been told.
 */
uint32_t amd_column(struct import_job *job, struct import_rows *rows, const char *catalog,
		    struct import_cell name);
/* The catalog for a chip by the name that AMD's tools give it ("Tahiti1", "gfx803"), or NULL. */
const char *amd_catalog_of_chip(struct import_cell name);
/* Says on which chips the names of ROCm's derived counters are known to mean the same. */
void amd_tell_meaning(struct import_job *job, const char *catalog);

#endif
