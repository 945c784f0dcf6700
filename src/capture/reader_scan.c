/* Finds records: by the index, or one after another; after damage, at the next intact frame. */
#include "capture/format/chunk.h"
#include "capture/reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

void reader_damage(struct sx_capture_reader *reader, uint64_t at, uint64_t bytes, const char *fmt,
		   ...)
{
	struct sx_capture_account *account = &reader->account;
	account->damaged_bytes += bytes;
	if (at >= account->first_damage)
		return;
	account->first_damage = at;
	va_list args;
	va_start(args, fmt);
	vsnprintf(account->what, sizeof(account->what), fmt, args);
	va_end(args);
}

const uint8_t *reader_payload(struct sx_capture_reader *reader, struct entry *entry)
{
	struct frame frame;
	uint64_t room = CAPTURE_FRAME_SIZE + (uint64_t)entry->size;
	const uint8_t *at = reader_bytes_peek(&reader->bytes, entry->offset, CAPTURE_FRAME_SIZE);
	if (!at || !frame_get(at, &frame) || frame.type != entry->type ||
	    frame.device != entry->device || frame.sequence != entry->sequence ||
	    frame.size != entry->size) {
		reader->account.damaged_records++;
		reader_damage(reader, entry->offset, room,
			      "the record at byte %" PRIu64 " is damaged", entry->offset);
		return NULL;
	}
	const uint8_t *payload = reader_bytes_load(
	    &reader->bytes, entry->offset + CAPTURE_FRAME_SIZE, frame.size, &reader->payload);
	if (!payload && reader->bytes.no_memory)
		return NULL;
	if (payload && frame_check(&frame, payload))
		return payload;
	reader->account.damaged_records++;
	reader_damage(reader, entry->offset, CAPTURE_FRAME_SIZE + (uint64_t)frame.size,
		      "the contents of the record at byte %" PRIu64 " are damaged", entry->offset);
	return NULL;
}

static bool keep_device(struct sx_capture_reader *reader, uint16_t number,
			const struct reader_device *found)
{
	size_t before = reader->device_cap;
	if (!mem_grow(&reader->devices, &reader->device_cap, (size_t)number + 1,
		      sizeof(struct reader_device *)))
		return false;
	for (size_t i = before; i < reader->device_cap; i++)
		reader->devices[i] = NULL;
	struct reader_device *device = arena_alloc(&reader->arena, sizeof(*device));
	if (!device)
		return false;
	*device = *found;
	reader->devices[number] = device;
	if (number >= reader->device_count)
		reader->device_count = number + 1u;
	return true;
}

/* A DEVICE record counts once; its repetitions are there for when the first is damaged. */
static enum sx_status take_device(struct sx_capture_reader *reader, struct entry *entry)
{
	struct reader_device found = {0};
	if (entry->device == CAPTURE_NO_DEVICE ||
	    (entry->device < reader->device_cap && reader->devices[entry->device]))
		return SX_OK;
	const uint8_t *payload = reader_payload(reader, entry);
	if (!payload)
		return reader->bytes.no_memory ? SX_ERR_NO_MEMORY : SX_OK;
	found.hash = XXH64(payload, entry->size, 0);
	enum sx_status status =
	    payload_get_device(payload, entry->size, &reader->arena, &found.device);
	if (!status && !keep_device(reader, entry->device, &found))
		status = SX_ERR_NO_MEMORY;
	if (status != SX_ERR_BAD_INPUT)
		return status;
	reader->account.damaged_records++;
	reader_damage(reader, entry->offset, 0, "the device at byte %" PRIu64 " does not add up",
		      entry->offset);
	return SX_OK;
}

static enum sx_status take_head(struct sx_capture_reader *reader, struct entry *entry)
{
	if (reader->info.properties)
		return SX_OK;
	const uint8_t *payload = reader_payload(reader, entry);
	if (!payload)
		return reader->bytes.no_memory ? SX_ERR_NO_MEMORY : SX_OK;
	enum sx_status status =
	    payload_get_head(payload, entry->size, &reader->arena, &reader->info);
	if (status != SX_ERR_BAD_INPUT)
		return status;
	reader->account.damaged_records++;
	reader_damage(reader, entry->offset, 0, "the head of the file does not add up");
	return SX_OK;
}

