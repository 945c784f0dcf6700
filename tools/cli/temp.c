/* Where temporary files go. */
#include "tools/cli/temp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FOLDER_MAX 400

static const char *folder(void)
{
	const char *asked = getenv("TMPDIR");
	return asked && asked[0] == '/' && strlen(asked) <= FOLDER_MAX ? asked : "/tmp";
}

void temp_name(char buf[TEMP_NAME_MAX], const char *name)
{
	snprintf(buf, TEMP_NAME_MAX, "%s/%s-XXXXXX", folder(), name);
}

enum sx_status temp_refused(int number, struct sx_error *err)
{
	error_errno(err, number, "cannot write to %s", folder());
	error_try(err, "TMPDIR=FOLDER with one that can be written");
	return err->status;
}
