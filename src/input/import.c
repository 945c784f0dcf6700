/* Files of other tools: read completely, then as records, as a capture of them would have them. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "capture/reader.h"
#include "import/import.h"
#include "input/given.h"
#include "input/input.h"
#include "table/fill.h"

#define BLOCK_ROWS	    4096
#define IMPORTED_PROPERTIES (3 + SX_LABEL_COUNT)
#define LINE_MAX_BYTES	    1024

/* Properties of a device, beside its rows. */
struct imported_device {
	struct sx_capture_device info;
	const struct sx_table *table;
	struct sx_column *columns;
	struct sx_capture_property properties[IMPORTED_PROPERTIES];
	char names[SX_LABEL_COUNT][IMPORT_PROPERTY_MAX];
	char number[16], left_out[24], clock[32];
	char contradiction[GIVEN_TEXT_MAX]; /* of given values; "": none */
	uint64_t lost;			    /* samples */
	bool lost_more;			    /* and an unknown number of others */
	size_t block_rows, blocks;	    /* rows of a record, and records of rows */
	struct sx_catalog *catalog;
};

struct input_import {
	struct import *import;
	const char *shown;
	struct imported_device *more;
	struct sx_capture_device *devices; /* of each of them its info */
	uint32_t count;
	bool apart; /* a device has no clock that other files may have */
	bool first_apart;
	bool cut; /* the file broke off */
	struct sx_error why;
	struct sx_capture_property properties[2];
	struct sx_capture_info info;
};

/* Whether other files' times may be on the same clock; each GPU of a trace counts from anywhere. */
static bool has_clock(const struct import_device *device)
{
	return device->facts.clock && strcmp(device->facts.clock, "gpu") != 0;
}

/* Whether a column gives a constant that differs from row to row: all of them have none. */
static bool differs_by_row(const struct sx_catalog *catalog, const struct import_device *device,
			   const char *name)
{
	uint32_t constant = sx_catalog_find_constant(catalog, name);
	bool same = false;
	for (uint32_t i = 0; i < device->facts.constant_count; i++)
		same |=
		    sx_catalog_find_constant(catalog, device->facts.constants[i].name) == constant;
	return constant != SX_NONE && !same &&
	       sx_catalog_find_counter(catalog, name, SX_NONE, NULL) == SX_NONE;
}

/* Copies the file's properties of a device. */
static void describe_properties(const struct import_device *device, struct imported_device *out)
{
	uint32_t count = 0;
	if (device->facts.set)
		out->properties[count++] = (struct sx_capture_property){"set", device->facts.set};
	if (device->facts.number != SX_NONE) {
		snprintf(out->number, sizeof(out->number), "%u", (unsigned)device->facts.number);
		out->properties[count++] =
		    (struct sx_capture_property){INPUT_NUMBER_PROPERTY, out->number};
	}
	if (device->left_out) {
		snprintf(out->left_out, sizeof(out->left_out), "%" PRIu64, device->left_out);
		out->properties[count++] =
		    (struct sx_capture_property){INPUT_LEFT_OUT_PROPERTY, out->left_out};
	}
	for (int i = 0; i < SX_LABEL_COUNT; i++) {
		if (!device->labels[i])
			continue;
		out->properties[count++] = (struct sx_capture_property){
		    import_label_property((enum sx_label)i, out->names[i]), device->labels[i]};
	}
	out->info.properties = out->properties;
	out->info.property_count = count;
}

static enum sx_status describe_columns(const struct import_device *device,
				       struct imported_device *out, struct sx_error *err)
{
	uint32_t count = sx_table_column_count(device->table);
	out->columns = calloc((size_t)count + 1, sizeof(*out->columns));
	if (!out->columns)
		return error_nomem(err, "importing");
	for (uint32_t i = 0; i < count; i++) {
		out->columns[i] = *sx_table_column(device->table, i);
		if (differs_by_row(out->catalog, device, out->columns[i].name))
			out->columns[i].over_time = SX_REDUCE_EACH;
	}
	out->info.columns = out->columns;
	out->info.column_count = count;
	return SX_OK;
}

