/*
 * Rows of several devices in one table: for each device, the readers get the text with the lines of
 * all other devices blanked, so that line numbers stay.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/strings.h"
#include "import/internal.h"

#define OF_ALL UINT8_MAX /* a line without any value, as the rule of a Markdown table */

_Static_assert(IMPORT_DEVICES_MAX < OF_ALL, "devices are numbered in bytes");

/* The device of each line. */
struct devices_lines {
	struct import_job *job;
	struct cells cells;
	struct strings names; /* what the column holds, each once */
	size_t column, body;  /* body: where the text behind the header begins */
	bool *any;	      /* of each column: it holds something */
	size_t *ends;	      /* of lines with values, in the text, with what precedes them */
	uint8_t *devices;     /* of each, in names, or OF_ALL */
	size_t end_cap, device_cap, count;
	size_t beyond;			 /* lines of devices for which there is no room */
	bool valued[IMPORT_DEVICES_MAX]; /* of each in names: it has any beside its name */
};

bool import_names_device(struct import_cell head)
{
	return import_is(csv_our_word(head), "device");
}

bool import_has_devices(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line, cells[256];
	if (!import_header_line(&lines, &line))
		return false;
	size_t count = import_split(line, import_separator(line), cells, 256);
	for (size_t i = 0; i < count; i++)
		if (import_names_device(cells[i]))
			return true;
	return false;
}

static bool holds_anything(struct devices_lines *d, bool *valued)
{
	bool any = false;
	*valued = false;
	for (size_t i = 0; i < d->cells.columns; i++) {
		bool value = d->cells.row[i].size && !import_no_data(d->cells.row[i]);
		d->any[i] |= value;
		any |= value;
		*valued |= value && i != d->column;
	}
	return any;
}

/* The device of the current row; false: out of memory. */
static bool find_device(struct devices_lines *d, uint8_t *device)
{
	struct import_cell cell = cells_text(&d->cells, d->column);
	bool valued;
	*device = OF_ALL;
	if (!holds_anything(d, &valued))
		return true;
	if (import_no_data(cell))
		cell.size = 0;
	bool known = strings_find(&d->names, cell.text, cell.size) != UINT32_MAX;
	if (!known && d->names.count == IMPORT_DEVICES_MAX) {
		d->beyond++;
		*device = IMPORT_DEVICES_MAX;
		return true;
	}
	uint32_t at = strings_intern(&d->names, cell.size ? cell.text : "", cell.size, NULL);
	*device = (uint8_t)at;
	if (at == UINT32_MAX)
		return false;
	d->valued[at] |= valued;
	return true;
}

static enum sx_status devices_look(struct devices_lines *d, struct sx_error *err)
{
	enum sx_status status = cells_begin_text(&d->cells, d->job, err);
	d->body = (size_t)(d->cells.lines.p - d->job->text);
	d->column = 0;
	while (d->column < d->cells.columns && !import_names_device(d->cells.head[d->column]))
		d->column++;
	if (status || d->column == d->cells.columns)
		return status;
	d->any = calloc(d->cells.columns + 1, sizeof(*d->any));
	if (!d->any)
		return error_nomem(err, "importing");
	while (cells_next(&d->cells)) {
		struct backing *backing = d->job->backing;
		if (!backing_grow(backing, &d->ends, &d->end_cap, d->count + 1, sizeof(*d->ends)) ||
		    !backing_grow(backing, &d->devices, &d->device_cap, d->count + 1, 1) ||
		    !find_device(d, &d->devices[d->count]))
			return error_nomem(err, "importing");
		d->ends[d->count++] = (size_t)(d->cells.lines.p - d->job->text);
	}
	return SX_OK;
}

/* The text with the lines of one device; all others are blank. */
static char *devices_text(const struct devices_lines *d, uint32_t device)
{
	char *text = NULL;
	size_t cap = 0, size = d->job->size + 1, copied = 0;
	if (!backing_grow(d->job->backing, &text, &cap, size, 1))
		return NULL;
	for (size_t i = 0; i < d->count; i++) {
		bool other = d->devices[i] != device && d->devices[i] != OF_ALL;
		size_t at = i ? d->ends[i - 1] : d->body, end = d->ends[i];
		memcpy(text + copied, d->job->text + copied, end - copied);
		backing_pass(d->job->backing, 2 * (end - copied));
		for (; other && at < end; at++)
			text[at] = text[at] == '\n' ? '\n' : ' ';
		copied = end;
	}
	memcpy(text + copied, d->job->text + copied, size - copied);
	return text;
}

/* A device is known by its number, or by its name. */
static struct import_part part_of(const struct devices_lines *d, const char *text)
{
	uint64_t number;
	size_t size = strlen(text);
	struct import_part part = {.text = text, .number = SX_NONE, .any = d->any};
	if (size && number_u64(text, size, &number) && number < IMPORT_NUMBER_MAX)
		part.number = (uint32_t)number;
	else if (size)
		part.name = import_text(d->job, text, size);
	return part;
}

