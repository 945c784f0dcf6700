/* Files as bytes, and as text that is read twice; input from a pipe is stored first. */
#include "input/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/nameless.h"
#include "import/import.h"
#include "import/raw/raw.h"
#include "input/input.h"

#define BYTES_MAX ((size_t)4 << 30)

enum sx_status input_fd_open(const char *path, int *fd, struct sx_error *err)
{
	*fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? error_input(err, errno, "cannot read", path) : SX_OK;
}

enum sx_status input_bytes(const char *path, char **text, size_t *size, struct sx_error *err)
{
	int fd;
	char *buf = NULL;
	size_t used = 0, cap = 0;
	ssize_t n = 1;
	enum sx_status status = input_fd_open(path, &fd, err);
	if (status)
		return status;
	while (n > 0 && used < BYTES_MAX) {
		if (!mem_grow(&buf, &cap, used + 65536 + 1, 1)) {
			n = -1;
			errno = ENOMEM;
			break;
		}
		n = read(fd, buf + used, cap - used - 1);
		used += n > 0 ? (size_t)n : 0;
	}
	int saved = errno;
	if (fd != STDIN_FILENO)
		close(fd);
	if (n < 0) {
		free(buf);
		return error_input(err, saved, "cannot read", path);
	}
	if (n > 0) {
		free(buf);
		error_set(err, SX_ERR_LIMIT, "%s is larger than 4 GiB", path);
		error_because(err, "the whole file is held in memory");
		error_try(err, "a part of it");
		return SX_ERR_LIMIT;
	}
	buf[used] = '\0';
	*text = buf;
	*size = used;
	return SX_OK;
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

static ssize_t source_read(void *user, char *buf, size_t size)
{
	struct input_text *s = user;
	return read_some(s->fd, buf, size);
}

static bool source_rewind(void *user)
{
	struct input_text *s = user;
	return lseek(s->fd, 0, SEEK_SET) >= 0;
}

enum sx_status input_text_keep(const char *path, int *fd, struct sx_error *err)
{
	char *buf = malloc(CSV_WINDOW);
	int from = -1, to = buf ? nameless_file() : -1;
	ssize_t n = 1;
	enum sx_status status =
	    buf ? input_fd_open(path, &from, err) : error_nomem(err, "reading a pipe");
	while (!status && to >= 0 && n > 0) {
		n = read_some(from, buf, CSV_WINDOW);
		if (n < 0)
			status = error_input(err, errno, "cannot read", path);
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

/* Whether a file is compressed, or in another encoding, by its first bytes. */
static bool is_packed(int fd)
{
	char head[16384] = {0};
	ssize_t n = pread(fd, head, sizeof(head), 0);
	return n >= 2 && (memcmp(head, "\x1f\x8b", 2) == 0 ||
			  (n >= 4 && memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0) ||
			  import_coding(head, (size_t)n) != IMPORT_UTF8);
}

/* Writes unpacked data to a temporary file; `data` is freed. */
static enum sx_status keep_unpacked(const char *path, char *data, size_t size, int *out,
				    struct sx_error *err)
{
	enum sx_status status = SX_OK;
	int fd = nameless_file();
	if (fd < 0 || !keep(fd, data, size) || lseek(fd, 0, SEEK_SET) < 0) {
		status = error_errno(err, errno, "cannot unpack %s", path);
		error_try(err, "TMPDIR=FOLDER with room for the unpacked file");
	}
	free(data);
	if (status && fd >= 0)
		close(fd);
	*out = status ? -1 : fd;
	return status;
}

enum sx_status input_text_unpack(const char *path, int *fd, struct sx_error *err)
{
	char *data = NULL;
	size_t size = 0;
	enum sx_status status = import_unpacked(path, IMPORT_ALL, &data, &size, err);
	return status ? status : keep_unpacked(path, data, size, fd, err);
}

/* The file is replaced by its plain text. */
static enum sx_status unpack(struct input_text *source, const char *path, struct sx_error *err)
{
	char *data = NULL;
	size_t size = 0;
	int fd = -1;
	enum sx_status status = import_plain_text(path, &data, &size, err);
	if (!status)
		status = keep_unpacked(path, data, size, &fd, err);
	if (status)
		return status;
	close(source->fd);
	source->fd = fd;
	return SX_OK;
}

#define PACKED_HEAD 4096 /* bytes of a packed file that are enough to identify it */

bool input_is_packed_capture(const char *path)
{
	char *head = NULL;
	size_t size = 0;
	bool packed = strcmp(path, "-") != 0 && !input_is_capture(path) &&
		      !import_unpacked(path, PACKED_HEAD, &head, &size, NULL) &&
		      input_begins_as_capture(head, size);
	free(head);
	return packed;
}

bool input_is_for_decode(const char *path, const char *verb, struct sx_error *err)
{
	const struct decoder_file *file = import_raw_file(path);
	if (!file)
		return false;
	error_set(err, SX_ERR_BAD_INPUT, "%s is %s, not for %s", path, file->what, verb);
	error_because(err, "%s", file->because);
	error_try(err, "sextant decode -i %s --as %s", error_word((char[ERROR_WORD_MAX]){0}, path),
		  file->as);
	return true;
}

enum sx_status input_text_open(struct input_text *source, const char *path, struct sx_error *err)
{
	*source = (struct input_text){.fd = -1};
	enum sx_status status = input_fd_open(path, &source->fd, err);
	if (!status && is_packed(source->fd))
		status = unpack(source, path, err);
	source->csv =
	    (struct csv_source){.user = source, .read = source_read, .rewind = source_rewind};
	return status;
}

void input_text_close(struct input_text *source)
{
	if (source->fd > STDIN_FILENO)
		close(source->fd);
}
