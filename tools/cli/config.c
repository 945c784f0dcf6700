/* The user's own defaults. */
#include "tools/cli/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

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

static enum sx_status bad_line(const struct config *c, unsigned line, const char *why,
			       struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "%s:%u: %s", c->path, line, why);
	error_because(err, "a line is option = value, verb.option = value or preset name = list");
	error_try(err, "interval = 50ms, report.format = json or preset mine = gpu_time,cpu_time");
	return SX_ERR_USAGE;
}

static enum sx_status read_line(struct config *c, char *text, unsigned number, struct sx_error *err)
{
	struct config_line line = {.line = number};
	char *name = trim(text), *equals = strchr(name, '=');
	if (!*name || *name == '#')
		return SX_OK;
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
	if (!mem_grow(&c->lines, &c->cap, c->count + 1, sizeof(*c->lines)))
		return error_nomem(err, "reading the configuration");
	c->lines[c->count++] = line;
	return SX_OK;
}

enum sx_status config_read(struct config *c, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	c->path = config_path();
	FILE *file = c->path ? fopen(c->path, "re") : NULL;
	int saved = errno;
	/* A home that is somebody else's has none for us. */
	if (!file && (!c->path || saved == ENOENT || saved == ENOTDIR || access(c->path, F_OK) < 0))
		return SX_OK;
	if (!file) {
		errno = saved;
		error_errno(err, errno, "cannot read %s", c->path);
		error_try(err, "its permissions, or another XDG_CONFIG_HOME");
		return err->status = SX_ERR_PERMISSION;
	}
	c->text = calloc(1, CONFIG_BYTES_MAX + 1);
	size_t size = c->text ? fread(c->text, 1, CONFIG_BYTES_MAX, file) : 0;
	fclose(file);
	if (!c->text)
		return error_nomem(err, "reading the configuration");
	if (size == CONFIG_BYTES_MAX || memchr(c->text, '\0', size))
		return bad_line(c, 1, "it is no text, or too long", err);
	unsigned number = 1;
	for (char *line = c->text; !status && line; number++) {
		char *end = strchr(line, '\n');
		if (end)
			*end = '\0';
		status = read_line(c, line, number, err);
		line = end ? end + 1 : NULL;
	}
	return status;
}

static const struct config_line *find_preset(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->lines[i].preset && strcmp(c->lines[i].name, name) == 0)
			return &c->lines[i];
	return NULL;
}

static enum sx_status apply_presets(const struct config *c, struct options *o, struct sx_error *err)
{
	struct string_list out = {0};
	enum sx_status status = SX_OK;
	for (size_t i = 0; !status && i < o->metrics.count; i++) {
		const struct config_line *preset = find_preset(c, o->metrics.items[i]);
		status = options_add(o, &out, preset ? preset->value : o->metrics.items[i],
				     preset != NULL, err);
	}
	free(o->metrics.items);
	o->metrics = out;
	return status;
}

enum sx_status config_apply(const struct config *c, struct options *o, const struct verb *verb,
			    struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (size_t i = 0; !status && i < c->count; i++) {
		const struct config_line *line = &c->lines[i];
		if (line->preset || (line->verb && strcmp(line->verb, verb->name) != 0))
			continue;
		struct sx_error why = {0};
		status = options_default(o, verb, line->name, line->value, &why);
		if (status && err) {
			*err = why;
			error_set(err, status, "%s:%u: %s", c->path, line->line, why.message);
			error_because(err, "%s", why.because);
			error_try(err, "%s", why.remedy);
		}
	}
	return status ? status : apply_presets(c, o, err);
}

void config_print(const struct config *c, FILE *out)
{
	fprintf(out, "# %s%s\n", c->path ? c->path : "no configuration: no home folder is known",
		c->text || !c->path ? "" : " (not there)");
	for (size_t i = 0; i < c->count; i++) {
		const struct config_line *l = &c->lines[i];
		fprintf(out, "%s%s%s%s = %s\n", l->preset ? "preset " : "", l->verb ? l->verb : "",
			l->verb ? "." : "", l->name, l->value);
	}
}

void config_finish(struct config *c)
{
	free(c->path);
	free(c->text);
	free(c->lines);
	*c = (struct config){0};
}
