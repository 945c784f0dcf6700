/* Files of other tools as captures, which every verb reads. */
#include "tools/cli/input/imported.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"

#include <sextant/capture.h>

#include "import/import.h"
#include "input/input.h"
#include "input/given.h"
#include "input/text.h"
#include "input/input.h"
#include "tools/cli/draft.h"
#include "tools/cli/temp.h"

#define BLOCK_ROWS  4096
#define PACKED_HEAD 4096 /* bytes of a packed file that tell what it is of */

struct imported {
	struct imported *next;
	int fd;	       /* of the capture, which has no name any more */
	char path[40]; /* under which it can be opened */
	char *shown;   /* the user's file */
};

static enum sx_status write_rows(struct sx_capture_writer *writer, uint32_t index,
				 const struct sx_table *table, struct sx_error *err)
{
	size_t count = sx_table_row_count(table);
	struct sx_vector *vectors =
	    calloc((size_t)sx_table_column_count(table) + 1, sizeof(*vectors));
	enum sx_status status = vectors ? SX_OK : error_nomem(err, "importing");
	for (size_t first = 0; !status && first < count; first += BLOCK_ROWS) {
		struct sx_rows rows;
		size_t some = count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS;
		sx_table_rows(table, first, some, vectors, &rows);
		status = sx_capture_write(writer, index, &rows, err);
		/* A file does not wait for the disk as a device does not. */
		if (!status)
			status = sx_capture_flush(writer, err);
	}
	free(vectors);
	return status;
}

/* Whether other files' times may be on the same clock; each GPU of a trace counts from anywhere. */
static bool has_clock(const struct import_device *device)
{
	return device->facts.clock && strcmp(device->facts.clock, "gpu") != 0;
}

static void note_wrapped(const struct cli *cli, const char *text)
{
	char line[640];
	if (cli->options.quiet)
		return;
	snprintf(line, sizeof(line), "note: %s", text);
	text_wrap(&cli->err, 2, line);
}

/* Values that the file gives and that others of it say otherwise; eval looks by itself. */
static enum sx_status note_contradiction(const struct cli *cli, struct sx_capture_writer *writer,
					 struct sx_catalog *catalog,
					 const struct import_device *device, struct sx_error *err)
{
	char text[GIVEN_TEXT_MAX];
	struct sx_capture_mark mark = {
	    .begin_ns = SX_TIME_UNKNOWN, .end_ns = SX_TIME_UNKNOWN, .text = text};
	if (options_word("eval", cli->verb->name) ||
	    !given_differs(catalog, device->table, device->facts.constants,
			   device->facts.constant_count, text))
		return SX_OK;
	note_wrapped(cli, text);
	return sx_capture_mark(writer, SX_CAPTURE_NO_DEVICE, SX_CAPTURE_NOTE, &mark, err);
}

#define IMPORTED_PROPERTIES (1 + SX_LABEL_COUNT)

struct imported_properties {
	struct sx_capture_property items[IMPORTED_PROPERTIES];
	char names[SX_LABEL_COUNT][IMPORT_PROPERTY_MAX];
	char number[16];
};

/* What the file says of a device beside its rows; returns how many. */
static uint32_t imported_properties(const struct import_device *device,
				    struct imported_properties *out)
{
	uint32_t told = 0;
	if (device->facts.number != SX_NONE) {
		snprintf(out->number, sizeof(out->number), "%u", (unsigned)device->facts.number);
		out->items[told++] =
		    (struct sx_capture_property){INPUT_NUMBER_PROPERTY, out->number};
	}
	for (int i = 0; i < SX_LABEL_COUNT; i++) {
		if (!device->labels[i])
			continue;
		out->items[told++] = (struct sx_capture_property){
		    import_label_property((enum sx_label)i, out->names[i]), device->labels[i]};
	}
	return told;
}

