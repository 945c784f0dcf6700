/* Text that is read twice: a file from its start, a pipe from a copy of what came through it. */
#include "tools/cli/input_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "import/import.h"
#include "tools/cli/input.h"

/* A file that has no name, on disk: a folder in memory would only move the problem. */
static int nameless_file(void)
{
	const char *const folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	int fd = -1;
	for (size_t i = 0; fd < 0 && i < sizeof(folders) / sizeof(folders[0]); i++)
		if (folders[i])
			fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd;
}

static bool keep(int fd, const char *buf, size_t size)
{
	while (size) {
		ssize_t n = write(fd, buf, size);
		if (n < 0 && errno != EINTR)
			return false;
		buf += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static ssize_t read_some(int fd, char *buf, size_t size)
{
	ssize_t n;
	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n;
}

/* The next bytes of the file itself, those that were looked at first. */
static ssize_t read_file(struct input_source *s, char *buf, size_t size)
{
	size_t left = s->head_size - s->head_given, n = left < size ? left : size;
	if (!n)
		return read_some(s->fd, buf, size);
	memcpy(buf, s->head + s->head_given, n);
	s->head_given += n;
	return (ssize_t)n;
}

static ssize_t source_read(void *user, char *buf, size_t size)
{
	struct input_source *s = user;
	ssize_t n = s->replayed ? read_some(s->copy, buf, size) : read_file(s, buf, size);
	if (n > 0 && s->start < 0 && !s->replayed) {
		if (s->copy < 0)
			s->copy = nameless_file();
		if (s->copy < 0 || !keep(s->copy, buf, (size_t)n))
			return -1;
	}
	return n;
}

static bool source_rewind(void *user)
{
	struct input_source *s = user;
	if (s->start >= 0)
		return lseek(s->fd, s->start, SEEK_SET) >= 0;
	s->replayed = s->copy >= 0;
	return s->copy < 0 || lseek(s->copy, 0, SEEK_SET) >= 0;
}

enum sx_status input_source_keep(const char *path, int *fd, struct sx_error *err)
{
	char *buf = malloc(CSV_WINDOW);
	int from = -1, to = buf ? nameless_file() : -1;
	ssize_t n = 1;
	enum sx_status status =
	    buf ? input_open(path, &from, err) : error_nomem(err, "reading a pipe");
	while (!status && to >= 0 && n > 0) {
		do
			n = read(from, buf, CSV_WINDOW);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			status = error_input(err, errno, "cannot read %s", path);
		else if (!keep(to, buf, (size_t)n))
			break;
	}
	if (!status && (to < 0 || n > 0)) {
		status = error_errno(err, errno, "cannot keep what comes through %s", path);
		error_try(err, "TMPDIR=FOLDER with room for it");
	}
	free(buf);
	if (from > STDIN_FILENO)
		close(from);
	if (status && to >= 0)
		close(to);
	*fd = status ? -1 : to;
	return status;
}

/* Packed, or in another encoding: what a file begins with tells. */
static bool is_packed(const struct input_source *source)
{
	uint8_t head[sizeof(source->head)] = {0};
	ssize_t n = (ssize_t)source->head_size;
	if (source->start >= 0)
		n = pread(source->fd, head, sizeof(head), source->start);
	else
		memcpy(head, source->head, sizeof(head));
	return (n >= 2 &&
		((head[0] == 0x1f && head[1] == 0x8b) || (head[0] == 0xff && head[1] == 0xfe) ||
		 (head[0] == 0xfe && head[1] == 0xff))) ||
	       (n == 4 && head[0] == 0x28 && head[1] == 0xb5 && head[2] == 0x2f && head[3] == 0xfd);
}

/* Fills the head; a pipe may give fewer bytes at a time. */
static void look(struct input_source *source)
{
	ssize_t n = 1;
	while (n > 0 && source->head_size < sizeof(source->head)) {
		n = read_some(source->fd, source->head + source->head_size,
			      sizeof(source->head) - source->head_size);
		source->head_size += n > 0 ? (size_t)n : 0;
	}
}

/* A pipe as a whole, in a file without a name: its descriptor, or -1. */
static int drain(struct input_source *source)
{
	char buf[65536];
	ssize_t n = 1;
	int fd = nameless_file();
	while (fd >= 0 && n > 0) {
		n = read_file(source, buf, sizeof(buf));
		if (n < 0 || !keep(fd, buf, (size_t)n)) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

/* A file's plain text; a name that says nothing to the user is not told. */
static enum sx_status plain_text(struct input_source *source, const char *path, char **data,
				 size_t *size, struct sx_error *err)
{
	char name[40];
	if (source->fd > STDIN_FILENO)
		return import_plain_text(path, data, size, err);
	int fd = source->start >= 0 ? dup(source->fd) : drain(source);
	if (fd < 0)
		return error_errno(err, errno, "cannot unpack standard input");
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	enum sx_status status = import_plain_text(name, data, size, err);
	close(fd);
	if (status)
		error_set(err, status, "cannot unpack standard input");
	if (status && status != SX_ERR_NO_MEMORY) {
		error_because(err, "it is cut or damaged, or too large");
		error_try(err, "unpack it first: gzip -t and zstd -t tell where it breaks off");
	}
	return status;
}

/* The file is replaced by its plain text, in a file without a name. */
static enum sx_status unpack(struct input_source *source, const char *path, struct sx_error *err)
{
	char *data = NULL;
	size_t size = 0;
	enum sx_status status = plain_text(source, path, &data, &size, err);
	int fd = status ? -1 : nameless_file();
	if (!status && (fd < 0 || !keep(fd, data, size) || lseek(fd, 0, SEEK_SET) < 0)) {
		status = error_errno(err, errno, "cannot unpack %s", path);
		error_try(err, "TMPDIR=FOLDER with room for the unpacked file");
	}
	free(data);
	if (status) {
		if (fd >= 0)
			close(fd);
		return status;
	}
	if (source->fd > STDIN_FILENO)
		close(source->fd);
	source->fd = fd;
	source->start = 0;
	source->head_size = source->head_given = 0;
	return SX_OK;
}

enum sx_status input_source_open(struct input_source *source, const char *path,
				 struct sx_error *err)
{
	*source = (struct input_source){.fd = -1, .copy = -1};
	enum sx_status status = input_open(path, &source->fd, err);
	if (status)
		return status;
	source->start = lseek(source->fd, 0, SEEK_CUR);
	if (source->start < 0)
		look(source);
	if (is_packed(source))
		status = unpack(source, path, err);
	source->csv =
	    (struct csv_source){.user = source, .read = source_read, .rewind = source_rewind};
	return status;
}

void input_source_close(struct input_source *source)
{
	if (source->fd > STDIN_FILENO)
		close(source->fd);
	if (source->copy >= 0)
		close(source->copy);
}
