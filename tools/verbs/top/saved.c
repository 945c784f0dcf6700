/* The file in which `top` keeps its look: see saved.h. */
#include "tools/verbs/top/saved.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAVED_NAME "top"

/* The path of the file, with `end` behind it; owned by the caller. NULL: no folder is known. */
static char *saved_path(const struct cli *cli, const char *end)
{
	const char *config = cli->config.path, *slash = config ? strrchr(config, '/') : NULL;
	char *path = NULL;
	if (!slash)
		return NULL;
	int folder = (int)(slash - config);
	return asprintf(&path, "%.*s/" SAVED_NAME "%s", folder, config, end) < 0 ? NULL : path;
}

static bool list_has(const char *list, const char *name)
{
	size_t length = strlen(name);
	for (const char *p = list; (p = strstr(p, name)); p += length)
		if ((p == list || p[-1] == ',') && (!p[length] || p[length] == ','))
			return true;
	return false;
}

/* Shows of the devices of a catalog the metrics of a list. */
static void saved_show(struct live_view *view, const struct live *live, const char *catalog,
		       const char *list)
{
	for (uint32_t d = 0; !view->chosen && d < live_device_count(live); d++) {
		struct live_device device = live_device(live, d);
		if (strcmp(sx_catalog_info(device.catalog)->catalog, catalog) != 0)
			continue;
		for (uint32_t i = 0; i < device.column_count; i++)
			if (live_view_shows(view, live, d, i) !=
			    list_has(list, device.columns[i].name))
				live_view_toggle(view, live, d, i);
	}
}

static void saved_line(struct live_view *view, const struct live *live, const char *name,
		       const char *value)
{
	bool yes = strcmp(value, "yes") == 0;
	if (strcmp(name, "tree") == 0)
		view->tree = yes;
	else if (strcmp(name, "reversed") == 0)
		view->reversed = yes;
	else if (strcmp(name, "advice") == 0)
		view->advice = yes;
	else if (strncmp(name, "metrics.", 8) == 0)
		saved_show(view, live, name + 8, value);
	for (int i = 0; strcmp(name, "sort") == 0 && i < LIVE_SORTS; i++)
		if (strcmp(value, live_sort_name((enum live_sort)i)) == 0)
			view->sort = (enum live_sort)i;
}

void saved_load(const struct cli *cli, struct live_view *view, const struct live *live)
{
	char *path = saved_path(cli, ""), *line = NULL;
	FILE *file = path ? fopen(path, "re") : NULL;
	size_t cap = 0;
	while (file && getline(&line, &cap, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		char *equals = strstr(line, " = ");
		if (!equals || *line == '#')
			continue;
		*equals = '\0';
		saved_line(view, live, line, equals + 3);
	}
	if (file)
		fclose(file);
	free(line);
	free(path);
}

/* The first device of this run with this catalog of which metrics were chosen, or UINT32_MAX. */
static uint32_t saved_device(const struct live_view *view, const struct live *live,
			     const char *catalog)
{
	for (uint32_t d = 0; d < view->choice_count && d < live_device_count(live); d++)
		if (!view->chosen && view->choices[d].chosen &&
		    strcmp(sx_catalog_info(live_device(live, d).catalog)->catalog, catalog) == 0)
			return d;
	return UINT32_MAX;
}

static void saved_metrics(FILE *file, const struct live_view *view, const struct live *live)
{
	for (uint32_t d = 0; d < view->choice_count && d < live_device_count(live); d++) {
		struct live_device device = live_device(live, d);
		const char *catalog = sx_catalog_info(device.catalog)->catalog;
		bool first = true;
		if (saved_device(view, live, catalog) != d)
			continue;
		fprintf(file, "metrics.%s = ", catalog);
		for (uint32_t i = 0; i < device.column_count; i++) {
			if (!live_view_shows(view, live, d, i))
				continue;
			fprintf(file, "%s%s", first ? "" : ",", device.columns[i].name);
			first = false;
		}
		fputc('\n', file);
	}
}

/* What was chosen in other runs for catalogs of which nothing was chosen in this one. */
static void saved_others(FILE *file, FILE *before, const struct live_view *view,
			 const struct live *live)
{
	char *line = NULL;
	size_t cap = 0;
	while (getline(&line, &cap, before) > 0) {
		char *equals = strncmp(line, "metrics.", 8) ? NULL : strstr(line, " = ");
		if (!equals)
			continue;
		*equals = '\0';
		if (saved_device(view, live, line + 8) == UINT32_MAX)
			fprintf(file, "%s = %s", line, equals + 3);
	}
	free(line);
}

static bool saved_write(const char *draft, const char *path, const struct live_view *view,
			const struct live *live)
{
	FILE *file = fopen(draft, "we"), *before = fopen(path, "re");
	if (file) {
		fprintf(file, "# sextant top writes this file when a key ends it.\n");
		fprintf(file, "sort = %s\n", live_sort_name(view->sort));
		fprintf(file, "reversed = %s\n", view->reversed ? "yes" : "no");
		fprintf(file, "tree = %s\n", view->tree ? "yes" : "no");
		fprintf(file, "advice = %s\n", view->advice ? "yes" : "no");
		saved_metrics(file, view, live);
	}
	if (file && before)
		saved_others(file, before, view, live);
	if (before)
		fclose(before);
	bool ok = file && !ferror(file);
	return file && fclose(file) == 0 && ok;
}

/* Creates a folder and those above it, as far as they are missing. */
static void make_folders(char *path)
{
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0777);
		*p = '/';
	}
}

bool saved_store(const struct cli *cli, const struct live_view *view, const struct live *live)
{
	char *path = saved_path(cli, ""), *draft = saved_path(cli, ".new");
	bool ok = path && draft;
	if (ok) {
		make_folders(draft);
		ok = saved_write(draft, path, view, live) && rename(draft, path) == 0;
	}
	int saved = errno;
	free(path);
	free(draft);
	errno = saved;
	return ok;
}
