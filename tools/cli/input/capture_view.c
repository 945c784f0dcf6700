/* A capture as input of a verb: one of its devices, its catalog and constants. */
#include "tools/cli/input/capture_view.h"
#include "base/number.h"
#include "base/suggest.h"

#include "tools/cli/device_words.h"
#include "tools/cli/input/imported.h"
#include "input/input.h"
#include "tools/cli/ticker.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <sextant/source.h>

#include "import/import.h"

bool capture_view_begins(const char *head, size_t size)
{
	static const uint8_t magic[] = {0x89, 'S', 'X', 'C', 'A', 'P', '\r', '\n'};
	if (size >= sizeof(magic) && memcmp(head, magic, sizeof(magic)) == 0)
		return true;
	return size >= CAPTURE_VIEW_HEAD &&
	       memcmp(head + 16, "SXR\n", 4) == 0; /* a capture whose head is hurt */
}

bool capture_view_is(const char *path)
{
	char head[CAPTURE_VIEW_HEAD] = {0};
	int fd = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t size = read(fd, head, sizeof(head));
	close(fd);
	return size > 0 && capture_view_begins(head, (size_t)size);
}

static enum sx_status no_device(const char *path, struct sx_capture_reader *reader,
				struct sx_error *err)
{
	const char *what = sx_capture_account(reader)->what;
	error_set(err, SX_ERR_BAD_INPUT, "%s describes no device", path);
	error_because(err, "%s", what[0] ? what : "it ends before that");
	error_try(err, "another recording");
	return SX_ERR_BAD_INPUT;
}

/* Whether the catalog of another device of the capture has a constant or a set. */
static bool is_of_another(const struct cli *cli, const struct capture_view *view, const char *name,
			  uint32_t (*number_in)(const struct sx_catalog *catalog, const char *name))
{
	bool found = false;
	uint32_t count = sx_capture_info(view->reader)->device_count;
	for (uint32_t i = 0; !found && i < count; i++) {
		const struct sx_capture_device *device = sx_capture_device(view->reader, i);
		struct sx_catalog *catalog = NULL;
		if (i == view->device || !device ||
		    sx_catalog_open(cli->context, device->catalog, &catalog, NULL))
			continue;
		found = number_in(catalog, name) != SX_NONE;
		sx_catalog_unref(catalog);
	}
	return found && number_in(view->catalog, name) == SX_NONE;
}

/*
 * The capture's constants that the catalog knows, then the user's, which win by coming later. Of
 * several devices a constant is for those that have it; one that none has is an error.
 */
static bool is_taken(const struct cli *cli, const struct capture_view *view, const char *name)
{
	if (options_is_default(&cli->options, "const")) /* for the devices that have it */
		return sx_catalog_find_constant(view->catalog, name) != SX_NONE;
	return !is_of_another(cli, view, name, sx_catalog_find_constant);
}

static enum sx_status gather_constants(const struct cli *cli, struct capture_view *view,
				       struct sx_error *err)
{
	const struct options *o = &cli->options;
	uint32_t count = 0, most = view->info->facts.constant_count + (uint32_t)o->constant_count;
	view->constants = calloc((size_t)most + 1, sizeof(*view->constants));
	if (!view->constants)
		return error_nomem(err, "reading a capture");
	for (uint32_t i = 0; i < view->info->facts.constant_count; i++) {
		const struct sx_constant_value *c = &view->info->facts.constants[i];
		if (sx_catalog_find_constant(view->catalog, c->name) != SX_NONE)
			view->constants[count++] = *c;
	}
	for (size_t i = 0; i < o->constant_count; i++)
		if (is_taken(cli, view, o->constants[i].name))
			view->constants[count++] = o->constants[i];
	view->facts.constants = view->constants;
	view->facts.constant_count = report_constants(view->catalog, view->constants, count);
	return SX_OK;
}

static enum sx_status other_set(const struct cli *cli, const struct capture_view *view,
				struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "%s was not recorded with set %s", view->path,
		  cli->options.set);
	error_because(err, "set %s was programmed; what others count was not counted",
		      view->facts.set);
	error_try(err, "without --set, or another recording");
	return SX_ERR_NOT_FOUND;
}

