/* The list that intel_gpu_top -l prints, as its -c would have it. */
#ifndef IMPORT_TELEMETRY_GPU_TOP_LIST_H
#define IMPORT_TELEMETRY_GPU_TOP_LIST_H

#include "import/formats.h"

/* Whether a text begins as that list. */
bool gpu_top_is_list(struct import_cell text);
/* The same as -c writes it, which lives as long as the result; false when memory is out. */
bool gpu_top_list_text(struct import_job *job, const char **text, size_t *size);

#endif
