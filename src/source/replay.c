/* The replay source: one device of a capture, as fast as possible or at the recording's speed. */
#include "source/source.h"

#include <sextant/capture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "catalog/internal.h"

struct replay {
	struct source base;
	struct sx_capture_reader *reader;
	uint32_t device;
	struct source_desc desc;
	struct sx_rows rows;	   /* of the current record */
	struct sx_vector *columns; /* of the part that is delivered */
	struct sx_rows part;
	size_t done;		    /* rows of the record that were delivered */
	struct sx_catalog *catalog; /* with what the driver brought itself, or NULL */
	bool realtime, reported, stopped;
	uint64_t started_ns, first_ns; /* now, and begin of the first row, when realtime */
	uint64_t lost;
	bool lost_more; /* and more than that, since the last sample */
	char note[512];
};

/* A capture is only read when it is named. */
static void replay_probe(const struct source_host *host, source_found_fn found, void *user)
{
}

static void fill_desc(struct replay *r, const struct sx_capture_device *device)
{
	r->desc = (struct source_desc){
	    .catalog = device->catalog,
	    .facts = device->facts,
	    .encloses_work = device->encloses_work,
	    .clock_error_ns = device->clock_error_ns,
	    .columns = device->columns,
	    .column_count = device->column_count,
	    .kind = device->kind,
	    .programs_sets = device->facts.set != NULL,
	    .set_is_fixed = true,
	    .shows_contexts = true, /* where its rows carry labels */
	};
	r->desc.facts.driver = *device->facts.driver ? device->facts.driver : NULL;
	r->desc.facts.clock = NULL; /* a session has its own */
}

static void replay_close(struct source *source)
{
	struct replay *r = (struct replay *)source;
	sx_catalog_unref(r->catalog);
	sx_capture_close(r->reader);
	free(r->columns);
	free(r);
}

enum sx_status sx_recorded_catalog(struct sx_context *context,
				   const struct sx_capture_device *device, struct sx_catalog **out,
				   struct sx_error *err)
{
	static const char prefix[] = SOURCE_DRIVER_PREFIX;
	struct catalog_addition *more = calloc(device->column_count + (size_t)1, sizeof(*more));
	uint32_t count = 0;
	if (!more)
		return error_nomem(err, "opening a catalog");
	for (uint32_t i = 0; i < device->column_count; i++) {
		const struct sx_column *c = &device->columns[i];
		if (strncmp(c->name, prefix, strlen(prefix)) == 0)
			more[count++] =
			    (struct catalog_addition){.name = c->name,
						      .unit = c->unit,
						      .description = "as recorded",
						      .is_real = true,
						      .is_mean = c->over_time == SX_REDUCE_MEAN};
	}
	const struct catalog_more all = {.counters = more, .counter_count = count};
	enum sx_status status = catalog_extend(context, device->catalog, &all, out, err);
	free(more);
	return status;
}

/* Where the driver brought counters itself; one that is not here the session misses. */
static void find_catalog(struct replay *r, const struct sx_capture_device *device)
{
	bool any = false;
	for (uint32_t i = 0; i < device->column_count; i++)
		any |= strncmp(device->columns[i].name, SOURCE_DRIVER_PREFIX,
			       strlen(SOURCE_DRIVER_PREFIX)) == 0;
	if (any && sx_recorded_catalog(r->base.catalogs, device, &r->catalog, NULL))
		r->catalog = NULL;
	r->desc.own = r->catalog;
}