/* Whether a column gives a constant that differs from row to row: all of them have none. */
static bool tells_rows(const struct sx_catalog *catalog, const struct import_device *device,
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

/* A device of the import becomes one of the capture; `number` of its file, or 0 of one alone. */
static enum sx_status write_device(const struct cli *cli, struct sx_capture_writer *writer,
				   const struct import_device *device, size_t number,
				   struct sx_error *err)
{
	uint32_t count = sx_table_column_count(device->table);
	struct sx_column *columns = calloc((size_t)count + 1, sizeof(*columns));
	struct sx_catalog *catalog = NULL;
	enum sx_status status = columns ? SX_OK : error_nomem(err, "importing");
	if (!status)
		status = sx_catalog_open(cli->context, device->catalog, &catalog, err);
	for (uint32_t i = 0; !status && i < count; i++) {
		columns[i] = *sx_table_column(device->table, i);
		if (tells_rows(catalog, device, columns[i].name))
			columns[i].over_time = SX_REDUCE_EACH;
	}
	struct imported_properties properties;
	char own[32] = "file";
	if (number)
		snprintf(own, sizeof(own), "file %zu", number);
	bool alone = !number || has_clock(device);
	const char *clock = alone && device->facts.clock ? device->facts.clock : own;
	uint32_t index;
	struct sx_capture_device out = {
	    .catalog = catalog ? sx_catalog_info(catalog)->name : device->catalog,
	    .catalog_hash = catalog ? sx_catalog_info(catalog)->hash : 0,
	    .facts = device->facts,
	    .kind = sx_table_kind(device->table),
	    .encloses_work = device->encloses_work,
	    .properties = properties.items,
	    .property_count = imported_properties(device, &properties),
	    .interval_ns = device->interval_ns,
	    .columns = columns,
	    .column_count = count,
	};
	out.facts.clock = clock;
	if (!status)
		status = sx_capture_add_device(writer, &out, &index, err);
	if (!status)
		status = write_rows(writer, index, device->table, err);
	if (!status)
		status = note_contradiction(cli, writer, catalog, device, err);
	sx_catalog_unref(catalog);
	free(columns);
	return status;
}

static bool is_said_alike(const struct import_device *a, const struct import_device *b)
{
	return sx_table_row_count(a->table) == sx_table_row_count(b->table) &&
	       strcmp(a->catalog, b->catalog) == 0 &&
	       strcmp(a->facts.name ? a->facts.name : "", b->facts.name ? b->facts.name : "") == 0;
}

/* Devices of which the same is to be said share a line, which counts them. */
static void say_device(const struct cli *cli, const struct import_device *devices, uint32_t count,
		       uint32_t at)
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
	cli_note(cli, "  %s%s%s%s, catalog %s", device->facts.name ? device->facts.name : "",
		 device->facts.name ? ": " : "", each, COUNTED(rows, "sample"), device->catalog);
}

/* What a file was found to be. */
static void imported_say(const struct cli *cli, const char *path, const struct import *import)
{
	char name[IMPORTED_TEXT_MAX];
	path = imported_text(cli, path, name);
	uint32_t count;
	const struct import_device *devices = import_devices(import, &count);
	cli_note(cli, "%s: %s", path, import_about(import));
	for (uint32_t i = 0; i < count; i++)
		say_device(cli, devices, count, i);
	for (uint32_t i = 0; import_note(import, i); i++)
		note_wrapped(cli, import_note(import, i));
}

static enum sx_status write_marks(struct sx_capture_writer *writer, const struct import *import,
				  const struct sx_error *cut, struct sx_error *err)
{
	struct sx_capture_mark mark = {.begin_ns = SX_TIME_UNKNOWN, .end_ns = SX_TIME_UNKNOWN};
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && import_note(import, i); i++) {
		mark.text = import_note(import, i);
		status = sx_capture_mark(writer, SX_CAPTURE_NO_DEVICE, SX_CAPTURE_NOTE, &mark, err);
	}
	if (!status && cut) {
		mark.text = cut->message;
		mark.lost = 1;
		status = sx_capture_mark(writer, SX_CAPTURE_NO_DEVICE, SX_CAPTURE_LOSS, &mark, err);
	}
	return status;
}

/* Rows are kept, but nothing lays those of one file over another's. */
static enum sx_status note_apart(const struct cli *cli, struct sx_capture_writer *writer,
				 struct sx_error *err)
{
	struct sx_capture_mark mark = {.begin_ns = SX_TIME_UNKNOWN,
				       .end_ns = SX_TIME_UNKNOWN,
				       .text = "the files have no clock in common: the verdict is "
					       "of the first that has samples, and --join does not "
					       "lay one over another"};
	note_wrapped(cli, mark.text);
	return sx_capture_mark(writer, SX_CAPTURE_NO_DEVICE, SX_CAPTURE_NOTE, &mark, err);
}

/* A capture that files are written into one after another. */
struct writing {
	struct sx_capture_writer *writer;
	size_t number; /* of the file at hand; 0: it is the only one */
	bool apart;    /* a device without a clock has been written */
};

