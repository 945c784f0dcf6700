/*
 * rocprofv3's *_counter_collection.csv: a line for each counter of each dispatch. Seen: ROCm 6.0 to
 * 7.0, with and without timestamps, Kernel_Id and Accum_VGPR_Count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import/counters/counters.h"

/* Properties of a dispatch that come over as columns. */
static const char *const properties[] = {"Grid_Size",	 "Workgroup_Size", "LDS_Block_Size",
					 "Scratch_Size", "VGPR_Count",	   "Accum_VGPR_Count",
					 "SGPR_Count"};
#define PROPERTIES (sizeof(properties) / sizeof(properties[0]))

struct rocprofv3_where {
	size_t counter, value, dispatch, agent, process, kernel, begin, end;
	size_t property[PROPERTIES];
};

struct rocprofv3_reader {
	struct amd_table table;
	struct rocprofv3_where at;
	struct strings dispatches;
	uint32_t property[IMPORT_DEVICES_MAX][PROPERTIES]; /* columns, by agent */
	size_t section;	 /* of tables that follow each other, from 0 */
	size_t repeated; /* values of a counter and dispatch that had one already */
	size_t first_repeated;
	size_t *row; /* by dispatch */
	size_t row_cap;
};

static bool rocprofv3_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line, cells[32];
	if (!import_line(&lines, &line))
		return false;
	size_t count = import_split(line, ',', cells, 32);
	bool name = false, value = false, dispatch = false;
	for (size_t i = 0; i < count; i++) {
		name |= import_is(cells[i], "Counter_Name");
		value |= import_is(cells[i], "Counter_Value");
		dispatch |= import_is(cells[i], "Dispatch_Id");
	}
	return name && value && dispatch;
}

static void rocprofv3_find_columns(struct rocprofv3_reader *r)
{
	const struct cells *c = &r->table.cells;
	r->at = (struct rocprofv3_where){.counter = cells_find(c, "Counter_Name"),
					 .value = cells_find(c, "Counter_Value"),
					 .dispatch = cells_find(c, "Dispatch_Id"),
					 .agent = cells_find(c, "Agent_Id"),
					 .process = cells_find(c, "Process_Id"),
					 .kernel = cells_find(c, "Kernel_Name"),
					 .begin = cells_find(c, "Start_Timestamp"),
					 .end = cells_find(c, "End_Timestamp")};
	for (size_t i = 0; i < PROPERTIES; i++)
		r->at.property[i] = cells_find(c, properties[i]);
}

static void rocprofv3_add_properties(struct rocprofv3_reader *r, uint32_t agent)
{
	for (size_t i = 0; i < PROPERTIES; i++) {
		struct import_field field = {.name = properties[i],
					     .unit = strstr(properties[i], "_Size") && i >= 2
							 ? "bytes"
						     : i < 2 ? "items"
							     : "count",
					     .over_time = SX_REDUCE_MEAN};
		r->property[agent][i] = r->at.property[i] == SIZE_MAX
					    ? SX_NONE
					    : import_column(r->table.rows[agent], &field);
	}
}

static enum sx_status find_agent(struct rocprofv3_reader *r, uint32_t *agent, struct sx_error *err)
{
	struct amd_gpu gpu = {0};
	struct import_cell id = cells_at(&r->table.cells, r->at.agent);
	const char *what = import_begins(id, "Agent") ? "" : "Agent ";
	enum sx_status status = amd_table_device(&r->table, id, what, &gpu, err);
	*agent = gpu.index;
	if (!status && gpu.added)
		rocprofv3_add_properties(r, gpu.index);
	return status;
}

