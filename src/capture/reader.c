/* The reader's calls: record after record. Nothing of a record is used before it was checked. */
#include "capture/reader.h"
#include "base/error.h"
#include "capture/format/chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sx_capture_reader *reader_create(const char *name)
{
	struct sx_capture_reader *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	reader->bytes.fd = -1;
	reader->account.first_damage = UINT64_MAX;
	reader->info.begin_ns = reader->info.end_ns = SX_TIME_UNKNOWN;
	reader->scan_end = CAPTURE_HEADER_SIZE;
	reader->name = strdup(name);
	if (!reader->name) {
		free(reader);
		return NULL;
	}
	return reader;
}

void sx_capture_close(struct sx_capture_reader *reader)
{
	if (!reader)
		return;
	if (reader->from.close)
		reader->from.close(reader->from.user);
	if (reader->bytes.fd >= 0)
		close(reader->bytes.fd);
	free(reader->bytes.window);
	free(reader->entries);
	free(reader->devices);
	free(reader->payload.data);
	free(reader->name);
	arena_finish(&reader->arena);
	arena_finish(&reader->record_arena);
	chunk_reader_finish(&reader->chunks);
	free(reader);
}

#define SHOWN_MOST 48 /* bytes of a text */

/* How much of a text's first line can be shown; 0: it is none. */
static int shown_size(const uint8_t *at, size_t size)
{
	int shown = 0;
	while (at && (size_t)shown < size && at[shown] >= 0x20 && at[shown] < 0x7f)
		shown++;
	bool ends = (size_t)shown == size || (at && memchr("\t\r\n", at[shown], 3));
	return ends ? shown : 0;
}

static enum sx_status not_a_capture(struct sx_capture_reader *reader, struct sx_error *err)
{
	uint64_t bytes = reader->bytes.size;
	size_t size = bytes < SHOWN_MOST ? (size_t)bytes : SHOWN_MOST;
	const uint8_t *at = size ? reader_bytes_peek(&reader->bytes, 0, size) : NULL;
	int shown = shown_size(at, size);
	error_set(err, SX_ERR_BAD_INPUT, "%s is not a capture", reader->name);
	if (shown)
		error_because(err, "it begins with \"%.*s\"", shown, (const char *)at);
	else
		error_because(err, bytes ? "it does not begin as one" : "it is empty");
	error_try(err, "a capture of sextant record, a table (a line of names, then lines of "
		       "numbers), or another tool's file: sextant import --help lists them");
	return SX_ERR_BAD_INPUT;
}

static enum sx_status check_header(struct sx_capture_reader *reader, struct sx_error *err)
{
	struct frame frame;
	const uint8_t *at = reader_bytes_peek(&reader->bytes, 0, CAPTURE_HEADER_SIZE);
	if (!at)
		return not_a_capture(reader, err);
	enum frame_header found = frame_get_header(at, &reader->info.major, &reader->info.minor);
	if (found == FRAME_HEADER_OTHER_MAJOR) {
		error_set(err, SX_ERR_UNSUPPORTED, "%s is a capture of version %u.%u", reader->name,
			  reader->info.major, reader->info.minor);
		error_because(err, "this program reads version %d", CAPTURE_MAJOR);
		error_try(err, "read it with a newer Sextant");
		return SX_ERR_UNSUPPORTED;
	}
	if (found == FRAME_HEADER_FINE)
		return SX_OK;
	at = reader_bytes_peek(&reader->bytes, CAPTURE_HEADER_SIZE, CAPTURE_FRAME_SIZE);
	if (!at || !frame_get(at, &frame))
		return not_a_capture(reader, err);
	reader->info.major = CAPTURE_MAJOR;
	reader->info.minor = CAPTURE_MINOR;
	reader_damage(reader, 0, CAPTURE_HEADER_SIZE, "the file's header is damaged");
	return SX_OK;
}

/* What the disk refused is no damage of the file: another try may read it. */
static enum sx_status refused(const struct sx_capture_reader *reader, struct sx_error *err)
{
	enum sx_status status =
	    error_errno(err, reader->bytes.failed, "cannot read %s", reader->name);
	error_try(err, "the same again; a copy of the file, if its disk fails");
	return status;
}

static enum sx_status reader_begin(struct sx_capture_reader *reader, struct sx_capture_reader **out,
				   struct sx_error *err)
{
	enum sx_status status = check_header(reader, err);
	if (status == SX_OK) {
		status = reader_use_index(reader);
		if (status == SX_AGAIN)
			status = reader_scan(reader);
		if (status != SX_OK)
			error_nomem(err, "a capture's records");
	}
	if (reader->bytes.failed)
		status = refused(reader, err);
	if (status != SX_OK) {
		sx_capture_close(reader);
		return status;
	}
	*out = reader;
	return SX_OK;
}