static void describe_clock(const struct import_device *device, size_t number,
			   struct imported_device *out)
{
	bool alone = !number || has_clock(device);
	snprintf(out->clock, sizeof(out->clock), number ? "file %zu" : "file", number);
	out->info.facts = device->facts;
	if (!alone || !device->facts.clock)
		out->info.facts.clock = out->clock;
}

/* Adds the rows of a device to what the file holds of all. */
static void count_rows(struct sx_capture_info *info, const struct sx_table *table)
{
	const uint64_t *begin = sx_table_begin_ns(table), *end = sx_table_end_ns(table);
	info->rows += sx_table_row_count(table);
	for (size_t i = 0; i < sx_table_row_count(table); i++) {
		if (i % BLOCK_ROWS == 0)
			table_pass(table, BLOCK_ROWS);
		info->begin_ns = begin[i] < info->begin_ns ? begin[i] : info->begin_ns;
		if (end[i] != SX_TIME_UNKNOWN &&
		    (info->end_ns == SX_TIME_UNKNOWN || end[i] > info->end_ns))
			info->end_ns = end[i];
	}
}

/* A device of the import as one of a capture; `number` of its file, or 0 of one alone. */
static enum sx_status import_describe(const struct input_request *request,
				      const struct import_device *device, size_t number,
				      struct imported_device *out, struct sx_error *err)
{
	if (!device->catalog) /* importers name one for each device, as far as there is memory */
		return error_nomem(err, "importing");
	enum sx_status status =
	    sx_catalog_open(request->context, device->catalog, &out->catalog, err);
	if (status)
		return status;
	out->table = device->table;
	out->lost = device->lost;
	out->lost_more = device->lost_more;
	out->info.catalog = sx_catalog_info(out->catalog)->name;
	out->info.catalog_hash = sx_catalog_info(out->catalog)->hash;
	out->info.kind = sx_table_kind(device->table);
	out->info.encloses_work = device->encloses_work;
	out->info.interval_ns = device->interval_ns;
	size_t most = batch_rows_max(sx_table_column_count(device->table));
	out->block_rows = most < BLOCK_ROWS ? most : BLOCK_ROWS;
	out->blocks = (sx_table_row_count(device->table) + out->block_rows - 1) / out->block_rows;
	describe_clock(device, number, out);
	describe_properties(device, out);
	status = describe_columns(device, out, err);
	if (!status && request->check_given &&
	    !given_differs(out->catalog, device->table, device->facts.constants,
			   device->facts.constant_count, out->contradiction))
		out->contradiction[0] = '\0';
	if (!status && out->contradiction[0] && request->remark)
		request->remark(request->user, out->contradiction);
	return status;
}

static void say_line(const struct input_request *request, const char *fmt, ...) SX_PRINTF(2, 3);

/* Gives the request's user a line on what a file was found to be. */
static void say_line(const struct input_request *request, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	va_list args;
	if (!request->about)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	request->about(request->user, line);
}

static bool is_said_alike(const struct import_device *a, const struct import_device *b)
{
	return sx_table_row_count(a->table) == sx_table_row_count(b->table) &&
	       strcmp(a->catalog, b->catalog) == 0 &&
	       strcmp(a->facts.name ? a->facts.name : "", b->facts.name ? b->facts.name : "") == 0;
}

/* Devices of which the same is to be said share a line, which counts them. */
static void say_device(const struct input_request *request, const struct import_device *devices,
		       uint32_t count, uint32_t at)
{
	const struct import_device *device = &devices[at];
	size_t rows = sx_table_row_count(device->table);
	uint32_t alike = 0;
	char each[32] = "";
	for (uint32_t i = 0; i < count; i++) {
		bool same = is_said_alike(&devices[i], device);
		if (same && i < at)
			return;
		alike += same;
	}
	if (alike > 1)
		snprintf(each, sizeof(each), "%u devices, each ", (unsigned)alike);
	say_line(request, "  %s%s%s%s, catalog %s", device->facts.name ? device->facts.name : "",
		 device->facts.name ? ": " : "", each, COUNTED(rows, "sample"), device->catalog);
}

