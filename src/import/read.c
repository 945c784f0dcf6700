/* Recognises and reads files of other tools, and builds the result. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/text_buf.h"
#include "import/internal.h"
#include "table/label.h"

static const struct import_format *const formats[] = {
#define IMPORT(name, kind) &import_##name,
#include "import/formats.def"
#undef IMPORT
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static const struct import_format *find_kind(const char *kind)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(formats[i]->kind, kind) == 0)
			return formats[i];
	return NULL;
}

/* JSON may have counters' names in a line as a header has. */
static bool is_json(const struct import_head *head)
{
	size_t at = 0;
	while (at < head->size && memchr(" \t\r\n", head->text[at], 4))
		at++;
	return at < head->size && (head->text[at] == '{' || head->text[at] == '[');
}

static const struct import_format *import_recognise(const struct import_head *head, bool tables)
{
	bool json = is_json(head);
	for (size_t i = 0; i < FORMATS; i++)
		if (((tables && !json) || !formats[i]->table) && formats[i]->recognise(head))
			return formats[i];
	return NULL;
}

static bool is_folder(const char *path)
{
	struct stat st;
	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const char *import_kind_at(uint32_t i)
{
	return i < FORMATS ? formats[i]->kind : NULL;
}

static enum sx_status no_kind(const char *kind, struct sx_error *err)
{
	char list[256] = "";
	for (size_t i = 0; i < FORMATS; i++)
		text_append_item(list, sizeof(list), ", ", "%s", formats[i]->kind);
	error_set(err, SX_ERR_USAGE, "no kind of file is called \"%.64s\"", kind);
	error_because(err, "known are %s", list);
	error_try(err, "no --as: the kind is recognised from the content");
	return SX_ERR_USAGE;
}

static enum sx_status unknown(const char *path, struct sx_error *err)
{
	error_set(err, SX_ERR_BAD_INPUT, "%s is of no kind that is known", path);
	error_because(err, is_folder(path)
			       ? "a folder is read as Mesa's HUD writes it: a file a graph, "
				 "with a number a line"
			       : "its beginning is of no known tool, and no line of names precedes "
				 "lines of numbers");
	error_try(err, "--as KIND if you know what it is; a table needs a line with the names of "
		       "its columns");
	return SX_ERR_BAD_INPUT;
}

static struct import *import_create(void)
{
	return calloc(1, sizeof(struct import));
}

void import_destroy(struct import *import)
{
	if (!import)
		return;
	for (uint32_t i = 0; i < import->device_count; i++)
		sx_table_destroy(import->devices[i].table);
	backing_finish(&import->backing);
	arena_finish(&import->arena);
	free(import);
}

/* A quotient of sums is not the mean of the rows' quotients, which is all that a table gives. */
static void note_ratios(struct import_job *job, const struct import_device *device)
{
	struct sx_catalog *catalog = NULL;
	const char *first = NULL;
	if (sx_table_row_count(device->table) < 2 || !device->catalog ||
	    sx_catalog_open(job->request->context, device->catalog, &catalog, NULL))
		return;
	uint32_t count = import_given_ratios(device->table, catalog, &first);
	const uint64_t *begin = sx_table_begin_ns(device->table);
	const uint64_t *end = sx_table_end_ns(device->table);
	bool timed = false; /* longer rows count for more */
	for (size_t i = 0; count && !timed && i < sx_table_row_count(device->table); i++)
		timed = begin[i] != SX_TIME_UNKNOWN && end[i] != SX_TIME_UNKNOWN;
	if (count)
		import_remark(job,
			      "%s given by row (%.80s%s): unless other columns give %s, "
			      "averages over the run are those of the rows%s",
			      COUNTED(count, "ratio is"), first, count == 1 ? "" : ", ...",
			      count == 1 ? "it" : "them", timed ? ", weighted by duration" : "");
	sx_catalog_unref(catalog);
}

/* Runs the format over text that is unpacked and decoded. */
static enum sx_status import_with(struct import_job *job, struct import **out, struct sx_error *err)
{
	struct sx_error ignored = {0};
	job->result->format = job->format;
	err = err ? err : &ignored;
	enum sx_status status = job->format->by_device ? import_each_device(job, job->format, err)
						       : job->format->read(job, err);
	if (!sx_failed(status) && !job->result->device_count)
		status = import_bad(job, 0, err, "it breaks off before the first one",
				    "no sample with a value is in it");
	import_forget_text(job);
	if (sx_failed(status)) {
		import_destroy(job->result);
		return status;
	}
	const struct note_sink to = import_note_sink(job);
	bare_units_note(&job->bare, &to);
	for (uint32_t i = 0; i < job->result->device_count; i++) {
		const struct import_format *format = job->format;
		if ((format->by_device || format->ours) &&
		    (import_clock_frames(job, &job->result->devices[i], err) ||
		     import_count_frames(job, &job->result->devices[i], err))) {
			import_destroy(job->result);
			return SX_ERR_NO_MEMORY;
		}
		import_constants(job, &job->result->devices[i]);
		job->result->devices[i].facts.constants = job->result->devices[i].constants;
		note_ratios(job, &job->result->devices[i]);
	}
	*out = job->result;
	return status;
}

static enum sx_status choose(const struct import_request *request, const struct import_head *head,
			     const struct import_format **out, struct sx_error *err)
{
	/* Any table begins as a table does: that contradicts no kind that the user names. */
	const struct import_format *is = import_recognise(head, !request->as);
	*out = request->as ? find_kind(request->as) : is;
	if (!*out)
		return request->as ? no_kind(request->as, err) : unknown(request->path, err);
	if (*out == is || !is || (*out)->recognise(head))
		return SX_OK;
	error_set(err, SX_ERR_BAD_INPUT, "%s is %s, not %s", request->path, is->about,
		  (*out)->about);
	error_because(err, "its beginning is that of kind %s", is->kind);
	error_try(err, "--as %s, or no --as", is->kind);
	return SX_ERR_BAD_INPUT;
}

/* Whether a kind is a table of an unknown writer. */
static bool has_unknown_writer(const struct import_format *format)
{
	return !format || format == &import_long_table || (format->table && !format->ours);
}

/* Makes a plain table of one that is below other lines, has blanks between its cells, … */
static enum sx_status lay_out(struct import_job *job, struct import_head *head,
			      struct import_bytes *bytes)
{
	const struct import_format *is = import_recognise(head, true);
	const char *as = job->request->as;
	if (!has_unknown_writer(is) || (as && !has_unknown_writer(find_kind(as))) || is_json(head))
		return SX_OK;
	enum sx_status status = import_lay_out(job, is && is != &import_any_table, bytes);
	head->text = bytes->data;
	head->size = bytes->size < IMPORT_HEAD_BYTES ? bytes->size : IMPORT_HEAD_BYTES;
	return status;
}

/* Takes over the bytes, which are of the result's file backing, and the result. */
static enum sx_status parse(const struct import_request *request, struct import *result,
			    struct import_bytes bytes, struct import **out, struct sx_error *err)
{
	struct import_job job = {
	    .request = request, .result = result, .backing = &result->backing, .place = "line"};
	enum import_coding was = IMPORT_UTF8;
	enum sx_status status = import_unpack(request->path, IMPORT_BYTES_MAX, &bytes, err);
	struct import_head head = {.path = request->path, .text = bytes.data, .size = bytes.size};
	if (!status && !import_perfetto.recognise(&head))
		status = import_decode(&bytes, &was, err);
	head.text = bytes.data;
	head.size = bytes.size < IMPORT_HEAD_BYTES ? bytes.size : IMPORT_HEAD_BYTES;
	if (!status && lay_out(&job, &head, &bytes))
		status = error_nomem(err, "importing");
	if (!status)
		status = choose(request, &head, &job.format, err);
	if (status) {
		import_bytes_free(&bytes);
		import_destroy(result);
		return status;
	}
	job.text = job.owned = bytes.data;
	job.size = bytes.size;
	if (was == IMPORT_LATIN && job.format != &import_perfetto)
		import_remark(&job, "the text is no UTF-8: its letters are read as those of "
				    "Latin-1 (Windows-1252)");
	return import_with(&job, out, err);
}

void import_forget_text(struct import_job *job)
{
	backing_free(job->backing, job->owned);
	job->owned = NULL;
	job->text = "";
	job->size = 0;
}

enum sx_status import_parse(const struct import_request *request, const char *data, size_t size,
			    struct import **out, struct sx_error *err)
{
	struct import *result = import_create();
	char *copy = malloc(size + 1);
	if (!copy || !result) {
		free(copy);
		import_destroy(result);
		return error_nomem(err, "importing");
	}
	if (size)
		memcpy(copy, data, size);
	copy[size] = '\0';
	return parse(request, result, (struct import_bytes){copy, size, &result->backing}, out,
		     err);
}

static enum sx_status read_folder(const struct import_request *request, struct import **out,
				  struct sx_error *err)
{
	struct import_job job = {
	    .request = request, .text = "", .result = import_create(), .place = "line"};
	job.backing = job.result ? &job.result->backing : NULL;
	struct import_head head = {.path = request->path, .folder = true, .text = ""};
	enum sx_status status =
	    job.result ? choose(request, &head, &job.format, err) : error_nomem(err, "importing");
	if (!status)
		return import_with(&job, out, err);
	import_destroy(job.result);
	return status;
}

enum sx_status import_read(const struct import_request *request, struct import **out,
			   struct sx_error *err)
{
	if (is_folder(request->path))
		return read_folder(request, out, err);
	struct import *result = import_create();
	if (!result)
		return error_nomem(err, "importing");
	struct import_bytes bytes = {.backing = &result->backing};
	enum sx_status status = import_load(request->path, IMPORT_BYTES_MAX, &bytes, err);
	if (!status)
		return parse(request, result, bytes, out, err);
	import_destroy(result);
	return status;
}

/* A table that has to be laid out is read by an import alone. */
static bool knows_text(const struct import_request *request, struct import_head *head,
		       struct import_bytes *bytes, bool tables)
{
	const char *before = bytes->data;
	struct import_job job = {.request = request};
	head->text = bytes->data;
	head->size = bytes->size;
	if (import_recognise(head, tables) ||
	    (import_recognise(head, true) && import_has_devices(head)))
		return true;
	return !lay_out(&job, head, bytes) && bytes->data != before && import_recognise(head, true);
}

bool import_knows(const char *path, bool tables)
{
	struct import_bytes bytes = {0};
	enum import_coding was;
	struct import_head head = {.path = path, .text = "", .folder = is_folder(path)};
	if (head.folder) /* nothing else reads one: what it is not, an import says best */
		return true;
	if (strcmp(path, "-") == 0)
		return false;
	enum sx_status status = import_load(path, IMPORT_HEAD_BYTES, &bytes, NULL);
	if (status) /* without memory it is unknown: an import reports that */
		return status == SX_ERR_NO_MEMORY;
	bool known = false;
	if (!import_unpack(path, IMPORT_HEAD_BYTES, &bytes, NULL)) {
		head.text = bytes.data;
		head.size = bytes.size;
		known = import_perfetto.recognise(&head);
		if (!known && !import_decode(&bytes, &was, NULL))
			known = knows_text(&(struct import_request){.path = path}, &head, &bytes,
					   tables);
	}
	import_bytes_free(&bytes);
	return known;
}

const struct import_device *import_devices(const struct import *import, uint32_t *count)
{
	*count = import->device_count;
	return import->devices;
}

const char *import_about(const struct import *import)
{
	return import->format->about;
}

const char *import_note(const struct import *import, uint32_t i)
{
	return i < import->note_count ? import->notes[i] : NULL;
}

char *import_text(struct import_job *job, const char *text, size_t size)
{
	return arena_strndup(&job->result->arena, size ? text : "", size);
}

void import_remark(struct import_job *job, const char *fmt, ...)
{
	char text[512];
	va_list args;
	struct import *import = job->result;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (uint32_t i = 0; i < import->note_count; i++)
		if (strcmp(import->notes[i], text) == 0)
			return;
	char *copy = import_text(job, text, strlen(text));
	if (copy && import->note_count < IMPORT_NOTES_MAX)
		import->notes[import->note_count++] = copy;
}

static void import_given(void *job, const char *line)
{
	import_remark(job, "%s", line);
}

struct note_sink import_note_sink(struct import_job *job)
{
	return (struct note_sink){import_given, job};
}

enum sx_status import_bad(const struct import_job *job, size_t line, struct sx_error *err,
			  const char *because, const char *what)
{
	if (line)
		error_set(err, SX_ERR_BAD_INPUT, "%s:%zu: %s", job->request->path, line, what);
	else
		error_set(err, SX_ERR_BAD_INPUT, "%s: %s", job->request->path, what);
	error_because(err, "%s", because);
	error_try(err, "the file as the tool wrote it; docs/import.md says what is read");
	return SX_ERR_BAD_INPUT;
}

enum sx_status import_refuse_report(const struct import_job *job, const char *because,
				    struct sx_error *err)
{
	error_set(err, SX_ERR_BAD_INPUT, "%s is a report, which has no samples",
		  job->request->path);
	error_because(err, "%s", because);
	error_try(err, "sextant export --csv of the recording, whose rows are read back");
	return SX_ERR_BAD_INPUT;
}

enum sx_status import_cut(const struct import_job *job, size_t line, struct sx_error *err)
{
	if (line)
		error_set(err, SX_INCOMPLETE, "%s breaks off in line %zu", job->request->path,
			  line);
	else
		error_set(err, SX_INCOMPLETE, "%s breaks off", job->request->path);
	error_because(err, "the tool was stopped, or the file was not copied whole");
	error_try(err, "nothing, if that is so: the text before it was read");
	return SX_INCOMPLETE;
}

const char *import_label_property(enum sx_label label, char buf[IMPORT_PROPERTY_MAX])
{
	snprintf(buf, IMPORT_PROPERTY_MAX, "label.%s", label_name(label));
	return buf;
}
