/* The thread that writes: takes what is ready, and all that is older than the flush interval. */
#include "capture/writer.h"

#include "base/clock.h"
#include "capture/format/chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* What one round takes from the queue. */
struct round {
	struct batch *batches;
	struct writer_mark *marks;
	uint32_t device_count;
	uint64_t ticket;
	bool stop;
};

void writer_lose(struct sx_capture_writer *writer, struct writer_device *device, uint64_t rows,
		 uint64_t begin_ns, uint64_t end_ns)
{
	if (!rows)
		return;
	if (!device->lost_rows || begin_ns < device->lost_begin_ns)
		device->lost_begin_ns = begin_ns;
	if (!device->lost_rows || end_ns > device->lost_end_ns)
		device->lost_end_ns = end_ns;
	device->lost_rows += rows;
	writer->progress.lost_rows += rows;
}

static struct writer_device *device_at(struct sx_capture_writer *writer, uint32_t index)
{
	pthread_mutex_lock(&writer->lock);
	struct writer_device *device = writer->devices[index];
	pthread_mutex_unlock(&writer->lock);
	return device;
}

static void note_failure(struct sx_capture_writer *writer, int failed)
{
	pthread_mutex_lock(&writer->lock);
	writer->progress.sys_errno = failed;
	pthread_mutex_unlock(&writer->lock);
}

static int put_device(struct sx_capture_writer *writer, struct writer_device *device)
{
	struct bytes *out = log_record(&writer->log);
	uint8_t *to = bytes_add(out, device->payload_size);
	if (to)
		memcpy(to, device->payload, device->payload_size);
	struct entry entry = {.type = CAPTURE_DEVICE,
			      .device = (uint16_t)device->index,
			      .begin_ns = SX_TIME_UNKNOWN,
			      .end_ns = SX_TIME_UNKNOWN};
	int failed = log_write(&writer->log, entry);
	device->announced |= !failed;
	return failed;
}

/* DEVICE records that are due, before anything that needs them. */
static int put_devices(struct sx_capture_writer *writer, uint32_t count)
{
	bool repeat = writer->since_repeat >= WRITER_REPEAT && !writer->is_ring;
	for (uint32_t i = 0; i < count; i++) {
		struct writer_device *device = device_at(writer, i);
		if (device->announced && !repeat)
			continue;
		int failed = put_device(writer, device);
		if (failed)
			return failed;
	}
	if (repeat)
		writer->since_repeat = 0;
	return 0;
}

/*
 * Writes what was lost before the next rows. A loss that cannot be written now stays for the next
 * call.
 */
static int put_loss(struct sx_capture_writer *writer, struct writer_device *device)
{
	pthread_mutex_lock(&writer->lock);
	struct sx_capture_mark mark = {
	    device->lost_begin_ns, device->lost_end_ns, device->lost_rows, true,
	    writer->progress.sys_errno ? "could not be written" : "the queue was full"};
	pthread_mutex_unlock(&writer->lock);
	if (!mark.lost)
		return 0;
	payload_put_mark(log_record(&writer->log), &mark);
	struct entry entry = {.type = CAPTURE_LOSS,
			      .device = (uint16_t)device->index,
			      .begin_ns = mark.begin_ns,
			      .end_ns = mark.end_ns};
	int failed = log_write(&writer->log, entry);
	if (failed)
		return failed;
	pthread_mutex_lock(&writer->lock);
	device->lost_rows -= mark.lost;
	device->lost_begin_ns = mark.end_ns; /* what came since begins no earlier */
	pthread_mutex_unlock(&writer->lock);
	return 0;
}

static int put_batch(struct sx_capture_writer *writer, struct writer_device *device,
		     struct batch *batch, struct entry *entry)
{
	*entry = (struct entry){.type = CAPTURE_ROWS,
				.device = (uint16_t)device->index,
				.rows = (uint32_t)batch->rows,
				.begin_ns = SX_TIME_UNKNOWN,
				.end_ns = SX_TIME_UNKNOWN};
	int failed = put_loss(writer, device);
	if (failed)
		return failed;
	struct chunk_head head = {.device_hash = device->hash};
	bool written =
	    chunk_write(&writer->chunks, batch, &device->layout, log_record(&writer->log), &head);
	entry->begin_ns = head.begin_ns;
	entry->end_ns = head.end_ns;
	if (!written)
		return ENOMEM;
	writer->since_repeat++;
	return log_write(&writer->log, *entry);
}

/* What a slow disk made wait need not stay in memory for ever. The lock is held. */
static void give_back(struct sx_capture_writer *writer, struct writer_device *device,
		      struct batch *batch)
{
	writer->batch_bytes -= batch->text_bytes;
	if (writer->batch_bytes > WRITER_SPARE_BYTES && device->batches > 2) {
		writer->batch_bytes -= batch->bytes;
		device->batches--;
		batch_destroy(batch);
		return;
	}
	batch_reset(batch, &device->layout);
	batch->next = device->spare;
	device->spare = batch;
}