/* Reports the kind of a file. */
static void say_found(const struct input_request *request, const struct input_import *import)
{
	uint32_t count;
	const struct import_device *devices = import_devices(import->import, &count);
	say_line(request, "%s: %s", import->shown, import_about(import->import));
	for (uint32_t i = 0; i < count; i++)
		say_device(request, devices, count, i);
	for (uint32_t i = 0; request->remark && import_note(import->import, i); i++)
		request->remark(request->user, import_note(import->import, i));
}

static const char apart[] = "the files have no clock in common: the verdict is of the first that "
			    "has samples, and --join does not lay one over another";

/* A file among others that were read before; `number`: of this one, or 0 of one alone. */
static enum sx_status read_one(const struct input_request *request, size_t number, bool was_apart,
			       struct input_import *out, struct sx_error *err)
{
	const struct import_request what = {.context = request->context,
					    .path = request->path,
					    .as = request->as,
					    .catalog = request->catalog};
	enum sx_status read = import_read(&what, &out->import, &out->why);
	if (sx_failed(read)) {
		*err = out->why;
		return read;
	}
	const struct import_device *devices = import_devices(out->import, &out->count);
	out->cut = read != SX_OK;
	out->shown = request->shown;
	out->properties[0] = (struct sx_capture_property){"imported-from", request->shown};
	out->properties[1] = (struct sx_capture_property){"writer", "sextant import"};
	out->info = (struct sx_capture_info){.properties = out->properties,
					     .property_count = 2,
					     .device_count = out->count,
					     .clean = true,
					     .begin_ns = SX_TIME_UNKNOWN,
					     .end_ns = SX_TIME_UNKNOWN};
	out->more = calloc((size_t)out->count + 1, sizeof(*out->more));
	out->devices = calloc((size_t)out->count + 1, sizeof(*out->devices));
	enum sx_status status = out->more && out->devices ? SX_OK : error_nomem(err, "importing");
	for (uint32_t i = 0; !status && i < out->count; i++) {
		status = import_describe(request, &devices[i], number, &out->more[i], err);
		out->devices[i] = out->more[i].info;
		count_rows(&out->info, devices[i].table);
		out->apart |= !has_clock(&devices[i]);
	}
	out->info.size_bytes = out->info.rows;
	out->apart |= was_apart;
	out->first_apart = number && out->apart && !was_apart;
	if (!status && out->first_apart && request->remark)
		request->remark(request->user, apart);
	if (!status)
		say_found(request, out);
	if (!status && read)
		*err = out->why;
	return status ? status : read;
}

bool input_is_known(const char *path, bool tables)
{
	return import_knows(path, tables);
}

void input_import_destroy(struct input_import *import)
{
	if (!import)
		return;
	for (uint32_t i = 0; import->more && i < import->count; i++) {
		sx_catalog_unref(import->more[i].catalog);
		free(import->more[i].columns);
	}
	free(import->more);
	free(import->devices);
	import_destroy(import->import);
	free(import);
}

enum sx_status input_import_read(const struct input_request *request, struct input_import **out,
				 struct sx_error *err)
{
	struct input_import *import = calloc(1, sizeof(*import));
	if (!import)
		return error_nomem(err, "importing");
	enum sx_status status = read_one(request, 0, false, import, err);
	if (sx_failed(status))
		input_import_destroy(import);
	else
		*out = import;
	return status;
}

/* An import while it is read as records. */
struct importing {
	const struct input_import *import;
	struct sx_vector *vectors; /* room for the columns of any device */
	uint64_t given;		   /* rows */
};