/* The id is FILE#DEVICE. */
static enum sx_status replay_open(const struct source_host *host, const char *id,
				  struct source **out, struct sx_error *err)
{
	struct replay *r = calloc(1, sizeof(*r));
	const char *mark = strrchr(id, '#');
	char *path = strndup(id, mark ? (size_t)(mark - id) : strlen(id));
	enum sx_status status = r && path ? SX_OK : error_nomem(err, "replaying a capture");
	if (!status) {
		r->base = (struct source){&source_replay, host->sys, host->catalogs, &r->desc};
		r->device = mark ? (uint32_t)strtoul(mark + 1, NULL, 10) : 0;
		status = sx_capture_open(path, &r->reader, err);
	}
	const struct sx_capture_device *device =
	    status ? NULL : sx_capture_device(r->reader, r->device);
	if (!status && !device)
		status = error_set(err, SX_ERR_NOT_FOUND, "%s holds no device %u", path,
				   (unsigned)r->device);
	if (!status) {
		r->columns = calloc(device->column_count + 1, sizeof(*r->columns));
		if (!r->columns)
			status = error_nomem(err, "replaying a capture");
	}
	free(path);
	if (status) {
		if (r)
			replay_close(&r->base);
		return status;
	}
	fill_desc(r, device);
	find_catalog(r, device);
	*out = &r->base;
	return SX_OK;
}

static enum sx_status replay_start(struct source *source, const struct source_request *request,
				   struct sx_error *err)
{
	struct replay *r = (struct replay *)source;
	r->realtime = request->realtime;
	r->reported = r->stopped = false;
	r->rows = (struct sx_rows){0};
	r->done = 0;
	r->lost = 0;
	r->started_ns = sys_now_ns(r->base.sys);
	r->first_ns = sx_capture_info(r->reader)->begin_ns; /* of all devices, to keep them apart */
	return sx_capture_seek(r->reader, 0, err);
}

/* Rows of the record that are due; waits for the first one, but no longer than asked. */
static size_t due_rows(struct replay *r, int timeout_ms)
{
	size_t left = r->rows.count - r->done, due = 0;
	const uint64_t *end = r->rows.end_ns ? r->rows.end_ns + r->done : NULL;
	if (!r->realtime || !end || r->first_ns == SX_TIME_UNKNOWN)
		return left;
	uint64_t reached = sys_now_ns(r->base.sys) - r->started_ns + r->first_ns;
	while (due < left && (end[due] == SX_TIME_UNKNOWN || end[due] <= reached))
		due++;
	if (due)
		return due;
	uint64_t wait = end[0] - reached, most = (uint64_t)(timeout_ms > 0 ? timeout_ms : 0);
	wait = wait < most * 1000000 ? wait : most * 1000000;
	nanosleep(&(struct timespec){.tv_sec = (time_t)(wait / 1000000000),
				     .tv_nsec = (long)(wait % 1000000000)},
		  NULL);
	return 0;
}

static void cut_part(struct replay *r, size_t count)
{
	r->part = r->rows;
	r->part.count = count;
	r->part.columns = r->columns;
	r->part.begin_ns = r->rows.begin_ns ? r->rows.begin_ns + r->done : NULL;
	r->part.end_ns = r->rows.end_ns ? r->rows.end_ns + r->done : NULL;
	for (int i = 0; i < SX_LABEL_COUNT; i++)
		r->part.labels[i] = r->rows.labels[i] ? r->rows.labels[i] + r->done : NULL;
	for (uint32_t i = 0; i < r->rows.column_count; i++) {
		struct sx_vector column = r->rows.columns[i];
		if (column.data)
			column.data = (const uint64_t *)column.data + r->done;
		if (column.quality)
			column.quality += r->done;
		r->columns[i] = column;
	}
	r->done += count;
}

static void replay_give_note(struct replay *r, struct raw_sample *out)
{
	*out = (struct raw_sample){.kind = RAW_NOTE,
				   .begin_ns = SX_TIME_UNKNOWN,
				   .end_ns = SX_TIME_UNKNOWN,
				   .data = (const uint8_t *)r->note,
				   .size = strlen(r->note)};
}

/* The part as a sample, with what was lost before it. */
static void give_part(struct replay *r, uint64_t begin_ns, uint64_t end_ns, struct raw_sample *out)
{
	*out = (struct raw_sample){.kind = RAW_ROWS,
				   .begin_ns = begin_ns,
				   .end_ns = end_ns,
				   .lost = r->lost,
				   .flags = r->lost_more ? RAW_LOST : 0,
				   .data = (const uint8_t *)&r->part,
				   .size = sizeof(r->part)};
	r->lost = 0;
	r->lost_more = false;
}

