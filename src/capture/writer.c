/* The writer's calls: they copy into batches and never wait for the file. */
#include "capture/writer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "capture/format/chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define FLUSH_NS ((uint64_t)250000000)
/* More than a second of 20,000 samples/s of 913 counters; taken only while the disk is behind. */
#define QUEUE_BYTES    ((size_t)256 << 20)
#define RING_BYTES_MAX ((uint64_t)512 << 20)
#define MARK_BYTES_MAX ((size_t)4 << 20)

static void free_device(struct writer_device *device)
{
	if (!device)
		return;
	batch_destroy(device->filling);
	for (struct batch *batch = device->spare, *next; batch; batch = next) {
		next = batch->next;
		batch_destroy(batch);
	}
	free(device->is_f64);
	free(device->types);
	free(device->payload);
	free(device);
}

static int writer_release(struct sx_capture_writer *writer)
{
	int failed = log_finish(&writer->log);
	for (uint32_t i = 0; i < writer->device_count; i++)
		free_device(writer->devices[i]);
	free(writer->devices);
	chunk_writer_finish(&writer->chunks);
	pthread_mutex_destroy(&writer->lock);
	pthread_mutex_destroy(&writer->sink_lock);
	pthread_cond_destroy(&writer->work);
	pthread_cond_destroy(&writer->done);
	free(writer->path);
	free(writer);
	return failed;
}

static uint64_t real_ns(void)
{
	uint64_t now_ns = 0;
	sys_clock_ns(sys_real(), CLOCK_REALTIME, &now_ns);
	return now_ns;
}

static int put_head(struct sx_capture_writer *writer, const struct sx_capture_options *options)
{
	int failed = log_begin(&writer->log);
	if (failed)
		return failed;
	payload_put_head(log_record(&writer->log),
			 options->created_ns ? options->created_ns : real_ns(), options->properties,
			 options->property_count);
	return log_write(&writer->log, (struct entry){.type = CAPTURE_HEAD,
						      .device = CAPTURE_NO_DEVICE,
						      .begin_ns = SX_TIME_UNKNOWN,
						      .end_ns = SX_TIME_UNKNOWN});
}

static void init_locks(struct sx_capture_writer *writer)
{
	pthread_condattr_t clock;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&writer->lock, NULL);
	pthread_mutex_init(&writer->sink_lock, NULL);
	pthread_cond_init(&writer->work, &clock);
	pthread_cond_init(&writer->done, &clock);
	pthread_condattr_destroy(&clock);
}

/* In any case the claim is no longer the caller's. */
static int open_sink(const char *path, const struct sx_capture_options *options, bool *created,
		     struct sink **out)
{
	struct sx_capture_claim *claim = options->claim;
	int failed = 0;
	if (options->keep_ns) {
		sx_capture_unclaim(claim);
		return sink_create_ring(options->keep_ns, RING_BYTES_MAX, out);
	}
	if (!claim)
		failed = claim_take(path, &claim);
	*created = !failed && claim_created(claim);
	return failed ? failed : sink_open_file(claim, out);
}

enum sx_status sx_capture_create(const char *path, const struct sx_capture_options *options,
				 struct sx_capture_writer **out, struct sx_error *err)
{
	static const struct sx_capture_options defaults;
	if (!options)
		options = &defaults;
	struct sx_capture_writer *writer = calloc(1, sizeof(*writer));
	if (!writer) {
		sx_capture_unclaim(options->claim);
		return error_nomem(err, "a capture's writer");
	}
	init_locks(writer);
	writer->flush_ns = options->flush_ns ? options->flush_ns : FLUSH_NS;
	writer->sync_ns = options->keep_ns ? 0 : options->sync_ns;
	writer->queue_bytes = options->queue_bytes ? options->queue_bytes : QUEUE_BYTES;
	writer->is_ring = options->keep_ns != 0;
	writer->log.unindexed = writer->is_ring;
	writer->ready_tail = &writer->ready;
	writer->mark_tail = &writer->marks;
	writer->path = strdup(path);
	bool created = false;
	int failed = open_sink(path, options, &created, &writer->log.sink);
	if (!failed && !writer->path)
		failed = ENOMEM;
	if (!failed)
		failed = put_head(writer, options);
	if (!failed)
		failed = thread_start(&writer->thread, writer_run, writer);
	if (failed) {
		if (created && writer->log.sink) /* still locked: no other recorder has it */
			unlink(path);
		writer_release(writer);
		return claim_refused(err, failed, path);
	}
	*out = writer;
	return SX_OK;
}