static void put_batches(struct sx_capture_writer *writer, const struct round *round)
{
	for (struct batch *batch = round->batches, *next; batch; batch = next) {
		next = batch->next;
		struct writer_device *device = device_at(writer, batch->device);
		struct entry entry = {.begin_ns = SX_TIME_UNKNOWN, .end_ns = SX_TIME_UNKNOWN};
		int failed = put_devices(writer, round->device_count);
		if (!failed)
			failed = put_batch(writer, device, batch, &entry);
		pthread_mutex_lock(&writer->lock);
		if (failed) {
			writer->progress.sys_errno = failed;
			writer->progress.rows -= batch->rows;
			writer_lose(writer, device, batch->rows, entry.begin_ns, entry.end_ns);
		} else {
			writer->progress.chunks++;
		}
		writer->progress.bytes = writer->log.sink->bytes;
		give_back(writer, device, batch);
		pthread_mutex_unlock(&writer->lock);
	}
}

static void put_marks(struct sx_capture_writer *writer, const struct round *round)
{
	int late = round->marks ? put_devices(writer, round->device_count) : 0;
	if (late)
		note_failure(writer, late);
	for (struct writer_mark *mark = round->marks, *next; mark; mark = next) {
		next = mark->next;
		uint8_t *to = bytes_add(log_record(&writer->log), mark->size);
		if (to)
			memcpy(to, mark->payload, mark->size);
		int failed = log_write(&writer->log, mark->entry);
		if (failed)
			note_failure(writer, failed);
		free(mark);
	}
}

/* Also without any rows a capture names its devices; at the end come the last losses and the index.
 */
static void put_rest(struct sx_capture_writer *writer, const struct round *round)
{
	int failed = put_devices(writer, round->device_count);
	if (failed)
		note_failure(writer, failed);
	if (!round->stop)
		return;
	/* On a full disk there is still room for these. */
	log_begin_end(&writer->log);
	for (uint32_t i = 0; i < round->device_count; i++) {
		struct writer_device *device = device_at(writer, i);
		int late = device->announced ? 0 : put_device(writer, device);
		if (!late)
			late = put_loss(writer, device);
		if (late)
			note_failure(writer, late);
	}
	failed = log_end(&writer->log);
	if (failed)
		note_failure(writer, failed);
}

/* Puts on the disk what was written, when that is due. */
static void sync_file(struct sx_capture_writer *writer, bool stop)
{
	if (!writer->sync_ns || writer->log.sink->bytes == writer->synced_bytes)
		return;
	uint64_t now_ns = sys_now_ns(sys_real());
	if (!stop && now_ns - writer->synced_ns < writer->sync_ns)
		return;
	writer->synced_ns = now_ns;
	writer->synced_bytes = writer->log.sink->bytes;
	int failed = log_sync(&writer->log);
	if (failed)
		note_failure(writer, failed);
}

/* Moves what waits into the round; the lock is held. */
static void writer_take(struct sx_capture_writer *writer, bool all, struct round *round)
{
	for (uint32_t i = 0; all && i < writer->device_count; i++) {
		struct writer_device *device = writer->devices[i];
		if (!device->filling || !device->filling->rows)
			continue;
		*writer->ready_tail = device->filling;
		writer->ready_tail = &device->filling->next;
		device->filling = NULL;
	}
	*round = (struct round){.batches = writer->ready,
				.device_count = writer->device_count,
				.ticket = all ? writer->flush_asked : writer->flush_done,
				.stop = writer->stop};
	writer->ready = NULL;
	writer->ready_tail = &writer->ready;
	if (all) {
		round->marks = writer->marks;
		writer->marks = NULL;
		writer->mark_tail = &writer->marks;
		writer->mark_bytes = 0;
	}
}

static struct timespec later(uint64_t ns)
{
	ns += sys_now_ns(sys_real());
	return (struct timespec){.tv_sec = (time_t)(ns / CLOCK_NS_PER_S),
				 .tv_nsec = (long)(ns % CLOCK_NS_PER_S)};
}

static bool reached(const struct timespec *at)
{
	return sys_now_ns(sys_real()) >=
	       (uint64_t)at->tv_sec * CLOCK_NS_PER_S + (uint64_t)at->tv_nsec;
}

/* Waits for work; returns whether all that waits is due. The lock is held. */
static bool wait_for_work(struct sx_capture_writer *writer, const struct timespec *due)
{
	while (!writer->stop && writer->flush_asked == writer->flush_done && !writer->ready &&
	       !reached(due))
		pthread_cond_timedwait(&writer->work, &writer->lock, due);
	return writer->stop || writer->flush_asked != writer->flush_done || reached(due);
}

void *writer_run(void *arg)
{
	struct sx_capture_writer *writer = arg;
	/* The rest of the interval is for encoding and writing. */
	uint64_t period = writer->flush_ns - writer->flush_ns / 4;
	struct timespec due = later(period);
	struct round round = {0};
	pthread_mutex_lock(&writer->lock);
	while (!round.stop) {
		bool all = wait_for_work(writer, &due);
		if (all)
			due = later(period);
		writer_take(writer, all, &round);
		pthread_mutex_unlock(&writer->lock);
		pthread_mutex_lock(&writer->sink_lock);
		put_batches(writer, &round);
		put_marks(writer, &round);
		put_rest(writer, &round);
		sync_file(writer, round.stop);
		pthread_mutex_unlock(&writer->sink_lock);
		pthread_mutex_lock(&writer->lock);
		writer->progress.bytes = writer->log.sink->bytes;
		writer->flush_done = round.ticket;
		pthread_cond_broadcast(&writer->done);
	}
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}