static enum sx_status write_file(const struct cli *cli, struct writing *w, const char *path,
				 struct sx_error *err)
{
	struct import_request request = {.context = cli->context,
					 .path = path,
					 .as = cli->options.as,
					 .catalog = cli->options.catalog};
	struct import *import = NULL;
	struct sx_error cut = {0};
	uint32_t count = 0;
	enum sx_status read = import_read(&request, &import, &cut);
	if (sx_failed(read)) {
		*err = cut;
		return read;
	}
	const struct import_device *devices = import_devices(import, &count);
	enum sx_status status = SX_OK;
	bool told = w->apart || !w->number;
	for (uint32_t i = 0; !status && i < count; i++) {
		status = write_device(cli, w->writer, &devices[i], w->number, err);
		w->apart |= !has_clock(&devices[i]);
	}
	if (!status && w->apart && !told)
		status = note_apart(cli, w->writer, err);
	if (!status)
		status = write_marks(w->writer, import, read ? &cut : NULL, err);
	if (!status)
		imported_say(cli, path, import);
	import_destroy(import);
	if (!status && read)
		*err = cut;
	return status ? status : read;
}

static enum sx_status write_all(const struct cli *cli, const char *const *paths, size_t count,
				const char *out, struct sx_error *err)
{
	char name[IMPORTED_TEXT_MAX];
	struct sx_capture_property properties[] = {
	    {"imported-from", count ? imported_text(cli, paths[0], name) : ""},
	    {"writer", "sextant import"}};
	struct sx_capture_options options = {.properties = properties, .property_count = 2};
	struct writing w = {0};
	struct sx_error why = {0};
	enum sx_status status = sx_capture_create(out, &options, &w.writer, err), worst = SX_OK;
	for (size_t i = 0; !status && i < count; i++) {
		w.number = count > 1 ? i + 1 : 0;
		status = write_file(cli, &w, paths[i], err);
		if (status == SX_INCOMPLETE) {
			worst = status;
			why = *err;
			status = SX_OK;
		}
	}
	struct sx_error closing = {0};
	enum sx_status closed = w.writer ? sx_capture_finish(w.writer, NULL, &closing) : SX_OK;
	if (status)
		return status;
	if (closed || worst)
		*err = closed ? closing : why;
	return closed ? closed : worst;
}

/* What goes into one capture. */
struct gathering {
	const struct cli *cli;
	const char *const *paths;
	size_t count;
};

static enum sx_status gather(void *user, const char *draft, struct sx_error *err)
{
	const struct gathering *g = user;
	return write_all(g->cli, g->paths, g->count, draft, err);
}

enum sx_status imported_write(const struct cli *cli, const char *const *paths, size_t count,
			      const char *out, struct sx_error *err)
{
	struct gathering gathering = {cli, paths, count};
	return draft_capture(out, gather, &gathering, err);
}

/* A capture that goes when the program does: its name is taken away at once. */
static enum sx_status make(struct cli *cli, const char *path, struct imported *made,
			   struct sx_error *err)
{
	char draft[TEMP_NAME_MAX];
	temp_name(draft, "sextant");
	int fd = mkostemp(draft, O_CLOEXEC);
	if (fd < 0)
		return temp_refused(errno, err);
	close(fd);
	enum sx_status status = write_all(cli, &path, 1, draft, err);
	made->fd = !sx_failed(status) ? open(draft, O_RDONLY | O_CLOEXEC) : -1;
	unlink(draft);
	if (sx_failed(status))
		return status;
	char named[IMPORTED_TEXT_MAX];
	if (status == SX_INCOMPLETE)
		cli_note(cli, "warning: %s", imported_text(cli, err->message, named));
	if (made->fd < 0)
		return error_errno(err, errno, "cannot read %s", draft);
	snprintf(made->path, sizeof(made->path), "/proc/self/fd/%d", made->fd);
	return SX_OK;
}

/* Remembers what stands in for a file of the user's; the descriptor is the list's from now on. */
static enum sx_status add(struct cli *cli, const struct imported *made, const char *shown,
			  const char **path, struct sx_error *err)
{
	struct imported *kept = calloc(1, sizeof(*kept));
	/* A copy: the caller's text may end before the error that names it. */
	char *copy = strdup(shown);
	if (!kept || !copy) {
		free(kept);
		free(copy);
		close(made->fd);
		return error_nomem(err, "importing");
	}
	*kept = *made;
	kept->shown = copy;
	kept->next = cli->imported;
	cli->imported = kept;
	*path = kept->path;
	return SX_OK;
}