/* --set is that of the device whose catalog has it; one that none has is nobody's, and an error. */
static enum sx_status find_set(const struct cli *cli, struct capture_view *view,
			       struct sx_error *err)
{
	const char *asked = cli->options.set;
	bool own = asked && !is_of_another(cli, view, asked, sx_catalog_find_group);
	if (view->facts.set && own && strcmp(view->facts.set, asked) != 0)
		return other_set(cli, view, err);
	if (!view->facts.set && own)
		view->facts.set = asked;
	return SX_OK;
}

static enum sx_status open_catalog(const struct cli *cli, struct capture_view *view,
				   struct sx_error *err)
{
	enum sx_status status = sx_recorded_catalog(cli->context, view->info, &view->catalog, err);
	if (status)
		return status;
	uint64_t now = sx_catalog_info(view->catalog)->hash;
	if (view->info->catalog_hash && view->info->catalog_hash != now)
		cli_note(cli,
			 "note: %s was recorded with another version of catalog %s (%016" PRIx64
			 ", now %016" PRIx64 ")",
			 view->path, view->info->catalog, view->info->catalog_hash, now);
	status = find_set(cli, view, err);
	return status ? status : gather_constants(cli, view, err);
}

/* What the file says of the device, and what follows from its place among the others. */
static void view_describe(struct capture_view *view)
{
	view->facts = view->info->facts;
	if (!*view->facts.name)
		view->facts.name = view->info->catalog;
	view->facts.number = input_number(view->reader, view->device);
	view->facts.variant = view->cli->options.api;
	for (uint32_t i = 0; i < view->device; i++) {
		const struct sx_capture_device *other = sx_capture_device(view->reader, i);
		view->facts.instance +=
		    other && suggest_is_same(other->facts.source, view->facts.source);
	}
}

static enum sx_status find_first(const struct cli *cli, struct capture_view *view,
				 struct sx_error *err)
{
	struct device_places places;
	enum sx_status status = device_words_places(cli, view->path, view->reader, &places, err);
	if (places.count)
		view->device = places.list[0];
	free(places.list);
	return status;
}

enum sx_status capture_view_device(const struct cli *cli, const char *path, uint32_t device,
				   struct capture_view **out, struct sx_error *err)
{
	struct capture_view *view = calloc(1, sizeof(*view));
	if (!view)
		return error_nomem(err, "reading a capture");
	view->cli = cli;
	view->path = path;
	view->run.notes.items = view->notes;
	view->device = device;
	view->choice = (struct sx_row_choice){.process = cli->options.process,
					      .only_context = cli->options.context.given,
					      .context = cli->options.context.value};
	enum sx_status status = sx_capture_open(path, &view->reader, err);
	if (!status && device == SX_NONE)
		status = find_first(cli, view, err);
	if (!status) {
		view->info = sx_capture_device(view->reader, view->device);
		status = view->info ? SX_OK : no_device(path, view->reader, err);
	}
	if (!status)
		view_describe(view);
	if (!status)
		status = open_catalog(cli, view, err);
	if (status) {
		capture_view_close(view);
		return status;
	}
	*out = view;
	return SX_OK;
}

enum sx_status capture_view_open(struct cli *cli, const char *path, struct capture_view **out,
				 struct sx_error *err)
{
	struct capture_view *view;
	enum sx_status status = capture_view_device(cli, path, SX_NONE, &view, err);
	if (status)
		return status;
	struct sx_constant_value *all = calloc(view->facts.constant_count + 1, sizeof(*all));
	if (!all) {
		capture_view_close(view);
		return error_nomem(err, "reading a capture");
	}
	memcpy(all, view->constants, view->facts.constant_count * sizeof(*all));
	free(cli->options.constants);
	cli->options.constants = all;
	cli->options.constant_count = view->facts.constant_count;
	cli->options.constant_cap = view->facts.constant_count + 1;
	cli->options.set = view->facts.set;
	cli->view.simulated = view->info->facts.simulated;
	*out = view;
	return SX_OK;
}

