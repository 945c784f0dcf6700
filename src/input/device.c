/* A device of a recording: its catalog, constants and rows. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <sextant/source.h>

#include "base/error.h"
#include "base/number.h"
#include "base/suggest.h"
#include "capture/reader.h"
#include "import/import.h"
#include "input/input.h"

#define NOTE_MAX 1024 /* longer lines are cut */

void input_note(const struct input_request *request, const char *fmt, ...)
{
	char line[NOTE_MAX];
	va_list args;
	if (!request->note)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	request->note(request->user, line);
}

bool input_begins_as_capture(const char *head, size_t size)
{
	static const uint8_t magic[] = {0x89, 'S', 'X', 'C', 'A', 'P', '\r', '\n'};
	if (size >= sizeof(magic) && memcmp(head, magic, sizeof(magic)) == 0)
		return true;
	return size >= INPUT_HEAD &&
	       memcmp(head + 16, "SXR\n", 4) == 0; /* a capture with a damaged head */
}

bool input_is_capture(const char *path)
{
	char head[INPUT_HEAD] = {0};
	int fd = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t size = read(fd, head, sizeof(head));
	close(fd);
	return size > 0 && input_begins_as_capture(head, (size_t)size);
}

/* Whether the catalog of another device of the capture has a constant or a set. */
static bool is_of_another(const struct input_device *d, const char *name,
			  uint32_t (*number_in)(const struct sx_catalog *catalog, const char *name))
{
	bool found = false;
	uint32_t count = sx_capture_info(d->reader)->device_count;
	for (uint32_t i = 0; !found && i < count; i++) {
		const struct sx_capture_device *device = sx_capture_device(d->reader, i);
		struct sx_catalog *catalog = NULL;
		if (i == d->place || !device ||
		    sx_catalog_open(d->of.context, device->catalog, &catalog, NULL))
			continue;
		found = number_in(catalog, name) != SX_NONE;
		sx_catalog_unref(catalog);
	}
	return found && number_in(d->catalog, name) == SX_NONE;
}

/*
 * The capture's constants that the catalog knows, then the user's, which win by coming later. Of
 * several devices a constant is for those that have it; one that none has is an error.
 */
static bool is_taken(const struct input_device *d, const char *name)
{
	if (d->of.constants_if_known) /* for the devices that have it */
		return sx_catalog_find_constant(d->catalog, name) != SX_NONE;
	return !is_of_another(d, name, sx_catalog_find_constant);
}

static enum sx_status gather_constants(struct input_device *d, struct sx_error *err)
{
	uint32_t count = 0, most = d->info->facts.constant_count + d->of.constant_count;
	d->constants = calloc((size_t)most + 1, sizeof(*d->constants));
	if (!d->constants)
		return error_nomem(err, "reading a capture");
	for (uint32_t i = 0; i < d->info->facts.constant_count; i++) {
		const struct sx_constant_value *c = &d->info->facts.constants[i];
		if (sx_catalog_find_constant(d->catalog, c->name) != SX_NONE)
			d->constants[count++] = *c;
	}
	for (uint32_t i = 0; i < d->of.constant_count; i++)
		if (is_taken(d, d->of.constants[i].name))
			d->constants[count++] = d->of.constants[i];
	d->facts.constants = d->constants;
	d->facts.constant_count = report_constants(d->catalog, d->constants, count);
	return SX_OK;
}

static enum sx_status other_set(const struct input_device *d, struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "%s was not recorded with set %s", d->of.path, d->of.set);
	error_because(err, "set %s was programmed; what others count was not counted",
		      d->facts.set);
	error_try(err, "without --set, or another recording");
	return SX_ERR_NOT_FOUND;
}

/* --set is for the device of the catalog that has it; a set that no catalog has is an error. */
static enum sx_status find_set(struct input_device *d, struct sx_error *err)
{
	const char *asked = d->of.set;
	bool own = asked && !is_of_another(d, asked, sx_catalog_find_group);
	if (d->facts.set && own && strcmp(d->facts.set, asked) != 0)
		return other_set(d, err);
	if (!d->facts.set && own)
		d->facts.set = asked;
	return SX_OK;
}