/* Standard input, a FIFO, a process substitution: it can be read only once, and from its start. */
static bool is_stream(const char *path)
{
	struct stat st;
	return strcmp(path, "-") == 0 ||
	       (stat(path, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)));
}

/* What comes through a stream is kept in a file, which can be looked at and then read. */
static enum sx_status keep_stream(struct cli *cli, const char **path, struct sx_error *err)
{
	struct imported made = {.fd = -1};
	enum sx_status status = input_text_keep(*path, &made.fd, err);
	if (status)
		return status;
	snprintf(made.path, sizeof(made.path), "/proc/self/fd/%d", made.fd);
	return add(cli, &made, strcmp(*path, "-") == 0 ? "standard input" : *path, path, err);
}

/* A capture that somebody packed is read from a file of what it was. */
static enum sx_status unpack_capture(struct cli *cli, const char **path, struct sx_error *err)
{
	struct imported made = {.fd = -1};
	char *head = NULL;
	size_t size = 0;
	bool packed = strcmp(*path, "-") != 0 && !input_is_capture(*path) &&
		      !import_unpacked(*path, PACKED_HEAD, &head, &size, NULL) &&
		      input_begins_as_capture(head, size);
	free(head);
	if (!packed)
		return SX_OK;
	enum sx_status status = input_text_unpack(*path, &made.fd, err);
	if (status)
		return status;
	char shown[IMPORTED_TEXT_MAX];
	snprintf(made.path, sizeof(made.path), "/proc/self/fd/%d", made.fd);
	return add(cli, &made, imported_text(cli, *path, shown), path, err);
}

enum sx_status imported_replace(struct cli *cli, const char **path, struct sx_error *err)
{
	struct imported made = {.fd = -1};
	char shown[IMPORTED_TEXT_MAX];
	const char *given = *path;
	bool standard = strcmp(given, "-") == 0;
	enum sx_status status = is_stream(given) ? keep_stream(cli, path, err) : SX_OK;
	if (!status)
		status = unpack_capture(cli, path, err);
	/* With --for, these read a plain table of counters themselves, in constant memory. */
	bool named = cli->options.catalog && options_word("eval advise", cli->verb->name);
	if (status || input_is_capture(*path) ||
	    (!(standard && !named) && !import_knows(*path, !named)))
		return status;
	status = make(cli, *path, &made, err);
	return status ? status : add(cli, &made, imported_text(cli, *path, shown), path, err);
}

/* Whether the arguments of the verb are files; --input of every verb is one. */
static bool takes_files(const struct cli *cli)
{
	static const char verbs[] = "report advise export diff explain eval capture stat";
	return options_word(verbs, cli->verb->name);
}

enum sx_status imported_inputs(struct cli *cli, struct sx_error *err)
{
	struct options *o = &cli->options;
	enum sx_status status = SX_OK;
	if (!takes_files(cli))
		return SX_OK;
	if (o->input)
		status = imported_replace(cli, &o->input, err);
	for (size_t i = 0; !status && i < o->args.count; i++)
		if (strcmp(o->args.items[i], "-") == 0 || access(o->args.items[i], R_OK) == 0)
			status = imported_replace(cli, &o->args.items[i], err);
	return status;
}

const char *imported_text(const struct cli *cli, const char *text, char buf[IMPORTED_TEXT_MAX])
{
	for (const struct imported *i = cli->imported; i; i = i->next) {
		const char *named = draft_shown(text, i->path, i->shown, buf, IMPORTED_TEXT_MAX);
		if (named != text)
			return named;
	}
	return text;
}

const char *imported_remedy(const struct cli *cli, const char *text, char buf[IMPORTED_TEXT_MAX])
{
	for (const struct imported *i = cli->imported; i; i = i->next) {
		char word[ERROR_WORD_MAX];
		const char *named =
		    draft_shown(text, i->path, error_word(word, i->shown), buf, IMPORTED_TEXT_MAX);
		if (named != text)
			return named;
	}
	return text;
}

const char *imported_shown(const struct cli *cli, const char *path)
{
	for (const struct imported *i = cli->imported; i; i = i->next)
		if (strcmp(path, i->path) == 0)
			return i->shown;
	return path;
}

void imported_finish(struct cli *cli)
{
	while (cli->imported) {
		struct imported *next = cli->imported->next;
		close(cli->imported->fd);
		free(cli->imported->shown);
		free(cli->imported);
		cli->imported = next;
	}
}