enum sx_status capture_view_list(const struct cli *cli, const char *path, uint32_t **list,
				 uint32_t *count, struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	enum sx_status status = sx_capture_open(path, &reader, err);
	if (status)
		return status;
	struct device_places places;
	status = device_words_places(cli, path, reader, &places, err);
	sx_capture_close(reader);
	*list = places.list;
	*count = places.count;
	if (status || places.count)
		return status;
	free(*list);
	*list = NULL;
	struct capture_view *none; /* says what is there */
	return capture_view_device(cli, path, SX_NONE, &none, err);
}

const char *capture_view_label(const struct sx_capture_device *info, enum sx_label label)
{
	char property[IMPORT_PROPERTY_MAX];
	const char *name = sx_capture_property(info, import_label_property(label, property));
	/* Such a column would be read as that of devices. */
	return name && strcasecmp(name, "device") != 0 ? name : NULL;
}

void capture_view_close(struct capture_view *view)
{
	if (!view)
		return;
	sx_capture_close(view->reader);
	sx_catalog_unref(view->catalog);
	free(view->constants);
	free(view->patterns);
	free(view->gaps);
	sx_table_destroy(view->all);
	arena_finish(&view->texts);
	free(view);
}

enum sx_status capture_view_table(const struct capture_view *view, struct sx_table **out,
				  struct sx_error *err)
{
	return sx_table_create(view->info->columns, view->info->column_count, view->info->kind, out,
			       err);
}

#define GAPS_MAX 1000 /* gaps that are told one by one */

/* Remembers where nothing was measured; without memory for it, it is not told where. */
static void take_gap(struct capture_view *view, const struct sx_capture_mark *mark)
{
	if (mark->begin_ns == SX_TIME_UNKNOWN || view->run.gap_count == GAPS_MAX ||
	    !mem_grow(&view->gaps, &view->gap_cap, view->run.gap_count + 1, sizeof(*view->gaps)))
		return;
	const char *text = mark->text ? mark->text : "";
	view->gaps[view->run.gap_count++] =
	    (struct sx_gap){.begin_ns = mark->begin_ns,
			    .end_ns = mark->end_ns,
			    .lost = mark->lost,
			    .text = arena_strndup(&view->texts, text, strlen(text))};
	view->run.gaps = view->gaps;
}

/* A loss without an end is that of all that would have followed. */
static void take_loss(struct capture_view *view, const struct sx_capture_mark *mark)
{
	const struct sx_capture_info *info = sx_capture_info(view->reader);
	if (mark->lost != SX_CAPTURE_COUNT_UNKNOWN)
		view->run.lost += mark->lost;
	else if (mark->end_ns != SX_TIME_UNKNOWN || mark->begin_ns == SX_TIME_UNKNOWN)
		view->run.lost_more = true;
	else if (!view->run.failure) {
		view->run.failure = &view->failure;
		error_set(&view->failure, SX_ERR_DEVICE_LOST, "%s", mark->text);
		view->run.failed_after_ns =
		    mark->begin_ns > info->begin_ns ? mark->begin_ns - info->begin_ns : 0;
	}
}

/* What is said of no device is said with the first one. */
static void take_note(struct capture_view *view, const struct sx_capture_record *record)
{
	bool mine = record->device == view->device ||
		    (record->device == SX_CAPTURE_NO_DEVICE && view->device == 0);
	struct sx_capture_ending ending;
	if (sx_capture_read_ending(record, &ending)) {
		view->ending = ending;
		view->ended = true;
		return;
	}
	const char *text = mine && record->mark.text ? record->mark.text : "";
	for (uint32_t i = 0; i < view->run.notes.count; i++)
		if (strcmp(view->notes[i], text) == 0)
			return;
	const char *copy = *text && view->run.notes.count < CAPTURE_NOTES_MAX
			       ? arena_strndup(&view->texts, text, strlen(text))
			       : NULL;
	if (copy)
		view->notes[view->run.notes.count++] = copy;
}

