/*
 * One recorder a file, from before its program runs to the index: the lock is taken once, on the
 * very descriptor that the writer writes to.
 */
#include "capture/writer.h"
#include "base/error.h"
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLAGS	  (O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY)
#define TRIES_MAX 1000 /* files that vanish between being opened and being locked */

struct sx_capture_claim {
	int fd;
	bool created, is_file; /* created: by us; is_file: not a pipe or a device, which can have
				  several writers */
	char *path;
};

enum sx_status claim_error(struct sx_error *err, int failed, const char *path)
{
	enum sx_status status = error_errno(err, failed, "cannot write the capture %s", path);
	if (failed == EBUSY) {
		error_because(err, "another recording is written to it");
		error_try(err, "another file with -o, or wait until that one ends");
	}
	if (failed == ENOSPC || failed == EDQUOT)
		error_try(err, "free some space; the file is readable up to where it was full");
	else if (failed == EFBIG)
		error_try(err, "raise the limit on file sizes (ulimit -f); the file is readable");
	return status;
}

enum sx_status claim_refused(struct sx_error *err, int failed, const char *path)
{
	enum sx_status status = claim_error(err, failed, path);
	if (failed == ENOSPC || failed == EDQUOT)
		error_try(err, "free some space, or another file with -o");
	else if (failed == EFBIG)
		error_try(err, "raise the limit on file sizes (ulimit -f)");
	return status;
}

bool claim_created(const struct sx_capture_claim *claim)
{
	return claim->created;
}

/* Opens the file without cutting it off: it may be another recorder's. */
static int open_there(struct sx_capture_claim *claim)
{
	claim->fd = open(claim->path, FLAGS | O_EXCL, 0666);
	claim->created = claim->fd >= 0;
	if (claim->fd < 0)
		claim->fd = open(claim->path, FLAGS, 0666);
	return claim->fd < 0 ? errno : 0;
}

/* Whether the path still leads to what is open. */
static bool is_there(const struct sx_capture_claim *claim)
{
	struct stat open, there;
	return fstat(claim->fd, &open) == 0 && stat(claim->path, &there) == 0 &&
	       open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

/* EAGAIN: another recorder released and removed the file before we had its lock. */
static int take_once(struct sx_capture_claim *claim)
{
	struct stat info;
	int failed = open_there(claim);
	if (failed)
		return failed;
	claim->is_file = fstat(claim->fd, &info) == 0 && S_ISREG(info.st_mode);
	if (claim->is_file)
		failed = lock_take(claim->fd);
	if (!failed && claim->is_file && !is_there(claim))
		failed = EAGAIN;
	if (failed)
		close(claim->fd);
	return failed;
}

static void claim_release(struct sx_capture_claim *claim)
{
	free(claim->path);
	free(claim);
}

int claim_take(const char *path, struct sx_capture_claim **out)
{
	struct sx_capture_claim *claim = calloc(1, sizeof(*claim));
	int failed = claim && (claim->path = strdup(path)) ? EAGAIN : ENOMEM;
	for (int i = 0; i < TRIES_MAX && failed == EAGAIN; i++)
		failed = take_once(claim);
	if (!failed)
		*out = claim;
	else if (claim)
		claim_release(claim);
	return failed == EAGAIN ? EBUSY : failed;
}

int claim_hand_over(struct sx_capture_claim *claim, int *failed)
{
	int fd = claim->fd;
	*failed = claim->is_file && ftruncate(fd, 0) < 0 ? errno : 0;
	if (*failed)
		close(fd);
	claim_release(claim);
	return *failed ? -1 : fd;
}

enum sx_status sx_capture_claim(const char *path, struct sx_capture_claim **out,
				struct sx_error *err)
{
	int failed = claim_take(path, out);
	return failed ? claim_error(err, failed, path) : SX_OK;
}

void sx_capture_unclaim(struct sx_capture_claim *claim)
{
	if (!claim)
		return;
	/* The file is still locked, so no other recorder can have it. */
	if (claim->created && is_there(claim))
		unlink(claim->path);
	close(claim->fd);
	claim_release(claim);
}
