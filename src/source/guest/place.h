/* Where a file for measured programs lies, and lists of an environment that may hold it already. */
#ifndef SOURCE_GUEST_PLACE_H
#define SOURCE_GUEST_PLACE_H

#include <stdbool.h>

#include <sextant/source.h>
#include <sextant/status.h>
#include "base/sys.h"

#define PLACE_FOLDERS 6u

struct place {
	const char *file;
	const char *variable;		 /* of the environment: names a folder */
	const char *near[PLACE_FOLDERS]; /* behind that folder, where it is another library's */
	bool elsewhere_too;		 /* what is not there may be in one of the folders below */
	/* Behind the folder of the command, in this order; NULL: no more. */
	const char *beside[PLACE_FOLDERS];
	const char *installed;	     /* the last folder */
	const char *list, *no_chars; /* the variable that is to hold it, and what it cannot hold */
};

bool place_is_there(const struct sx_sys *sys, const char *path);
/* Path of the file. Errors: SX_ERR_NOT_FOUND, SX_ERR_UNSUPPORTED (the list cannot hold it). */
enum sx_status place_find(const struct sx_sys *sys, const struct place *place, char *path,
			  size_t size, struct sx_error *err);
/* The file was not found: programs cannot be measured so, for that reason. */
void place_missing(struct sx_device *device, const struct sx_error *err);

/* "NAME=first:second", without what is NULL or empty. Owned by the caller; NULL: no memory. */
char *place_list(const char *name, const char *first, const char *second);
/* Whether a list, or NULL, holds this one; its parts are separated by any of `separators`. */
bool place_holds(const char *list, const char *separators, const char *item);

#endif