/* Appends those of a record's rows that are wanted; SX_AGAIN when none is. */
static enum sx_status append_rows(struct capture_view *view, const struct sx_rows *rows,
				  struct sx_table *table, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t before = sx_table_row_count(table);
	if (!view->choice.process && !view->choice.only_context)
		return sx_table_append(table, rows, err);
	if (!view->all)
		status = capture_view_table(view, &view->all, err);
	if (!status) {
		sx_table_clear(view->all);
		status = sx_table_append(view->all, rows, err);
	}
	if (!status)
		status = sx_table_choose(&view->choice, view->all, table, &view->others, err);
	view->chosen += sx_table_row_count(table) - before;
	return !status && sx_table_row_count(table) == before ? SX_AGAIN : status;
}

bool capture_view_left_out(const struct capture_view *view, struct sx_error *why)
{
	if (view->chosen || !view->others)
		return false;
	if (view->choice.process) {
		error_set(why, SX_INCOMPLETE, "no sample is of process %s", view->choice.process);
		error_try(why, "sextant report %s --by process, for those that there are",
			  view->path);
	} else {
		error_set(why, SX_INCOMPLETE, "no sample is of context %llu",
			  (unsigned long long)view->choice.context);
		error_try(why, "sextant report %s --by context, for those that there are",
			  view->path);
	}
	error_because(why, "of others, or not told whose: %s", COUNTED(view->others, "sample"));
	return true;
}

/* Appends the device's next record of rows. */
static enum sx_status append_next(struct capture_view *view, struct sx_table *table,
				  struct sx_error *err)
{
	struct sx_capture_record record;
	char shown[IMPORTED_TEXT_MAX];
	for (;;) {
		enum sx_status status = sx_capture_next(view->reader, &record, err);
		if (status)
			return status == SX_AGAIN ? SX_END : status;
		if (record.type == SX_CAPTURE_NOTE)
			take_note(view, &record);
		ticker_at(view->cli, imported_text(view->cli, view->path, shown), record.offset,
			  sx_capture_info(view->reader)->size_bytes);
		if (record.type == SX_CAPTURE_LOSS && record.device == view->device)
			take_loss(view, &record.mark);
		if ((record.type == SX_CAPTURE_LOSS || record.type == SX_CAPTURE_GAP) &&
		    record.device == view->device)
			take_gap(view, &record.mark);
		if (record.type != SX_CAPTURE_ROWS || record.device != view->device)
			continue;
		status = append_rows(view, &record.rows, table, err);
		if (status != SX_AGAIN)
			return status;
	}
}

enum sx_status capture_view_next(struct capture_view *view, struct sx_table *table,
				 struct sx_error *err)
{
	sx_table_clear(table);
	return append_next(view, table, err);
}

enum sx_status capture_view_load(const struct cli *cli, struct capture_view *view,
				 struct sx_table **out, struct sx_error *err)
{
	struct sx_table *table = NULL;
	enum sx_status status = capture_view_table(view, &table, err);
	while (!status)
		status = append_next(view, table, err);
	if (status != SX_END) {
		sx_table_destroy(table);
		return status;
	}
	capture_view_note(cli, view);
	*out = table;
	return SX_OK;
}

bool capture_view_note(const struct cli *cli, struct capture_view *view)
{
	const struct sx_capture_account *a = sx_capture_account(view->reader);
	bool damaged = a->what[0], cut = !sx_capture_info(view->reader)->clean;
	if (damaged)
		cli_note(cli, "note: %s is damaged: %s (%s of %s)", view->path, a->what,
			 COUNTED(a->damaged_bytes, "byte"),
			 COUNTED(a->damaged_records + a->missing_records, "record"));
	if (cut)
		cli_note(cli, "note: the recording of %s did not end cleanly, or goes on",
			 view->path);
	if (a->lost_rows)
		cli_note(cli, "note: lost while it was recorded: %s",
			 COUNTED(a->lost_rows, "sample"));
	view->lacks = damaged || cut || a->lost_rows;
	return !view->lacks;
}
