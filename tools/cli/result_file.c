/* Drafts of results, and temporary files: see result_file.h. */
#include "tools/cli/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lock.h"

/* The draft that exists now, for the signal handler alone. */
static const char *volatile unfinished;
static volatile sig_atomic_t unfinished_folder;
static const int deadly[] = {SIGHUP, SIGINT, SIGTERM};

static void on_signal(int number)
{
	if (unfinished)
		unlinkat(unfinished_folder, unfinished, 0);
	signal(number, SIG_DFL);
	raise(number);
}

/* A draft does not outlive the program; signals that are ignored stay so. */
static void remove_on_signal(int folder, const char *draft)
{
	unfinished = NULL;
	unfinished_folder = folder;
	unfinished = draft;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		struct sigaction was, now = {.sa_handler = draft ? on_signal : SIG_DFL};
		sigemptyset(&now.sa_mask);
		sigaction(deadly[i], NULL, &was);
		if (was.sa_handler == (draft ? SIG_DFL : on_signal))
			sigaction(deadly[i], &now, NULL);
	}
}

/* Names of open descriptors, which rename() cannot replace. */
static bool is_open_already(const char *path)
{
	return strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
	       strncmp(path, "/proc/", 6) == 0;
}

/* Sets the owner and mode of the replaced file, or those of a new one. */
static bool copy_owner_mode(int fd, const struct stat *st)
{
	if (st && (st->st_uid != geteuid() || st->st_gid != getegid()) &&
	    fchown(fd, st->st_uid, st->st_gid) < 0)
		return false;
	mode_t mask = st ? 0 : umask(0);
	if (!st)
		umask(mask);
	return fchmod(fd, st ? st->st_mode & 0777 : 0666 & ~mask) == 0;
}

/* Splits a path into a folder, which is opened, and a name in it. */
static bool open_folder(struct result_file *result, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	result->name = strdup(slash ? slash + 1 : path);
	if (folder && result->name)
		result->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return result->folder >= 0;
}

