/*
 * Where catalogs are: in the folders of the environment, the user and the system, then in the
 * library.
 */
#include "catalog/search/context.h"
#include "catalog/search/pack.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".yaml"

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

/* A vendor's shared file is no catalog. */
static bool is_shared(const char *name, size_t len)
{
	size_t suffix = strlen(PATH_SHARED);
	return len > suffix && memcmp(name + len - suffix, PATH_SHARED, suffix) == 0;
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
		    strcmp(e->d_name + len - suffix, SUFFIX) == 0 &&
		    !is_shared(e->d_name, len - suffix))
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
	struct pack_file file;
	for (uint32_t i = 0; good && pack_get(i, &file); i++)
		if (pack_is_catalog(&file))
			good = add_name(&list, file.name, strlen(file.name));
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
