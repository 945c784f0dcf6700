/*
 * Logs: a record gets its number only once it is in the sink, so that a failed write leaves no gap
 * in the numbers.
 */
#include "capture/writer.h"
#include "capture/format/chunk.h"

#include <errno.h>
#include <stdlib.h>

/* An index of more does not fit into a record; readers then look for themselves. */
#define INDEXED_MAX ((size_t)1 << 20)
#define INDEX_HEAD  (CAPTURE_FRAME_SIZE + 4)
/* Losses that are written at the end, at most one a device, and the bytes that one takes. */
#define LAST_MARKS 16
#define MARK_BYTES 128

int log_begin(struct log *log)
{
	uint8_t header[CAPTURE_HEADER_SIZE];
	frame_put_header(header);
	return log->sink->ops->append(log->sink, header, sizeof(header), NULL);
}

struct bytes *log_record(struct log *log)
{
	log->record.size = 0;
	log->record.failed = false;
	bytes_add(&log->record, CAPTURE_FRAME_SIZE);
	return &log->record;
}

/* What is still to come at the end: some marks, the index with this record, the trailer. */
static uint64_t end_bytes(const struct log *log)
{
	uint64_t index =
	    log->unindexed ? 0 : INDEX_HEAD + (log->count + 1 + LAST_MARKS) * CAPTURE_ENTRY_SIZE;
	return LAST_MARKS * MARK_BYTES + index + CAPTURE_TRAILER_SIZE;
}

int log_write(struct log *log, struct entry entry)
{
	struct bytes *record = &log->record;
	log->unindexed |= log->count == INDEXED_MAX;
	if (record->failed || (!log->unindexed && !mem_grow(&log->entries, &log->cap,
							    log->count + 1, sizeof(*log->entries))))
		return ENOMEM;
	size_t size = record->size - CAPTURE_FRAME_SIZE;
	if (size > CAPTURE_PAYLOAD_MAX)
		return EFBIG;
	entry.offset = log->sink->bytes;
	entry.sequence = log->sequence;
	entry.size = (uint32_t)size;
	frame_put(record->data, entry.type, entry.device, entry.sequence, size);
	log->sink->kept_free = log->ending ? 0 : end_bytes(log);
	int failed = log->sink->ops->append(log->sink, record->data, record->size, &entry);
	if (failed)
		return failed;
	log->sequence++;
	if (!log->unindexed)
		log->entries[log->count++] = entry;
	return 0;
}

int log_copy(struct log *log, const uint8_t *record, size_t size, struct entry entry)
{
	struct bytes *own = log_record(log);
	uint8_t *payload = bytes_add(own, size - CAPTURE_FRAME_SIZE);
	if (payload)
		memcpy(payload, record + CAPTURE_FRAME_SIZE, size - CAPTURE_FRAME_SIZE);
	return log_write(log, entry);
}

static int put_index(struct log *log)
{
	struct entry entry = {.type = CAPTURE_INDEX,
			      .device = CAPTURE_NO_DEVICE,
			      .begin_ns = SX_TIME_UNKNOWN,
			      .end_ns = SX_TIME_UNKNOWN};
	payload_put_index(log_record(log), log->entries, log->count);
	return log_write(log, entry);
}

void log_begin_end(struct log *log)
{
	log->ending = true;
}

int log_end(struct log *log)
{
	log_begin_end(log);
	log->sink->kept_free = 0;
	uint64_t offset = log->unindexed ? 0 : log->sink->bytes;
	int failed = log->unindexed ? 0 : put_index(log);
	if (failed)
		return failed;
	uint8_t trailer[CAPTURE_TRAILER_SIZE];
	frame_put_trailer(trailer, offset);
	return log->sink->ops->append(log->sink, trailer, sizeof(trailer), NULL);
}

int log_sync(struct log *log)
{
	return log->sink->ops->sync ? log->sink->ops->sync(log->sink) : 0;
}

int log_finish(struct log *log)
{
	int failed = log->sink ? log->sink->ops->close(log->sink) : 0;
	free(log->entries);
	free(log->record.data);
	*log = (struct log){0};
	return failed;
}
