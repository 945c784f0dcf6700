/* The user's own defaults. */
#include "tools/cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text_buf.h"
#include "output/view.h"

#define CONFIG_BYTES_MAX 65536

static char *config_path(void)
{
	const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int length = -1;
	if (folder && *folder == '/')
		length = asprintf(&path, "%s/sextant/config", folder);
	else if (home && *home == '/')
		length = asprintf(&path, "%s/.config/sextant/config", home);
	return length < 0 ? NULL : path;
}

static char *trim(char *text)
{
	text += strspn(text, " \t");
	size_t length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* A comment begins at the start of a line or after a blank. */
static char *strip_comment(char *text)
{
	for (char *p = text; (p = strchr(p, '#')); p++) {
		if (p > text && p[-1] != ' ' && p[-1] != '\t')
			continue;
		*p = '\0';
		break;
	}
	return trim(text);
}

static enum sx_status bad_line(const struct config *c, unsigned line, const char *why,
			       struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "%s:%u: %s", c->path, line, why);
	error_because(err, "a line is option = value, verb.option = value or preset name = list");
	error_try(err, "interval = 50ms, report.format = json or preset mine = gpu_time,cpu_time");
	return SX_ERR_USAGE;
}

static bool is_same_verb(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Whether an earlier line sets the same: one of the two would be ignored. */
static bool is_twice(const struct config *c, const struct config_line *line)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->lines[i].preset == line->preset && !strcmp(c->lines[i].name, line->name) &&
		    is_same_verb(c->lines[i].verb, line->verb))
			return line->preset || !options_add_up(line->name);
	return false;
}

static enum sx_status cannot_read(const struct config *c, int number, struct sx_error *err)
{
	error_errno(err, number, "cannot read %s", c->path);
	if (number == ENOTSUP)
		error_because(err, "it is no file, but a pipe or the like");
	if (number == EACCES || number == EPERM)
		error_try(err, "its permissions, or another XDG_CONFIG_HOME");
	else
		error_try(err, "a text file of this name, or none");
	return err->status = SX_ERR_PERMISSION;
}

/* The error of a file that is too long, or is no text. */
static enum sx_status no_lines(const struct config *c, size_t size, struct sx_error *err)
{
	const char *zero = memchr(c->text, '\0', size), *end = zero ? zero : c->text + size;
	unsigned line = 1;
	for (const char *p = c->text; p < end; p++)
		line += *p == '\n';
	error_set(err, SX_ERR_USAGE, "%s:%u: %s", c->path, line,
		  zero ? "a byte of value 0" : "more than 64 KiB");
	error_because(err, zero ? "the file is no text" : "defaults of one's own are shorter");
	error_try(err, "a text file of lines such as: interval = 50ms");
	return SX_ERR_USAGE;
}

/* "[stat]", as other programs' files have it. */
static enum sx_status parse_heading(const struct config *c, const char *text, unsigned line,
				    struct sx_error *err)
{
	int length = (int)strcspn(text + 1, "]");
	error_set(err, SX_ERR_USAGE, "%s:%u: there are no sections: %s", c->path, line, text);
	if (strncmp(text, "[preset ", 8) == 0) {
		error_because(err, "a preset is one line, with its metrics");
		error_try(err, "%.*s = gpu_time,cpu_time", length, text + 1);
		return SX_ERR_USAGE;
	}
	error_because(err, "each line says itself which verb it is for, or is for all");
	error_try(err, "%.*s.interval = 50ms, and no line %s", length, text + 1, text);
	return SX_ERR_USAGE;
}

static enum sx_status read_line(struct config *c, char *text, unsigned number, struct sx_error *err)
{
	struct config_line line = {.line = number};
	char *name = strip_comment(text), *equals = strchr(name, '=');
	if (!*name)
		return SX_OK;
	if (*name == '[')
		return parse_heading(c, name, number, err);
	if (!equals)
		return bad_line(c, number, "there is no =", err);
	*equals = '\0';
	line.value = trim(equals + 1);
	name = trim(name);
	if (strncmp(name, "preset ", 7) == 0) {
		line.preset = true;
		name = trim(name + 7);
	}
	char *dot = line.preset ? NULL : strchr(name, '.');
	if (dot) {
		*dot = '\0';
		line.verb = name;
		name = dot + 1;
	}
	line.name = name;
	if (!*name || !*line.value)
		return bad_line(c, number, "something is missing", err);
	if (is_twice(c, &line))
		return bad_line(c, number, "an earlier line says it already", err);
	if (!mem_grow(&c->lines, &c->cap, c->count + 1, sizeof(*c->lines)))
		return error_nomem(err, "reading the configuration");
	c->lines[c->count++] = line;
	return SX_OK;
}