static enum sx_status open_catalog(struct input_device *d, struct sx_error *err)
{
	enum sx_status status = sx_recorded_catalog(d->of.context, d->info, &d->catalog, err);
	if (status)
		return status;
	uint64_t now = sx_catalog_info(d->catalog)->hash;
	if (d->info->catalog_hash && d->info->catalog_hash != now)
		input_note(&d->of,
			   "%s was recorded with another version of catalog %s (%016" PRIx64
			   "); its metrics and rules are those of today's (%016" PRIx64 ")",
			   d->of.path, d->info->catalog, d->info->catalog_hash, now);
	status = find_set(d, err);
	return status ? status : gather_constants(d, err);
}

/* Describes the device from the file, and by its place among the others. */
static void describe_device(struct input_device *d)
{
	d->facts = d->info->facts;
	if (!*d->facts.name)
		d->facts.name = d->info->catalog;
	d->facts.number = input_number(d->reader, d->place);
	d->facts.variant = d->of.variant;
	const char *lines = sx_capture_property(d->info, INPUT_LEFT_OUT_PROPERTY);
	if (lines)
		number_u64(lines, strlen(lines), &d->run.left_out);
	for (uint32_t i = 0; i < d->place; i++) {
		const struct sx_capture_device *other = sx_capture_device(d->reader, i);
		d->facts.instance += other && suggest_is_same(other->facts.source, d->facts.source);
	}
}

static enum sx_status make_table(const struct input_device *d, struct sx_table **out,
				 struct sx_error *err)
{
	return sx_table_create(d->info->columns, d->info->column_count, d->info->kind, out, err);
}

/* Places of the devices that are meant. */
static enum sx_status choose_places(const struct input_request *request,
				    struct sx_capture_reader *reader, struct input_places *out,
				    struct sx_error *err)
{
	*out = (struct input_places){0};
	if (request->find_places)
		return request->find_places(request->user, request, reader, out, err);
	out->list = calloc((size_t)sx_capture_info(reader)->device_count + 1, sizeof(*out->list));
	if (!out->list)
		return error_nomem(err, "reading a capture");
	out->count = sx_capture_order(reader, out->list);
	return SX_OK;
}

static const struct input_ops capture_ops;

static enum sx_status find_first(struct input_device *d, struct sx_error *err)
{
	struct input_places places;
	enum sx_status status = choose_places(&d->of, d->reader, &places, err);
	if (places.count)
		d->place = places.list[0];
	free(places.list);
	return status;
}

enum sx_status input_device_open(const struct input_request *request, uint32_t place,
				 struct input_device **out, struct sx_error *err)
{
	struct input_device *d = calloc(1, sizeof(*d));
	if (!d)
		return error_nomem(err, "reading a capture");
	d->of = *request;
	d->ops = &capture_ops;
	d->run.notes.items = d->notes;
	d->place = place;
	enum sx_status status = input_open(request, &d->reader, err);
	if (!status && place == SX_NONE)
		status = find_first(d, err);
	if (!status) {
		d->info = sx_capture_device(d->reader, d->place);
		status = d->info ? SX_OK : capture_no_device(request->path, d->reader, err);
	}
	if (!status)
		describe_device(d);
	if (!status)
		status = open_catalog(d, err);
	if (!status)
		status = make_table(d, &d->raw, err);
	if (status) {
		input_device_close(d);
		return status;
	}
	*out = d;
	return SX_OK;
}

enum sx_status input_find(const struct input_request *request, struct input_places *out,
			  struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	*out = (struct input_places){0};
	enum sx_status status = input_open(request, &reader, err);
	if (status)
		return status;
	status = choose_places(request, reader, out, err);
	sx_capture_close(reader);
	if (status || out->count)
		return status;
	free(out->list);
	out->list = NULL;
	struct input_device *none; /* says what is there */
	return input_device_open(request, SX_NONE, &none, err);
}

const char *input_label(const struct sx_capture_device *info, enum sx_label label)
{
	char property[IMPORT_PROPERTY_MAX];
	const char *name = sx_capture_property(info, import_label_property(label, property));
	/* Such a column would be read as that of devices. */
	return name && strcasecmp(name, "device") != 0 ? name : NULL;
}

