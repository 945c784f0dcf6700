/* Where the library for measured programs lies, and the environment that loads it into a child. */
#include "source/guest/library.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "wire/channel.h"

#define LIBRARY "libsextant-gl.so"

static bool is_there(const struct sx_sys *sys, const char *path)
{
	int fd = sys->open(sys->user, path, O_RDONLY);
	if (fd < 0)
		return false;
	sys->close(sys->user, fd);
	return true;
}

/* Joins folder and the rest into path; true when the library lies there. */
static bool try_folder(const struct sx_sys *sys, const char *folder, const char *below, char *path,
		       size_t size)
{
	int n = snprintf(path, size, "%s%s/" LIBRARY, folder, below);
	return n > 0 && (size_t)n < size && is_there(sys, path);
}

static bool library_search(const struct sx_sys *sys, char *path, size_t size)
{
	/* Beside the command, in the build tree, installed below the same prefix. */
	static const char *const places[] = {"", "/preload", "/../preload", "/../lib/sextant",
					     "/sextant"};
	char folder[2048];
	const char *given = getenv("SEXTANT_PRELOAD_DIR");
	if (given && *given)
		return try_folder(sys, given, "", path, size);
	if (sys->read_link(sys->user, "/proc/self/exe", folder, sizeof(folder)) > 0) {
		char *slash = strrchr(folder, '/');
		if (slash)
			*slash = '\0';
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			if (try_folder(sys, folder, places[i], path, size))
				return true;
	}
	return try_folder(sys, SX_LIBDIR, "/sextant", path, size);
}

/*
 * Puts the loader's $LIB in place of the folder that it stands for, when what lies there for 32-bit
 * programs is ours, too: a library of another class would be told to every one of them.
 */
static void spread(const struct sx_sys *sys, char *path, size_t size)
{
	static const char lib[] = "/" SX_LOADER_LIB "/", lib32[] = "/lib/i386-linux-gnu/";
	char tree[4096], other[4096];
	if (sizeof(lib) <= 3)
		return;
	const char *slash = strrchr(path, '/');
	/* In a build tree, links stand beside the library. */
	int n = snprintf(tree, sizeof(tree), "%.*s/tree%s" LIBRARY, (int)(slash - path), path, lib);
	if (n < 0 || (size_t)n >= sizeof(tree) || !is_there(sys, tree))
		snprintf(tree, sizeof(tree), "%s", path);
	char *at = strstr(tree, lib);
	if (!at)
		return;
	const char *rest = at + strlen(lib);
	*at = '\0';
	n = snprintf(other, sizeof(other), "%s%s%s", tree, lib32, rest);
	if (n < 0 || (size_t)n >= sizeof(other) || !is_there(sys, other))
		return;
	n = snprintf(other, sizeof(other), "%s/$LIB/%s", tree, rest);
	if (n > 0 && (size_t)n < size && (size_t)n < sizeof(other))
		memcpy(path, other, (size_t)n + 1);
}

enum sx_status library_find(const struct sx_sys *sys, char *path, size_t size, struct sx_error *err)
{
	if (!library_search(sys, path, size)) {
		const char *given = getenv("SEXTANT_PRELOAD_DIR");
		error_set(err, SX_ERR_NOT_FOUND, "cannot find " LIBRARY);
		error_because(
		    err, "it is not in %s",
		    given && *given ? given : "the command's folder, or in " SX_LIBDIR "/sextant");
		error_try(err, "set SEXTANT_PRELOAD_DIR to the folder that holds it");
		return SX_ERR_NOT_FOUND;
	}
	spread(sys, path, size);
	if (strpbrk(path, ": ")) {
		error_set(err, SX_ERR_UNSUPPORTED, "cannot load %s into a program", path);
		error_because(err, "LD_PRELOAD cannot hold a path with a blank or a colon");
		error_try(err, "install Sextant elsewhere, or set SEXTANT_PRELOAD_DIR to a copy");
		return SX_ERR_UNSUPPORTED;
	}
	return SX_OK;
}

/* True when a list of libraries (separated by blanks or colons) holds this one. */
static bool holds(const char *list, const char *path)
{
	size_t length = strlen(path);
	while (*list) {
		size_t n = strcspn(list, ": ");
		if (n == length && memcmp(list, path, n) == 0)
			return true;
		list += n + strspn(list + n, ": ");
	}
	return false;
}

static char *library_join(const char *a, const char *b, const char *c, const char *d)
{
	size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
	char *text = malloc(size);
	if (text)
		snprintf(text, size, "%s%s%s%s", a, b, c, d);
	return text;
}

enum sx_status library_environment_make(struct library_environment *environment,
					const char *library, const char *variable,
					const char *socket, struct sx_error *err)
{
	const char *preload = getenv("LD_PRELOAD");
	if (!preload)
		preload = "";
	bool there = holds(preload, library);
	environment->items[0] = library_join("LD_PRELOAD=", there ? "" : library,
					     there || !*preload ? "" : ":", preload);
	environment->items[1] = library_join(variable, "=", socket, "");
	environment->items[2] = NULL;
	if (environment->items[0] && environment->items[1])
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
