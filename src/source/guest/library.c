/* Where the library for measured programs lies, and the environment that loads it into a child. */
#include "source/guest/library.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/guest/place.h"
#include "wire/channel.h"

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

enum sx_status library_environment_make(struct library_environment *environment,
					const char *library, const char *variable,
					const char *socket, struct sx_error *err)
{
	const char *preload = getenv("LD_PRELOAD");
	bool there = place_holds(preload, ": ", library);
	environment->items[0] = place_list("LD_PRELOAD", there ? NULL : library, preload);
	environment->items[1] = place_list(variable, socket, NULL);
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