void input_device_close(struct input_device *d)
{
	if (!d)
		return;
	if (d->ops->close)
		d->ops->close(d);
	sx_capture_close(d->reader);
	sx_catalog_unref(d->catalog);
	free(d->constants);
	free(d->patterns);
	free(d->gaps);
	sx_table_destroy(d->all);
	sx_table_destroy(d->raw);
	sx_metrics_destroy(d->metrics);
	arena_finish(&d->texts);
	free(d);
}

#define GAPS_MAX 1000 /* gaps that are reported one by one */

/* Remembers where nothing was measured; without memory, the place is not reported. */
static void take_gap(struct input_device *d, const struct sx_capture_mark *mark)
{
	if (mark->begin_ns == SX_TIME_UNKNOWN || d->run.gap_count == GAPS_MAX ||
	    !mem_grow(&d->gaps, &d->gap_cap, d->run.gap_count + 1, sizeof(*d->gaps)))
		return;
	const char *text = mark->text ? mark->text : "";
	d->gaps[d->run.gap_count++] =
	    (struct sx_gap){.begin_ns = mark->begin_ns,
			    .end_ns = mark->end_ns,
			    .lost = mark->lost,
			    .text = arena_strndup(&d->texts, text, strlen(text))};
	d->run.gaps = d->gaps;
}

/* A loss without an end is that of all that would have followed. */
static void take_loss(struct input_device *d, const struct sx_capture_mark *mark)
{
	const struct sx_capture_info *info = sx_capture_info(d->reader);
	if (mark->lost != SX_CAPTURE_COUNT_UNKNOWN)
		d->run.lost += mark->lost;
	else if (mark->end_ns != SX_TIME_UNKNOWN || mark->begin_ns == SX_TIME_UNKNOWN)
		d->run.lost_more = true;
	else if (!d->run.failure) {
		d->run.failure = &d->failure;
		error_set(&d->failure, SX_ERR_DEVICE_LOST, "%s", mark->text);
		d->run.failed_after_ns =
		    mark->begin_ns > info->begin_ns ? mark->begin_ns - info->begin_ns : 0;
	}
}

/* Notes of no device are shown with the first one. */
static void take_note(struct input_device *d, const struct sx_capture_record *record)
{
	bool mine =
	    record->device == d->place || (record->device == SX_CAPTURE_NO_DEVICE && d->place == 0);
	struct sx_capture_ending ending;
	if (sx_capture_read_ending(record, &ending)) {
		d->ending = ending;
		d->ended = true;
		return;
	}
	const char *text = mine && record->mark.text ? record->mark.text : "";
	for (uint32_t i = 0; i < d->run.notes.count; i++)
		if (strcmp(d->notes[i], text) == 0)
			return;
	const char *copy = *text && d->run.notes.count < INPUT_NOTES_MAX
			       ? arena_strndup(&d->texts, text, strlen(text))
			       : NULL;
	if (copy)
		d->notes[d->run.notes.count++] = copy;
}

/* Appends those of a record's rows that are wanted; SX_AGAIN when none is. */
static enum sx_status append_rows(struct input_device *d, const struct sx_rows *rows,
				  struct sx_table *table, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t before = sx_table_row_count(table);
	bool some = d->of.rows.process || d->of.rows.only_context;
	if (some && !d->all)
		status = make_table(d, &d->all, err);
	if (some && !status) {
		sx_table_clear(d->all);
		status = sx_table_append(d->all, rows, err);
	}
	if (!status)
		status = some ? sx_table_choose(&d->of.rows, d->all, table, &d->others, err)
			      : sx_table_append(table, rows, err);
	d->rows += sx_table_row_count(table) - before;
	return some && !status && sx_table_row_count(table) == before ? SX_AGAIN : status;
}

bool input_left_out(const struct input_device *d, struct sx_error *why)
{
	if (d->rows || !d->others)
		return false;
	if (d->of.rows.process) {
		error_set(why, SX_INCOMPLETE, "no sample is of process %s", d->of.rows.process);
		error_try(why, "sextant report %s --by process, for those that there are",
			  d->of.path);
	} else {
		error_set(why, SX_INCOMPLETE, "no sample is of context %llu",
			  (unsigned long long)d->of.rows.context);
		error_try(why, "sextant report %s --by context, for those that there are",
			  d->of.path);
	}
	error_because(why, "of other or unknown ones: %s", COUNTED(d->others, "sample"));
	return true;
}

