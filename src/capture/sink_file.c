/* The file sink: whole records or nothing, so that a full disk leaves a readable file. */
#include "capture/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct sink_file {
	struct sink base;
	int fd;
};

static int write_all(int fd, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t done = write(fd, data, size);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return errno;
		data += done;
		size -= (size_t)done;
	}
	return 0;
}

static int append(struct sink *sink, const uint8_t *data, size_t size, const struct entry *entry)
{
	struct sink_file *file = (struct sink_file *)sink;
	int failed = write_all(file->fd, data, size);
	if (!failed) {
		sink->bytes += size;
		return 0;
	}
	/* Take back the half record; where that fails, a reader finds a cut one. */
	if (ftruncate(file->fd, (off_t)sink->bytes) == 0)
		(void)lseek(file->fd, (off_t)sink->bytes, SEEK_SET);
	return failed;
}

static int close_file(struct sink *sink)
{
	struct sink_file *file = (struct sink_file *)sink;
	int failed = close(file->fd) < 0 ? errno : 0;
	free(file);
	return failed;
}

static const struct sink_ops file_ops = {append, close_file};

int sink_open_file(const char *path, struct sink **out)
{
	struct sink_file *file = calloc(1, sizeof(*file));
	if (!file)
		return ENOMEM;
	file->base.ops = &file_ops;
	file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file->fd < 0) {
		int failed = errno;
		free(file);
		return failed;
	}
	*out = &file->base;
	return 0;
}
