/* Files of other tools as input of any verb. */
#include "tools/cli/request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/text.h"

struct imported {
	struct imported *next;
	char *path;		     /* under which it is known, */
	int fd;			     /* that of a file without a name, or -1 */
	struct input_import *import; /* what it holds, or NULL: a capture */
	char *shown;		     /* the user's file */
};

/* What goes into one capture. */
struct gathering {
	const struct cli *cli;
	const char *const *paths;
	size_t count;
};

static enum sx_status gather(void *user, const char *draft, struct sx_error *err)
{
	const struct gathering *g = user;
	const struct input_request request = request_of(g->cli, g->paths[0]);
	return input_import_write(&request, g->paths, g->count, draft, err);
}

enum sx_status imported_write(const struct cli *cli, const char *const *paths, size_t count,
			      const char *out, struct sx_error *err)
{
	struct gathering gathering = {cli, paths, count};
	return draft_capture(out, gather, &gathering, err);
}

/* Remembers what a file of the user's is read as. */
static struct imported *imported_add(struct cli *cli, const char *path, const char *shown,
				     struct sx_error *err)
{
	struct imported *kept = calloc(1, sizeof(*kept));
	/* Copies: the caller's text may end before the error that names it. */
	char *own = strdup(path), *name = strdup(shown);
	if (!kept || !own || !name) {
		free(kept);
		free(own);
		free(name);
		error_nomem(err, "importing");
		return NULL;
	}
	*kept = (struct imported){.path = own, .shown = name, .fd = -1, .next = cli->imported};
	cli->imported = kept;
	return kept;
}

/* The file without a name becomes *path; it is the list's from now on. */
static enum sx_status imported_add_fd(struct cli *cli, int fd, const char *shown, const char **path,
				      struct sx_error *err)
{
	char name[40];
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	struct imported *kept = imported_add(cli, name, shown, err);
	if (!kept) {
		close(fd);
		return SX_ERR_NO_MEMORY;
	}
	kept->fd = fd;
	*path = kept->path;
	return SX_OK;
}

static void note_cut(const struct cli *cli, enum sx_status status, const struct sx_error *why)
{
	char named[IMPORTED_TEXT_MAX];
	if (status == SX_INCOMPLETE)
		cli_note(cli, "warning: %s", imported_text(cli, why->message, named));
}

/* A capture that goes when the program does: its name is taken away at once. */
static enum sx_status make(struct cli *cli, const char **path, struct sx_error *err)
{
	char draft[TEMP_NAME_MAX];
	temp_name(draft, "sextant");
	int fd = mkostemp(draft, O_CLOEXEC);
	if (fd < 0)
		return temp_refused(errno, err);
	close(fd);
	const struct input_request request = request_of(cli, *path);
	enum sx_status status = input_import_write(&request, path, 1, draft, err);
	fd = !sx_failed(status) ? open(draft, O_RDONLY | O_CLOEXEC) : -1;
	unlink(draft);
	if (sx_failed(status))
		return status;
	note_cut(cli, status, err);
	if (fd < 0)
		return error_errno(err, errno, "cannot read %s", draft);
	return imported_add_fd(cli, fd, request.shown, path, err);
}

static enum sx_status imported_read(struct cli *cli, const char **path, struct sx_error *err)
{
	struct imported *kept = imported_add(cli, *path, imported_shown(cli, *path), err);
	if (!kept)
		return SX_ERR_NO_MEMORY;
	*path = kept->path;
	struct input_request request = request_of(cli, kept->path);
	request.shown = kept->shown;
	enum sx_status status = input_import_read(&request, &kept->import, err);
	note_cut(cli, status, err);
	return sx_failed(status) ? status : SX_OK;
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
	int fd = -1;
	enum sx_status status = input_text_keep(*path, &fd, err);
	if (status)
		return status;
	return imported_add_fd(cli, fd, strcmp(*path, "-") == 0 ? "standard input" : *path, path,
			       err);
}

/* A compressed capture is unpacked to a temporary file. */
static enum sx_status unpack_capture(struct cli *cli, const char **path, struct sx_error *err)
{
	int fd = -1;
	if (!input_is_packed_capture(*path))
		return SX_OK;
	enum sx_status status = input_text_unpack(*path, &fd, err);
	return status ? status : imported_add_fd(cli, fd, imported_shown(cli, *path), path, err);
}

enum sx_status imported_replace(struct cli *cli, const char **path, struct sx_error *err)
{
	const char *given = *path;
	bool standard = strcmp(given, "-") == 0;
	enum sx_status status = is_stream(given) ? keep_stream(cli, path, err) : SX_OK;
	if (!status)
		status = unpack_capture(cli, path, err);
	/* With --for, these read a plain table of counters themselves, in constant memory. */
	bool named = cli->options.catalog && options_word("eval advise", cli->verb->name);
	if (status || input_is_capture(*path) ||
	    (!(standard && !named) && !input_is_known(*path, !named)))
		return status;
	/* What looks at a capture as such, and what replays one, needs a file. */
	bool file = options_word("capture stat top", cli->verb->name);
	return file ? make(cli, path, err) : imported_read(cli, path, err);
}

/* Whether the arguments of the verb are files; --input of every verb is one. */
static bool takes_files(const struct cli *cli)
{
	static const char verbs[] = "report advise export diff explain eval capture stat top";
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
		if (strcmp(i->path, i->shown) == 0) /* a word of the remedy already */
			continue;
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

const struct input_import *imported_of(const struct cli *cli, const char *path)
{
	for (const struct imported *i = cli->imported; i; i = i->next)
		if (i->import && strcmp(path, i->path) == 0)
			return i->import;
	return NULL;
}

bool imported_is_recording(const struct cli *cli, const char *path)
{
	return imported_of(cli, path) || input_is_capture(path);
}

void imported_finish(struct cli *cli)
{
	while (cli->imported) {
		struct imported *next = cli->imported->next;
		if (cli->imported->fd >= 0)
			close(cli->imported->fd);
		input_import_destroy(cli->imported->import);
		free(cli->imported->path);
		free(cli->imported->shown);
		free(cli->imported);
		cli->imported = next;
	}
}
