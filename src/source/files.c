/* Small files of the kernel, in /proc and /sys. */
#include "source/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

bool file_join(char *out, size_t size, const char *folder, const char *file)
{
	int n = snprintf(out, size, "%s/%s", folder, file);
	return n > 0 && (size_t)n < size;
}

ssize_t file_read(const struct sx_sys *sys, const char *folder, const char *file, void *out,
		  size_t size)
{
	char path[256];
	errno = ENOENT;
	return file_join(path, sizeof(path), folder, file)
		   ? sys->read_file(sys->user, path, out, size)
		   : -1;
}

bool file_line(const struct sx_sys *sys, const char *folder, const char *file, char *out,
	       size_t size)
{
	if (file_read(sys, folder, file, out, size) < 0)
		return false;
	out[strcspn(out, "\n")] = '\0';
	errno = 0;
	return true;
}

bool file_u64(const struct sx_sys *sys, const char *folder, const char *file, uint64_t *out)
{
	char text[64];
	return file_line(sys, folder, file, text, sizeof(text)) && text[1] != 'x' &&
	       number_u64(text, strlen(text), out);
}

bool file_i64(const struct sx_sys *sys, const char *folder, const char *file, int64_t *out)
{
	char text[64];
	uint64_t size;
	if (!file_line(sys, folder, file, text, sizeof(text)))
		return false;
	bool negative = text[0] == '-';
	const char *digits = text + negative;
	if (digits[0] == '\0' || digits[1] == 'x' || !number_u64(digits, strlen(digits), &size) ||
	    size > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)size : (int64_t)size;
	return true;
}

uint64_t file_number(const struct sx_sys *sys, const char *folder, const char *file,
		     uint64_t absent)
{
	char text[64];
	uint64_t number;
	bool known = file_line(sys, folder, file, text, sizeof(text)) &&
		     number_u64(text, strlen(text), &number);
	return known ? number : absent;
}
