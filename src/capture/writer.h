/* The writer's state, shared by the calls (writer.c) and the thread that writes (writer_thread.c).
 */
#ifndef CAPTURE_WRITER_H
#define CAPTURE_WRITER_H

#include <pthread.h>
#include <sextant/capture.h>

#include "capture/format/chunk.h"
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
	struct bytes record; /* the current record: frame and payload */
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

/* DEVICE records are repeated after this many records, so that they survive damage. */
#define WRITER_REPEAT 512
/* Batches beyond this memory are given back once they are written. */
#define WRITER_SPARE_BYTES ((size_t)32 << 20)

struct writer_device {
	uint32_t index;
	struct batch_layout layout;
	uint8_t *is_f64, *payload; /* of the DEVICE record */
	enum sx_type *types;
	size_t payload_size;
	uint64_t hash;
	struct batch *filling; /* may be NULL */
	struct batch *spare;   /* empty ones */
	uint32_t batches;      /* in all */
	bool announced;	       /* the device's DEVICE record is in the file */
	/* Rows lost since the last LOSS record, with their times. */
	uint64_t lost_rows, lost_begin_ns, lost_end_ns;
};

/* A small record that waits: its payload is ready. */
struct writer_mark {
	struct writer_mark *next;
	struct entry entry;
	size_t size;
	uint8_t payload[];
};

struct sx_capture_writer {
	char *path;
	uint64_t flush_ns;
	uint64_t sync_ns; /* 0: the kernel decides */
	size_t queue_bytes;
	bool is_ring;
	pthread_t thread;
	/* The lock is held for copies of rows and moves of pointers only, never for writing. */
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	bool stop;
	bool no_memory;			  /* for the batch that was wanted last */
	uint64_t flush_asked, flush_done; /* tickets */
	struct writer_device **devices;
	size_t device_cap;
	uint32_t device_count;
	struct batch *ready, **ready_tail;
	struct writer_mark *marks, **mark_tail;
	size_t batch_bytes, mark_bytes; /* memory in use */
	struct sx_capture_progress progress;
	/* The following is for the thread, or a holder of `sink_lock`, only. */
	pthread_mutex_t sink_lock;
	struct log log;
	struct chunk_writer chunks;
	uint32_t since_repeat;
	uint64_t synced_ns, synced_bytes; /* when, and how long the file was then */
};

/* The thread's function. */
void *writer_run(void *writer);
/* Counts rows of a device that are lost; the lock is held. */
void writer_lose(struct sx_capture_writer *writer, struct writer_device *device, uint64_t rows,
		 uint64_t begin_ns, uint64_t end_ns);

/* 0 and *out, which the caller owns; or the errno of what failed, EBUSY where it is another's. */
int claim_take(const char *path, struct sx_capture_claim **out);
/*
 * The descriptor under which the file is locked, for the caller to close; a regular file is empty
 * from now on. Releases the claim in every case. -1: *failed is the errno.
 */
int claim_hand_over(struct sx_capture_claim *claim, int *failed);
/* Whether the claim had to create the file. */
bool claim_created(const struct sx_capture_claim *claim);
/* Reports that a capture cannot be written because of an errno; what is in it stays readable. */
enum sx_status claim_error(struct sx_error *err, int failed, const char *path);
/* The same of one that nothing could be written into. */
enum sx_status claim_refused(struct sx_error *err, int failed, const char *path);

#endif
