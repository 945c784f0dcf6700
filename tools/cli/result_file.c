/* Drafts of --output: see result_file.h. */
#include "tools/cli/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* The draft that exists now, for the signal handler alone. */
static const char *volatile unfinished;
static const int deadly[] = {SIGHUP, SIGINT, SIGTERM};

static void on_signal(int number)
{
	if (unfinished)
		unlink(unfinished);
	signal(number, SIG_DFL);
	raise(number);
}

/* A draft does not outlive the program; signals that are ignored stay so. */
static void guard(const char *draft)
{
	unfinished = draft;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		struct sigaction was, now = {.sa_handler = draft ? on_signal : SIG_DFL};
		sigemptyset(&now.sa_mask);
		sigaction(deadly[i], NULL, &was);
		if (was.sa_handler == (draft ? SIG_DFL : on_signal))
			sigaction(deadly[i], &now, NULL);
	}
}

/* What cannot be replaced by another file, or must not be: devices, pipes, /dev/stdout. */
static bool is_direct(const char *path, const struct stat *st)
{
	return (st && !S_ISREG(st->st_mode)) || strncmp(path, "/dev/", 5) == 0 ||
	       strncmp(path, "/proc/", 6) == 0;
}

static char *beside(const char *target)
{
	static const char name[] = ".sextant-XXXXXX";
	const char *slash = strrchr(target, '/');
	size_t folder = slash ? (size_t)(slash + 1 - target) : 0;
	char *draft = malloc(folder + sizeof(name));
	if (draft) {
		memcpy(draft, target, folder);
		memcpy(draft + folder, name, sizeof(name));
	}
	return draft;
}

/* The owner and rights of what is replaced, or those of any new file. */
static bool dress(int fd, const struct stat *st)
{
	if (st && (st->st_uid != geteuid() || st->st_gid != getegid()) &&
	    fchown(fd, st->st_uid, st->st_gid) < 0)
		return false;
	mode_t mask = st ? 0 : umask(0);
	if (!st)
		umask(mask);
	return fchmod(fd, st ? st->st_mode & 07777 : 0666 & ~mask) == 0;
}

/* A draft that has a name, so that one rename() puts it into place. */
static bool open_draft(struct result_file *result, const struct stat *st)
{
	result->draft = beside(result->target);
	int fd = result->draft ? mkostemp(result->draft, O_CLOEXEC) : -1;
	if (fd >= 0 && dress(fd, st))
		result->file = fdopen(fd, "w");
	if (result->file) {
		guard(result->draft);
		return true;
	}
	int saved = errno;
	if (fd >= 0) {
		close(fd);
		unlink(result->draft);
	}
	free(result->draft);
	result->draft = NULL;
	errno = saved;
	return false;
}

static bool open_file(struct result_file *result, const char *path)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;
	result->empty = exists && S_ISREG(st.st_mode) && st.st_size == 0;
	if (result->empty || is_direct(path, exists ? &st : NULL)) {
		result->file = fopen(path, "we");
		return result->file != NULL;
	}
	if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0)
		return false;
	result->target = exists ? realpath(path, NULL) : strdup(path);
	if (!result->target)
		return false;
	if (open_draft(result, exists ? &st : NULL))
		return true;
	/* A file that may be written in a folder that may not: what was there gives way last. */
	if (exists)
		result->file = tmpfile();
	return result->file != NULL;
}

enum sx_status result_file_open(struct result_file *result, const char *path, struct sx_error *err)
{
	*result = (struct result_file){0};
	if (open_file(result, path))
		return SX_OK;
	error_errno(err, errno, "cannot write %s", path);
	free(result->target);
	*result = (struct result_file){0};
	error_try(err, "another folder with -o");
	return err->status = SX_ERR_PERMISSION;
}

/* The file without a name becomes the content of the target. */
static bool copy_back(FILE *from, const char *target)
{
	char buffer[16384];
	FILE *to = fopen(target, "we");
	bool ok = to && fseek(from, 0, SEEK_SET) == 0;
	size_t n;
	while (ok && (n = fread(buffer, 1, sizeof(buffer), from)) > 0)
		ok = fwrite(buffer, 1, n, to) == n;
	ok = ok && !ferror(from);
	if (to && fclose(to) != 0)
		ok = false;
	return ok;
}

bool result_file_keep(struct result_file *result)
{
	bool ok = fflush(result->file) == 0 && !ferror(result->file);
	if (ok && result->target && !result->draft)
		ok = copy_back(result->file, result->target);
	int saved = errno;
	if (fclose(result->file) != 0 && ok) {
		ok = false;
		saved = errno;
	}
	result->file = NULL;
	if (ok && result->draft && rename(result->draft, result->target) < 0) {
		ok = false;
		saved = errno;
	}
	if (ok && result->draft) {
		guard(NULL);
		free(result->draft);
		result->draft = NULL;
	}
	result_file_drop(result);
	errno = saved;
	return ok;
}

void result_file_drop(struct result_file *result)
{
	if (result->file && result->empty && fflush(result->file) == 0 &&
	    ftruncate(fileno(result->file), 0) < 0)
		clearerr(result->file);
	if (result->file)
		fclose(result->file);
	if (result->draft) {
		unlink(result->draft);
		guard(NULL);
	}
	free(result->draft);
	free(result->target);
	*result = (struct result_file){0};
}
