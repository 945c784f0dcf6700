/*
 * Finds the libraries for measured programs, folder by folder; and the environment that loads the
 * OpenGL library into a child.
 */
#include "source/guest/inject.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text_buf.h"

bool place_is_there(const struct sx_sys *sys, const char *path)
{
	int fd = sys->open(sys->user, path, O_RDONLY);
	if (fd < 0)
		return false;
	sys->close(sys->user, fd);
	return true;
}

struct search {
	const struct sx_sys *sys;
	const char *file;
	char *path;
	size_t size;
};

/* Joins folder, what is below it, and the file; true when that is there. */
static bool try_folder(const struct search *s, const char *folder, const char *below)
{
	int n = snprintf(s->path, s->size, "%s%s/%s", folder, below, s->file);
	return n > 0 && (size_t)n < s->size && place_is_there(s->sys, s->path);
}

static bool try_beside(const struct search *s, const struct place *place)
{
	char folder[2048];
	if (s->sys->read_link(s->sys->user, "/proc/self/exe", folder, sizeof(folder)) <= 0)
		return false;
	char *slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	for (unsigned i = 0; i < PLACE_FOLDERS && place->beside[i]; i++)
		if (try_folder(s, folder, place->beside[i]))
			return true;
	return false;
}

/* The folder that the user names, and where its neighbours lie in a build or an installation. */
static bool try_given(const struct search *s, const struct place *place, const char *given)
{
	bool found = try_folder(s, given, "");
	for (unsigned i = 0; !found && i < PLACE_FOLDERS && place->near[i]; i++)
		found = try_folder(s, given, place->near[i]);
	return found;
}

static enum sx_status refuse(const struct place *place, const char *given, struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "cannot find %s", place->file);
	if (!given) {
		error_because(err, "%s is neither beside the command nor in %s", place->file,
			      place->installed);
	} else {
		char near[256] = "";
		for (unsigned i = 0; i < PLACE_FOLDERS && place->near[i]; i++)
			text_append(near, sizeof(near), "%s%s", i ? ", " : ", nor below it in ",
				    place->near[i] + 1);
		error_because(err, "%s is not in %s%s", place->file, given, near);
	}
	error_try(err, "set %s to the folder that holds %s", place->variable, place->file);
	return SX_ERR_NOT_FOUND;
}

enum sx_status place_find(const struct sx_sys *sys, const struct place *place, char *path,
			  size_t size, struct sx_error *err)
{
	const struct search search = {sys, place->file, path, size};
	const char *given = getenv(place->variable);
	if (given && !*given)
		given = NULL;
	bool found = given && try_given(&search, place, given);
	bool only = given && !place->elsewhere_too;
	if (!found && !only)
		found = try_beside(&search, place) || try_folder(&search, place->installed, "");
	if (!found)
		return refuse(place, only ? given : NULL, err);
	if (!strpbrk(path, place->no_chars))
		return SX_OK;
	error_set(err, SX_ERR_UNSUPPORTED, "cannot load %s into a program", path);
	error_because(err, "%s cannot hold a path with a colon%s", place->list,
		      strchr(place->no_chars, ' ') ? " or a blank" : "");
	error_try(err, "install Sextant elsewhere, or set %s to a copy", place->variable);
	return SX_ERR_UNSUPPORTED;
}

char *place_list(const char *name, const char *first, const char *second)
{
	bool one = first && *first, two = second && *second;
	size_t size = strlen(name) + (one ? strlen(first) : 0) + (two ? strlen(second) : 0) + 3;
	char *text = malloc(size);
	if (text)
		snprintf(text, size, "%s=%s%s%s", name, one ? first : "", one && two ? ":" : "",
			 two ? second : "");
	return text;
}

bool place_holds(const char *list, const char *separators, const char *item)
{
	size_t length = strlen(item);
	while (list && *list) {
		size_t n = strcspn(list, separators);
		if (n == length && memcmp(list, item, n) == 0)
			return true;
		list += n + strspn(list + n, separators);
	}
	return false;
}