const struct import_given *import_given_of(const struct import_job *job)
{
	const char *text = job->part ? job->part->text : "";
	if (!job->part && job->given_count == 1)
		return job->given;
	for (size_t i = 0; i < job->given_count; i++)
		if (strcmp(job->given[i].device, text) == 0)
			return &job->given[i];
	/* A document's own, where its rows are of several. */
	return job->given_count && !*job->given[0].device ? &job->given[0] : NULL;
}

static enum sx_status read_part(const struct devices_lines *d, const struct import_format *format,
				uint32_t device, struct sx_error *err)
{
	struct import_job job = *d->job; /* the next device reads its text, too */
	job.owned = NULL;
	const struct import_part part = part_of(d, strings_get(&d->names, device));
	char *text = devices_text(d, device);
	if (!text)
		return error_nomem(err, "importing");
	job.text = text;
	job.part = &part;
	enum sx_status status = format->read(&job, err);
	backing_free(job.backing, text);
	return status;
}

/* Numbers in their order, then names as they are met. */
static void sort_devices(const struct devices_lines *d, uint32_t *order)
{
	for (uint32_t i = 0; i < d->names.count; i++) {
		uint64_t key = part_of(d, strings_get(&d->names, i)).number;
		uint32_t at = i;
		for (; at && part_of(d, strings_get(&d->names, order[at - 1])).number > key; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

/* Devices of one catalog that have numbers alone would all be called after it. */
static enum sx_status name_alike(struct import_job *job, struct sx_error *err)
{
	struct import *import = job->result;
	bool alike[IMPORT_DEVICES_MAX] = {false};
	for (uint32_t i = 0; i < import->device_count; i++)
		for (uint32_t j = 0; j < import->device_count; j++) {
			const struct import_device *a = &import->devices[i];
			const struct import_device *b = &import->devices[j];
			alike[i] |= i != j && !a->facts.name && !b->facts.name &&
				    a->facts.number != SX_NONE &&
				    strcmp(a->catalog, b->catalog) == 0;
		}
	for (uint32_t i = 0; i < import->device_count; i++) {
		char name[32];
		int size = snprintf(name, sizeof(name), "device %u",
				    (unsigned)import->devices[i].facts.number);
		if (alike[i])
			import->devices[i].facts.name = import_text(job, name, (size_t)size);
		if (alike[i] && !import->devices[i].facts.name)
			return error_nomem(err, "importing");
	}
	return SX_OK;
}

/* One device that cannot be read is no reason to lose the others. */
static enum sx_status read_parts(const struct devices_lines *d, const struct import_format *format,
				 struct sx_error *err)
{
	enum sx_status first = SX_OK;
	uint32_t order[IMPORT_DEVICES_MAX];
	bool any = false;
	sort_devices(d, order);
	for (uint32_t i = 0; i < d->names.count; i++)
		any |= d->valued[i];
	for (uint32_t k = 0; k < d->names.count; k++) {
		uint32_t i = order[k];
		struct sx_error why = {0};
		if (any && !d->valued[i]) {
			import_remark(d->job, "device %.80s has no value: left out",
				      strings_get(&d->names, i));
			continue;
		}
		enum sx_status status = read_part(d, format, i, &why);
		if (status == SX_ERR_NO_MEMORY) {
			*err = why;
			return status;
		}
		if (sx_failed(status))
			import_remark(d->job, "of device %.80s: %.200s",
				      strings_get(&d->names, i)[0] ? strings_get(&d->names, i)
								   : "(no name)",
				      why.message);
		if (status && !first) {
			first = status;
			*err = why;
		}
	}
	return first && d->job->result->device_count ? SX_INCOMPLETE : first;
}

static void devices_finish(struct devices_lines *d)
{
	strings_finish(&d->names);
	free(d->any);
	backing_free(d->job->backing, d->ends);
	backing_free(d->job->backing, d->devices);
}

enum sx_status import_each_device(struct import_job *job, const struct import_format *format,
				  struct sx_error *err)
{
	struct devices_lines d = {.job = job};
	enum sx_status status = devices_look(&d, err);
	bool several = !status && d.names.count && (d.names.count > 1 || *strings_get(&d.names, 0));
	if (several && d.beyond && !format->only_by_device) {
		import_remark(job, "column device has more than %d texts: it is a column as any",
			      IMPORT_DEVICES_MAX);
		several = false;
	} else if (several && d.beyond) {
		import_remark(job, "%s of devices beyond the first %d left out",
			      COUNTED(d.beyond, "row"), IMPORT_DEVICES_MAX);
	}
	if (several)
		status = read_parts(&d, format, err);
	if (several && !sx_failed(status)) {
		enum sx_status named = name_alike(job, err);
		status = named ? named : status;
	}
	if (!several && !status)
		status = format->read(job, err);
	devices_finish(&d);
	return status;
}