static void rows_record(struct importing *r, uint32_t device, size_t block,
			struct sx_capture_record *out)
{
	const struct imported_device *d = &r->import->more[device];
	size_t first = block * d->block_rows, left = sx_table_row_count(d->table) - first;
	*out = (struct sx_capture_record){.type = SX_CAPTURE_ROWS,
					  .device = device,
					  .offset = r->given,
					  .begin_ns = SX_TIME_UNKNOWN,
					  .end_ns = SX_TIME_UNKNOWN};
	sx_table_rows(d->table, first, left < d->block_rows ? left : d->block_rows, r->vectors,
		      &out->rows);
	r->given += out->rows.count;
	table_pass(d->table, out->rows.count);
}

static void mark_record(enum sx_capture_type type, const char *text, struct sx_capture_record *out)
{
	*out = (struct sx_capture_record){.type = type,
					  .device = SX_CAPTURE_NO_DEVICE,
					  .begin_ns = SX_TIME_UNKNOWN,
					  .end_ns = SX_TIME_UNKNOWN};
	out->mark = (struct sx_capture_mark){
	    .begin_ns = SX_TIME_UNKNOWN, .end_ns = SX_TIME_UNKNOWN, .text = text};
}

static void loss_record(uint32_t device, uint64_t lost, struct sx_capture_record *out)
{
	mark_record(SX_CAPTURE_LOSS, "", out);
	out->device = device;
	out->mark.lost = lost;
}

/* The file ends early: nothing says how much is missing. */
static void cut_record(const struct input_import *import, struct sx_capture_record *out)
{
	mark_record(SX_CAPTURE_LOSS, import->why.message, out);
	out->mark.lost = SX_CAPTURE_COUNT_UNKNOWN;
}

static enum sx_status importing_get(void *user, size_t number, struct sx_capture_record *out,
				    struct sx_error *err)
{
	struct importing *r = user;
	const struct input_import *import = r->import;
	uint32_t notes = 0;
	r->given = number ? r->given : 0;
	for (uint32_t i = 0; i < import->count; i++) {
		const struct imported_device *d = &import->more[i];
		if (number < d->blocks) {
			rows_record(r, i, number, out);
			return SX_OK;
		}
		number -= d->blocks;
		if (d->lost && !number--) {
			loss_record(i, d->lost, out);
			return SX_OK;
		}
		if (d->lost_more && !number--) {
			loss_record(i, SX_CAPTURE_COUNT_UNKNOWN, out);
			return SX_OK;
		}
		if (d->contradiction[0] && !number--) {
			mark_record(SX_CAPTURE_NOTE, d->contradiction, out);
			return SX_OK;
		}
	}
	if (import->first_apart && !number--) {
		mark_record(SX_CAPTURE_NOTE, apart, out);
		return SX_OK;
	}
	while (import_note(import->import, notes))
		notes++;
	if (number < notes)
		mark_record(SX_CAPTURE_NOTE, import_note(import->import, (uint32_t)number), out);
	else if (import->cut && number == notes)
		cut_record(import, out);
	else
		return SX_END;
	return SX_OK;
}

static void importing_close(void *user)
{
	struct importing *r = user;
	free(r->vectors);
	free(r);
}

static enum sx_status open_import(const struct input_import *import, struct sx_capture_reader **out,
				  struct sx_error *err)
{
	struct importing *r = calloc(1, sizeof(*r));
	uint32_t most = 0;
	for (uint32_t i = 0; i < import->count; i++)
		most =
		    import->devices[i].column_count > most ? import->devices[i].column_count : most;
	struct sx_vector *vectors = calloc((size_t)most + 1, sizeof(*vectors));
	if (!r || !vectors) {
		free(r);
		free(vectors);
		return error_nomem(err, "importing");
	}
	*r = (struct importing){.import = import, .vectors = vectors};
	const struct capture_records records = {importing_get, importing_close, r};
	return capture_open_records(&records, &import->info, import->devices, out, err);
}

enum sx_status input_open(const struct input_request *request, struct sx_capture_reader **out,
			  struct sx_error *err)
{
	return request->import ? open_import(request->import, out, err)
			       : sx_capture_open(request->path, out, err);
}