static void take_rows(struct sx_capture_info *info, const struct entry *entry)
{
	info->chunks++;
	info->rows += entry->rows;
	if (entry->begin_ns < info->begin_ns)
		info->begin_ns = entry->begin_ns;
	if (entry->end_ns != SX_TIME_UNKNOWN &&
	    (info->end_ns == SX_TIME_UNKNOWN || entry->end_ns > info->end_ns))
		info->end_ns = entry->end_ns;
}

/* False when the number was there before: the file holds the bytes of a record twice. */
static bool take_sequence(struct sx_capture_reader *reader, const struct entry *entry)
{
	uint32_t due = reader->any_sequence ? reader->sequence + 1 : 0;
	if (entry->sequence < due) {
		reader->account.damaged_records++;
		reader_damage(reader, entry->offset, CAPTURE_FRAME_SIZE + (uint64_t)entry->size,
			      "the record at byte %" PRIu64 " is in the file twice", entry->offset);
		return false;
	}
	reader->account.missing_records += entry->sequence - due;
	if (entry->sequence != due)
		reader_damage(reader, entry->offset, 0,
			      "%" PRIu32 " records before byte %" PRIu64 " are gone",
			      entry->sequence - due, entry->offset);
	reader->sequence = entry->sequence;
	reader->any_sequence = true;
	return true;
}

static enum sx_status take_entry(struct sx_capture_reader *reader, struct entry *entry)
{
	if (!take_sequence(reader, entry))
		return SX_OK;
	enum sx_status status = SX_OK;
	if (entry->type == CAPTURE_HEAD)
		status = take_head(reader, entry);
	else if (entry->type == CAPTURE_DEVICE)
		status = take_device(reader, entry);
	else if (entry->type == CAPTURE_ROWS)
		take_rows(&reader->info, entry);
	else if (entry->type < CAPTURE_HEAD || entry->type > CAPTURE_INDEX)
		reader->account.unknown_records++;
	if (status)
		return status;
	if (!mem_grow(&reader->entries, &reader->cap, reader->count + 1, sizeof(*reader->entries)))
		return SX_ERR_NO_MEMORY;
	reader->entries[reader->count++] = *entry;
	return SX_OK;
}

/* Loads the list of the index; false when there is none that is sound. */
static bool load_index(struct sx_capture_reader *reader, struct entry **list, size_t *count)
{
	struct reader_bytes *bytes = &reader->bytes;
	uint64_t offset, end = bytes->size - CAPTURE_TRAILER_SIZE;
	struct frame frame;
	if (bytes->size < CAPTURE_HEADER_SIZE + CAPTURE_TRAILER_SIZE)
		return false;
	const uint8_t *at = reader_bytes_peek(bytes, end, CAPTURE_TRAILER_SIZE);
	if (!at || !frame_get_trailer(at, &offset) || offset >= end)
		return false;
	at = reader_bytes_peek(bytes, offset, CAPTURE_FRAME_SIZE);
	if (!at || !frame_get(at, &frame) || frame.type != CAPTURE_INDEX ||
	    offset + CAPTURE_FRAME_SIZE + frame.size != end)
		return false;
	const uint8_t *payload =
	    reader_bytes_load(bytes, offset + CAPTURE_FRAME_SIZE, frame.size, &reader->payload);
	if (!payload || !frame_check(&frame, payload) ||
	    payload_get_index(payload, frame.size, list, count))
		return false; /* without memory for the index the records are looked for */
	/* Each record must lie between its neighbours; what it is shows when it is read. */
	uint64_t from = CAPTURE_HEADER_SIZE;
	for (size_t i = 0; i < *count; i++) {
		struct entry *entry = &(*list)[i];
		uint64_t next = i + 1 < *count ? entry[1].offset : offset;
		if (entry->offset != from || next < from + CAPTURE_FRAME_SIZE ||
		    next - from > CAPTURE_PAYLOAD_MAX + CAPTURE_FRAME_SIZE) {
			free(*list);
			return false;
		}
		entry->size = (uint32_t)(next - from - CAPTURE_FRAME_SIZE);
		from = next;
	}
	return *count > 0;
}

enum sx_status reader_use_index(struct sx_capture_reader *reader)
{
	struct entry *list = NULL;
	size_t count = 0;
	if (!load_index(reader, &list, &count))
		return SX_AGAIN;
	enum sx_status status = SX_OK;
	for (size_t i = 0; status == SX_OK && i < count; i++)
		status = take_entry(reader, &list[i]);
	free(list);
	reader->info.clean = reader->checked_index = true;
	reader->scan_end = reader->bytes.size;
	return status;
}