/* Rewrites an error on an option as one on a line of the file. */
static void error_at_line(const struct config *c, const struct config_line *line,
			  const struct sx_error *why, struct sx_error *err)
{
	char remedy[SX_ERROR_TEXT_MAX];
	const char *said = why->message + (strncmp(why->message, "--", 2) ? 0 : 2);
	error_set(err, why->status, "%s:%u: %s", c->path, line->line, said);
	error_because(err, "%s", why->because);
	snprintf(remedy, sizeof(remedy), "%s", why->remedy);
	char *blank = strncmp(remedy, "--", 2) ? NULL : strchr(remedy, ' ');
	if (!blank) {
		error_try(err, "%s", remedy);
		return;
	}
	*blank = '\0';
	error_try(err, "%s%s%s = %s", line->verb ? line->verb : "", line->verb ? "." : "",
		  remedy + 2, blank + 1);
}

/* Checks every line, also those for other verbs. */
static enum sx_status check_lines(const struct config *c, const struct verb *const *verbs,
				  struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (size_t i = 0; !status && i < c->count; i++) {
		const struct config_line *line = &c->lines[i];
		const struct option_default given = {
		    .name = line->name, .value = line->value, .general = !line->verb};
		struct sx_error why = {0};
		if (!line->preset)
			status = options_check_default(verbs, line->verb, &given, &why);
		if (status)
			error_at_line(c, line, &why, err);
	}
	return status;
}

static enum sx_status split_lines(struct config *c, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	unsigned number = 1;
	char *first = c->text;
	if (strncmp(first, "\xef\xbb\xbf", 3) == 0) /* UTF-8 byte order mark */
		first += 3;
	for (char *line = first; !status && line; number++) {
		char *end = strchr(line, '\n');
		if (end)
			*end = '\0';
		status = read_line(c, line, number, err);
		line = end ? end + 1 : NULL;
	}
	return status;
}

/* O_NONBLOCK: opening a FIFO would wait for its writer. */
static FILE *open_config(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	bool piped = fstat(fd, &st) < 0 || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
	FILE *file = piped ? NULL : fdopen(fd, "r");
	if (!file)
		close(fd);
	if (piped)
		errno = ENOTSUP;
	return file;
}

enum sx_status config_read(struct config *c, const struct verb *const *verbs, struct sx_error *err)
{
	c->path = config_path();
	FILE *file = c->path ? open_config(c->path) : NULL;
	int saved = errno;
	/* EACCES: the home directory of another user has no configuration for us. */
	bool hidden = !file && saved == EACCES && c->path && access(c->path, F_OK) < 0;
	if (!file && (!c->path || saved == ENOENT || saved == ENOTDIR || hidden))
		return SX_OK;
	if (!file)
		return cannot_read(c, saved, err);
	c->text = calloc(1, CONFIG_BYTES_MAX + 1);
	errno = 0;
	size_t size = c->text ? fread(c->text, 1, CONFIG_BYTES_MAX, file) : 0;
	saved = ferror(file) ? errno : 0; /* a folder opens, but is not read */
	fclose(file);
	if (!c->text)
		return error_nomem(err, "reading the configuration");
	if (saved)
		return cannot_read(c, saved, err);
	if (size == CONFIG_BYTES_MAX || memchr(c->text, '\0', size))
		return no_lines(c, size, err);
	enum sx_status status = split_lines(c, err);
	return status ? status : check_lines(c, verbs, err);
}

static struct config_line *find_preset(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->lines[i].preset && strcmp(c->lines[i].name, name) == 0)
			return &c->lines[i];
	return NULL;
}

