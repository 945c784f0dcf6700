/* See nameless.h. */
#include "base/nameless.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATH_LENGTH 512

/* Where a file system makes none without a name: the name is taken away at once. */
static int nameless_by_name(const char *folder)
{
	char path[PATH_LENGTH];
	int length = snprintf(path, sizeof(path), "%s/sextant-XXXXXX", folder);
	int fd = length > 0 && length < PATH_LENGTH ? mkostemp(path, O_CLOEXEC) : -1;
	if (fd >= 0)
		unlink(path);
	return fd;
}

int nameless_file(void)
{
	const char *const folders[] = {secure_getenv("TMPDIR"), "/var/tmp", "/tmp"};
	int fd = -1;
	for (size_t i = 0; fd < 0 && i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (!folders[i])
			continue;
		fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		fd = fd < 0 ? nameless_by_name(folders[i]) : fd;
	}
	return fd;
}
