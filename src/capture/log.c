/* Logs: a record gets its number only once it is in the sink, so that a failure leaves no hole. */
#include "capture/log.h"
#include "capture/payload.h"

#include <errno.h>
#include <stdlib.h>

/* An index of more does not fit into a record; readers then look for themselves. */
#define INDEXED_MAX ((size_t)1 << 20)

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

int log_end(struct log *log)
{
	uint64_t offset = log->unindexed ? 0 : log->sink->bytes;
	int failed = log->unindexed ? 0 : put_index(log);
	if (failed)
		return failed;
	uint8_t trailer[CAPTURE_TRAILER_SIZE];
	frame_put_trailer(trailer, offset);
	return log->sink->ops->append(log->sink, trailer, sizeof(trailer), NULL);
}

int log_finish(struct log *log)
{
	int failed = log->sink ? log->sink->ops->close(log->sink) : 0;
	free(log->entries);
	free(log->record.data);
	*log = (struct log){0};
	return failed;
}