static struct writer_device *copy_device(const struct sx_capture_device *device)
{
	struct writer_device *copy = calloc(1, sizeof(*copy));
	struct bytes payload = {0};
	uint32_t columns = device->column_count;
	if (!copy)
		return NULL;
	copy->is_f64 = calloc(columns ? columns : 1, 1);
	copy->types = calloc(columns ? columns : 1, sizeof(*copy->types));
	payload_put_device(&payload, device);
	copy->payload = payload.data;
	copy->payload_size = payload.size;
	if (!copy->is_f64 || !copy->types || payload.failed) {
		free_device(copy);
		return NULL;
	}
	for (uint32_t i = 0; i < columns; i++) {
		copy->types[i] = device->columns[i].type;
		copy->is_f64[i] = device->columns[i].type == SX_F64;
	}
	copy->layout = (struct batch_layout){columns, copy->is_f64, batch_rows_max(columns)};
	copy->hash = XXH64(copy->payload, copy->payload_size, 0);
	return copy;
}

enum sx_status sx_capture_add_device(struct sx_capture_writer *writer,
				     const struct sx_capture_device *device, uint32_t *index,
				     struct sx_error *err)
{
	if (device->column_count > CAPTURE_COLUMNS_MAX)
		return error_set(err, SX_ERR_LIMIT, "%s: %u columns, at most %u fit", writer->path,
				 (unsigned)device->column_count, CAPTURE_COLUMNS_MAX);
	struct writer_device *copy = copy_device(device);
	enum sx_status status = SX_OK;
	pthread_mutex_lock(&writer->lock);
	if (!copy) { /* what cannot be recorded for it is missing from the file */
		writer->progress.sys_errno = ENOMEM;
		pthread_mutex_unlock(&writer->lock);
		return error_nomem(err, "a capture's device");
	}
	if (writer->device_count == CAPTURE_DEVICES_MAX)
		status = SX_ERR_LIMIT;
	else if (!mem_grow(&writer->devices, &writer->device_cap, (size_t)writer->device_count + 1,
			   sizeof(struct writer_device *)))
		status = SX_ERR_NO_MEMORY;
	if (status == SX_OK) {
		*index = copy->index = writer->device_count;
		writer->devices[writer->device_count++] = copy;
	}
	pthread_mutex_unlock(&writer->lock);
	if (status == SX_OK)
		return SX_OK;
	free_device(copy);
	if (status == SX_ERR_NO_MEMORY)
		return error_nomem(err, "a capture's device");
	return error_set(err, status, "%s: no room for another device", writer->path);
}

/* A batch with room, or NULL when the queue's memory is used up. The lock is held. */
static struct batch *filling_batch(struct sx_capture_writer *writer, struct writer_device *device)
{
	struct batch *batch = device->filling;
	if (batch && !batch_is_full(batch))
		return batch;
	if (batch) {
		*writer->ready_tail = batch;
		writer->ready_tail = &batch->next;
		device->filling = NULL;
		pthread_cond_signal(&writer->work);
	}
	batch = device->spare;
	if (batch) {
		device->spare = batch->next;
		batch->next = NULL;
	} else if (writer->batch_bytes + batch_bytes(&device->layout) <= writer->queue_bytes ||
		   device->batches < 2) { /* one to fill while the other is written */
		batch = batch_create(&device->layout);
		writer->no_memory = !batch;
		if (!batch)
			writer->progress.sys_errno = ENOMEM;
		writer->batch_bytes += batch ? batch->bytes : 0;
		device->batches += batch != NULL;
	}
	if (batch)
		batch->device = device->index;
	return device->filling = batch;
}