enum sx_status capture_open_memory(const void *data, size_t size, const char *name,
				   struct sx_capture_reader **out, struct sx_error *err)
{
	struct sx_capture_reader *reader = reader_create(name);
	if (!reader)
		return error_nomem(err, "a capture's reader");
	reader->bytes.memory = data ? data : (const uint8_t *)"";
	reader->bytes.size = size;
	return reader_begin(reader, out, err);
}

static enum sx_status open_file(struct sx_capture_reader *reader, struct sx_error *err)
{
	struct stat stat;
	reader->bytes.fd = open(reader->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (reader->bytes.fd < 0 || fstat(reader->bytes.fd, &stat) < 0)
		return error_input(err, errno, "cannot open the capture", reader->name);
	if (!S_ISREG(stat.st_mode)) {
		error_set(err, SX_ERR_BAD_INPUT, "%s is not a file", reader->name);
		error_because(err, "a capture is read from several places at once");
		error_try(err, "save it to a file first");
		return SX_ERR_BAD_INPUT;
	}
	int failed = reader_bytes_open(&reader->bytes);
	return failed ? error_errno(err, failed, "cannot read %s", reader->name) : SX_OK;
}

enum sx_status sx_capture_open(const char *path, struct sx_capture_reader **out,
			       struct sx_error *err)
{
	struct sx_capture_reader *reader = reader_create(path);
	if (!reader)
		return error_nomem(err, "a capture's reader");
	enum sx_status status = open_file(reader, err);
	if (status != SX_OK) {
		sx_capture_close(reader);
		return status;
	}
	return reader_begin(reader, out, err);
}

/* A device as a file would give it back. */
static enum sx_status records_device(struct sx_capture_reader *reader,
				     const struct sx_capture_device *device, struct bytes *buffer)
{
	struct reader_device *copy = arena_alloc(&reader->arena, sizeof(*copy));
	buffer->size = 0;
	payload_put_device(buffer, device);
	if (!copy || buffer->failed)
		return SX_ERR_NO_MEMORY;
	copy->hash = 0;
	reader->devices[reader->device_count++] = copy;
	return payload_get_device(buffer->data, buffer->size, &reader->arena, &copy->device);
}

static enum sx_status records_properties(struct sx_capture_reader *reader,
					 const struct sx_capture_info *info, struct bytes *buffer)
{
	payload_put_head(buffer, info->created_ns, info->properties, info->property_count);
	return buffer->failed
		   ? SX_ERR_NO_MEMORY
		   : payload_get_head(buffer->data, buffer->size, &reader->arena, &reader->info);
}

enum sx_status capture_open_records(const struct capture_records *from,
				    const struct sx_capture_info *info,
				    const struct sx_capture_device *devices,
				    struct sx_capture_reader **out, struct sx_error *err)
{
	struct bytes buffer = {0};
	struct sx_capture_reader *reader = reader_create("");
	if (!reader) {
		from->close(from->user);
		return error_nomem(err, "a capture's reader");
	}
	reader->from = *from;
	reader->info = *info;
	reader->bytes.size = info->size_bytes;
	reader->devices = calloc((size_t)info->device_count + 1, sizeof(struct reader_device *));
	enum sx_status status =
	    reader->devices ? records_properties(reader, info, &buffer) : SX_ERR_NO_MEMORY;
	for (uint32_t i = 0; !status && i < info->device_count; i++)
		status = records_device(reader, &devices[i], &buffer);
	free(buffer.data);
	if (status) {
		sx_capture_close(reader);
		return error_nomem(err, "a capture's reader");
	}
	*out = reader;
	return SX_OK;
}

const struct sx_capture_info *sx_capture_info(struct sx_capture_reader *reader)
{
	reader->info.device_count = reader->device_count;
	reader->info.size_bytes = reader->bytes.size;
	return &reader->info;
}

const struct sx_capture_device *sx_capture_device(const struct sx_capture_reader *reader,
						  uint32_t device)
{
	if (device >= reader->device_count || !reader->devices[device])
		return NULL;
	return &reader->devices[device]->device;
}

uint32_t sx_capture_order(const struct sx_capture_reader *reader, uint32_t *list)
{
	uint32_t count = 0;
	for (int encloses = 1; encloses >= 0; encloses--)
		for (uint32_t i = 0; i < reader->device_count; i++)
			if (reader->devices[i] &&
			    reader->devices[i]->device.encloses_work == (encloses == 1))
				list[count++] = i;
	return count;
}

enum sx_status capture_no_device(const char *path, const struct sx_capture_reader *reader,
				 struct sx_error *err)
{
	const char *what = sx_capture_account(reader)->what;
	error_set(err, SX_ERR_BAD_INPUT, "%s describes no device", path);
	error_because(err, "%s", what[0] ? what : "it ends before that");
	error_try(err, "another recording");
	return SX_ERR_BAD_INPUT;
}

const struct sx_capture_account *sx_capture_account(const struct sx_capture_reader *reader)
{
	return &reader->account;
}

static enum sx_status bad_record(struct sx_capture_reader *reader, const struct entry *entry,
				 const char *what)
{
	reader->account.damaged_records++;
	reader_damage(reader, entry->offset, 0, "the record at byte %" PRIu64 " %s", entry->offset,
		      what);
	return SX_AGAIN;
}

static enum sx_status read_rows(struct sx_capture_reader *reader, const struct entry *entry,
				const uint8_t *payload, struct sx_capture_record *out)
{
	if (entry->device >= reader->device_count || !reader->devices[entry->device])
		return bad_record(reader, entry, "is of a device that nothing describes");
	const struct reader_device *device = reader->devices[entry->device];
	out->type = SX_CAPTURE_ROWS;
	const struct chunk_payload chunk = {payload, entry->size, device->hash};
	switch (chunk_read(&reader->chunks, &chunk, &device->device, &out->rows)) {
	case CHUNK_FINE:
		return SX_OK;
	case CHUNK_DAMAGED:
		return bad_record(reader, entry, "does not add up");
	case CHUNK_OTHER_DEVICE:
		return bad_record(reader, entry, "is of another device than described");
	case CHUNK_NO_MEMORY:
		break;
	}
	return SX_ERR_NO_MEMORY;
}

static enum sx_status read_mark(struct sx_capture_reader *reader, const struct entry *entry,
				const uint8_t *payload, struct sx_capture_record *out)
{
	out->type = (enum sx_capture_type)(SX_CAPTURE_LOSS + (entry->type - CAPTURE_LOSS));
	enum sx_status status =
	    payload_get_mark(payload, entry->size, &reader->record_arena, &out->mark);
	if (status)
		return status == SX_ERR_NO_MEMORY ? status
						  : bad_record(reader, entry, "does not add up");
	out->begin_ns = out->mark.begin_ns;
	out->end_ns = out->mark.end_ns;
	if (out->type == SX_CAPTURE_LOSS && out->mark.lost != SX_CAPTURE_COUNT_UNKNOWN)
		reader->account.lost_rows += out->mark.lost;
	return SX_OK;
}

static enum sx_status read_clocks(struct sx_capture_reader *reader, const struct entry *entry,
				  const uint8_t *payload, struct sx_capture_record *out)
{
	out->type = SX_CAPTURE_CLOCK;
	out->clocks = reader->clocks;
	enum sx_status status = payload_get_clocks(payload, entry->size, &reader->record_arena,
						   reader->clocks, &out->clock_count);
	return status == SX_ERR_BAD_INPUT ? bad_record(reader, entry, "does not add up") : status;
}

void sx_capture_set_filter(struct sx_capture_reader *reader, const struct sx_capture_filter *filter)
{
	reader->filter = *filter;
}

static bool passed_over(const struct sx_capture_filter *filter, const struct entry *entry)
{
	if ((!filter->from_ns && !filter->to_ns) || entry->begin_ns == SX_TIME_UNKNOWN ||
	    entry->end_ns == SX_TIME_UNKNOWN)
		return false;
	return entry->end_ns <= filter->from_ns || entry->begin_ns >= filter->to_ns;
}

/* A record's head, by the index or the scan. */
static enum sx_status read_head(const struct sx_capture_reader *reader, const struct entry *entry,
				struct sx_capture_record *out)
{
	const struct sx_capture_device *device = sx_capture_device(reader, entry->device);
	*out = (struct sx_capture_record){.type = SX_CAPTURE_ROWS,
					  .device = entry->device,
					  .offset = entry->offset,
					  .begin_ns = entry->begin_ns,
					  .end_ns = entry->end_ns,
					  .rows.count = entry->rows};
	if (!device)
		return SX_AGAIN;
	out->rows.column_count = device->column_count;
	return SX_OK;
}

/* SX_AGAIN: nothing for the caller in this record. */
static enum sx_status read_entry(struct sx_capture_reader *reader, struct entry *entry,
				 struct sx_capture_record *out)
{
	bool known = entry->type >= CAPTURE_ROWS && entry->type <= CAPTURE_NOTE;
	if (!known && (entry->type != CAPTURE_INDEX || reader->checked_index))
		return SX_AGAIN;
	if (entry->type == CAPTURE_ROWS && passed_over(&reader->filter, entry))
		return SX_AGAIN;
	if (entry->type == CAPTURE_ROWS && reader->filter.heads_only)
		return read_head(reader, entry, out);
	const uint8_t *payload = reader_payload(reader, entry);
	if (!payload && reader->bytes.no_memory)
		return SX_ERR_NO_MEMORY;
	if (!payload || !known)
		return SX_AGAIN;
	arena_finish(&reader->record_arena);
	*out = (struct sx_capture_record){.device = entry->device,
					  .offset = entry->offset,
					  .begin_ns = entry->begin_ns,
					  .end_ns = entry->end_ns};
	if (entry->type == CAPTURE_ROWS)
		return read_rows(reader, entry, payload, out);
	if (entry->type == CAPTURE_CLOCK)
		return read_clocks(reader, entry, payload, out);
	return read_mark(reader, entry, payload, out);
}

static enum sx_status look_again(struct sx_capture_reader *reader, struct sx_error *err)
{
	uint64_t before = reader->bytes.size;
	int failed = reader_bytes_renew(&reader->bytes);
	if (failed)
		return error_errno(err, failed, "cannot read %s", reader->name);
	if (reader->bytes.size < reader->scan_end) {
		reader_damage(reader, reader->bytes.size, 0, "the file became shorter");
		return SX_AGAIN;
	}
	if (reader->bytes.size == before)
		return SX_AGAIN;
	enum sx_status status = reader_scan(reader);
	if (status != SX_OK)
		return error_nomem(err, "a capture's records");
	return reader->next < reader->count ? SX_OK : SX_AGAIN;
}

/* The same label as a file would give it back. */
static const char *mended_label(struct sx_capture_reader *reader, const char *text)
{
	reader->payload.size = 0;
	bytes_label(&reader->payload, text);
	struct cursor in = {.at = reader->payload.data,
			    .end = reader->payload.data + reader->payload.size};
	return reader->payload.failed ? text : cursor_label(&in, &reader->record_arena);
}

/* Replaces labels of the rows that are no text. */
static void mend_labels(struct sx_capture_reader *reader, struct sx_rows *rows)
{
	const char **texts = NULL;
	for (int l = 0; l < SX_LABEL_COUNT; l++)
		for (size_t i = 0;
		     CAPTURE_STRING_LABELS >> l & 1 && rows->labels[l] && i < rows->count; i++) {
			uint64_t at = rows->labels[l][i];
			if (at >= rows->string_count || bytes_is_label(rows->strings[at]))
				continue;
			size_t size = rows->string_count * sizeof(*texts);
			if (!texts && (texts = arena_alloc(&reader->record_arena, size)))
				memcpy(texts, rows->strings, size);
			if (texts)
				texts[at] = mended_label(reader, rows->strings[at]);
		}
	rows->strings = texts ? texts : rows->strings;
}

static enum sx_status mend_mark(struct sx_capture_reader *reader, struct sx_capture_mark *mark)
{
	struct bytes *buffer = &reader->payload;
	buffer->size = 0;
	payload_put_mark(buffer, mark);
	return buffer->failed
		   ? SX_ERR_NO_MEMORY
		   : payload_get_mark(buffer->data, buffer->size, &reader->record_arena, mark);
}

static enum sx_status next_of_records(struct sx_capture_reader *reader,
				      struct sx_capture_record *out, struct sx_error *err)
{
	enum sx_status status = reader->from.get(reader->from.user, reader->next, out, err);
	if (status)
		return status;
	reader->next++;
	arena_finish(&reader->record_arena);
	if (out->type == SX_CAPTURE_ROWS)
		mend_labels(reader, &out->rows);
	else
		status = mend_mark(reader, &out->mark);
	if (out->type == SX_CAPTURE_LOSS && out->mark.lost != SX_CAPTURE_COUNT_UNKNOWN)
		reader->account.lost_rows += out->mark.lost;
	return status ? error_nomem(err, "a capture's rows") : SX_OK;
}

enum sx_status sx_capture_next(struct sx_capture_reader *reader, struct sx_capture_record *out,
			       struct sx_error *err)
{
	if (reader->from.get)
		return next_of_records(reader, out, err);
	for (;;) {
		while (reader->next < reader->count) {
			enum sx_status status =
			    read_entry(reader, &reader->entries[reader->next++], out);
			if (reader->bytes.failed)
				return refused(reader, err);
			if (status == SX_ERR_NO_MEMORY)
				return error_nomem(err, "a capture's rows");
			if (status != SX_AGAIN)
				return status;
		}
		if (reader->info.clean)
			return SX_END;
		enum sx_status status = look_again(reader, err);
		if (status != SX_OK)
			return status == SX_AGAIN && reader->info.clean ? SX_END : status;
	}
}

enum sx_status sx_capture_seek(struct sx_capture_reader *reader, uint64_t time_ns,
			       struct sx_error *err)
{
	size_t i = 0;
	while (
	    time_ns && i < reader->count &&
	    (reader->entries[i].end_ns == SX_TIME_UNKNOWN || reader->entries[i].end_ns <= time_ns))
		i++;
	reader->next = i;
	return SX_OK;
}
