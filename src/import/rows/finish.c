/* The end of rows: whether they make a device, and what is told of those that do not. */
#include <stdlib.h>
#include <string.h>

#include "import/columns.h"
#include "import/internal.h"
#include "import/rows/rows.h"

/* Samples of frames and of time come one after another; dispatches and passes may overlap. */
static enum import_order order_of(const struct import_rows *rows)
{
	if (rows->any_order || rows->job->format->any_order ||
	    (rows->kind != SX_SAMPLE_TIME && rows->kind != SX_SAMPLE_FRAME))
		return IMPORT_UNORDERED;
	return rows->device.facts.clock ? IMPORT_CLOCK : IMPORT_FORWARD;
}

/*
 * Telemetry is looked at all the time, and mostly means; other samples stand alone. Rows of our own
 * have the times that were meant, whichever catalog their names are found in.
 */
static bool is_looked_at_always(const struct import_rows *rows)
{
	return rows->device.catalog && strcmp(rows->device.catalog, "monitor") == 0 &&
	       !rows->job->format->any_order;
}

static bool holds_a_value(const struct import_rows *rows)
{
	for (uint32_t i = 0; i < rows->column_count; i++)
		if (rows->columns[i].any)
			return true;
	return false;
}

static enum sx_status judge(struct import_rows *rows, enum sx_status status, struct sx_error *err)
{
	const struct import_job *job = rows->job;
	if (rows->failed)
		return error_nomem(err, "importing");
	if (rows->too_many) {
		error_set(err, SX_ERR_LIMIT, "%s has too many values", job->request->path);
		error_because(err, "the limits are 16384 columns and 2^28 values");
		error_try(err, "a part of it");
		return SX_ERR_LIMIT;
	}
	if (status && status != SX_INCOMPLETE)
		return status;
	if (!rows->row_count || !holds_a_value(rows))
		return import_bad(job, 0, err,
				  job->result->note_count
				      ? job->result->notes[0]
				      : "the tool wrote its head, and no value behind it",
				  "no sample with a value is in it");
	if (job->result->device_count >= IMPORT_DEVICES_MAX) {
		error_set(err, SX_ERR_LIMIT, "%s has more than %d devices", job->request->path,
			  IMPORT_DEVICES_MAX);
		return SX_ERR_LIMIT;
	}
	return status;
}

static void rows_release(struct import_rows *rows)
{
	struct import_rows **at = &rows->job->open;
	while (*at != rows)
		at = &(*at)->next;
	*at = rows->next;
	struct spill *spill = rows->job->spill;
	for (uint32_t i = 0; i < rows->column_count; i++)
		rows_forget_values(rows, &rows->columns[i]);
	free(rows->columns);
	for (int l = 0; l < SX_LABEL_COUNT; l++)
		spill_free(spill, rows->labels[l].values);
	spill_free(spill, rows->quality);
	spill_free(spill, rows->spans);
	spill_free(spill, rows->places);
	strings_finish(&rows->names);
	strings_finish(&rows->texts);
	free(rows);
}

/* Two columns of a table that a person may have made may be one thing. */
static void tell_repeated(struct import_job *job, const struct import_device *device)
{
	struct sx_catalog *catalog = NULL;
	uint32_t first;
	if (!job->format->table || !device->catalog ||
	    sx_catalog_open(job->request->context, device->catalog, &catalog, NULL))
		return;
	uint32_t at = import_repeated_column(device->table, catalog, 0, &first);
	if (at != SX_NONE)
		import_tell(job, "column %.80s means the same as %.80s, which is read instead",
			    sx_table_column(device->table, at)->name,
			    sx_table_column(device->table, first)->name);
	sx_catalog_unref(catalog);
}

enum sx_status import_worse(enum sx_status a, enum sx_status b)
{
	return b && (!a || a == SX_INCOMPLETE) ? b : a;
}

enum sx_status import_rows_finish(struct import_rows *rows, enum sx_status status,
				  struct sx_error *err)
{
	if (!rows)
		return status && status != SX_INCOMPLETE ? status : error_nomem(err, "importing");
	struct import *import = rows->job->result;
	enum sx_status judged = judge(rows, status, err);
	if (!judged || judged == SX_INCOMPLETE) {
		import_times_mend(rows->job, rows->spans, rows->row_count, order_of(rows));
		if (is_looked_at_always(rows))
			import_times_fill(rows->job, rows->spans, rows->row_count);
		struct sx_table *table = NULL;
		enum sx_status made = rows_make_table(rows, &table, err);
		if (made) {
			sx_table_destroy(table);
			judged = made;
		} else {
			rows->device.table = table;
			tell_repeated(rows->job, &rows->device);
			import->devices[import->device_count++] = rows->device;
		}
	}
	rows_release(rows);
	return judged;
}

enum sx_status import_finish(struct import_job *job, enum sx_status status, const char *because,
			     const char *nothing, struct sx_error *err)
{
	import_forget_text(job); /* which tables would otherwise lie beside */
	if (job->no_memory && !sx_failed(status))
		status = error_nomem(err, "importing");
	if (!job->open && !sx_failed(status))
		status = import_bad(job, 0, err, because, nothing);
	while (job->open) {
		enum sx_status ended = import_rows_finish(job->open, status, err);
		status = import_worse(status, ended);
	}
	return status;
}