static struct entry entry_of(struct sx_capture_reader *reader, uint64_t at,
			     const struct frame *frame)
{
	struct entry entry = {.offset = at,
			      .size = frame->size,
			      .sequence = frame->sequence,
			      .device = frame->device,
			      .type = frame->type,
			      .begin_ns = SX_TIME_UNKNOWN,
			      .end_ns = SX_TIME_UNKNOWN};
	bool marks = frame->type >= CAPTURE_LOSS && frame->type <= CAPTURE_NOTE;
	size_t skip = frame->type == CAPTURE_ROWS ? 8 : 0;
	if ((frame->type != CAPTURE_ROWS && !marks) || frame->size < skip + 16)
		return entry;
	const uint8_t *payload =
	    reader_bytes_peek(&reader->bytes, at + CAPTURE_FRAME_SIZE, skip + 16);
	if (!payload)
		return entry;
	entry.rows = skip ? little_u32(payload) : 0;
	entry.begin_ns = little_u64(payload + skip);
	entry.end_ns = little_u64(payload + skip + 8);
	return entry;
}

static bool is_trailer(struct reader_bytes *bytes, uint64_t at)
{
	uint64_t offset;
	if (at > bytes->size || bytes->size - at != CAPTURE_TRAILER_SIZE)
		return false;
	const uint8_t *data = reader_bytes_peek(bytes, at, CAPTURE_TRAILER_SIZE);
	return data && frame_get_trailer(data, &offset);
}

static bool is_frame(struct reader_bytes *bytes, uint64_t at)
{
	struct frame frame;
	const uint8_t *data = reader_bytes_peek(bytes, at, CAPTURE_FRAME_SIZE);
	return data && frame_get(data, &frame);
}

/*
 * Where the record after the one at `at` begins. A record that reaches over another one, or over
 * the end, has lost bytes: then that other one, or UINT64_MAX at an unfinished end.
 */
static uint64_t after(struct reader_bytes *bytes, uint64_t at, uint32_t size, bool *whole)
{
	uint64_t end = at + CAPTURE_FRAME_SIZE + size;
	*whole = end <= bytes->size;
	if (*whole && (end == bytes->size || is_frame(bytes, end) || is_trailer(bytes, end)))
		return end;
	uint64_t found = reader_bytes_find_frame(bytes, at + CAPTURE_FRAME_SIZE);
	if (found != UINT64_MAX && found < end) {
		*whole = false;
		return found;
	}
	return *whole ? end : UINT64_MAX;
}

/* One step of the scan; false at the end of what is there. */
static bool step(struct sx_capture_reader *reader, enum sx_status *status)
{
	struct reader_bytes *bytes = &reader->bytes;
	uint64_t at = reader->scan_end;
	struct frame frame;
	const uint8_t *data = reader_bytes_peek(bytes, at, CAPTURE_FRAME_SIZE);
	if (!data || !frame_get(data, &frame)) {
		uint64_t found = reader_bytes_find_frame(bytes, at);
		if (found == UINT64_MAX)
			return false;
		reader->account.damaged_records++;
		reader_damage(reader, at, found - at,
			      "%" PRIu64 " bytes at byte %" PRIu64 " are no record", found - at,
			      at);
		reader->scan_end = found;
		return true;
	}
	bool whole;
	uint64_t next = after(bytes, at, frame.size, &whole);
	if (next == UINT64_MAX)
		return false;
	if (whole) {
		struct entry entry = entry_of(reader, at, &frame);
		*status = take_entry(reader, &entry);
	} else {
		reader->account.damaged_records++;
		reader_damage(reader, at, next - at, "the record at byte %" PRIu64 " is cut", at);
	}
	reader->scan_end = next;
	return *status == SX_OK;
}

enum sx_status reader_scan(struct sx_capture_reader *reader)
{
	enum sx_status status = SX_OK;
	while (step(reader, &status))
		;
	uint64_t left = reader->bytes.size - reader->scan_end;
	reader->info.clean = is_trailer(&reader->bytes, reader->scan_end);
	reader->account.cut_bytes = reader->info.clean ? 0 : left;
	return status;
}