/* An import on its way into a capture. */
struct import_writing {
	struct sx_capture_writer *writer;
	const struct input_import *import;
	uint32_t added, first; /* devices so far, and the number of the first in the capture */
};

/* Devices get their numbers in the capture in order, each before its first record. */
static enum sx_status add_devices(struct import_writing *w, uint32_t until, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	while (!status && w->added < until) {
		uint32_t index;
		status =
		    sx_capture_add_device(w->writer, &w->import->devices[w->added], &index, err);
		w->first = w->added++ ? w->first : index;
	}
	return status;
}

static enum sx_status write_record(const struct import_writing *w,
				   const struct sx_capture_record *record, struct sx_error *err)
{
	uint32_t of =
	    record->device == SX_CAPTURE_NO_DEVICE ? record->device : w->first + record->device;
	if (record->type != SX_CAPTURE_ROWS)
		return sx_capture_mark(w->writer, of, record->type, &record->mark, err);
	enum sx_status status = sx_capture_write(w->writer, of, &record->rows, err);
	/* A file does not wait for the disk as a device does not. */
	return status ? status : sx_capture_flush(w->writer, err);
}

static enum sx_status write_import(struct sx_capture_writer *writer,
				   const struct input_import *import, struct sx_error *err)
{
	struct import_writing w = {.writer = writer, .import = import};
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	size_t blocks = 0, seen = 0;
	for (uint32_t i = 0; i < import->count; i++)
		blocks += import->more[i].blocks;
	enum sx_status status = open_import(import, &reader, err);
	while (!status && (status = sx_capture_next(reader, &record, err)) == SX_OK) {
		bool rows = record.type == SX_CAPTURE_ROWS;
		seen += rows;
		if (record.device != SX_CAPTURE_NO_DEVICE)
			status = add_devices(&w, record.device + 1, err);
		else if (seen == blocks)
			status = add_devices(&w, import->count, err);
		if (!status)
			status = write_record(&w, &record, err);
	}
	if (status == SX_END)
		status = add_devices(&w, import->count, err);
	sx_capture_close(reader);
	return status;
}

static enum sx_status write_files(const struct input_request *request, const char *const *paths,
				  size_t count, struct sx_capture_writer *writer,
				  struct sx_error *err)
{
	enum sx_status status = SX_OK, worst = SX_OK;
	struct sx_error why = {0};
	bool was_apart = false;
	for (size_t i = 0; !status && i < count; i++) {
		struct input_request one = *request;
		struct input_import *import = calloc(1, sizeof(*import));
		if (!import)
			return error_nomem(err, "importing");
		one.path = paths[i];
		one.shown = count > 1 ? paths[i] : request->shown;
		enum sx_status read = read_one(&one, count > 1 ? i + 1 : 0, was_apart, import, err);
		status = sx_failed(read) ? read : SX_OK;
		if (read == SX_INCOMPLETE) {
			worst = read;
			why = *err;
		}
		if (!status)
			status = write_import(writer, import, err);
		was_apart = import->apart;
		input_import_destroy(import);
	}
	if (!status && worst)
		*err = why;
	return status ? status : worst;
}

enum sx_status input_import_write(const struct input_request *request, const char *const *paths,
				  size_t count, const char *out, struct sx_error *err)
{
	struct sx_capture_property properties[] = {
	    {"imported-from", count > 1 ? paths[0] : request->shown}, {"writer", "sextant import"}};
	struct sx_capture_options options = {.properties = properties, .property_count = 2};
	struct sx_capture_writer *writer = NULL;
	struct sx_error closing = {0};
	enum sx_status status = sx_capture_create(out, &options, &writer, err);
	if (!status)
		status = write_files(request, paths, count, writer, err);
	enum sx_status closed = writer ? sx_capture_finish(writer, NULL, &closing) : SX_OK;
	if (sx_failed(status) || !closed)
		return status;
	*err = closing;
	return closed;
}