/* Rows from `first` on have no room. The lock is held. */
static void lose_rows(struct sx_capture_writer *writer, struct writer_device *device,
		      const struct sx_rows *rows, size_t first)
{
	uint64_t begin = rows->begin_ns ? rows->begin_ns[first] : SX_TIME_UNKNOWN;
	uint64_t end = rows->end_ns ? rows->end_ns[rows->count - 1] : SX_TIME_UNKNOWN;
	writer_lose(writer, device, rows->count - first, begin, end);
}

static bool writer_fits(const struct writer_device *device, const struct sx_rows *rows)
{
	if (rows->column_count != device->layout.columns)
		return false;
	for (uint32_t i = 0; i < rows->column_count; i++)
		if (rows->columns[i].data && rows->columns[i].type != device->types[i])
			return false;
	return true;
}

enum sx_status sx_capture_write(struct sx_capture_writer *writer, uint32_t index,
				const struct sx_rows *rows, struct sx_error *err)
{
	size_t first = 0;
	pthread_mutex_lock(&writer->lock);
	struct writer_device *device = index < writer->device_count ? writer->devices[index] : NULL;
	if (!device || !writer_fits(device, rows)) {
		pthread_mutex_unlock(&writer->lock);
		return error_set(err, SX_ERR_USAGE, "%s: rows that are not of device %u",
				 writer->path, (unsigned)index);
	}
	while (first < rows->count) {
		struct batch *batch = filling_batch(writer, device);
		if (!batch)
			break;
		size_t texts = batch->text_bytes;
		first += batch_add(batch, &device->layout, rows, first);
		writer->batch_bytes += batch->text_bytes - texts;
		if (batch->no_memory)
			writer->progress.sys_errno = ENOMEM; /* the chunk's rows lack a label */
	}
	bool no_memory = first < rows->count && writer->no_memory;
	writer->progress.rows += first;
	writer->progress.value_bytes += (uint64_t)first * rows->column_count * sizeof(uint64_t);
	if (first < rows->count)
		lose_rows(writer, device, rows, first);
	pthread_mutex_unlock(&writer->lock);
	if (first == rows->count)
		return SX_OK;
	error_set(err, SX_INCOMPLETE, "%zu samples were lost", rows->count - first);
	if (no_memory)
		error_because(err, "out of memory for samples that wait to be written");
	else
		error_because(err, "the disk under %s is slower than the samples come",
			      writer->path);
	error_try(err, "a longer interval, fewer counters, or another disk");
	return SX_INCOMPLETE;
}

static enum sx_status push_mark(struct sx_capture_writer *writer, struct bytes *payload,
				const struct entry *entry, struct sx_error *err)
{
	struct writer_mark *mark = payload->failed ? NULL : malloc(sizeof(*mark) + payload->size);
	if (!mark) {
		free(payload->data);
		return error_nomem(err, "a capture's record");
	}
	*mark = (struct writer_mark){.entry = *entry, .size = payload->size};
	if (payload->size)
		memcpy(mark->payload, payload->data, payload->size);
	free(payload->data);
	pthread_mutex_lock(&writer->lock);
	bool known = entry->device == CAPTURE_NO_DEVICE || entry->device < writer->device_count;
	bool room = writer->mark_bytes + mark->size <= MARK_BYTES_MAX;
	if (known && room) {
		writer->mark_bytes += mark->size + sizeof(*mark);
		*writer->mark_tail = mark;
		writer->mark_tail = &mark->next;
	}
	pthread_mutex_unlock(&writer->lock);
	if (known && room)
		return SX_OK;
	free(mark);
	if (!known)
		return error_set(err, SX_ERR_USAGE, "%s: no device %u", writer->path,
				 entry->device);
	return error_nomem(err, "a capture's record");
}

