/*
 * rocprof (v1 and v2): a line a dispatch, a column a counter. Seen: the headers of ROCm 3 to 6, v1
 * (Index,KernelName,…) and v2 (Dispatch_ID,GPU_ID,…,Kernel_Name,Start_Timestamp,…).
 */
#include <stdio.h>
#include <stdlib.h>

#include "import/counters/counters.h"

/* On which chips the names of ROCm's derived counters are known to mean the same. */
static void note_meaning(struct import_job *job, const char *catalog)
{
	import_remark(
	    job,
	    "the file does not name its GPU: the metrics and rules are those of %s. "
	    "VALUBusy, VALUUtilization, LDSBankConflict, MemUnitStalled, WriteUnitStalled, "
	    "FetchSize and CacheHit are known to mean the same on GFX8 and GFX9 (Vega, "
	    "CDNA); later GPUs are not verified",
	    catalog);
}

enum sx_status amd_table_begin(struct amd_table *table, struct import_job *job,
			       struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell header = {"", 0};
	table->job = job;
	table->catalog = job->request->catalog ? job->request->catalog : "amd-gcn3";
	import_line(&lines, &header);
	return cells_begin(&table->cells, job, lines, header, err);
}

enum sx_status amd_table_device(struct amd_table *table, struct import_cell id, const char *what,
				struct amd_gpu *out, struct sx_error *err)
{
	char name[64];
	uint32_t index = strings_intern(&table->ids, id.text, id.size, &out->added);
	out->index = index;
	if (index == UINT32_MAX)
		return error_nomem(err, "importing");
	if (index >= IMPORT_DEVICES_MAX) {
		error_set(err, SX_ERR_LIMIT, "%s has more than %d GPUs", table->job->request->path,
			  IMPORT_DEVICES_MAX);
		error_because(err, "each of them becomes a device of its own");
		error_try(err, "the file in parts, by its column of GPUs");
		return SX_ERR_LIMIT;
	}
	if (!out->added)
		return SX_OK;
	snprintf(name, sizeof(name), "%s%.*s", what, (int)(id.size < 40 ? id.size : 40), id.text);
	table->rows[index] = import_rows_create(
	    table->job, &(struct import_rows_options){.catalog = table->catalog,
						      .name = id.size ? name : NULL,
						      .driver = "ROCm",
						      .kind = SX_SAMPLE_GROUP});
	return table->rows[index] ? SX_OK : error_nomem(err, "importing");
}

enum sx_status amd_table_end(struct amd_table *table, enum sx_status status, const char *because,
			     struct sx_error *err)
{
	if (!status)
		status = cells_end(&table->cells, err);
	status =
	    import_finish(table->job, status, because, "there is no line after the header", err);
	strings_finish(&table->ids);
	if (!table->job->request->catalog)
		note_meaning(table->job, table->catalog);
	return status;
}
