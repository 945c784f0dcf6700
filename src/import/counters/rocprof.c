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

/* Columns that are no counters: what becomes of them. */
enum rocprof_role { COUNTER, SKIP, DEVICE, KERNEL, BEGIN, END, PROPERTY };

static const struct {
	const char *name;
	enum rocprof_role role;
	const char *unit;
} rocprof_roles[] = {
    {"Index", SKIP, NULL},
    {"Dispatch_ID", SKIP, NULL},
    {"queue-id", SKIP, NULL},
    {"queue-index", SKIP, NULL},
    {"Queue_ID", SKIP, NULL},
    {"Queue_Index", SKIP, NULL},
    {"pid", SKIP, NULL},
    {"tid", SKIP, NULL},
    {"sig", SKIP, NULL},
    {"obj", SKIP, NULL},
    {"Obj", SKIP, NULL},
    {"fbar", SKIP, NULL},
    {"DispatchNs", SKIP, NULL},
    {"CompleteNs", SKIP, NULL},
    {"DurationNs", SKIP, NULL},
    {"Correlation_ID", SKIP, NULL},
    {"gpu-id", DEVICE, NULL},
    {"GPU_ID", DEVICE, NULL},
    {"KernelName", KERNEL, NULL},
    {"Kernel_Name", KERNEL, NULL},
    {"BeginNs", BEGIN, NULL},
    {"Start_Timestamp", BEGIN, NULL},
    {"EndNs", END, NULL},
    {"End_Timestamp", END, NULL},
    {"grd", PROPERTY, "items"},
    {"wgr", PROPERTY, "items"},
    {"lds", PROPERTY, "bytes"},
    {"scr", PROPERTY, "bytes"},
    {"vgpr", PROPERTY, "count"},
    {"arch_vgpr", PROPERTY, "count"},
    {"accum_vgpr", PROPERTY, "count"},
    {"sgpr", PROPERTY, "count"},
    {"wave_size", PROPERTY, "items"},
    {"Grid_Size", PROPERTY, "items"},
    {"Workgroup_Size", PROPERTY, "items"},
    {"LDS_Per_Workgroup", PROPERTY, "bytes"},
    {"Scratch_Per_Workitem", PROPERTY, "bytes"},
    {"Arch_VGPR", PROPERTY, "count"},
    {"Wave_Size", PROPERTY, "items"},
};

struct rocprof_reader {
	struct amd_table table;
	enum rocprof_role *role;
	size_t *which;			       /* of roles[], by column */
	uint32_t *columns[IMPORT_DEVICES_MAX]; /* of each GPU, by column of the file */
};

static bool rocprof_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line;
	return import_line(&lines, &line) && (import_begins(line, "Index,KernelName,") ||
					      import_begins(line, "\"Index\",\"KernelName\",") ||
					      import_begins(line, "Dispatch_ID,GPU_ID,"));
}

static enum sx_status rocprof_find_roles(struct rocprof_reader *r, struct sx_error *err)
{
	r->role = calloc(r->table.cells.columns + 1, sizeof(*r->role));
	r->which = calloc(r->table.cells.columns + 1, sizeof(*r->which));
	if (!r->role || !r->which)
		return error_nomem(err, "importing");
	for (size_t i = 0; i < r->table.cells.columns; i++)
		for (size_t k = 0; k < sizeof(rocprof_roles) / sizeof(rocprof_roles[0]); k++)
			if (import_is(r->table.cells.head[i], rocprof_roles[k].name)) {
				r->role[i] = rocprof_roles[k].role;
				r->which[i] = k;
			}
	return SX_OK;
}

static enum sx_status rocprof_add_columns(struct rocprof_reader *r, uint32_t device,
					  struct sx_error *err)
{
	struct import_rows *rows = r->table.rows[device];
	const struct cells *cells = &r->table.cells;
	uint32_t *columns = r->columns[device] = calloc(cells->columns + 1, sizeof(*columns));
	if (!columns)
		return error_nomem(err, "importing");
	for (size_t i = 0; i < cells->columns; i++) {
		columns[i] = SX_NONE;
		struct import_field field = {.name = rocprof_roles[r->which[i]].name,
					     .unit = rocprof_roles[r->which[i]].unit,
					     .over_time = SX_REDUCE_MEAN};
		if (r->role[i] == COUNTER && cells->head[i].size)
			columns[i] =
			    counters_column(r->table.job, rows, r->table.catalog, cells->head[i]);
		else if (r->role[i] == PROPERTY)
			columns[i] = import_column(rows, &field);
	}
	return SX_OK;
}

static enum sx_status rocprof_find_device(struct rocprof_reader *r, uint32_t *device,
					  struct sx_error *err)
{
	struct import_cell id = {"0", 1};
	struct amd_gpu gpu = {0};
	for (size_t i = 0; i < r->table.cells.columns; i++)
		if (r->role[i] == DEVICE && r->table.cells.row[i].size)
			id = r->table.cells.row[i];
	enum sx_status status = amd_table_device(&r->table, id, "GPU ", &gpu, err);
	*device = gpu.index;
	return status || !gpu.added ? status : rocprof_add_columns(r, gpu.index, err);
}

static enum sx_status rocprof_take_row(struct rocprof_reader *r, struct sx_error *err)
{
	uint64_t times[2] = {SX_TIME_UNKNOWN, SX_TIME_UNKNOWN};
	struct cells *cells = &r->table.cells;
	uint32_t device;
	enum sx_status status = rocprof_find_device(r, &device, err);
	if (status)
		return status;
	for (size_t i = 0; i < cells->columns; i++)
		if (r->role[i] == BEGIN || r->role[i] == END)
			times[r->role[i] == END] = cells_time(cells, i, 1);
	struct import_rows *rows = r->table.rows[device];
	size_t row = import_row(rows, times[0], times[1]);
	for (size_t i = 0; i < cells->columns; i++) {
		if (r->role[i] == KERNEL) {
			struct import_cell kernel = cells_text(cells, i);
			import_label(rows, row, SX_LABEL_GROUP, kernel.text, kernel.size);
		} else {
			cells_put(cells, i, rows, r->columns[device][i], row);
		}
	}
	return SX_OK;
}

static enum sx_status rocprof_read(struct import_job *job, struct sx_error *err)
{
	struct rocprof_reader *r = calloc(1, sizeof(*r));
	if (!r)
		return error_nomem(err, "importing");
	enum sx_status status = amd_table_begin(&r->table, job, err);
	if (!status)
		status = rocprof_find_roles(r, err);
	while (!status && cells_next(&r->table.cells))
		status = rocprof_take_row(r, err);
	status = amd_table_end(&r->table, status, "rocprof writes a line a dispatch", err);
	for (uint32_t i = 0; i < IMPORT_DEVICES_MAX; i++)
		free(r->columns[i]);
	free(r->role);
	free(r->which);
	free(r);
	return status;
}

const struct import_format import_rocprof = {
    .kind = "rocprof",
    .about = "counters of rocprof",
    .recognise = rocprof_recognise,
    .read = rocprof_read,
};