/* What follows is missing of all devices, as the rest of a file that was cut. */
static void take_cut(struct input_device *d, const struct sx_capture_mark *mark)
{
	const char *text = mark->text ? mark->text : "";
	if (mark->lost != SX_CAPTURE_COUNT_UNKNOWN || d->cut)
		return;
	d->cut = *text ? arena_strndup(&d->texts, text, strlen(text)) : NULL;
	d->cut = d->cut ? d->cut : "the file was cut";
}

/* Appends the device's next record of rows. */
static enum sx_status append_next(struct input_device *d, struct sx_table *table,
				  struct sx_error *err)
{
	struct sx_capture_record record;
	for (;;) {
		enum sx_status status = sx_capture_next(d->reader, &record, err);
		if (status)
			return status == SX_AGAIN ? SX_END : status;
		if (record.type == SX_CAPTURE_NOTE)
			take_note(d, &record);
		if (d->of.progress)
			d->of.progress(d->of.user, d->of.shown, record.offset,
				       sx_capture_info(d->reader)->size_bytes);
		if (record.type == SX_CAPTURE_LOSS && record.device == d->place)
			take_loss(d, &record.mark);
		if (record.type == SX_CAPTURE_LOSS && record.device == SX_CAPTURE_NO_DEVICE)
			take_cut(d, &record.mark);
		if ((record.type == SX_CAPTURE_LOSS || record.type == SX_CAPTURE_GAP) &&
		    record.device == d->place)
			take_gap(d, &record.mark);
		if (record.type != SX_CAPTURE_ROWS || record.device != d->place)
			continue;
		status = append_rows(d, &record.rows, table, err);
		if (status != SX_AGAIN)
			return status;
	}
}

static enum sx_status capture_next(struct input_device *d, struct sx_error *err)
{
	sx_table_clear(d->raw);
	return append_next(d, d->raw, err);
}

static enum sx_status capture_load(struct input_device *d, struct sx_table **out,
				   struct sx_error *err)
{
	struct sx_table *table = NULL;
	enum sx_status status = make_table(d, &table, err);
	while (!status)
		status = append_next(d, table, err);
	if (status != SX_END) {
		sx_table_destroy(table);
		return status;
	}
	input_device_note(d);
	*out = table;
	return SX_OK;
}

static const struct input_ops capture_ops = {.next_rows = capture_next, .all_rows = capture_load};

enum sx_status input_device_next(struct input_device *d, struct sx_error *err)
{
	bool ahead = d->ahead;
	d->ahead = false;
	return ahead ? SX_OK : d->ops->next_rows(d, err);
}

enum sx_status input_device_peek(struct input_device *d, struct sx_error *err)
{
	enum sx_status status = input_device_next(d, err);
	d->ahead = !status;
	return status == SX_END ? SX_OK : status;
}

enum sx_status input_device_load(struct input_device *d, struct sx_table **out,
				 struct sx_error *err)
{
	return d->ops->all_rows(d, out, err);
}

bool input_device_note(struct input_device *d)
{
	if (!d->reader)
		return !d->lacks;
	const struct sx_capture_account *a = sx_capture_account(d->reader);
	bool damaged = a->what[0], cut = !sx_capture_info(d->reader)->clean;
	if (damaged)
		input_note(&d->of, "%s is damaged: %s (%s of %s)", d->of.path, a->what,
			   COUNTED(a->damaged_bytes, "byte"),
			   COUNTED(a->damaged_records + a->missing_records, "record"));
	if (cut)
		input_note(&d->of, "the recording of %s did not end cleanly, or goes on",
			   d->of.path);
	if (a->lost_rows)
		input_note(&d->of, "lost while it was recorded: %s",
			   COUNTED(a->lost_rows, "sample"));
	if (d->cut)
		input_note(&d->of, "%s: how many samples are missing is not known", d->cut);
	d->lacks = damaged || cut || a->lost_rows || d->cut;
	return !d->lacks;
}
