/* Where catalogs lie: the folders of the environment, the user and the system, then the library. */
#include "catalog/search/context.h"
#include "base/error.h"
#include "catalog/embedded.h"
#include "catalog/internal.h"
#include "catalog/load/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES_MAX 4096
#define SUFFIX	       ".yaml"

static bool add_folder(struct sx_context *context, const char *text, size_t len)
{
	if (len == 0)
		return true;
	const char *copy = arena_strndup(&context->arena, text, len);
	if (!copy || !mem_grow(&context->folders, &context->folder_cap, context->folder_count + 1,
			       sizeof(*context->folders)))
		return false;
	context->folders[context->folder_count++] = copy;
	return true;
}

bool path_init(struct sx_context *context, const char *catalog_path)
{
	const char *p = catalog_path ? catalog_path : secure_getenv("SEXTANT_CATALOG_PATH");
	while (p && *p) {
		size_t len = strcspn(p, ":");
		if (!add_folder(context, p, len))
			return false;
		p += len + (p[len] == ':');
	}
	const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
	char folder[PATH_BYTES_MAX] = "";
	/* The specification of XDG has relative paths ignored. */
	if (config && config[0] == '/')
		snprintf(folder, sizeof(folder), "%s/sextant/catalogs", config);
	else if (home && home[0] == '/')
		snprintf(folder, sizeof(folder), "%s/.config/sextant/catalogs", home);
	return add_folder(context, folder, strlen(folder)) &&
	       add_folder(context, "/etc/sextant/catalogs", strlen("/etc/sextant/catalogs"));
}

/* Reads a whole regular file; the size is bounded by the format's limit. */
static enum sx_status read_all(int fd, const char *path, char **out, size_t *size,
			       struct sx_error *err)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return error_errno(err, errno, "cannot read the catalog %s", path);
	if (!S_ISREG(st.st_mode)) {
		error_set(err, SX_ERR_BAD_INPUT, "%s:1: not a regular file", path);
		error_because(err, "a catalog is a file");
		error_try(err, "give the path of a YAML file");
		return SX_ERR_BAD_INPUT;
	}
	/* One byte beyond the limit is enough for the parser to see that it is passed. */
	size_t want = YAML_BYTES_MAX + 1, used = 0;
	if ((uint64_t)st.st_size < want)
		want = (size_t)st.st_size + 1;
	char *text = malloc(want);
	if (!text)
		return error_nomem(err, "reading a catalog");
	ssize_t n = 1;
	while (n > 0 && used < want) {
		n = read(fd, text + used, want - used);
		if (n > 0)
			used += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	if (n < 0) {
		enum sx_status status = error_errno(err, errno, "cannot read the catalog %s", path);
		free(text);
		return status;
	}
	*out = text;
	*size = used;
	return SX_OK;
}

enum sx_status catalog_open_file(const char *path, struct sx_catalog **out, struct sx_error *err)
{
	/* Not blocking: somebody may have put a FIFO there. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		enum sx_status status = error_errno(err, errno, "cannot open the catalog %s", path);
		error_try(err, "check the path and its permissions");
		return status;
	}
	char *text = NULL;
	size_t size = 0;
	enum sx_status status = read_all(fd, path, &text, &size, err);
	close(fd);
	if (status == SX_OK)
		status = sx_catalog_parse(text, size, path, out, err);
	free(text);
	return status;
}

static enum sx_status check_name(const char *name, struct sx_catalog **catalog,
				 struct sx_error *err)
{
	const struct sx_catalog_info *info = sx_catalog_info(*catalog);
	if (strcmp(info->name, name) == 0)
		return SX_OK;
	error_set(err, SX_ERR_BAD_INPUT,
		  "%s:2: the catalog's name is \"%s\", but the file's is \"%s\"", info->origin,
		  info->name, name);
	error_because(err, "a catalog is found by the name of its file");
	error_try(err, "rename the file or the catalog");
	sx_catalog_unref(*catalog);
	*catalog = NULL;
	return SX_ERR_BAD_INPUT;
}

static const struct embedded_file *find_embedded(const char *name)
{
	for (const struct embedded_file *f = embedded_catalogs; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

enum sx_status path_open(const struct sx_context *context, const char *name,
			 struct sx_catalog **out, struct sx_error *err)
{
	for (size_t i = 0; i < context->folder_count; i++) {
		char path[PATH_BYTES_MAX];
		int n = snprintf(path, sizeof(path), "%s/%s" SUFFIX, context->folders[i], name);
		if (n < 0 || (size_t)n >= sizeof(path) || access(path, F_OK) != 0)
			continue;
		enum sx_status status = catalog_open_file(path, out, err);
		return status == SX_OK ? check_name(name, out, err) : status;
	}
	const struct embedded_file *file = find_embedded(name);
	if (!file) {
		error_set(err, SX_ERR_NOT_FOUND, "no catalog is called \"%s\"", name);
		error_because(
		    err, "no folder of the search path has %s" SUFFIX ", and it is not built in",
		    name);
		return SX_ERR_NOT_FOUND;
	}
	return sx_catalog_parse(file->begin, (size_t)(file->end - file->begin), "embedded", out,
				err);
}

struct name_list {
	struct arena *arena;
	const char **items;
	size_t count, cap;
};

static bool add_name(struct name_list *list, const char *name, size_t len)
{
	/* Keeps room for the NULL at the end. */
	if (!mem_grow(&list->items, &list->cap, list->count + 2, sizeof(*list->items)))
		return false;
	const char *copy = arena_strndup(list->arena, name, len);
	if (!copy)
		return false;
	list->items[list->count++] = copy;
	return true;
}

static bool add_folder_names(struct name_list *list, const char *folder)
{
	DIR *dir = opendir(folder);
	if (!dir)
		return true;
	bool good = true;
	for (struct dirent *e; good && (e = readdir(dir));) {
		size_t len = strlen(e->d_name), suffix = strlen(SUFFIX);
		if (e->d_name[0] != '.' && len > suffix &&
		    strcmp(e->d_name + len - suffix, SUFFIX) == 0)
			good = add_name(list, e->d_name, len - suffix);
	}
	closedir(dir);
	return good;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_unique(struct name_list *list)
{
	if (list->count == 0)
		return;
	qsort(list->items, list->count, sizeof(*list->items), compare_names);
	size_t kept = 0;
	for (size_t i = 0; i < list->count; i++)
		if (kept == 0 || strcmp(list->items[i], list->items[kept - 1]) != 0)
			list->items[kept++] = list->items[i];
	list->count = kept;
}

bool path_list(struct sx_context *context, const char ***names, size_t *count)
{
	struct name_list list = {.arena = &context->arena};
	bool good = true;
	for (size_t i = 0; good && i < context->folder_count; i++)
		good = add_folder_names(&list, context->folders[i]);
	for (const struct embedded_file *f = embedded_catalogs; good && f->name; f++)
		good = add_name(&list, f->name, strlen(f->name));
	sort_unique(&list);
	const char **copy =
	    good ? arena_alloc(&context->arena, (list.count + 1) * sizeof(*copy)) : NULL;
	if (copy && list.count)
		memcpy(copy, list.items, list.count * sizeof(*copy));
	free(list.items);
	*names = copy;
	*count = list.count;
	return copy != NULL;
}
