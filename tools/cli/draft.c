/* Captures under another name until they are whole: see draft.h. */
#include "tools/cli/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lock.h"
#include "tools/cli/result_file.h"

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
