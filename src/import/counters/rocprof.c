/*
 * rocprof (v1 and v2): a line a dispatch, a column a counter. Seen: the headers of ROCm 3 to 6, v1
 * (Index,KernelName,…) and v2 (Dispatch_ID,GPU_ID,…,Kernel_Name,Start_Timestamp,…).
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "import/read/cells.h"
#include "import/counters/rocm.h"

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

struct rocprof_device {
	double id;
	struct import_rows *rows;
	uint32_t *columns;
};

struct rocprof_reader {
	struct import_job *job;
	struct cells cells;
	const char *catalog;
	enum rocprof_role *role;
	size_t *which; /* of roles[], by column */
	struct rocprof_device devices[IMPORT_DEVICES_MAX];
	uint32_t device_count;
};

static bool rocprof_recognise(const struct import_head *head)
{
	struct import_job job = {.text = head->text, .size = head->size};
	struct import_lines lines = import_lines(&job);
	struct import_cell line;
	return import_line(&lines, &line) && (import_begins(line, "Index,KernelName,") ||
					      import_begins(line, "\"Index\",\"KernelName\",") ||
					      import_begins(line, "Dispatch_ID,GPU_ID,"));
}

static enum sx_status rocprof_find_roles(struct rocprof_reader *r, struct sx_error *err)
{
	r->role = calloc(r->cells.columns + 1, sizeof(*r->role));
	r->which = calloc(r->cells.columns + 1, sizeof(*r->which));
	if (!r->role || !r->which)
		return error_nomem(err, "importing");
	for (size_t i = 0; i < r->cells.columns; i++)
		for (size_t k = 0; k < sizeof(rocprof_roles) / sizeof(rocprof_roles[0]); k++)
			if (import_is(r->cells.head[i], rocprof_roles[k].name)) {
				r->role[i] = rocprof_roles[k].role;
				r->which[i] = k;
			}
	return SX_OK;
}

static struct rocprof_device *new_device(struct rocprof_reader *r, double id)
{
	struct rocprof_device *device = &r->devices[r->device_count];
	char name[48];
	snprintf(name, sizeof(name), "GPU %g", id);
	device->id = id;
	device->columns = calloc(r->cells.columns + 1, sizeof(*device->columns));
	device->rows = import_rows_create(
	    r->job,
	    &(struct import_rows_options){
		.catalog = r->catalog, .name = name, .driver = "ROCm", .kind = SX_SAMPLE_GROUP});
	for (size_t i = 0; device->columns && i < r->cells.columns; i++) {
		device->columns[i] = SX_NONE;
		struct import_field field = {.name = rocprof_roles[r->which[i]].name,
					     .unit = rocprof_roles[r->which[i]].unit,
					     .over_time = SX_REDUCE_MEAN};
		if (r->role[i] == COUNTER && r->cells.head[i].size)
			device->columns[i] =
			    amd_column(r->job, device->rows, r->catalog, r->cells.head[i]);
		else if (r->role[i] == PROPERTY)
			device->columns[i] = import_column(device->rows, &field);
	}
	r->device_count++;
	return device->columns && device->rows ? device : NULL;
}

static struct rocprof_device *rocprof_find_device(struct rocprof_reader *r)
{
	double id = 0;
	for (size_t i = 0; i < r->cells.columns; i++)
		if (r->role[i] == DEVICE)
			import_number(r->cells.row[i], &id);
	for (uint32_t i = 0; i < r->device_count; i++)
		if (r->devices[i].id == id)
			return &r->devices[i];
	return r->device_count < IMPORT_DEVICES_MAX ? new_device(r, id) : NULL;
}

static enum sx_status rocprof_take_row(struct rocprof_reader *r, struct sx_error *err)
{
	uint64_t times[2] = {SX_TIME_UNKNOWN, SX_TIME_UNKNOWN};
	struct rocprof_device *device = rocprof_find_device(r);
	if (!device)
		return error_nomem(err, "importing");
	for (size_t i = 0; i < r->cells.columns; i++)
		if (r->role[i] == BEGIN || r->role[i] == END)
			times[r->role[i] == END] = cells_ns(&r->cells, i);
	size_t row = import_row(device->rows, times[0], times[1]);
	for (size_t i = 0; i < r->cells.columns; i++) {
		if (r->role[i] == KERNEL) {
			struct import_cell kernel = cells_text(&r->cells, i);
			import_label(device->rows, row, SX_LABEL_GROUP, kernel.text, kernel.size);
		} else {
			cells_put(&r->cells, i, device->rows, device->columns[i], row);
		}
	}
	return SX_OK;
}

static enum sx_status rocprof_read(struct import_job *job, struct sx_error *err)
{
	struct rocprof_reader *r = calloc(1, sizeof(*r));
	struct import_lines lines = import_lines(job);
	struct import_cell header = {"", 0};
	if (!r)
		return error_nomem(err, "importing");
	r->job = job;
	r->catalog = job->request->catalog ? job->request->catalog : "amd-gcn3";
	import_line(&lines, &header);
	enum sx_status status = cells_begin(&r->cells, job, lines, header, err);
	if (!status)
		status = rocprof_find_roles(r, err);
	while (!status && cells_next(&r->cells))
		status = rocprof_take_row(r, err);
	if (!status)
		status = cells_end(&r->cells, err);
	status = import_finish(job, status, "rocprof writes a line a dispatch",
			       "there is no line behind the header", err);
	for (uint32_t i = 0; i < r->device_count; i++)
		free(r->devices[i].columns);
	free(r->role);
	free(r->which);
	free(r);
	if (!job->request->catalog)
		amd_tell_meaning(job, "amd-gcn3");
	return status;
}

const struct import_format import_rocprof = {
    .kind = "rocprof",
    .about = "counters of rocprof",
    .recognise = rocprof_recognise,
    .read = rocprof_read,
};