/* What was lost behind the last row: no rows, and how many are missing. */
static void give_loss(struct replay *r, struct raw_sample *out)
{
	for (uint32_t i = 0; i < r->desc.column_count; i++)
		r->columns[i] = (struct sx_vector){.type = r->desc.columns[i].type};
	r->part = (struct sx_rows){.columns = r->columns, .column_count = r->desc.column_count};
	give_part(r, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN, out);
}

/* At the end, reports once what is still missing and what was damaged. */
static enum sx_status replay_finish(struct replay *r, struct raw_sample *out)
{
	const struct sx_capture_account *account = sx_capture_account(r->reader);
	bool cut = !sx_capture_info(r->reader)->clean;
	if (r->lost || r->lost_more) {
		give_loss(r, out);
		return SX_OK;
	}
	if (r->reported || (!account->what[0] && !cut))
		return SX_END;
	r->reported = true;
	if (account->what[0])
		snprintf(r->note, sizeof(r->note), "the capture is damaged: %s", account->what);
	else
		snprintf(r->note, sizeof(r->note),
			 "the recording did not end cleanly; all that was written is here");
	replay_give_note(r, out);
	out->flags |= RAW_PARTIAL;
	return SX_OK;
}

/* A loss that has no end: the device went. */
static bool is_the_end(const struct sx_capture_mark *mark)
{
	return mark->lost == SX_CAPTURE_COUNT_UNKNOWN && mark->end_ns == SX_TIME_UNKNOWN &&
	       mark->begin_ns != SX_TIME_UNKNOWN;
}

/* Takes the next record of this device. SX_AGAIN: there are rows now, SX_OK: a note. */
static enum sx_status next_record(struct replay *r, struct raw_sample *out, struct sx_error *err)
{
	struct sx_capture_ending ending;
	struct sx_capture_record record;
	enum sx_status status = sx_capture_next(r->reader, &record, err);
	if (status == SX_END || status == SX_AGAIN)
		return replay_finish(r, out);
	if (status)
		return status;
	bool mine = record.device == r->device;
	if (mine && record.type == SX_CAPTURE_ROWS) {
		r->rows = record.rows;
		r->done = 0;
	} else if (mine && record.type == SX_CAPTURE_LOSS) {
		if (is_the_end(&record.mark))
			return error_set(err, SX_ERR_DEVICE_LOST, "%s", record.mark.text);
		if (record.mark.lost == SX_CAPTURE_COUNT_UNKNOWN)
			r->lost_more = true;
		else
			r->lost += record.mark.lost;
	} else if (sx_capture_read_ending(&record, &ending)) {
		return SX_AGAIN; /* the program's, of no device */
	} else if (record.type == SX_CAPTURE_NOTE &&
		   (mine || (record.device == SX_CAPTURE_NO_DEVICE && r->device == 0))) {
		snprintf(r->note, sizeof(r->note), "%s", record.mark.text);
		replay_give_note(r, out);
		return SX_OK;
	}
	return SX_AGAIN;
}

static enum sx_status replay_read(struct source *source, int timeout_ms, struct raw_sample *out,
				  struct sx_error *err)
{
	struct replay *r = (struct replay *)source;
	if (r->stopped)
		return SX_END;
	while (r->done == r->rows.count) {
		enum sx_status status = next_record(r, out, err);
		if (status != SX_AGAIN)
			return status;
	}
	size_t count = due_rows(r, timeout_ms);
	if (!count)
		return SX_AGAIN;
	cut_part(r, count);
	give_part(r, r->part.begin_ns ? r->part.begin_ns[0] : SX_TIME_UNKNOWN,
		  r->part.end_ns ? r->part.end_ns[count - 1] : SX_TIME_UNKNOWN, out);
	return SX_OK;
}

static enum sx_status replay_stop(struct source *source, struct sx_error *err)
{
	((struct replay *)source)->stopped = true;
	return SX_OK;
}

const struct source_ops source_replay = {
    .name = "replay",
    .raw = RAW_ROWS,
    .probe = replay_probe,
    .open = replay_open,
    .start = replay_start,
    .read = replay_read,
    .stop = replay_stop,
    .close = replay_close,
};
