/* The writer's state, shared by the calls (writer.c) and the thread that writes (writer_thread.c).
 */
#ifndef CAPTURE_WRITER_H
#define CAPTURE_WRITER_H

#include "capture/format/chunk.h"
#include "capture/log.h"

#include <sextant/capture.h>
#include <pthread.h>

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
	/* Only the thread, or who holds `sink_lock`, touches what follows. */
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

#endif