/* Creates a file with a random name. */
static int make_draft(int folder, char name[RESULT_DRAFT_MAX])
{
	int fd = -1;
	for (int i = 0; i < 100 && fd < 0; i++) {
		uint64_t random;
		if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
			return -1;
		snprintf(name, RESULT_DRAFT_MAX, ".sextant-%016" PRIx64, random);
		fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

/* A draft that has a name, so that one rename puts it into place. */
static bool create_draft(struct result_file *result, const struct stat *st)
{
	int fd = make_draft(result->folder, result->draft);
	if (fd >= 0 && copy_owner_mode(fd, st))
		result->file = fdopen(fd, "w");
	if (result->file) {
		remove_on_signal(result->folder, result->draft);
		return true;
	}
	int saved = errno;
	if (fd >= 0) {
		close(fd);
		unlinkat(result->folder, result->draft, 0);
	}
	result->draft[0] = '\0';
	errno = saved;
	return false;
}

/* A signal between the draft and its guard would leave the draft for ever. */
static bool open_draft(struct result_file *result, const struct stat *st)
{
	sigset_t ending, before;
	sigemptyset(&ending);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		sigaddset(&ending, deadly[i]);
	pthread_sigmask(SIG_BLOCK, &ending, &before);
	bool ok = create_draft(result, st);
	int saved = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return ok;
}

/* The folder that holds the file, links followed; false when it was swapped meanwhile. */
static bool find_place(struct result_file *result, const char *path, const struct stat *st)
{
	struct stat there;
	char *real = realpath(path, NULL);
	bool ok = real && open_folder(result, real);
	free(real);
	if (!ok || fstatat(result->folder, result->name, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if (there.st_dev == st->st_dev && there.st_ino == st->st_ino)
		return true;
	errno = EBUSY;
	return false;
}

/*
 * Opens the existing file first, without O_TRUNC, and decides by its descriptor: another file that
 * gets the name afterwards is not changed.
 */
static bool open_file(struct result_file *result, const char *path)
{
	struct stat st;
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return errno == ENOENT && open_folder(result, path) && open_draft(result, NULL);
	bool ok = fstat(fd, &st) == 0, file = ok && S_ISREG(st.st_mode);
	result->empty = file && st.st_size == 0;
	if (ok && (!file || result->empty || is_open_already(path))) {
		ok = !file || ftruncate(fd, 0) == 0;
		result->file = ok ? fdopen(fd, "w") : NULL;
	} else if (ok && find_place(result, path, &st)) {
		if (!open_draft(result, &st)) {
			/* An unwritable folder: the result is copied at the end. */
			result->file = tmpfile();
			result->target = result->file ? fd : -1;
		}
	}
	if (!result->file || result->draft[0]) {
		int saved = errno;
		close(fd);
		errno = saved;
	}
	return result->file != NULL;
}

/* Frees everything but the stream. */
static void result_file_release(struct result_file *result)
{
	if (result->target >= 0)
		close(result->target);
	if (result->folder >= 0)
		close(result->folder);
	free(result->name);
	*result = RESULT_FILE_NONE;
}

enum sx_status result_file_refused(int number, const char *path, struct sx_error *err)
{
	error_errno(err, number, "cannot write %s", path);
	error_try(err, number == EBADF ? "standard output that is not closed, or -o FILE"
				       : "free space, or another file with -o");
	return error_as(err, SX_ERR_PERMISSION);
}

enum sx_status result_file_open(struct result_file *result, const char *path, struct sx_error *err)
{
	*result = RESULT_FILE_NONE;
	if (open_file(result, path))
		return SX_OK;
	error_errno(err, errno, "cannot write %s", path);
	result_file_release(result);
	error_try(err, "another folder with -o");
	return err->status = SX_ERR_PERMISSION;
}

/* The file without a name becomes the content of the target. */
static bool copy_back(FILE *from, int target)
{
	char buffer[16384];
	FILE *to = ftruncate(target, 0) == 0 ? fdopen(dup(target), "w") : NULL;
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
	if (ok && result->target >= 0)
		ok = copy_back(result->file, result->target);
	int saved = errno;
	if (fclose(result->file) != 0 && ok) {
		ok = false;
		saved = errno;
	}
	result->file = NULL;
	if (ok && result->draft[0] &&
	    renameat(result->folder, result->draft, result->folder, result->name) < 0) {
		ok = false;
		saved = errno;
	}
	if (ok && result->draft[0]) {
		remove_on_signal(-1, NULL);
		result->draft[0] = '\0';
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
	if (result->draft[0]) {
		unlinkat(result->folder, result->draft, 0);
		remove_on_signal(-1, NULL);
	}
	result_file_release(result);
}

bool result_file_is_same(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Whether a result would take the place of a capture that is being written. */
static enum sx_status check_target(const char *out, struct sx_error *err)
{
	struct stat target;
	bool file = stat(out, &target) == 0 && S_ISREG(target.st_mode);
	int fd = file ? open(out, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
	bool busy = fd >= 0 && lock_take(fd) == EBUSY;
	if (fd >= 0)
		close(fd);
	if (!busy)
		return SX_OK;
	error_set(err, SX_ERR_BUSY, "%s is being written", out);
	error_because(err, "another recording has it open");
	error_try(err, "another name with -o");
	return SX_ERR_BUSY;
}

const char *draft_shown(const char *text, const char *path, const char *shown, char *buf,
			size_t size)
{
	const char *at = strstr(text, path);
	size_t length = strlen(path), name = strlen(shown);
	if (!at || (at[length] >= '0' && at[length] <= '9'))
		return text;
	size_t before = (size_t)(at - text), behind = strlen(at + length);
	if (before + name + behind >= size)
		return text;
	memcpy(buf, text, before);
	memcpy(buf + before, shown, name);
	memcpy(buf + before + name, at + length, behind + 1);
	return buf;
}

enum sx_status draft_capture(const char *out,
			     enum sx_status (*write)(void *user, const char *draft,
						     struct sx_error *err),
			     void *user, struct sx_error *err)
{
	struct result_file file = RESULT_FILE_NONE;
	char draft[40], buf[SX_ERROR_TEXT_MAX];
	enum sx_status status = check_target(out, err);
	if (!status)
		status = result_file_open(&file, out, err);
	if (status)
		return status;
	snprintf(draft, sizeof(draft), "/proc/self/fd/%d", fileno(file.file));
	status = write(user, draft, err);
	bool ours = draft_shown(err->message, draft, out, buf, sizeof(buf)) == buf;
	if (ours)
		snprintf(err->message, sizeof(err->message), "%s", buf);
	if (ours && status == SX_ERR_IO) { /* and nothing is kept that would be readable */
		error_try(err, "free space, or another file with -o");
		status = error_as(err, SX_ERR_PERMISSION);
	}
	if (!sx_failed(status) && !result_file_keep(&file))
		status = result_file_refused(errno, out, err);
	result_file_drop(&file);
	return status;
}

#define FOLDER_MAX 400

/* Where temporary files go. */
static const char *temp_folder(void)
{
	const char *asked = getenv("TMPDIR");
	return asked && asked[0] == '/' && strlen(asked) <= FOLDER_MAX ? asked : "/tmp";
}

void temp_name(char buf[TEMP_NAME_MAX], const char *name)
{
	snprintf(buf, TEMP_NAME_MAX, "%s/%s-XXXXXX", temp_folder(), name);
}

enum sx_status temp_refused(int number, struct sx_error *err)
{
	error_errno(err, number, "cannot write to %s", temp_folder());
	error_try(err, "TMPDIR=FOLDER with one that can be written");
	return err->status;
}