#define LIBRARY "libsextant-gl.so"

/* Beside the command, in the build tree, installed below the same prefix. */
static const struct place library_place = {
    .file = LIBRARY,
    .variable = "SEXTANT_PRELOAD_DIR",
    .beside = {"", "/preload", "/../preload", "/../lib/sextant", "/sextant",
	       "/../" SX_LOADER_LIB "/sextant"},
    .installed = SX_LIBDIR "/sextant",
    .list = "LD_PRELOAD",
    .no_chars = ": ",
};

/*
 * Replaces the folder by the loader's $LIB, if the library for 32-bit programs in the other folder
 * is ours, too: otherwise each of them would be given a library of another class.
 */
static void spread(const struct sx_sys *sys, char *path, size_t size)
{
	static const char lib[] = "/" SX_LOADER_LIB "/", lib32[] = "/lib/i386-linux-gnu/";
	char tree[4096], other[4096];
	if (sizeof(lib) <= 3)
		return;
	const char *slash = strrchr(path, '/');
	/* In a build tree, links are beside the library. */
	int n = snprintf(tree, sizeof(tree), "%.*s/tree%s" LIBRARY, (int)(slash - path), path, lib);
	if (n < 0 || (size_t)n >= sizeof(tree) || !place_is_there(sys, tree))
		snprintf(tree, sizeof(tree), "%s", path);
	char *at = strstr(tree, lib);
	if (!at)
		return;
	const char *rest = at + strlen(lib);
	*at = '\0';
	n = snprintf(other, sizeof(other), "%s%s%s", tree, lib32, rest);
	if (n < 0 || (size_t)n >= sizeof(other) || !place_is_there(sys, other))
		return;
	n = snprintf(other, sizeof(other), "%s/$LIB/%s", tree, rest);
	if (n > 0 && (size_t)n < size && (size_t)n < sizeof(other))
		memcpy(path, other, (size_t)n + 1);
}

enum sx_status library_find(const struct sx_sys *sys, char *path, size_t size, struct sx_error *err)
{
	enum sx_status status = place_find(sys, &library_place, path, size, err);
	if (!status)
		spread(sys, path, size);
	return status;
}

char *library_sanitizer(void)
{
	return place_list("ASAN_OPTIONS", "verify_asan_link_order=0", getenv("ASAN_OPTIONS"));
}

enum sx_status library_environment(const struct sx_sys *sys, const char *channel,
				   const char *socket, struct library_environment *out,
				   struct sx_error *err)
{
	char library[4096];
	enum sx_status status = library_find(sys, library, sizeof(library), err);
	return status ? status : library_environment_make(out, library, channel, socket, err);
}

enum sx_status library_environment_make(struct library_environment *environment,
					const char *library, const char *channel,
					const char *socket, struct sx_error *err)
{
	const char *preload = getenv("LD_PRELOAD");
	bool there = place_holds(preload, ": ", library);
	environment->items[0] = place_list("LD_PRELOAD", there ? NULL : library, preload);
	environment->items[1] = place_list(channel, socket, NULL);
	environment->items[2] = library_sanitizer();
	environment->items[3] = NULL;
	return library_environment_check(environment, 3, err);
}

enum sx_status library_environment_check(struct library_environment *environment, unsigned count,
					 struct sx_error *err)
{
	bool whole = true;
	for (unsigned i = 0; i < count; i++)
		whole &= environment->items[i] != NULL;
	if (whole)
		return SX_OK;
	library_environment_finish(environment);
	return error_nomem(err, "preparing the program's environment");
}

void library_environment_finish(struct library_environment *environment)
{
	for (unsigned i = 0; i < LIBRARY_VARIABLES; i++)
		free(environment->items[i]);
	*environment = (struct library_environment){0};
}
