/* Logs: records numbered, framed and indexed on their way into a sink. */
#ifndef CAPTURE_LOG_H
#define CAPTURE_LOG_H

#include "capture/format/bytes.h"
#include "capture/sink.h"

/* Zero-initialise with a sink. */
struct log {
	struct sink *sink;
	bool unindexed; /* set: remember no records; also when there are too many */
	bool ending;	/* what is kept free for the end may be used */
	struct entry *entries;
	size_t count, cap;
	uint32_t sequence;
	struct bytes record; /* the record at hand: frame and payload */
};

/* The file's header. Each returns 0 or an errno. */
int log_begin(struct log *log);
/* Starts a record; the payload is then appended to the result. Never NULL. */
struct bytes *log_record(struct log *log);
/* Writes the record that log_record() began. Offset and sequence of the entry are filled in. */
int log_write(struct log *log, struct entry entry);
/* Writes a framed record of another log under a number of this one. */
int log_copy(struct log *log, const uint8_t *record, size_t size, struct entry entry);
/* From now on records are those of the end, for which room was kept free on the disk. */
void log_begin_end(struct log *log);
/* Returns when the whole log is on the disk. */
int log_sync(struct log *log);
/* Index and trailer. */
int log_end(struct log *log);
/* Closes the sink and frees the rest; 0 or an errno. */
int log_finish(struct log *log);

#endif
