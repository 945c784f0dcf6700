/* Folders by folders, the first that has the file. */
#include "source/guest/place.h"

#include <fcntl.h>
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
			text_append(near, sizeof(near), "%s%s", i ? ", " : ", nor behind it in ",
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

void place_missing(struct sx_device *device, const struct sx_error *err)
{
	device->state = SX_DEVICE_UNUSABLE;
	device->obstacle = err->status;
	device->because = err->because;
	device->remedy = err->remedy;
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