/* A dispatch is one row; its lines need not be adjacent. */
static enum sx_status rocprofv3_find_row(struct rocprofv3_reader *r, uint32_t agent, size_t *row,
					 struct sx_error *err)
{
	char key[160];
	bool added;
	double value;
	struct import_rows *rows = r->table.rows[agent];
	struct import_cell process = cells_at(&r->table.cells, r->at.process);
	struct import_cell dispatch = cells_at(&r->table.cells, r->at.dispatch);
	/* A word is noted, and still a row. */
	cells_number(&r->table.cells, r->at.dispatch, &value);
	int size = snprintf(key, sizeof(key), "%zu %u %.*s %.*s", r->section, (unsigned)agent,
			    (int)(process.size < 40 ? process.size : 40), process.text,
			    (int)(dispatch.size < 40 ? dispatch.size : 40), dispatch.text);
	uint32_t at = strings_intern(&r->dispatches, key, (size_t)size, &added);
	if (at == UINT32_MAX || !mem_grow(&r->row, &r->row_cap, (size_t)at + 1, sizeof(*r->row)))
		return error_nomem(err, "importing");
	if (added) {
		r->row[at] = import_row(rows, cells_time(&r->table.cells, r->at.begin, 1),
					cells_time(&r->table.cells, r->at.end, 1));
		struct import_cell kernel = cells_text(&r->table.cells, r->at.kernel);
		import_label(rows, r->row[at], SX_LABEL_GROUP, kernel.text, kernel.size);
		for (size_t i = 0; i < PROPERTIES; i++)
			if (cells_number(&r->table.cells, r->at.property[i], &value))
				import_set(rows, r->property[agent][i], r->row[at], value);
	}
	*row = r->row[at];
	return SX_OK;
}

static enum sx_status rocprofv3_take_line(struct rocprofv3_reader *r, struct sx_error *err)
{
	uint32_t agent;
	size_t row = SIZE_MAX;
	double value;
	enum sx_status status = find_agent(r, &agent, err);
	if (!status)
		status = rocprofv3_find_row(r, agent, &row, err);
	if (status)
		return status;
	struct import_rows *rows = r->table.rows[agent];
	struct import_cell name = cells_at(&r->table.cells, r->at.counter);
	uint32_t column = counters_column(r->table.job, rows, r->table.catalog, name);
	if (!cells_number(&r->table.cells, r->at.value, &value))
		return SX_OK;
	if (!import_has(rows, column, row)) {
		import_set(rows, column, row, value);
		return SX_OK;
	}
	if (!r->repeated++)
		r->first_repeated = r->table.cells.lines.number;
	/* Instances of a counter add up; shares and means do not. */
	if (import_adds_up(rows, column))
		import_add(rows, column, row, value);
	return SX_OK;
}

/* Concatenated tables have a header each; their columns may be in another order. */
static bool begins_table(struct rocprofv3_reader *r)
{
	int found = 0;
	for (size_t i = 0; i < r->table.cells.columns; i++)
		found += import_is(r->table.cells.row[i], "Counter_Name") ||
			 import_is(r->table.cells.row[i], "Counter_Value") ||
			 import_is(r->table.cells.row[i], "Dispatch_Id");
	if (found != 3)
		return false;
	memcpy(r->table.cells.head, r->table.cells.row,
	       r->table.cells.columns * sizeof(*r->table.cells.head));
	rocprofv3_find_columns(r);
	if (!r->section++)
		import_remark(
		    r->table.job,
		    "tables follow each other, the second from line %zu: its dispatches are others",
		    r->table.cells.lines.number);
	return true;
}

static void rocprofv3_note(const struct rocprofv3_reader *r)
{
	if (r->repeated)
		import_remark(
		    r->table.job,
		    "%s of a dispatch that had that counter already, line %zu the "
		    "first: counts were added, of shares and means the first one was taken",
		    COUNTED(r->repeated, "value is"), r->first_repeated);
}

static enum sx_status rocprofv3_read(struct import_job *job, struct sx_error *err)
{
	struct rocprofv3_reader *r = calloc(1, sizeof(*r));
	if (!r)
		return error_nomem(err, "importing");
	enum sx_status status = amd_table_begin(&r->table, job, err);
	rocprofv3_find_columns(r);
	if (!status && (r->at.counter == SIZE_MAX || r->at.value == SIZE_MAX))
		status = import_bad(job, 1, err, "rocprofv3 writes Counter_Name and Counter_Value",
				    "the header lacks the column of counters");
	while (!status && cells_next(&r->table.cells))
		if (!begins_table(r))
			status = rocprofv3_take_line(r, err);
	rocprofv3_note(r);
	status =
	    amd_table_end(&r->table, status, "rocprofv3 writes a line a counter and dispatch", err);
	strings_finish(&r->dispatches);
	free(r->row);
	free(r);
	return status;
}

const struct import_format import_rocprofv3 = {
    .kind = "rocprofv3",
    .about = "counters of rocprofv3",
    .recognise = rocprofv3_recognise,
    .read = rocprofv3_read,
};
