/* Small files of the kernel, in /proc and /sys. */
#ifndef SOURCE_FILES_H
#define SOURCE_FILES_H

#include "base/sys.h"

/* "FOLDER/FILE"; false when it does not fit. */
bool file_join(char *out, size_t size, const char *folder, const char *file);
/* As read_file() of sx_sys; ENOENT also for a path that is too long. */
ssize_t file_read(const struct sx_sys *sys, const char *folder, const char *file, void *out,
		  size_t size);
/* The first line; false, and errno, when the file cannot be read. */
bool file_line(const struct sx_sys *sys, const char *folder, const char *file, char *out,
	       size_t size);
/* A whole number; false also when it is something else. */
bool file_u64(const struct sx_sys *sys, const char *folder, const char *file, uint64_t *out);
/* The same with an optional sign. */
bool file_i64(const struct sx_sys *sys, const char *folder, const char *file, int64_t *out);
/* A whole number, or 0x…; `absent` where there is none. */
uint64_t file_number(const struct sx_sys *sys, const char *folder, const char *file,
		     uint64_t absent);

#endif
