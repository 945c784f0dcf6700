/*
 * The file sink: whole records or nothing, so that a full disk leaves a readable file, and room for
 * the index kept free, so that it leaves a whole one.
 */
#include "capture/sink.h"
#include "capture/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define RESERVE_STEP ((uint64_t)1 << 20)

struct sink_file {
	struct sink base;
	int fd;
	uint64_t reserved; /* the disk has room up to here */
	bool cannot_reserve;
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

static int allocate(const struct sink_file *file, uint64_t end)
{
	int failed;
	do
		failed = fallocate(file->fd, FALLOC_FL_KEEP_SIZE, (off_t)file->reserved,
				   (off_t)(end - file->reserved)) < 0
			     ? errno
			     : 0;
	while (failed == EINTR);
	return failed;
}

/* Makes sure that the file can grow to `end`; 0 as well where that cannot be known. */
static int reserve(struct sink_file *file, uint64_t end)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    end > limit.rlim_cur)
		return EFBIG;
	if (file->cannot_reserve || end <= file->reserved)
		return 0;
	uint64_t ample = (end / RESERVE_STEP + 1) * RESERVE_STEP;
	int failed = allocate(file, ample);
	if (failed == ENOSPC || failed == EDQUOT) {
		ample = end;
		failed = allocate(file, end);
	}
	if (!failed)
		file->reserved = ample;
	file->cannot_reserve = failed && failed != ENOSPC && failed != EDQUOT;
	return file->cannot_reserve ? 0 : failed;
}

static int file_append(struct sink *sink, const uint8_t *data, size_t size,
		       const struct entry *entry)
{
	struct sink_file *file = (struct sink_file *)sink;
	int failed = reserve(file, sink->bytes + size + sink->kept_free);
	if (!failed)
		failed = write_all(file->fd, data, size);
	if (!failed) {
		sink->bytes += size;
		return 0;
	}
	/* Take back the half record; where that fails, a reader finds a cut one. */
	if (ftruncate(file->fd, (off_t)sink->bytes) == 0)
		(void)lseek(file->fd, (off_t)sink->bytes, SEEK_SET);
	return failed;
}

static int file_sync(struct sink *sink)
{
	int failed = fdatasync(((struct sink_file *)sink)->fd) < 0 ? errno : 0;
	return failed == EINVAL || failed == EROFS ? 0 : failed; /* a pipe or device */
}

static int file_close(struct sink *sink)
{
	struct sink_file *file = (struct sink_file *)sink;
	/* Gives back what was kept free. */
	if (file->reserved > sink->bytes && ftruncate(file->fd, (off_t)sink->bytes) < 0)
		file->cannot_reserve = true;
	int failed = close(file->fd) < 0 ? errno : 0;
	free(file);
	return failed;
}

static const struct sink_ops file_ops = {file_append, file_sync, file_close};

int sink_open_file(struct sx_capture_claim *claim, struct sink **out)
{
	struct sink_file *file = calloc(1, sizeof(*file));
	int failed;
	if (!file) {
		sx_capture_unclaim(claim);
		return ENOMEM;
	}
	file->base.ops = &file_ops;
	file->fd = claim_hand_over(claim, &failed);
	if (failed) {
		free(file);
		return failed;
	}
	*out = &file->base;
	return 0;
}
