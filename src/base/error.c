/* Error triplets: formatting that cannot fail, and errno mapped to a status. */
#include "base/error.h"
#include "base/suggest.h"
#include "base/text_buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sx_status_name(enum sx_status status)
{
	switch (status) {
	case SX_OK:
		return "ok";
	case SX_INCOMPLETE:
		return "incomplete";
	case SX_AGAIN:
		return "nothing yet";
	case SX_END:
		return "end";
	case SX_ERR_USAGE:
		return "wrong usage";
	case SX_ERR_NOT_FOUND:
		return "not found";
	case SX_ERR_AMBIGUOUS:
		return "ambiguous";
	case SX_ERR_PERMISSION:
		return "permission denied";
	case SX_ERR_BAD_INPUT:
		return "bad input";
	case SX_ERR_LIMIT:
		return "limit exceeded";
	case SX_ERR_UNSUPPORTED:
		return "unsupported";
	case SX_ERR_BUSY:
		return "busy";
	case SX_ERR_TIMEOUT:
		return "timed out";
	case SX_ERR_DEVICE_LOST:
		return "device lost";
	case SX_ERR_IO:
		return "input/output error";
	case SX_ERR_NO_MEMORY:
		return "out of memory";
	}
	return "unknown status";
}

const char *sx_version(void)
{
	return SX_VERSION;
}

static void format(char *text, const char *fmt, va_list args)
{
	if (vsnprintf(text, SX_ERROR_TEXT_MAX, fmt, args) < 0)
		text[0] = '\0';
	/* A triplet is three lines: what is quoted from a file may not add more. */
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
}

static void error_begin(struct sx_error *err, enum sx_status status, int sys_errno)
{
	err->status = status;
	err->sys_errno = sys_errno;
	err->because[0] = '\0';
	err->remedy[0] = '\0';
}

enum sx_status error_set(struct sx_error *err, enum sx_status status, const char *fmt, ...)
{
	if (!err)
		return status;
	error_begin(err, status, 0);
	va_list args;
	va_start(args, fmt);
	format(err->message, fmt, args);
	va_end(args);
	return status;
}

void error_because(struct sx_error *err, const char *fmt, ...)
{
	if (!err)
		return;
	va_list args;
	va_start(args, fmt);
	format(err->because, fmt, args);
	va_end(args);
}

void error_try(struct sx_error *err, const char *fmt, ...)
{
	if (!err)
		return;
	va_list args;
	va_start(args, fmt);
	format(err->remedy, fmt, args);
	va_end(args);
}

static enum sx_status errno_status(int sys_errno)
{
	switch (sys_errno) {
	case EACCES:
	case EPERM:
	case EMFILE: /* a limit of the user's, not what was asked for */
	case ENFILE:
		return SX_ERR_PERMISSION;
	case ENOENT:
	case ENOTDIR:
	case ENXIO:
		return SX_ERR_NOT_FOUND;
	case EBUSY:
		return SX_ERR_BUSY;
	case EAGAIN:
		return SX_AGAIN;
	case ETIMEDOUT:
		return SX_ERR_TIMEOUT;
	case ENODEV:
		return SX_ERR_DEVICE_LOST;
	case ENOMEM:
		return SX_ERR_NO_MEMORY;
	case ENOTTY:
	case ENOSYS:
	case EOPNOTSUPP:
		return SX_ERR_UNSUPPORTED;
	default:
		return SX_ERR_IO;
	}
}

static void from_errno(struct sx_error *err, enum sx_status status, int sys_errno, const char *fmt,
		       va_list args)
{
	error_begin(err, status, sys_errno);
	format(err->message, fmt, args);
	error_because(err, "%s", strerrordesc_np(sys_errno) ?: "unknown error number");
}

const char *error_word(char buf[ERROR_WORD_MAX], const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";
	static const char apostrophe[] = "'\\''";
	if (*word && strspn(word, plain) == strlen(word)) {
		snprintf(buf, ERROR_WORD_MAX, "%s", word);
		return buf;
	}
	snprintf(buf, ERROR_WORD_MAX, "'");
	for (; *word && strlen(buf) + sizeof(apostrophe) < ERROR_WORD_MAX; word++) {
		const char one[] = {*word, '\0'};
		text_append(buf, ERROR_WORD_MAX, "%s", *word == '\'' ? apostrophe : one);
	}
	text_append(buf, ERROR_WORD_MAX, "'");
	return buf;
}

enum sx_status error_errno(struct sx_error *err, int sys_errno, const char *fmt, ...)
{
	enum sx_status status = errno_status(sys_errno);
	if (!err)
		return status;
	va_list args;
	va_start(args, fmt);
	from_errno(err, status, sys_errno, fmt, args);
	va_end(args);
	return status;
}

enum sx_status error_input(struct sx_error *err, int sys_errno, const char *what, const char *path)
{
	char near[256];
	enum sx_status status = errno_status(sys_errno);
	if (status != SX_ERR_PERMISSION && status != SX_ERR_NO_MEMORY)
		status = SX_ERR_BAD_INPUT;
	if (!err)
		return status;
	error_errno(err, sys_errno, "%s %s", what, path);
	if (sys_errno == ENOENT && suggest_file(path, near, sizeof(near)))
		error_try(err, "%s, a file that is there", near);
	else
		error_try(err, "check the name and its permissions");
	return error_as(err, status);
}

enum sx_status error_as(struct sx_error *err, enum sx_status status)
{
	if (err)
		err->status = status;
	return status;
}

enum sx_status error_nomem(struct sx_error *err, const char *what)
{
	error_set(err, SX_ERR_NO_MEMORY, "out of memory: %s", what);
	error_because(err, "the system refused an allocation");
	error_try(err, "free memory or ask for fewer samples and metrics");
	return SX_ERR_NO_MEMORY;
}