enum sx_status sx_capture_mark(struct sx_capture_writer *writer, uint32_t device,
			       enum sx_capture_type type, const struct sx_capture_mark *mark,
			       struct sx_error *err)
{
	if (type < SX_CAPTURE_LOSS || type > SX_CAPTURE_NOTE || device > CAPTURE_NO_DEVICE)
		return error_set(err, SX_ERR_USAGE, "%s: not a mark", writer->path);
	struct bytes payload = {0};
	payload_put_mark(&payload, mark);
	struct entry entry = {
	    .type = (uint8_t)(CAPTURE_LOSS + (type - SX_CAPTURE_LOSS)),
	    .device = (uint16_t)device,
	    .begin_ns = mark->begin_ns,
	    .end_ns = mark->end_ns,
	};
	return push_mark(writer, &payload, &entry, err);
}

enum sx_status sx_capture_clocks(struct sx_capture_writer *writer, uint32_t device,
				 const struct sx_capture_clock *clocks, uint32_t count,
				 struct sx_error *err)
{
	if (count > CAPTURE_CLOCKS_MAX || device > CAPTURE_NO_DEVICE)
		return error_set(err, SX_ERR_USAGE, "%s: too many clocks", writer->path);
	struct bytes payload = {0};
	payload_put_clocks(&payload, clocks, count);
	struct entry entry = {.type = CAPTURE_CLOCK,
			      .device = (uint16_t)device,
			      .begin_ns = SX_TIME_UNKNOWN,
			      .end_ns = SX_TIME_UNKNOWN};
	return push_mark(writer, &payload, &entry, err);
}

void sx_capture_progress(struct sx_capture_writer *writer, struct sx_capture_progress *out)
{
	pthread_mutex_lock(&writer->lock);
	*out = writer->progress;
	pthread_mutex_unlock(&writer->lock);
}

enum sx_status sx_capture_flush(struct sx_capture_writer *writer, struct sx_error *err)
{
	pthread_mutex_lock(&writer->lock);
	uint64_t ticket = ++writer->flush_asked;
	pthread_cond_signal(&writer->work);
	while (writer->flush_done < ticket)
		pthread_cond_wait(&writer->done, &writer->lock);
	int failed = writer->progress.sys_errno;
	pthread_mutex_unlock(&writer->lock);
	return failed ? claim_error(err, failed, writer->path) : SX_OK;
}

static int copy_record(void *user, const uint8_t *data, size_t size, const struct entry *entry)
{
	return log_copy(user, data, size, *entry);
}

enum sx_status sx_capture_dump(struct sx_capture_writer *writer, const char *path,
			       struct sx_error *err)
{
	if (!writer->is_ring)
		return error_set(err, SX_ERR_USAGE, "%s: only a ring can be dumped", writer->path);
	enum sx_status status = sx_capture_flush(writer, err);
	if (status != SX_OK)
		return status;
	struct log log = {0};
	struct sx_capture_claim *claim;
	int failed = claim_take(path, &claim);
	if (!failed)
		failed = sink_open_file(claim, &log.sink);
	if (failed)
		return claim_error(err, failed, path);
	pthread_mutex_lock(&writer->sink_lock); /* rows wait in the queue meanwhile */
	failed = log_begin(&log);
	if (!failed)
		failed = sink_visit_ring(writer->log.sink, copy_record, &log);
	pthread_mutex_unlock(&writer->sink_lock);
	if (!failed)
		failed = log_end(&log);
	int closed = log_finish(&log);
	failed = failed ? failed : closed;
	return failed ? claim_error(err, failed, path) : SX_OK;
}

enum sx_status sx_capture_finish(struct sx_capture_writer *writer,
				 struct sx_capture_progress *progress, struct sx_error *err)
{
	if (!writer)
		return SX_OK;
	pthread_mutex_lock(&writer->lock);
	writer->stop = true;
	pthread_cond_signal(&writer->work);
	pthread_mutex_unlock(&writer->lock);
	pthread_join(writer->thread, NULL);
	int failed = writer->progress.sys_errno;
	if (progress)
		*progress = writer->progress;
	enum sx_status status = failed ? claim_error(err, failed, writer->path) : SX_OK;
	int closed = writer_release(writer);
	if (status == SX_OK && closed)
		status = error_errno(err, closed, "cannot close the capture");
	return status;
}