static enum sx_status is_own_part(const struct config *c, const struct config_line *preset,
				  struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "%s:%u: preset %s is a part of itself", c->path, preset->line,
		  preset->name);
	error_because(err, "it names itself, or a preset that names it");
	error_try(err, "preset %s = metrics, globs and other presets", preset->name);
	return SX_ERR_USAGE;
}

/* Adds a name, or the names of a preset, which may contain other presets. */
static enum sx_status expand_name(struct config *c, struct options *o, const char *name,
				  struct string_list *out, struct sx_error *err)
{
	struct config_line *preset = find_preset(c, name);
	if (!preset)
		return options_add(o, out, name, false, err);
	if (preset->open)
		return is_own_part(c, preset, err);
	struct string_list parts = {0};
	enum sx_status status = options_add(o, &parts, preset->value, true, err);
	preset->used = preset->open = true;
	for (size_t i = 0; !status && i < parts.count; i++)
		status = expand_name(c, o, parts.items[i], out, err);
	preset->open = false;
	free(parts.items);
	return status;
}

static enum sx_status apply_presets(struct config *c, struct options *o, struct sx_error *err)
{
	struct string_list out = {0};
	enum sx_status status = SX_OK;
	for (size_t i = 0; !status && i < o->metrics.count; i++)
		status = expand_name(c, o, o->metrics.items[i], &out, err);
	free(o->metrics.items);
	o->metrics = out;
	return status;
}

/* The lines of this verb alone, or those of all. */
static enum sx_status apply_lines(struct config *c, struct options *o, const struct verb *verb,
				  bool general, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	struct option_default given = {
	    .general = general, .given = o->given, .format_given = o->format_given};
	for (size_t i = 0; !status && i < c->count; i++) {
		struct config_line *line = &c->lines[i];
		bool meant = general ? !line->verb : line->verb && !strcmp(line->verb, verb->name);
		if (line->preset || !meant)
			continue;
		struct sx_error why = {0};
		given.name = line->name;
		given.value = line->value;
		status = options_default(o, verb, &given, &line->used, &why);
		if (status && err) {
			error_at_line(c, line, &why, err);
			line->used = false; /* the error names it already */
		}
	}
	return status;
}

enum sx_status config_apply(struct config *c, struct options *o, const struct verb *verb,
			    struct sx_error *err)
{
	enum sx_status status = apply_lines(c, o, verb, false, err);
	if (!status)
		status = apply_lines(c, o, verb, true, err);
	return status ? status : apply_presets(c, o, err);
}

const struct config_line *config_preset(const struct config *c, size_t *at)
{
	for (; *at < c->count; ++*at)
		if (c->lines[*at].preset && c->lines[*at].used)
			return &c->lines[(*at)++];
	return NULL;
}

/* Whether a text names any part of a list of names, or of a constant. */
static bool names_part(const char *text, const char *value)
{
	char part[128];
	for (size_t length; *value; value += length + strspn(value + length, ",= ")) {
		length = strcspn(value, ",= ");
		if (length < 2 || length >= sizeof(part))
			continue;
		memcpy(part, value, length);
		part[length] = '\0';
		if (strstr(text, part))
			return true;
	}
	return false;
}

void config_blame(const struct config *c, struct sx_error *err)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct config_line *line = &c->lines[i];
		if (!line->used || !names_part(err->message, line->value))
			continue;
		text_append_item(err->because, sizeof(err->because), "; ", "%s:%u has %s%s = %s",
				 c->path, line->line, line->preset ? "preset " : "", line->name,
				 line->value);
		return;
	}
}

void config_print(const struct config *c, FILE *out)
{
	fputs("# ", out);
	text_write(out, c->path ? c->path : "no configuration: no home folder is known");
	fputs(c->text || !c->path ? "\n" : " (not there)\n", out);
	for (size_t i = 0; i < c->count; i++) {
		const struct config_line *l = &c->lines[i];
		fputs(l->preset ? "preset " : "", out);
		text_write(out, l->verb ? l->verb : "");
		fputs(l->verb ? "." : "", out);
		text_write(out, l->name);
		fputs(" = ", out);
		text_write(out, l->value);
		fprintf(out, " # line %u\n", l->line);
	}
}

void config_finish(struct config *c)
{
	free(c->path);
	free(c->text);
	free(c->lines);
	*c = (struct config){0};
}
